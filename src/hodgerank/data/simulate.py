"""simulate_comparisons: simulated votes of honest and careless workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log10
from typing import Literal, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.display import Displayed, short
from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.kernels.links import LINKS
from hodgerank.types import BoolArray, CodeArray, FloatArray, Item, Pair, RngLike

WIDEST = 1e6  # standard deviation of scores; votes are certain long before

Behaviour = Callable[[FloatArray, np.random.Generator], FloatArray]

POSITION_BIAS = 0.8  # how often a position-biased worker clicks left without looking
TIE_HABIT = 0.6  # how often a tie-happy worker votes tie
BYTES = {"items": 210, "workers": 90, "votes": 45, "pairs": 32}  # bytes of each, measured


def _honest(p: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.where(rng.random(len(p)) < p, 1.0, -1.0)


def _random(p: FloatArray, rng: np.random.Generator) -> FloatArray:
    return _honest(np.full_like(p, 0.5), rng)


def _adversarial(p: FloatArray, rng: np.random.Generator) -> FloatArray:
    return -_honest(p, rng)


def _position_biased(p: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.where(rng.random(len(p)) < POSITION_BIAS, 1.0, _honest(p, rng))


def _tie_happy(p: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.where(rng.random(len(p)) < TIE_HABIT, 0.0, _honest(p, rng))


BEHAVIOURS: Mapping[str, Behaviour] = {
    "honest": _honest,
    "random": _random,
    "adversarial": _adversarial,
    "position-biased": _position_biased,
    "tie-happy": _tie_happy,
}


def simulate_comparisons(
    items: int | Sequence[Item],
    n_votes: int,
    *,
    scores: ArrayLike | None = None,
    spread: float = 1.0,
    link: str = "bradley-terry",
    workers: int | Mapping[str, int] | None = None,
    pairs: Literal["random", "rounds"] | Sequence[tuple[int, int]] = "random",
    rng: RngLike = None,
) -> Comparisons:
    """Simulate votes on items with known true scores.

    Parameters
    ----------
    items
        Number of items, or their names.
    n_votes
        Number of votes.
    scores, spread
        True scores. Default: drawn from a normal distribution with standard deviation `spread`.
        They are returned as `truth`.
    link
        P(left preferred) as a function of the score difference.
    workers
        Number of honest workers, or of workers of each kind: honest, random, adversarial (votes for
        the worse item), position-biased (clicks left 4 times in 5), tie-happy (votes tie 3 times in
        5). Default: ten honest workers. Names start with the kind: 'honest-03'.
    pairs
        'random' draws pairs independently; 'rounds' asks every pair once in random order before any
        is repeated; or a list of pairs of positions (left, right), asked in turn.
    rng
        Seed or generator.

    Examples
    --------
    >>> votes = simulate_comparisons(["a", "b", "c"], 30, workers={"honest": 2}, rng=1)
    >>> len(votes), votes.workers, votes.truth.shape
    (30, ('honest-01', 'honest-02'), (3,))
    """
    if not isinstance(n_votes, int | np.integer) or n_votes < 1:
        raise InvalidArgument(
            f"n_votes must be a whole number from 1 on, not {short(repr(n_votes))}: write "
            "simulate_comparisons(8, 400) for 400 votes on 8 items"
        )
    require_memory("votes", n_votes)
    crowd = SimulatedCrowd(items, scores=scores, spread=spread, link=link, workers=workers, rng=rng)
    left, right = _design(pairs, len(crowd.items), n_votes, crowd.rng)
    outcome, worker = crowd.answer(left, right)
    return Comparisons(
        items=crowd.items,
        left=left,
        right=right,
        outcome=outcome,
        workers=crowd.workers,
        worker=worker,
        truth=crowd.truth,
        report=ReadReport(source="simulation", rows=n_votes),
    )


class SimulatedCrowd(Displayed):
    """Simulated workers as a judge for `run`.

    Parameters
    ----------
    items, scores, spread, link, workers, rng
        As in `simulate_comparisons`.
    n_available
        Number of workers available at a time; default: all.

    Attributes
    ----------
    items, truth
        Items and their true scores.
    workers
        Names of the workers, which start with their kind.

    Examples
    --------
    >>> import hodgerank as hr
    >>> crowd = hr.SimulatedCrowd(["a", "b", "c"], scores=[3, 0, -3], rng=1)
    >>> hr.run(hr.AutoSampler(crowd.items), crowd, budget=30).ranking.items
    ('a', 'b', 'c')
    """

    def __init__(
        self,
        items: int | Sequence[Item],
        *,
        scores: ArrayLike | None = None,
        spread: float = 1.0,
        link: str = "bradley-terry",
        workers: int | Mapping[str, int] | None = None,
        n_available: int | None = None,
        rng: RngLike = None,
    ) -> None:
        if not 0 <= spread <= WIDEST or (isinstance(rng, int) and rng < 0):
            raise InvalidArgument(
                f"spread must lie between 0 and {WIDEST:g}, and a seed must not be negative"
            )
        self.rng = np.random.default_rng(rng)
        if isinstance(items, int | np.integer):
            require_memory("items", items)
        elif isinstance(items, str) or not isinstance(items, Iterable):
            raise InvalidArgument(
                f"items must be their number or a list of names, not {short(repr(items))}"
            )
        self.items: tuple[Item, ...] = (
            tuple(f"item-{k + 1:0{len(str(items))}d}" for k in range(items))
            if isinstance(items, int | np.integer)
            else tuple(items)
        )
        n = len(self.items)
        if n < 2:
            raise InvalidArgument("at least two items are needed")
        truth = self.rng.normal(0.0, spread, n) if scores is None else np.asarray(scores, float)
        if truth.shape != (n,) or not np.isfinite(truth).all():
            raise InvalidArgument(f"scores must be {n} finite numbers")
        self.truth: FloatArray = truth
        self.workers, self._kinds = _crowd(10 if workers is None else workers)
        if n_available is None:
            n_available = len(self.workers)
        if not _is_count(n_available) or not 1 <= n_available <= len(self.workers):
            raise InvalidArgument(
                f"n_available must be a number from 1 to {len(self.workers)}, the number of "
                f"workers, not {short(repr(n_available))}"
            )
        self.n_available = n_available
        self._worker_codes = {worker: code for code, worker in enumerate(self.workers)}
        self._cdf = LINKS[require_one_of(link, LINKS, "link")].cdf
        self._codes = {item: code for code, item in enumerate(self.items)}

    def _headline(self) -> str:
        return f"{len(self.items):,} items, {len(self.workers):,} workers"

    def available_workers(self) -> tuple[Item, ...]:
        """Return workers who are available now, drawn at random, for `run(workers=...)`."""
        n = len(self.workers)
        drawn = self.rng.choice(n, self.n_available, replace=False)
        return tuple(self.workers[code] for code in drawn.tolist())

    def answer(
        self, left: CodeArray, right: CodeArray, worker: CodeArray | None = None
    ) -> tuple[FloatArray, CodeArray]:
        """Return outcomes of pairs of positions, and the workers who gave them, or random ones."""
        if worker is None:
            worker = self.rng.integers(0, len(self.workers), len(left), dtype=np.int32)
        p = self._cdf(self.truth[left] - self.truth[right])
        if len(self._kinds) == 1:
            return BEHAVIOURS[next(iter(self._kinds))](p, self.rng), worker
        outcome = np.empty(len(left))
        for kind, is_of_kind in self._kinds.items():
            rows = np.flatnonzero(is_of_kind[worker])
            outcome[rows] = BEHAVIOURS[kind](p[rows], self.rng)
        return outcome, worker

    def __call__(self, pair: Pair, worker: Item | None = None) -> tuple[float, Item]:
        """Return the outcome of a pair and the worker: the given one, or a random one."""
        left, right = (np.array([self._codes[item]], np.int32) for item in pair)
        if worker is None:
            outcome, who = self.answer(left, right)
        elif worker in self._worker_codes:
            outcome, who = self.answer(left, right, np.array([self._worker_codes[worker]]))
        else:
            raise InvalidArgument(f"there is no worker {short(repr(worker))} in this crowd")
        return float(outcome[0]), self.workers[who[0]]


def require_memory(what: str, n: int, n_bytes: int | None = None) -> None:
    """Refuse sizes that do not fit into memory."""
    if not hasattr(os, "sysconf"):
        return
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    most = memory // (BYTES[what] if n_bytes is None else n_bytes)
    if n > most:
        number = f"{n:,}" if n < 10**18 else f"about 10^{log10(n):.0f}"
        raise InvalidArgument(
            f"{number} {what} do not fit into the {memory / 2**30:.0f} GB of memory of this "
            f"machine: the limit is about {float(f'{most:.2g}'):,.0f}"
        )


def _crowd(workers: int | Mapping[str, int]) -> tuple[tuple[Item, ...], dict[str, BoolArray]]:
    """Return the names of the workers, and the workers of each kind."""
    if _is_count(workers):
        workers = {"honest": workers}
    if not isinstance(workers, Mapping) or not all(map(_is_count, workers.values())):
        raise InvalidArgument(
            f"workers= {short(repr(workers))} must be a number of honest workers, such as 5, or "
            "numbers by kind, such as {'honest': 8, 'random': 2}"
        )
    require_memory("workers", sum(workers.values()))
    kinds = [
        require_one_of(kind, BEHAVIOURS, "worker kind")
        for kind, count in workers.items()
        for _ in range(count)
    ]
    if not kinds:
        raise InvalidArgument("at least one worker is needed")
    width = max(2, len(str(max(workers.values()))))
    names = [f"{kind}-{k + 1:0{width}d}" for kind, count in workers.items() for k in range(count)]
    return tuple(names), {
        kind: np.array([each == kind for each in kinds]) for kind in dict.fromkeys(kinds)
    }


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 0


def _design(
    pairs: str | Sequence[tuple[int, int]], n: int, m: int, rng: np.random.Generator
) -> tuple[CodeArray, CodeArray]:
    """Return left and right items; generated designs show each pair in a random order."""
    if not isinstance(pairs, str):
        asked = np.asarray(pairs, dtype=np.int32)
        inside = asked.ndim == 2 and asked.shape[1] == 2 and len(asked)
        if not inside or asked.min() < 0 or asked.max() >= n:
            raise InvalidArgument(f"pairs must be positions (left, right) from 0 to {n - 1}")
        rows = asked[np.arange(m) % len(asked)]
        return rows[:, 0], rows[:, 1]
    if require_one_of(pairs, ("random", "rounds"), "pairs") == "random":
        left = rng.integers(0, n, m, dtype=np.int32)
        right = (left + rng.integers(1, n, m, dtype=np.int32)) % n
        return left, right.astype(np.int32)
    require_memory("pairs", n * (n - 1) // 2)
    i, j = np.triu_indices(n, 1)
    order = np.concatenate([rng.permutation(len(i)) for _ in range(-(-m // len(i)))])[:m]
    swap = rng.random(m) < 0.5
    left = np.where(swap, j[order], i[order])
    return left.astype(np.int32), np.where(swap, i[order], j[order]).astype(np.int32)
