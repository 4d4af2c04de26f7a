"""RecordedCrowd: votes already given, as a judge."""

from __future__ import annotations

import numpy as np

from hodgerank.data.reading.source import read_comparisons
from hodgerank.errors import NothingToAsk
from hodgerank.notebook import Displayed
from hodgerank.sampling.answer import Answer
from hodgerank.sampling.items import ItemList
from hodgerank.types import IntArray, Item, Pair, RngLike, VotesLike


class RecordedCrowd(Displayed):
    """The answer to a pair is one of the votes it got, drawn at random: a judge for `run`.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` takes.
    replacement
        Put each vote back after it was drawn: any number of answers, but a pair with few votes
        then repeats their errors. Default: use each vote once.
    rng
        Seed or generator.

    Examples
    --------
    >>> votes = [("tea", "milk", 1), ("tea", "milk", 1), ("milk", "cola", 1)]
    >>> crowd = RecordedCrowd(votes, rng=1)
    >>> crowd(("milk", "tea")).outcome, crowd(("tea", "cola")), len(crowd.pairs)
    (-1.0, None, 2)
    """

    def __init__(self, votes: VotesLike, *, replacement: bool = False, rng: RngLike = None) -> None:
        votes = read_comparisons(votes)
        self.items: tuple[Item, ...] = votes.items
        self._replacement = replacement
        self._rng = np.random.default_rng(rng)
        self._item_list = ItemList(votes.items)
        self._pools: dict[tuple[int, int], list[tuple[float, Item | None, float]]] = {}
        workers = [*votes.workers, None]
        weights = np.ones(len(votes)) if votes.weight is None else votes.weight
        columns = (votes.left, votes.right, votes.outcome, votes.worker, weights)
        for a, b, y, who, weight in zip(*(column.tolist() for column in columns), strict=True):
            pair, outcome = ((a, b), y) if a < b else ((b, a), -y)
            self._pools.setdefault(pair, []).append((outcome, workers[who], weight))
        self._places = {pair: place for place, pair in enumerate(self._pools)}
        self._remaining: IntArray = np.array([len(pool) for pool in self._pools.values()], int)
        self._pairs: tuple[Pair, ...] | None = None

    def _headline(self) -> str:
        votes = int(self._remaining.sum())
        return f"{len(self.items):,} items, {len(self.pairs):,} pairs, {votes:,} votes left"

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Those with votes left: the candidates of a sampler."""
        if self._pairs is None:
            open_pairs = (pair for pair, pool in self._pools.items() if pool)
            self._pairs = tuple(Pair(self.items[a], self.items[b]) for a, b in open_pairs)
        return self._pairs

    def random_pair(self) -> Pair:
        """A pair drawn in proportion to the votes it has left."""
        upto = np.cumsum(self._remaining)
        if not upto[-1]:
            raise NothingToAsk("no votes are left")
        place = int(np.searchsorted(upto, self._rng.integers(upto[-1]), side="right"))
        a, b = list(self._pools)[place]
        return Pair(self.items[a], self.items[b])

    def __call__(self, pair: tuple[Item, Item]) -> Answer | None:
        """One of the votes on a pair; None where there are none left."""
        a, b = self._item_list.pair(pair)
        key = (a, b) if a < b else (b, a)
        pool = self._pools.get(key)
        if not pool:
            return None
        k = int(self._rng.integers(len(pool)))
        outcome, worker, weight = pool[k] if self._replacement else pool.pop(k)
        if not self._replacement:
            self._remaining[self._places[key]] -= 1
            if not pool:
                self._pairs = None
        return Answer(outcome if a < b else -outcome, worker, weight)
