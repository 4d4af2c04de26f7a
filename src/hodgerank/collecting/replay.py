"""replay: how fast samplers would have found the ranking of recorded votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from hodgerank.collecting.run import play
from hodgerank.data.comparisons import NO_WORKER, require_choices
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.display import Charted, Displayed, Preview
from hodgerank.errors import InvalidArgument, NothingToAsk
from hodgerank.estimators.bayes import bayes_rank
from hodgerank.estimators.least_squares import hodge_rank
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.metrics import kendall_tau
from hodgerank.sampling.answers import Answer
from hodgerank.sampling.item_list import ItemList
from hodgerank.sampling.samplers.registry import build_sampler
from hodgerank.types import FloatArray, IntArray, Item, Pair, RngLike, VotesLike


class RecordedCrowd(Displayed):
    """A judge for `run` that answers with recorded votes, drawn at random.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` takes.
    replacement
        Draw with replacement: any number of answers, but a pair with few votes then repeats their
        errors. Default: use each vote once.
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
        votes = read_ungrouped(votes)
        require_choices(votes.report, "RecordedCrowd")
        self.items: tuple[Item, ...] = votes.items
        self._replacement = replacement
        self._rng = np.random.default_rng(rng)
        self._item_list = ItemList(votes.items)
        self._votes = votes
        n = np.int64(len(votes.items))
        pair = np.minimum(votes.left, votes.right) * n + np.maximum(votes.left, votes.right)
        found, first, which, counts = np.unique(
            pair, return_index=True, return_inverse=True, return_counts=True
        )
        seen = np.argsort(first)  # pairs are listed as they appear in the votes
        lesser, greater = np.divmod(found[seen], n)
        ends = zip(lesser.tolist(), greater.tolist(), strict=True)
        self._places = {pair: place for place, pair in enumerate(ends)}
        self._remaining: IntArray = counts[seen]
        # Rows of the votes by pair. Most pairs are never asked, so each pool is made on demand.
        self._rows: IntArray = np.argsort(np.argsort(seen)[which], kind="stable")
        self._ends: IntArray = np.cumsum(self._remaining)
        self._pools: dict[int, list[int]] = {}
        # computed again after votes have been drawn
        self._upto: IntArray | None = None
        self._pairs: tuple[Pair, ...] | None = None

    def _headline(self) -> str:
        votes = int(self._remaining.sum())
        return f"{len(self.items):,} items, {len(self.pairs):,} pairs, {votes:,} votes left"

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Pairs with votes left: the candidates of a sampler."""
        if self._pairs is None:
            self._pairs = tuple(compress(self._recorded_pairs, self._remaining.tolist()))
        return self._pairs

    @cached_property
    def _recorded_pairs(self) -> list[Pair]:
        return [Pair(self.items[a], self.items[b]) for a, b in self._places]

    def random_pair(self) -> Pair:
        """Draw a pair with probability proportional to the votes it has left."""
        if self._upto is None:
            self._upto = np.cumsum(self._remaining)
        if not self._upto[-1]:
            raise NothingToAsk("no votes are left")
        drawn = self._rng.integers(self._upto[-1])
        return self._recorded_pairs[int(np.searchsorted(self._upto, drawn, side="right"))]

    def __call__(self, pair: tuple[Item, Item]) -> Answer | None:
        """Return one of the votes on a pair; None if there are none left."""
        a, b = self._item_list.pair(pair)
        place = self._places.get((a, b) if a < b else (b, a))
        if place is None or not self._remaining[place]:
            return None
        pool = self._pool(place)
        k = int(self._rng.integers(len(pool)))
        row = pool[k] if self._replacement else pool.pop(k)
        if not self._replacement:
            self._remaining[place] -= 1
            self._upto = None
            if not pool:
                self._pairs = None
        votes = self._votes
        outcome, worker = float(votes.outcome[row]), int(votes.worker[row])
        return Answer(
            outcome if votes.left[row] == a else -outcome,
            None if worker == NO_WORKER else votes.workers[worker],
            1.0 if votes.weight is None else float(votes.weight[row]),
        )

    def _pool(self, place: int) -> list[int]:
        """Return the rows of the votes on a pair that can still be drawn."""
        if place not in self._pools:
            end = self._ends[place]
            self._pools[place] = self._rows[end - self._remaining[place] : end].tolist()
        return self._pools[place]


MOST_RUNS = 1_000_000
N_LOOKS = 20


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurves(Displayed, Charted):
    """Kendall's tau against the number of votes, for several strategies.

    Attributes
    ----------
    strategies
        Names of the strategies.
    votes
        Numbers of votes at which tau was computed.
    taus
        Values by strategy, run and number of votes.
    truth
        What the rankings were compared with.
    """

    strategies: tuple[str, ...]
    votes: IntArray
    taus: FloatArray
    truth: str

    @property
    def mean(self) -> FloatArray:
        """Mean tau, one row per strategy."""
        return np.asarray(self.taus.mean(axis=1))

    @property
    def stderr(self) -> FloatArray:
        """Standard error of the mean over runs."""
        n_runs = self.taus.shape[1]
        if n_runs < 2:
            return np.full(self.mean.shape, np.nan)
        return np.asarray(self.taus.std(axis=1, ddof=1) / np.sqrt(n_runs))

    def _headline(self) -> str:
        ends = ", ".join(
            f"{name} {tau:.3f}" for name, tau in zip(self.strategies, self.mean[:, -1], strict=True)
        )
        return f"tau against {self.truth} after {self.votes[-1]:,} votes: {ends}"

    def _preview(self) -> Preview:
        rows = (
            (int(votes), *map(float, taus))
            for votes, taus in zip(self.votes, self.mean.T, strict=True)
        )
        return Preview(("votes", *self.strategies), rows, len(self.votes))

    def to_frame(self, backend: str = "auto") -> Any:
        """Return one row per strategy and number of votes.

        `backend` is a dataframe library; default: pandas if it is installed, else polars.
        """
        from hodgerank.data.sources.frames import build_frame

        k = len(self.votes)
        return build_frame(
            {
                "strategy": np.repeat(np.array(self.strategies, dtype=object), k),
                "votes": np.tile(self.votes, len(self.strategies)),
                "tau": self.mean.ravel(),
                "stderr": self.stderr.ravel(),
            },
            backend,
        )


def replay(
    votes: VotesLike,
    strategies: Sequence[str] = ("auto", "random"),
    *,
    n_votes: int | None = None,
    runs: int = 20,
    truth: Mapping[Item, float] | None = None,
    replacement: bool = False,
    seed: int = 0,
    on_run: Callable[[], None] | None = None,
) -> LearningCurves:
    """Measure how fast samplers find the ranking of recorded votes.

    A sampler may ask any pair that has votes left; the answer is one of them, drawn at random
    without replacement. All rankings are those of `bayes_rank`.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` takes.
    strategies
        Names: auto, sort, rank, bayesian, d-optimal, a-optimal, fiedler, crowd-bt, rounds, random,
        top-5 (or another number).
    n_votes
        Votes per run; default: half of the recorded votes. The closer to all of them, the less
        there is to choose.
    runs
        Number of runs; all strategies draw from the same votes.
    truth
        Scores to compare with; default: `hodge_rank` on all votes.
    replacement
        Draw with replacement: any number of votes, but a pair with few votes then repeats their
        errors.
    seed
        Seed of the random choices.
    on_run
        Called after each run.

    Examples
    --------
    >>> import hodgerank as hr
    >>> votes = hr.simulate_comparisons(8, 2000, spread=2, rng=1)
    >>> curves = replay(votes, ["auto"], n_votes=40, runs=2)
    >>> curves.mean.shape, bool(curves.mean[0, -1] > curves.mean[0, 0])
    ((1, 20), True)
    """
    votes = read_ungrouped(votes)
    require_choices(votes.report, "replay")
    graph = ComparisonGraph.from_comparisons(votes)
    n_votes = max(1, len(votes) // 2) if n_votes is None else n_votes
    if not 1 <= runs <= MOST_RUNS or n_votes < 1:
        raise InvalidArgument(
            f"at least one run of one vote is needed, and at most {MOST_RUNS:,} runs"
        )
    if n_votes > len(votes) and not replacement:
        raise InvalidArgument(
            f"{n_votes:,} votes cannot be drawn from {len(votes):,}: replay fewer (--votes), or "
            "draw with replacement (--replacement)"
        )
    if isinstance(strategies, str):
        strategies = (strategies,)
    missing = [] if truth is None else [item for item in votes.items if item not in truth]
    if missing:
        raise InvalidArgument(f"truth has no score for {missing[:5]}")
    target = "the given scores"
    if truth is None:
        truth = hodge_rank(graph).score_by_item
        target = "HodgeRank on all votes"
    looks = np.unique(np.linspace(n_votes / N_LOOKS, n_votes, N_LOOKS).round().astype(int))
    looks = looks[looks > 0]
    taus = np.empty((len(strategies), runs, len(looks)))
    for s, strategy in enumerate(strategies):
        for run in range(runs):
            rng = np.random.default_rng((seed, run))
            crowd = RecordedCrowd(votes, replacement=replacement, rng=rng)
            taus[s, run] = _taus(strategy, crowd, looks, truth, (1000 * seed + run) % 2**63)
            if on_run is not None:
                on_run()
    return LearningCurves(tuple(strategies), looks, taus, target)


def _taus(
    strategy: str,
    crowd: RecordedCrowd,
    looks: IntArray,
    truth: Mapping[Item, float],
    seed: int,
) -> list[float]:
    """Return Kendall's tau at each look of one run."""
    n = len(crowd.items)

    def open_pairs() -> tuple[Pair, ...] | None:
        return None if len(crowd.pairs) == n * (n - 1) // 2 else crowd.pairs

    at_first = open_pairs()
    sampler = build_sampler(
        strategy, crowd.items, seed=seed, candidates=at_first, budget=int(looks[-1])
    )
    turns = play(sampler, crowd, candidates=open_pairs)
    taus: list[float] = []
    for look in looks.tolist():
        while sampler.n_votes < look:
            next(turns)
        ranking = bayes_rank(sampler.votes, candidates=at_first or "all")
        taus.append(kendall_tau(ranking, truth))
    return taus
