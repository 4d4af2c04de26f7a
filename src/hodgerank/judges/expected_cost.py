"""What a campaign may cost, before any call is made."""

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
    """Of one model: calls, tokens, and money where its price is known."""

    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def expected_costs(judge: ChatJudge, budget: int, seed: int = 0) -> list[ExpectedCost]:
    """As if every call brought an answer: prompts by their length, and short replies.

    No more calls than there are different questions.
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
    """Pairs that can be asked, drawn at random."""
    rng, items = Random(seed), judge.items.items
    if judge.items.comparable is None and len(items) > FEW_ITEMS:
        return [Pair(*rng.sample(items, 2)) for _ in range(LOOKED_AT)]
    pairs = list(judge.items.comparable or combinations(items, 2))
    rng.shuffle(pairs)
    return [Pair(*pair) for pair in islice(pairs, LOOKED_AT)]
