"""ProbitPosteriors: probit posteriors of the same votes under different priors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from os import cpu_count
from threading import Thread

import numpy as np

from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.kernels import posterior
from hodgerank.sampling.designs.dense_posterior import enlarge, prior_resistance
from hodgerank.sampling.designs.design import Vote, VoteBatch
from hodgerank.types import FloatArray, IntArray, Item

MUCH = 2e8  # votes times pairs from which threads share the work: a quarter of a second
BIAS_VARIANCE = 0.5  # prior variance of a position bias, in units of probit noise


def filter_seconds(n_posteriors: int, n_items: int) -> float:
    """Return the approximate time per vote, which changes the variance of every difference."""
    return 1e-10 * n_posteriors * n_items**2


class ProbitPosterior:
    """One of the posteriors: prior N(0, variance), and P(i beats j) = Phi(x_i - x_j).

    Its arrays are looked up each time, because stored views would not follow a copy.
    """

    def __init__(self, bank: ProbitPosteriors, place: int) -> None:
        self._bank, self._place = bank, place

    @property
    def C(self) -> FloatArray:  # noqa: N802
        """Variances of differences."""
        return np.asarray(self._bank.C[self._place])

    @property
    def mean(self) -> FloatArray:
        """Mean of the scores."""
        return np.asarray(self._bank.mean[self._place])

    @property
    def response(self) -> FloatArray:
        """The s of the last vote."""
        return np.asarray(self._bank.response[self._place])

    def chance(self, vote: Vote) -> float:
        """Return the probability that the item preferred in a vote is preferred."""
        ahead = float(self.mean[vote.i] - self.mean[vote.j]) * math.copysign(1, vote.outcome)
        return math.erfc(-ahead / math.sqrt(2 * (1 + float(self.C[vote.i, vote.j])))) / 2

    @property
    def repetition(self) -> float:
        """Estimated correlation of repeated votes on a pair, from 0 to 1."""
        return posterior.repetition(self._bank.tally[self._place])


class ProbitPosteriors:
    """Filters each vote into every posterior.

    The correlation of repeated votes and position bias are estimated along with the scores.

    Attributes
    ----------
    variances
        Prior variances.
    evidence
        Log marginal likelihood of the votes under each prior.
    """

    def __init__(
        self, n: int, variances: Sequence[float], position_bias: Position | None = None
    ) -> None:
        self.variances = tuple(variances)
        self.biases = np.zeros((len(variances), 1, 2))  # row 0: no position bias
        self._position, self._who = position_bias, dict[Item | None, int]()
        self.C = np.array([prior_resistance(n, variance) for variance in variances])
        self.mean = np.zeros((len(variances), n))
        self.evidence = np.zeros(len(variances))
        self.tally = np.zeros((len(variances), 3))
        self._make_room()

    def _make_room(self) -> None:
        self.response = np.empty_like(self.mean)
        self._a = np.empty(len(self.variances))

    def __len__(self) -> int:
        return len(self.variances)

    def __getitem__(self, place: int) -> ProbitPosterior:
        return ProbitPosterior(self, place)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.mean.shape[1]

    @property
    def best_supported(self) -> int:
        """The position of the posterior whose prior has the most evidence."""
        return int(self.evidence.argmax())

    def learn(
        self,
        i: int,
        j: int,
        outcome: float,
        weight: float,
        times: int,
        last: float,
        side: int,
        worker: Item | None,
    ) -> FloatArray:
        """Learn a vote; return the a of each posterior, where S became S - a s s^T."""
        posterior.assimilate_into_bank(
            self.C, self.mean, self.response, i, j, outcome, weight, times, last,
            *self._seen(side, worker), self.biases, self.tally, self.evidence, self._a,
        )  # fmt: skip
        return self._a

    def _seen(self, side: int, worker: Item | None) -> tuple[int, int]:
        """Return the side, 0 if it is ignored, and the row of the position bias it may show."""
        if self._position is None or not side:
            return 0, 0
        whose = worker if self._position == "worker" else None
        if whose not in self._who:
            self._who[whose] = self.biases.shape[1]
            unknown = np.tile((0.0, BIAS_VARIANCE), (len(self), 1, 1))
            self.biases = np.concatenate((self.biases, unknown), axis=1)
        return side, self._who[whose]

    def learn_many(self, answers: VoteBatch, times: IntArray, last: FloatArray) -> None:
        """Learn votes in order, given the earlier votes on the pair of each."""
        i, j, outcome, weight, worker, side = answers
        seen = [self._seen(*row) for row in zip(side.tolist(), worker, strict=True)]
        sides, who = np.array(seen, np.int64).reshape(-1, 2).T.copy()

        def learn(own: slice) -> None:
            posterior.assimilate_all(
                self.C[own], self.mean[own], self.response[own], i, j, outcome, weight, times,
                last, sides, who, self.biases[own], self.tally[own], self.evidence[own],
            )  # fmt: skip

        if len(i) * self.n_items**2 < MUCH:
            learn(slice(None))
        else:
            _side_by_side(learn, [slice(k, k + 1) for k in range(len(self))])

    def enlarge(self) -> None:
        """Add an item."""
        self.C = np.array(
            [enlarge(C, variance) for C, variance in zip(self.C, self.variances, strict=True)]
        )
        self.mean = np.pad(self.mean, ((0, 0), (0, 1)))
        self._make_room()


def _side_by_side(work: Callable[[slice], None], parts: list[slice]) -> None:
    """Process all parts, with one thread per processor."""
    left = iter(parts)

    def run() -> None:
        for part in left:
            work(part)

    threads = [Thread(target=run, daemon=True) for _ in range(min(len(parts), cpu_count() or 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


NEW = (0, 0.0)  # number of earlier votes on a pair, and the last vote


class Repetitions:
    """Pairs i < j in the order of their first vote."""

    def __init__(self) -> None:
        self._row: dict[tuple[int, int], int] = {}
        self._ends = np.empty((2, 0), np.int64)
        self._times = np.empty(0, np.int64)
        self._last = np.empty(0)

    def before(self, i: int, j: int) -> tuple[int, float]:
        """Return the number of votes on a pair, and the last vote."""
        row = self._row.get((i, j))
        return NEW if row is None else (int(self._times[row]), float(self._last[row]))

    def add(self, i: int, j: int, outcome: float) -> tuple[int, float]:
        """Add a vote; return what was `before` it."""
        row = self._row.get((i, j))
        if row is None:
            self._add_row(i, j, outcome)
            return NEW
        before = int(self._times[row]), float(self._last[row])
        self._times[row] = before[0] + 1
        self._last[row] = outcome
        return before

    def _add_row(self, i: int, j: int, outcome: float) -> None:
        row = self._row[i, j] = len(self._row)
        if row == len(self._times):
            room = max(16, row)
            self._ends = np.concatenate((self._ends, np.empty((2, room), np.int64)), axis=1)
            self._times = np.concatenate((self._times, np.empty(room, np.int64)))
            self._last = np.concatenate((self._last, np.empty(room)))
        self._ends[0, row], self._ends[1, row] = i, j
        self._times[row], self._last[row] = 1, outcome

    def add_many(self, answers: VoteBatch) -> tuple[IntArray, FloatArray]:
        """Add many votes in turn; return what was before each of them."""
        columns = (answers.i.tolist(), answers.j.tolist(), answers.outcome.tolist())
        before = [self.add(*row) for row in zip(*columns, strict=True)]
        times, last = zip(*before, strict=True) if before else ((), ())
        return np.array(times, np.int64), np.array(last, float)

    def with_pending(self, out: Mapping[tuple[int, int], int]) -> Repetitions:
        """Return a copy in which pending pairs count as votes."""
        found = Repetitions()
        found._row, found._ends = self._row.copy(), self._ends.copy()
        found._times, found._last = self._times.copy(), self._last.copy()
        found.add_pending(out)
        return found

    def add_pending(self, out: Mapping[tuple[int, int], int]) -> None:
        """Count pending pairs as votes of unknown outcome."""
        for (i, j), times in out.items():
            for _ in range(times):
                self.add(i, j, 0.0)

    @property
    def pairs(self) -> tuple[IntArray, IntArray, IntArray]:
        """Endpoints of all pairs with votes, and their numbers."""
        n = len(self._row)
        return self._ends[0, :n], self._ends[1, :n], self._times[:n]


def all_new(answers: VoteBatch) -> tuple[IntArray, FloatArray]:
    """Return what was before each vote, if repetitions are ignored."""
    n = len(answers.i)
    return np.zeros(n, np.int64), np.zeros(n)
