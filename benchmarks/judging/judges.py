"""Judges who repeat themselves: a pair in one order has one answer by each of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

import hodgerank as hr


class Judges:
    """A panel, and what is to be found.

    Attributes
    ----------
    truth
        The scores to be found, in the order of the items.
    replies
        +1 or -1 of each judge for the item in the row shown left of that in the column.
    pairs
        What may be asked, i < j.
    is_complete
        Whether these are all pairs.
    """

    def __init__(self, truth: np.ndarray, replies: np.ndarray, pairs: Sequence[tuple[int, int]]):
        self.truth, self.replies, self.pairs = truth, replies, tuple(pairs)
        n = len(truth)
        self.is_complete = len(self.pairs) == n * (n - 1) // 2

    @property
    def names(self) -> list[str]:
        """Names of the judges."""
        return [f"judge {k}" for k in range(len(self.replies))]

    @property
    def most_calls(self) -> int:
        """After which nothing new can be learned: every judge, every pair, both orders."""
        return 2 * len(self.pairs) * len(self.replies)

    def reply(self, left: int, right: int, judge: int) -> float:
        """Return the reply, which is the same each time."""
        return float(self.replies[judge, left, right])


def simulated(
    rng: np.random.Generator, *, n: int, spread: float, biases: Sequence[float]
) -> Judges:
    """Prefer left with probability sigmoid(s_left - s_right + bias), scores from N(0, spread^2)."""
    truth = rng.normal(0, spread, n)
    chance = expit(truth[:, None] - truth[None, :] + np.array(biases)[:, None, None])
    replies = np.where(rng.random(chance.shape) < chance, 1.0, -1.0)
    return Judges(truth, replies, _all_pairs(n))


def recorded(
    rng: np.random.Generator, *, name: str, n_references: int | None, n_judges: int
) -> Judges:
    """Replies are recorded votes, drawn without replacement from those of the pair.

    People gave them without knowing a left and a right, so there is no bias in them; votes of
    different people stand for what a judge says in either order. Pairs with fewer votes than can
    be asked are left out. The truth is HodgeRank on all votes.
    """
    which = {} if n_references is None else {"reference": int(rng.integers(n_references)) + 1}
    votes = hr.load_dataset(name, **which)
    score = hr.hodge_rank(votes).score_by_item
    by_pair: dict[tuple[int, int], list[float]] = {}
    for a, b, outcome in zip(votes.left, votes.right, votes.outcome, strict=True):
        pair, sign = ((int(a), int(b)), 1.0) if a < b else ((int(b), int(a)), -1.0)
        by_pair.setdefault(pair, []).append(sign * float(outcome))
    replies = np.zeros((n_judges, votes.n_items, votes.n_items))
    enough = sorted(pair for pair, given in by_pair.items() if len(given) >= 2 * n_judges)
    for i, j in enough:
        drawn = rng.permutation(by_pair[i, j])[: 2 * n_judges]
        replies[:, i, j], replies[:, j, i] = drawn[:n_judges], -drawn[n_judges:]
    return Judges(np.array([score[item] for item in votes.items]), replies, enough)


def _all_pairs(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i + 1, n)]
