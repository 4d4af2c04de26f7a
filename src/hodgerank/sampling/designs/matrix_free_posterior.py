"""MatrixFreePosterior: the Gaussian posterior of very many scores, and a good next pair."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, TypeAlias

import numpy as np

from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.kernels.linalg.conjugate_gradients import Iterate, conjugate_gradients
from hodgerank.kernels.matrix_free import grid, search, solve, state
from hodgerank.kernels.matrix_free.state import (
    ANSWERED,
    CELL,
    FORCE,
    INFORMATION,
    MEAN,
    N_CHUNKS,
    N_LEARNED,
    N_LINES,
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
from hodgerank.kernels.selection.tie_breaking import best_listed
from hodgerank.sampling.designs.dense_posterior import LINK_CODES, DensePosterior
from hodgerank.sampling.designs.design import Design, Vote, VoteBatch
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import BoolArray, FloatArray, IntArray

LOCALITY = 0.3  # smallest prior strength used for variances
REACH = 0.1  # share of a pair's variance below which a local solution stops
RESIDUAL_TOLERANCE = 0.1  # of a mean, in units of one vote
LARGEST_MEAN = 10.0  # range of the grid; items beyond are in the last bucket
BUCKET_WIDTH, MOST_BUCKETS = 0.03, 2000
LOWEST_VARIANCE, LEVEL_RATIO = 1e-5, 1.01
SWEEPS = 32  # of belief propagation over all items; 3 to 5 suffice unless edges are heavy
CHECKPOINT_TOLERANCE, FINAL_TOLERANCE = 5e-3, 1e-10
MOST_ITERATIONS = 1000
FEW = 512  # items whose pairs are all examined if the grid finds none


class MatrixFreePosterior(Design):
    """Scores with prior N(m, 1/g), votes y = x_i - x_j + noise: local, O(1) per vote.

    Approximates `DensePosterior` to about one per cent, in O(items + edges) memory. The pairs asked
    are worth 99% of the best on average.

    There is a checkpoint every n votes: variances and means are recomputed from all votes, and
    `drift` is the error that the means had accumulated. Many votes at once therefore lead to the
    same state as one by one: all but those after the last checkpoint only have to be summed.

    Pending pairs are added on top of that state, in the order of `out`, and removed before a vote
    is learned.

    Parameters
    ----------
    prior_mean, ridge
        m and g.
    criterion
        The gain: 'clamped' as in `DensePosterior`, or 'variance'.
    link
        The link from differences to preferences, as a code of `kernels.selection.information`.
    seed
        Orders equivalent items.
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
        self.aside = np.zeros(len(prior_mean), bool)
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
        self._on: list[tuple[int, int]] = []  # pending pairs in the state, in order
        self._waiting: list[tuple[int, int]] | None = []  # those to be added; None: see `out`
        self._below = self._state.counters.copy(), self._state.listed.copy()
        x = self._state.x
        x[:, MEAN] = prior_mean
        x[:, FORCE] = g * prior_mean
        x[:, VARIANCE] = 1 / self._settings.locality
        self._arrange()

    def _arrange(self) -> None:
        """Insert all items into the grid, in an order that depends on the seed and the votes."""
        learned = int(self._state.counters[N_LEARNED])
        order = np.random.default_rng([self._seed, learned]).permutation(self._n)
        grid.rebuild(self._state, self._settings, order, learned)

    def _make_room(self) -> None:
        """Reserve space for the edges of another pair."""
        s = self._state
        if s.counters[N_CHUNKS] + 2 > len(s.neighbours):
            more = max(64, len(s.neighbours) // 4)
            self._state = s._replace(
                neighbours=_extended(s.neighbours, more), weights=_extended(s.weights, more)
            )

    def _learn(self, vote: Vote, was_out: bool) -> None:
        self._take_off()
        self._make_room()
        search.learn(self._state, self._settings, vote.i, vote.j, vote.outcome, vote.weight)
        if self.n_learned % self._n == 0:
            before = self.running_mean.copy()
            self._start_afresh()
            self.drift = float(np.abs(self.running_mean - before).max())

    def _learn_many(self, answers: VoteBatch) -> None:
        """Learn as one by one."""
        self._take_off()
        i, j, outcome, weight, *_ = answers
        done, checkpoint = 0, self.n_until_last_checkpoint(len(i))
        while done < checkpoint:
            self._make_room()
            done = search.absorb_many(self._state, i, j, outcome, weight, done, checkpoint)
        if checkpoint:
            self._start_afresh()
        while done < len(i):
            self._make_room()
            done = search.learn_many(self._state, self._settings, i, j, outcome, weight, done)

    def n_until_last_checkpoint(self, n_votes: int) -> int:
        """Return how many of the next votes come up to their last checkpoint, 0 if there is none.

        The state after a checkpoint does not depend on choices or criteria before it.
        """
        return max(0, n_votes - (self.n_learned + n_votes) % self._n)

    def _start_afresh(self) -> None:
        """Recompute variances, means and grid from the sums over votes."""
        x = self._state.x
        x[:, VARIANCE] = 1 / (x[:, ANSWERED] + self._settings.locality)
        search.sweep_variances(self._state, self._settings.locality, SWEEPS)
        self._solve_means()
        self._arrange()

    def _solve_means(self) -> None:
        s = self._state
        start = s.x[:, FORCE] / (s.x[:, ANSWERED] + self._settings.prior_strength)
        found = self._solve(s.x[:, FORCE], start, CHECKPOINT_TOLERANCE)
        s.x[:, MEAN], s.x[:, RESIDUAL] = found.x[:, 0], found.r[:, 0]
        s.place[:, QUEUED] = 0  # all residuals are small
        s.counters[QUEUE_START] = s.counters[QUEUE_LENGTH] = 0

    def _solve(self, rhs: FloatArray, start: FloatArray, tolerance: float) -> Iterate:
        """Solve (L + g I) x = rhs, until no residual requires a move beyond the tolerance."""
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

    def expect_exactly(self, pairs: list[tuple[int, int]]) -> None:
        """Make exactly these pairs pending, in this order."""
        self.out = Counter(pairs)
        self._waiting = None

    def _expect(self, i: int, j: int) -> None:
        """Add the pair on top, also if it is pending already, until pairs are listed again."""
        if self._waiting is not None:
            self._waiting.append((i, j))

    def _withdraw(self, i: int, j: int) -> None:
        self._waiting = None

    def _put_on_all(self) -> None:
        """Add all pending pairs to the state."""
        if self._waiting is None:
            out = list(self.out.elements())
            if out[: len(self._on)] != self._on:
                self._take_off()
            self._waiting = out[len(self._on) :]
        if self._waiting:
            self._put_on(self._waiting)
            self._waiting = []

    def _put_on(self, pairs: list[tuple[int, int]]) -> None:
        self._remember_below()
        i, j = np.array(pairs, np.int64).T.copy()
        done = 0
        while done < len(i):
            self._make_room()
            self._make_room_in_journal()
            done = search.expect_many(self._state, self._settings, i, j, done)
        self._on += pairs

    def _remember_below(self) -> None:
        if not self._on:
            self._below = self._state.counters.copy(), self._state.listed.copy()

    def _take_off(self) -> None:
        """Restore the state without pending pairs, bit for bit."""
        if self._on:
            s = self._state
            state.undo(s)
            s.counters[:], s.listed[:] = self._below
            self._on = []
        self._waiting = None if self.out else []

    def _make_room_in_journal(self) -> None:
        s = self._state
        room = len(s.journal) - int(s.counters[N_LINES])
        needed = solve.lines_per_pair(self._n)
        if room < needed:
            more = max(needed - room, len(s.journal))
            self._state = s._replace(journal=_extended(s.journal, more))

    def enlarge(self) -> None:
        """Add an item with prior mean 0."""
        self._take_off()
        s = self._state
        waiting = (s.counters[QUEUE_START] + np.arange(s.counters[QUEUE_LENGTH])) % self._n
        queue = s.queue[waiting]
        self._n += 1
        self.aside = np.append(self.aside, False)
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
        """Return the criterion of each pair."""
        self._put_on_all()
        return np.asarray(search.values_of_pairs(self._state, self._settings, i, j))

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return a pair close to the best."""
        self._retire(blocked.retired)
        self._put_on_all()
        i, j = search.best_pair(self._state, self._settings, blocked.codes, key)
        return (i, j) if i >= 0 else self._search_everywhere(blocked.codes, key)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Return pairs close to the best, each with the earlier ones pending."""
        self._retire(blocked.retired)
        self._put_on_all()
        self._remember_below()
        n_blocked, k = len(blocked.codes), 0
        wanted = np.array(keys, np.int64)
        forbidden = np.concatenate((blocked.codes, np.empty_like(wanted)))
        i, j = np.zeros_like(wanted), np.zeros_like(wanted)
        while k < len(keys):
            self._make_room()
            self._make_room_in_journal()
            n = n_blocked + once * max(0, k - 1)
            k = search.best_pairs(self._state, self._settings, forbidden, n, once, wanted, i, j, k)
            if k < len(keys) and i[k] < 0:
                n = n_blocked + once * k
                i[k], j[k] = self._search_everywhere(forbidden[:n], keys[k])
                if i[k] < 0:
                    break
                k += 1
        found = self._found_in_turn(i[:k], j[:k], len(keys))
        self._on += found[: len(keys) - 1]
        return found

    def leave_aside(self, items: BoolArray) -> None:
        """Search for pairs among the other items only, until changed."""
        if not np.array_equal(items, self.aside):
            self._take_off()
            self.aside = items
            gone = items.copy()
            gone[list(self._retired)] = True
            self._state.place[:, CELL] = np.where(gone, grid.RETIRED, -1)
            self._arrange()

    def _retire(self, retired: frozenset[int]) -> None:
        if retired == self._retired:
            return
        self._take_off()
        s = self._state
        for u in retired - self._retired:
            grid.take_out(s, u)
            s.place[u, CELL] = grid.RETIRED
        for u in self._retired - retired:
            if not self.aside[u]:
                s.place[u, CELL] = -1
                grid.put(s, self._settings, u, int(s.counters[N_LEARNED]))
        self._retired = retired

    def _search_everywhere(self, forbidden: IntArray, key: int) -> tuple[int, int]:
        """Search all pairs of some items, if few are left or all are far apart."""
        active = np.flatnonzero(self._state.place[:, CELL] != grid.RETIRED)
        if len(active) > FEW:
            active = np.sort(np.random.default_rng(abs(key)).choice(active, FEW, replace=False))
        a, b = np.triu_indices(len(active), 1)
        i, j = active[a], active[b]
        is_open = ~np.isin(i * self._n + j, forbidden)
        i, j = i[is_open], j[is_open]
        k = best_listed(self.gains(i, j), i, j, key)
        return (int(i[k]), int(j[k])) if k >= 0 else (-1, -1)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self._n

    @property
    def n_learned(self) -> int:
        """Number of votes."""
        return int(self._state.counters[N_LEARNED])

    @property
    def mean(self) -> FloatArray:
        """Mean of the centred scores; does not change the state."""
        x = self._state.x
        mean = self._solve(x[:, FORCE], x[:, MEAN], FINAL_TOLERANCE).x[:, 0]
        return np.asarray(mean - mean.mean())

    @property
    def running_mean(self) -> FloatArray:
        """Approximate mean of the scores, as updated vote by vote."""
        return self._state.x[:, MEAN]

    @property
    def running_variance(self) -> FloatArray:
        """Approximate variance of each score, as updated vote by vote."""
        return self._state.x[:, VARIANCE]

    def aim_at(self, criterion: Literal["clamped", "variance"]) -> None:
        """Switch to another criterion."""
        self._take_off()
        code = VARIANCE_ALONE if criterion == "variance" else INFORMATION
        self._settings = self._settings._replace(criterion=code)
        self._state = self._state._replace(**empty_grid(self._settings))
        self._arrange()

    @property
    def n_bytes(self) -> int:
        """Memory of the state."""
        return sum(array.nbytes for array in self._state)


def _extended(array: Any, rows: int) -> Any:
    larger = np.empty((len(array) + rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


Engine: TypeAlias = Literal["auto", "dense", "matrix-free"]
ENGINES = ("auto", "dense", "matrix-free")
MANY_ITEMS = 1000  # from which exact matrices cost more than they gain


def gaussian_posterior(
    prior_mean: FloatArray,
    ridge: float,
    *,
    criterion: Literal["clamped", "paper", "variance"],
    link: str = "uniform",
    engine: Engine = "auto",
    seed: int = 0,
) -> DensePosterior | MatrixFreePosterior:
    """Return the posterior by the given engine, or by the one that suits the number of items."""
    require_one_of(engine, ENGINES, "engine")
    if engine == "matrix-free" and criterion == "paper":
        raise InvalidArgument("paper=True needs engine='dense'")
    is_large = len(prior_mean) >= MANY_ITEMS and criterion != "paper"
    if engine == "dense" or (engine == "auto" and not is_large) or criterion == "paper":
        return DensePosterior(prior_mean, ridge, criterion=criterion, link=link)
    return MatrixFreePosterior(
        prior_mean, ridge, criterion=criterion, link=LINK_CODES[link], seed=seed
    )
