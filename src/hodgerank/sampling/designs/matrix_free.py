"""MatrixFreePosterior: the Gaussian posterior of very many scores, and a pair worth asking."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hodgerank.kernels.linalg.conjugate_gradients import Iterate, conjugate_gradients
from hodgerank.kernels.matrix_free import adjacency, grid, search, solve
from hodgerank.kernels.matrix_free.state import (
    ANSWERED,
    CELL,
    FORCE,
    INFORMATION,
    MEAN,
    N_CHUNKS,
    N_LEARNED,
    QUEUE_LENGTH,
    QUEUE_START,
    QUEUED,
    RESIDUAL,
    VARIANCE,
    VARIANCE_ALONE,
    Settings,
    empty_grid,
    empty_state,
    longer,
)
from hodgerank.kernels.selection.ties import best_listed
from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.designs.design import AnswerBatch, Design
from hodgerank.types import FloatArray, IntArray, Item

LOCALITY = 0.3  # least prior strength at which variances are computed
REACH = 0.1  # share of a pair's variance below which a local solution stops
RESIDUAL_TOLERANCE = 0.1  # of a mean, in units of one answer
LARGEST_MEAN = 10.0  # the ends of the grid; items beyond stand in the last bucket
BUCKET_WIDTH, MOST_BUCKETS = 0.03, 2000
LOWEST_VARIANCE, LEVEL_RATIO = 1e-5, 1.01
SWEEPS = 8  # of belief propagation over all items
CHECKPOINT_TOLERANCE, FINAL_TOLERANCE = 5e-3, 1e-10
MOST_ITERATIONS = 1000
FEW = 512  # items all of whose pairs are looked at where the grid finds none
ALL_AT_ONCE = 0.5  # answers per item beyond which it pays to start from scratch


class MatrixFreePosterior(Design):
    """Scores with prior N(m, 1/g), answers y = x_i - x_j + noise: local, O(1) per answer.

    What `DensePosterior` knows exactly is known here to about a per cent, in O(items + edges)
    memory. Pairs are asked that are worth about 98 % of the best.

    Every n answers the means are solved anew; `drift` tells by how much they had been off.

    Parameters
    ----------
    prior_mean, ridge
        m and g.
    criterion
        What the pair has most of: expected information ('clamped') or variance.
    link
        How differences become preferences, as a code of `kernels.information`.
    seed
        Orders items that are alike.
    """

    def __init__(
        self,
        prior_mean: FloatArray,
        ridge: float,
        *,
        criterion: Literal["clamped", "variance"] = "clamped",
        link: int = 0,
        seed: int = 0,
    ) -> None:
        super().__init__()
        g, n = ridge, len(prior_mean)
        locality = max(g, LOCALITY)
        mean_range = max(LARGEST_MEAN, 1.5 * float(np.abs(prior_mean).max(initial=0.0)))
        self.drift = 0.0
        self._retired: frozenset[int] = frozenset()
        self._seed = seed
        self._settings = Settings(
            prior_strength=g,
            locality=locality,
            criterion=VARIANCE_ALONE if criterion == "variance" else INFORMATION,
            link=link,
            reach=REACH,
            residual=RESIDUAL_TOLERANCE,
            bucket_width=max(BUCKET_WIDTH, 2 * mean_range / MOST_BUCKETS),
            mean_range=mean_range,
            lowest_variance=min(LOWEST_VARIANCE, 1e-3 / locality),
            log_ratio=float(np.log(LEVEL_RATIO)),
        )
        self._n = n
        self._state = empty_state(n, 2 * n + 16, self._settings)
        x = self._state.x
        x[:, MEAN] = prior_mean
        x[:, FORCE] = g * prior_mean
        x[:, VARIANCE] = 1 / self._settings.locality
        self._arrange()

    def _arrange(self) -> None:
        """Put all items into the grid in an order that the seed and the answers decide."""
        learned = int(self._state.counters[N_LEARNED])
        order = np.random.default_rng([self._seed, learned]).permutation(self._n)
        grid.rebuild(self._state, self._settings, order, learned)

    def _make_room(self) -> None:
        """For the edges that one more pair may need."""
        s = self._state
        used, capacity = int(s.counters[N_CHUNKS]), len(s.neighbours)
        if used + 4 > capacity:
            more = max(64, capacity // 4)
            self._state = s._replace(
                neighbours=np.vstack([s.neighbours, np.empty((more, 16), np.int32)]),
                weights=np.vstack([s.weights, np.empty((more, 16), np.float32)]),
            )

    def _learn(
        self, i: int, j: int, outcome: float, weight: float, worker: Item | None, was_out: bool
    ) -> None:
        self._make_room()
        search.learn(self._state, self._settings, i, j, outcome, weight, was_out)
        if self._state.counters[N_LEARNED] % self._n == 0:
            self._checkpoint()

    def _checkpoint(self) -> None:
        self.drift = self._solve_means()
        self._arrange()

    def _learn_many(self, answers: AnswerBatch) -> None:
        """One by one while they are few, otherwise from scratch with all there are."""
        if len(answers.i) < ALL_AT_ONCE * self._n:
            super()._learn_many(answers)
            return
        s, n = self._state, self._n
        weight = answers.weight
        force = np.bincount(answers.i, weight * answers.outcome, minlength=n)
        force -= np.bincount(answers.j, weight * answers.outcome, minlength=n)
        old_i, old_j, old_weight = self._edges()
        i = np.concatenate([old_i, answers.i])
        j = np.concatenate([old_j, answers.j])
        code, place = np.unique(i * n + j, return_inverse=True)
        total = np.bincount(place, np.concatenate([old_weight, weight])).astype(float)
        i, j = code // n, code % n
        fresh = empty_state(n, _chunks_needed(i, j, n), self._settings)
        fresh.counters[N_LEARNED] = s.counters[N_LEARNED] + len(answers.i)
        fresh.x[:, MEAN] = s.x[:, MEAN]
        fresh.x[:, FORCE] = s.x[:, FORCE] + force
        fresh.place[:, CELL] = np.where(s.place[:, CELL] == grid.RETIRED, grid.RETIRED, -1)
        self._state = fresh
        self._connect(i, j, total)

    def _edges(self) -> tuple[IntArray, IntArray, FloatArray]:
        return adjacency.edge_list(self._state)

    def _connect(self, i: IntArray, j: IntArray, weight: FloatArray) -> None:
        """All edges at once, then variances and means."""
        s, n = self._state, self._n
        weight = weight.astype(np.float32).astype(float)  # as the edges keep them
        ends = np.concatenate([i, j])
        order = np.argsort(ends, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n))])
        others, weights = np.concatenate([j, i])[order], np.concatenate([weight, weight])[order]
        adjacency.build(s, start, others, weights)
        s.x[:, ANSWERED] = np.bincount(ends, np.concatenate([weight, weight]), minlength=n)
        s.x[:, VARIANCE] = 1 / (s.x[:, ANSWERED] + self._settings.locality)
        search.sweep_variances(s, self._settings.locality, SWEEPS)
        self._solve_means()
        self._arrange()

    def _solve_means(self) -> float:
        """All means anew, from where they are; returns by how much they were off."""
        s = self._state
        found = self._solve(s.x[:, FORCE], s.x[:, MEAN], CHECKPOINT_TOLERANCE)
        s.x[:, MEAN], s.x[:, RESIDUAL] = found.x[:, 0], found.r[:, 0]
        s.place[:, QUEUED] = 0  # no residual is left to relax
        s.counters[QUEUE_START] = s.counters[QUEUE_LENGTH] = 0
        return found.first_size

    def _solve(self, rhs: FloatArray, start: FloatArray, tolerance: float) -> Iterate:
        """(L + g I)^-1 of a vector, until no residual asks for a move beyond the tolerance."""
        s, g = self._state, self._settings.prior_strength
        diagonal = (s.x[:, ANSWERED] + g)[:, None]

        def apply(v: FloatArray) -> FloatArray:
            out = np.empty_like(v)
            solve.apply(s, g, v[:, 0], out[:, 0])
            return out

        return conjugate_gradients(
            apply,
            np.ascontiguousarray(rhs[:, None]),
            lambda r: r / diagonal,
            start=np.ascontiguousarray(start[:, None]),
            tolerance=tolerance,
            max_iterations=MOST_ITERATIONS,
            size=lambda _, move: float(np.abs(move).max(initial=0.0)),
        )

    def _expect(self, i: int, j: int) -> None:
        self._make_room()
        search.expect(self._state, self._settings, i, j)

    def _withdraw(self, i: int, j: int) -> None:
        search.withdraw(self._state, self._settings, i, j)

    def enlarge(self) -> None:
        """Make room for one more item, with prior mean 0."""
        s = self._state
        waiting = (s.counters[QUEUE_START] + np.arange(s.counters[QUEUE_LENGTH])) % self._n
        queue = s.queue[waiting]
        self._n += 1
        s = s._replace(
            **{name: longer(getattr(s, name)) for name in ("x", "place", "edges", "queue")},
            touched=longer(s.touched),
        )
        s.queue[: len(queue)] = queue
        s.counters[QUEUE_START] = 0
        s.x[-1] = 0
        s.x[-1, VARIANCE] = 1 / self._settings.locality
        s.edges[-1] = (-1, -1, 0, 0)
        s.place[-1] = (0, 0, -1, 0)
        self._state = s
        grid.put(s, self._settings, self._n - 1, int(s.counters[N_LEARNED]))

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """The criterion of each pair."""
        return np.asarray(search.values_of_pairs(self._state, self._settings, i, j))

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """A pair about as good as the best."""
        self._retire(blocked.retired)
        i, j = search.best_pair(self._state, self._settings, blocked.codes, key)
        return (i, j) if i >= 0 else self._search_everywhere(blocked, key)

    def _retire(self, retired: frozenset[int]) -> None:
        if retired == self._retired:
            return
        s = self._state
        for u in retired - self._retired:
            grid.take_out(s, u)
            s.place[u, CELL] = grid.RETIRED
        for u in self._retired - retired:
            s.place[u, CELL] = -1
            grid.put(s, self._settings, u, int(s.counters[N_LEARNED]))
        self._retired = retired

    def _search_everywhere(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """All pairs of some items: where few are left, or all lie far apart."""
        active = np.flatnonzero(self._state.place[:, CELL] != grid.RETIRED)
        if len(active) > FEW:
            active = np.sort(np.random.default_rng(abs(key)).choice(active, FEW, replace=False))
        a, b = np.triu_indices(len(active), 1)
        i, j = active[a], active[b]
        is_open = ~np.isin(i * self._n + j, blocked.codes)
        i, j = i[is_open], j[is_open]
        k = best_listed(self.gains(i, j), i, j, key)
        return (int(i[k]), int(j[k])) if k >= 0 else (-1, -1)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self._n

    @property
    def n_learned(self) -> int:
        """Number of answers."""
        return int(self._state.counters[N_LEARNED])

    @property
    def mean(self) -> FloatArray:
        """Of the centred scores; the state stays as it is."""
        x = self._state.x
        mean = self._solve(x[:, FORCE], x[:, MEAN], FINAL_TOLERANCE).x[:, 0]
        return np.asarray(mean - mean.mean())

    @property
    def running_mean(self) -> FloatArray:
        """Of the scores as they are kept from answer to answer, about right."""
        return self._state.x[:, MEAN]

    def response_to(self, force: FloatArray) -> FloatArray:
        """S times a vector, to a tolerance of 0.005."""
        return self._solve(force, force / self._n, CHECKPOINT_TOLERANCE).x[:, 0]

    def aim_at(self, criterion: Literal["clamped", "variance"]) -> None:
        """Choose by another criterion from now on."""
        code = VARIANCE_ALONE if criterion == "variance" else INFORMATION
        self._settings = self._settings._replace(criterion=code)
        self._state = self._state._replace(**empty_grid(self._settings))
        self._arrange()

    @property
    def n_bytes(self) -> int:
        """Memory of the state."""
        return sum(array.nbytes for array in self._state)


def _chunks_needed(i: IntArray, j: IntArray, n: int) -> int:
    degree = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
    return int(np.ceil(degree / adjacency.ROOM).sum()) + n // 4 + 64
