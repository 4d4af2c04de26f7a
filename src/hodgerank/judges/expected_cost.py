"""Expected cost of a campaign, before any call is made."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations, islice
from math import ceil
from pathlib import Path
from random import Random
from statistics import fmean

from hodgerank.judges.call_log import judge_in
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.prices import guess_tokens
from hodgerank.types import Pair

LOOKED_AT = 50  # pairs whose prompts are measured
FEW_ITEMS = 200  # up to which all pairs can be listed to draw from


@dataclass(frozen=True)
class ExpectedCost:
    """Calls, tokens and, if its price is known, cost of one model."""

    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def expected_costs(
    judge: ChatJudge, budget: int, seed: int = 0, log: Path | None = None
) -> list[ExpectedCost]:
    """Estimate the cost from the lengths of prompts, with short replies that all have an answer.

    Where a log of calls reports tokens of a judge, prompts are scaled and replies are as long as
    there on average. The number of calls is limited by the number of different questions.
    """
    panel, prices = judge.panel, judge.ledger.prices
    known = {} if log is None else _logged_tokens(log)
    pairs = some_pairs(judge, seed)
    share, rest = divmod(min(budget, judge.n_left), len(panel.models))
    found = []
    for place, model in enumerate(panel.models):
        calls = share + (place < rest)
        per_prompt = fmean(guess_tokens(judge.messages(pair, model)) for pair in pairs)
        ratio, per_reply = known.get(model, (1.0, float(panel.expected_reply(model))))
        prompt, reply = ceil(calls * per_prompt * ratio), ceil(calls * per_reply)
        cost = prices.cost(model, prompt, reply)
        found.append(ExpectedCost(model, calls, prompt, reply, cost))
    return found


def _logged_tokens(log: Path) -> dict[str, tuple[float, float]]:
    """Return, by judge, prompt tokens relative to their estimate, and the mean of reply tokens.

    The log may be that of a run in progress; it is neither locked nor changed.
    """
    guessed, told, replies = Counter[str](), Counter[str](), defaultdict[str, list[int]](list)
    try:
        lines = log.read_bytes().splitlines()
    except OSError:  # no earlier run
        return {}
    for line in lines:
        try:
            record = json.loads(line)
            judge, prompt, reply = (
                judge_in(record), record["prompt_tokens"], record["completion_tokens"]
            )  # fmt: skip
        except (ValueError, KeyError, TypeError):  # a line that is being written
            continue
        if record.get("attempts") == 1 and prompt and reply is not None:
            guessed[judge] += guess_tokens(record["messages"])
            told[judge] += prompt
            replies[judge].append(reply)
    return {judge: (told[judge] / guessed[judge], fmean(replies[judge])) for judge in replies}


def some_pairs(judge: ChatJudge, seed: int) -> list[Pair]:
    """Draw pairs that can be asked at random."""
    rng, items = Random(seed), judge.items.items
    if judge.items.comparable is None and len(items) > FEW_ITEMS:
        return [Pair(*rng.sample(items, 2)) for _ in range(LOOKED_AT)]
    pairs = list(judge.items.comparable or combinations(items, 2))
    rng.shuffle(pairs)
    return [Pair(*pair) for pair in islice(pairs, LOOKED_AT)]
