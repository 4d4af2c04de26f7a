"""find_outliers: answers that a common ranking cannot explain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, stdtr

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.display import Charted, Displayed, Preview, p_words
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.huber import excess_of, huber_scores, residuals
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.huber import Cells, group_cells
from hodgerank.kernels.linalg.laplacian import inner_product
from hodgerank.types import BoolArray, FloatArray, IntArray, VotesLike

CELL_DRAWS = 400_000  # redrawn cells in all
FEWEST, MOST = 20, 199
FEW_CELLS = 100_000
TOLERANCE = 1e-3  # of the scores; redrawn crowds need not be fitted more accurately
SURELY = 1 - 1e-12  # the largest mean answer that odds are taken of
WIDEST = 5.0  # logarithm of the steepest preference that is looked for
STEPS = 40
LEAST_NOISE = 0.25  # of the root of the excess of n answers, times sqrt(n); usually about 0.4


@dataclass(frozen=True)
class ExpectedOutliers:
    """Outlying answers of redrawn consistent crowds.

    Attributes
    ----------
    mean, std
        Share of answers that are outliers.
    excess_mean, excess_std
        By how much answers go beyond the penalty, on average over all answers: the share says how
        many are outlying, this also how far.
    n_redrawn
        Number of crowds.
    """

    mean: float
    std: float
    excess_mean: float
    excess_std: float
    n_redrawn: int
    _root_mean: float
    _root_std: float

    @classmethod
    def of(cls, shares: FloatArray, excesses: FloatArray, n_votes: int) -> ExpectedOutliers:
        """Sum up crowds of so many answers."""
        roots = np.sqrt(excesses)
        return cls(
            mean=float(shares.mean()),
            std=float(shares.std(ddof=1)),
            excess_mean=float(excesses.mean()),
            excess_std=float(excesses.std(ddof=1)),
            n_redrawn=len(shares),
            _root_mean=float(roots.mean()),
            _root_std=max(float(roots.std(ddof=1)), LEAST_NOISE / np.sqrt(n_votes)),
        )

    def p_value(self, excess: float) -> float:
        """Probability of at least this excess in a consistent crowd; its root is near normal."""
        error = self._root_std * np.sqrt(1 + 1 / self.n_redrawn)
        return float(stdtr(self.n_redrawn - 1, (self._root_mean - np.sqrt(excess)) / error))


def expected_outliers(
    answered: AnsweredGraph, penalty: float, start: FloatArray
) -> ExpectedOutliers:
    """Redraw who preferred what, and count the outliers at the same penalty.

    Each answer keeps its size (ties stay ties, grades as strong as they were); the side it takes is
    drawn by Bradley-Terry probabilities fitted to the votes.
    """
    crowd = _Crowd.of(answered)
    n = int(np.clip(CELL_DRAWS // max(len(crowd.edge), 1), FEWEST, MOST))
    rng = np.random.default_rng(0)
    shares, excesses = np.empty((2, n))
    edge, size = np.tile(crowd.edge, 2), np.r_[crowd.size, -crowd.size]
    weight, share = np.tile(crowd.weight, 2), np.tile(crowd.answers / crowd.answers.sum(), 2)
    for k in range(n):
        wins = crowd.redrawn(rng)
        part = np.r_[wins, 1 - wins]
        cells = Cells(edge, size, part * weight)
        scores = huber_scores(answered.graph, cells, penalty, start, TOLERANCE).x
        excess = excess_of(answered.graph, cells, scores, penalty)
        part *= share
        shares[k] = inner_product(part, (excess != 0).astype(float))
        excesses[k] = inner_product(part, np.abs(excess))
    return ExpectedOutliers.of(shares, excesses, answered.votes.n_votes)


@dataclass(frozen=True, eq=False)
class _Crowd:
    """Answers of one size to one edge: how many, and how probably each is for the lesser item."""

    edge: IntArray
    size: FloatArray
    weight: FloatArray
    answers: FloatArray
    draws: IntArray
    chances: FloatArray

    @classmethod
    def of(cls, answered: AnsweredGraph) -> _Crowd:
        votes = answered.votes
        weight = votes.total_weight
        cells, cell = group_cells(answered.edge, np.abs(answered.turned), weight)
        answers = np.bincount(cell, votes.votes_per_row).astype(float)
        squares = answers if votes.weight is None else np.bincount(cell, weight * votes.weight)
        draws = np.ceil(cells.weight**2 / squares - 1e-9).astype(np.int64)
        logits = cells.value * _logits(answered)[cells.edge]
        wanted = float(answered.graph.weights @ _pull(answered))
        chances = expit(_steepness(cells, logits, wanted) * logits)
        return cls(cells.edge, cells.value, cells.weight, answers, np.maximum(draws, 1), chances)

    def redrawn(self, rng: np.random.Generator) -> FloatArray:
        """Share of the answers that are for the lesser item, in another crowd."""
        if len(self.draws) <= FEW_CELLS:  # it takes longer to load the compiler
            return rng.binomial(self.draws, self.chances) / self.draws
        from hodgerank.kernels.hypothesis_tests import redrawn_wins

        return redrawn_wins(self.draws, self.chances[:, None], 1, rng)[:, 0] / self.draws


def _logits(answered: AnsweredGraph) -> FloatArray:
    """Log-odds of the null model on every edge."""
    null = answered.null_model
    return np.asarray(2 * np.arctanh(np.clip(null.means / null.size, -SURELY, SURELY)))


def _pull(answered: AnsweredGraph) -> FloatArray:
    """How far mean answers of the null model go along its own preferences."""
    return answered.null_model.means * _logits(answered)


def _steepness(cells: Cells, logits: FloatArray, wanted: float) -> float:
    """What log-odds are multiplied by, so that answers go along the preferences as far as wanted.

    A strong answer follows them more surely than a weak one: its log-odds are as much larger.
    """
    if bool((cells.value == 1).all()):
        return 1.0
    low, high = -WIDEST, WIDEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        found = float(cells.weight @ (logits * np.tanh(np.exp(middle) * logits / 2)))
        low, high = (middle, high) if found < wanted else (low, middle)
    return float(np.exp(middle))


PATH_POINTS = 25
FEWEST_OUTLIERS = 3
EQUAL = 1e-6  # of the largest weight, by which equal ones may differ
SMALL = 0.0005  # a standard deviation that "0.0%" would hide
SURPRISING = 0.01  # a share this improbable in a consistent crowd is worth a word


@dataclass(frozen=True, eq=False, repr=False)
class Outliers(Displayed, Charted):
    """Answers in the order in which the Huber-LASSO path takes them for outliers.

    Attributes
    ----------
    answered
        The answers and their graph.
    penalty
        The lambda chosen.
    false_positive_rate
        The criterion: of a consistent crowd's answers, about this share would be flagged.
    flagged
        Which answers are outliers at the chosen penalty.
    excess
        e, by how much each answer goes beyond what is believed, in display orientation; 0 for
        those not flagged.
    entry
        The penalty at which each answer enters the path; the larger the more outlying.
    scores
        The ranking's scores with the outliers discounted, aligned with the items of `votes`.
    path
        Penalties, and the share of answers flagged at each.
    iterations, residual, solver
        Newton steps of the fit at the chosen penalty, and the size of the next.
    """

    answered: AnsweredGraph
    penalty: float
    false_positive_rate: float
    flagged: BoolArray
    excess: FloatArray
    entry: FloatArray
    scores: FloatArray
    path: tuple[FloatArray, FloatArray]
    iterations: int
    residual: float
    solver: str

    def _headline(self) -> str:
        return f"{self.n_flagged:,} of {self.votes.n_votes:,} answers, penalty {self.penalty:.2f}"

    def _preview(self) -> Preview:
        table = self.to_frame("polars")
        return Preview(table.columns, table.iter_rows(), len(table))

    @property
    def votes(self) -> Comparisons:
        """The answers that were looked at."""
        return self.answered.votes

    @property
    def n_flagged(self) -> int:
        """Number of answers that are flagged."""
        return int(self.votes.votes_per_row[self.flagged].sum())

    @property
    def share(self) -> float:
        """Share of answers that are flagged."""
        return self.n_flagged / self.votes.n_votes

    @property
    def mean_excess(self) -> float:
        """By how much answers go beyond what is believed, on average over all answers."""
        return float(self.votes.votes_per_row @ np.abs(self.excess)) / self.votes.n_votes

    @cached_property
    def expected(self) -> ExpectedOutliers:
        """What consistent crowds show: the answers redrawn, outliers found in the same way."""
        return expected_outliers(self.answered, self.penalty, self.scores)

    @cached_property
    def p_value(self) -> float:
        """Probability that answers of a consistent crowd go as far beyond what is believed.

        By the mean excess, which counts outlying answers by how far they are out. 1 where nothing
        can be said: one or two odd answers are never too many, and an answer of more weight may
        stand for several.
        """
        if self.n_flagged < FEWEST_OUTLIERS or not self._has_equal_weights:
            return 1.0
        return self.expected.p_value(self.mean_excess)

    @property
    def _has_equal_weights(self) -> bool:
        weight = self.votes.weight
        return weight is None or float(np.ptp(weight)) <= EQUAL * float(weight.max())

    @property
    def are_too_many(self) -> bool:
        """Whether answers stray further than those of a Bradley-Terry crowd would (p < .01)."""
        return self.p_value < SURPRISING

    @property
    def code(self) -> str:
        """Stable name of the verdict: 'too_many', 'expected', or 'unknown' with unequal weights."""
        if not self._has_equal_weights:
            return "unknown"
        return "too_many" if self.are_too_many else "expected"

    @property
    def verdict(self) -> str:
        """What the redrawn crowds say of the outlying answers, in one sentence."""
        numbers = (
            f"{self.n_flagged:,} of {self.votes.n_votes:,} votes are outliers ({self.share:.1%})"
        )
        if not self._has_equal_weights:
            return f"{numbers}; with unequal weights the number expected by chance is unknown"
        expected, p = self.expected, p_words(self.p_value)
        numbers += f", expected by chance {expected.mean:.1%} +- {_percent(expected.std)}"
        if expected.excess_mean > 0:
            ratio = self.mean_excess / expected.excess_mean
            numbers += f"; their total excess is {ratio:.2f} times that expected"
        if self.are_too_many:
            return (
                f"votes deviate from the ranking more than expected by chance ({p}; slips, or "
                f"workers who differ): {numbers}"
            )
        return f"{numbers} ({p})"

    @property
    def criterion(self) -> str:
        """The criterion in words."""
        return (
            f"about {self.false_positive_rate:.0%} of the answers of a consistent crowd "
            "would be flagged"
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """The flagged answers, most outlying first, with the row of the source each stood in."""
        from hodgerank.data.sources.frames import build_frame

        rows = np.flatnonzero(self.flagged)
        rows = rows[np.argsort(-self.entry[rows], kind="stable")]
        items = np.array(self.votes.items, dtype=object)
        workers = np.array([*self.votes.workers, None], dtype=object)
        columns = {
            "row": self.votes.rows[rows],
            "left": items[self.votes.left[rows]],
            "right": items[self.votes.right[rows]],
            "outcome": self.votes.outcome[rows],
            "expected": self.votes.outcome[rows] - self._residuals[rows],
            "entry": self.entry[rows],
        }
        if (self.votes.worker != NO_WORKER).any():
            columns["worker"] = workers[self.votes.worker[rows]]
        return build_frame(columns, backend or self.votes.backend)

    @property
    def _residuals(self) -> FloatArray:
        difference = self.scores[self.votes.left] - self.scores[self.votes.right]
        return self.votes.outcome - difference


def _percent(std: float) -> str:
    """With two digits where one place would show nothing."""
    return f"{100 * std:.2g}%" if 0 < std < SMALL else f"{std:.1%}"


def find_outliers(
    votes: VotesLike, *, false_positive_rate: float = 0.05, penalty: float | None = None
) -> Outliers:
    """Outlying answers by the Huber-LASSO path.

    min over x, e of 1/2 |y - D0 x - e|^2 + lambda |e|_1: answers with e != 0 are outliers. The path
    in lambda is followed from the largest residual down; an answer's entry point is where it
    first becomes one.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` takes.
    false_positive_rate
        Chooses lambda: the share of answers that would be flagged if the crowd were consistent
        and answered by Bradley-Terry probabilities.
    penalty
        lambda itself, instead.

    Examples
    --------
    >>> votes = [("a", "b", 1)] * 29 + [("b", "c", 1)] * 29 + [("a", "b", -1)]
    >>> find_outliers(votes).flagged.nonzero()[0].tolist()
    [58]
    """
    if not 0 < false_positive_rate < 1:
        raise InvalidArgument(f"false_positive_rate {false_positive_rate} must be between 0 and 1")
    if penalty is not None and not 0 < penalty < np.inf:
        raise InvalidArgument(f"penalty {penalty} must be a number above 0")
    answered = AnsweredGraph.of(read_ungrouped(votes))
    return outliers_among(answered, false_positive_rate, penalty)


def outliers_among(
    answered: AnsweredGraph, false_positive_rate: float = 0.05, penalty: float | None = None
) -> Outliers:
    """The same of answers whose graph is known; rows may stand for several."""
    votes, graph, sign, start = answered.votes, answered.graph, answered.sign, answered.scores
    cells, cell = group_cells(answered.edge, answered.turned, votes.total_weight)
    if penalty is None:
        penalty = _penalty_for(answered, false_positive_rate)
    entry, path = _follow_path(graph, cells, start, penalty)
    fit = huber_scores(graph, cells, penalty, start)
    excess = excess_of(graph, cells, fit.x, penalty)
    return Outliers(
        answered=answered,
        penalty=penalty,
        false_positive_rate=false_positive_rate,
        flagged=(excess != 0)[cell],
        excess=sign * excess[cell],
        entry=entry[cell],
        scores=fit.x,
        path=path,
        iterations=fit.iterations,
        residual=fit.residual,
        solver=fit.solver,
    )


def _penalty_for(answered: AnsweredGraph, rate: float) -> float:
    """The smallest penalty at which a consistent crowd would have at most this share flagged."""
    graph, scores = answered.graph, answered.scores
    means, size = answered.null_model.means, answered.null_model.size
    fitted = scores[graph.i] - scores[graph.j]
    residuals = np.abs(np.r_[size - fitted, size + fitted])
    chances = np.r_[1 + means / size, 1 - means / size] / 2 * np.r_[graph.counts, graph.counts]
    order = np.argsort(-residuals)
    tail = np.cumsum(chances[order]) / graph.n_votes
    last = min(int(np.searchsorted(tail, rate, side="right")), len(order) - 1)
    return max(float(residuals[order[last]]), 1e-6)


def _follow_path(
    graph: ComparisonGraph, cells: Cells, start: FloatArray, chosen: float
) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Entry point of each cell, and the share of answers flagged along the path.

    Between neighbouring penalties residuals are taken as linear, which they are but for events.
    """
    x = start
    residual = np.abs(residuals(graph, cells, x))
    largest = float(residual.max(initial=0.0))
    lowest = min(chosen, largest) / 2
    grid = np.linspace(largest, lowest, PATH_POINTS)
    entry = np.where(residual >= largest, largest, 0.0)
    shares = np.zeros(len(grid))
    total = cells.weight.sum()
    before, previous = residual - largest, largest
    for k, penalty in enumerate(grid[1:], start=1):
        x = huber_scores(graph, cells, float(penalty), x).x
        residual = np.abs(residuals(graph, cells, x))
        after = residual - penalty
        enters = (after > 0) & (entry == 0)
        fraction = np.clip(before[enters] / (before[enters] - after[enters]), 0, 1)
        entry[enters] = previous + fraction * (penalty - previous)
        shares[k] = cells.weight[after > 0].sum() / total
        before, previous = after, float(penalty)
    return entry, (grid, shares)
