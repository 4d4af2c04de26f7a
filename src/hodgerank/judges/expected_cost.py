"""Expected cost of a campaign, before any call is made."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice
from math import ceil
from random import Random
from statistics import fmean

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


def expected_costs(judge: ChatJudge, budget: int, seed: int = 0) -> list[ExpectedCost]:
    """Estimate the cost from the lengths of prompts, with short replies that all have an answer.

    The number of calls is limited by the number of different questions.
    """
    panel, prices = judge.panel, judge.ledger.prices
    per_call = fmean(guess_tokens(judge.messages(pair)) for pair in some_pairs(judge, seed))
    share, rest = divmod(min(budget, judge.n_left), len(panel.models))
    found = []
    for place, model in enumerate(panel.models):
        calls = share + (place < rest)
        prompt, reply = ceil(calls * per_call), calls * panel.expected_reply
        cost = prices.cost(model, prompt, reply)
        found.append(ExpectedCost(model, calls, prompt, reply, cost))
    return found


def some_pairs(judge: ChatJudge, seed: int) -> list[Pair]:
    """Draw pairs that can be asked at random."""
    rng, items = Random(seed), judge.items.items
    if judge.items.comparable is None and len(items) > FEW_ITEMS:
        return [Pair(*rng.sample(items, 2)) for _ in range(LOOKED_AT)]
    pairs = list(judge.items.comparable or combinations(items, 2))
    rng.shuffle(pairs)
    return [Pair(*pair) for pair in islice(pairs, LOOKED_AT)]
