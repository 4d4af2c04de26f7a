"""find_outliers: votes that a common ranking cannot explain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.special import expit, stdtr

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.data.vote_columns import written_names
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
TOLERANCE = 1e-3  # of the scores; simulated crowds need no more accuracy
SURELY = 1 - 1e-12  # largest mean vote that is converted to log-odds
WIDEST = 5.0  # log of the largest slope searched
STEPS = 40
ROUNDS = 3  # of the scale of the noise of margins
LEAST_PENALTY = 1e-6  # relative to the margins
LEAST_NOISE = 0.25  # lower bound of the root-excess sd, times sqrt(votes); typically about 0.4


@dataclass(frozen=True)
class ExpectedOutliers:
    """Outliers among simulated votes of consistent crowds.

    Attributes
    ----------
    mean, std
        Share of votes that are outliers.
    excess_mean, excess_std
        Mean excess over the penalty, over all votes. The share says how many votes are outliers;
        the excess also says how extreme they are.
    n_redrawn
        Number of simulated crowds.
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
        """Summarise simulated crowds of `n_votes` votes each."""
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
        """Probability of at least this excess in a consistent crowd; its root is nearly normal."""
        error = self._root_std * np.sqrt(1 + 1 / self.n_redrawn)
        return float(stdtr(self.n_redrawn - 1, (self._root_mean - np.sqrt(excess)) / error))


def expected_outliers(
    answered: AnsweredGraph, penalty: float, start: FloatArray
) -> ExpectedOutliers:
    """Simulate the votes under the null model, and find outliers at the same penalty.

    Each vote keeps its size (ties stay ties, grades keep their strength); its direction is drawn
    from Bradley-Terry probabilities fitted to the votes.
    """
    crowd = _Crowd.of(answered)
    n = int(np.clip(CELL_DRAWS // max(len(crowd.edge), 1), FEWEST, MOST))
    rng = np.random.default_rng(0)
    shares, excesses = np.empty((2, n))
    edge, size = np.tile(crowd.edge, 2), np.r_[crowd.size, -crowd.size]
    weight, share = np.tile(crowd.weight, 2), np.tile(crowd.votes / crowd.votes.sum(), 2)
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
    """Votes of one size on one edge: their number, and the probability of preferring item i."""

    edge: IntArray
    size: FloatArray
    weight: FloatArray
    votes: FloatArray
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
        wanted = float(answered.graph.weights @ _alignment(answered))
        chances = expit(_steepness(cells, logits, wanted) * logits)
        return cls(cells.edge, cells.value, cells.weight, answers, np.maximum(draws, 1), chances)

    def redrawn(self, rng: np.random.Generator) -> FloatArray:
        """Simulate another crowd: the share of votes of each cell that prefer item i."""
        if len(self.draws) <= FEW_CELLS:  # loading the compiler takes longer
            return rng.binomial(self.draws, self.chances) / self.draws
        from hodgerank.kernels.hypothesis_tests import redrawn_wins

        return redrawn_wins(self.draws, self.chances[:, None], 1, rng)[:, 0] / self.draws


def _logits(answered: AnsweredGraph) -> FloatArray:
    """Log-odds of the null model on every edge."""
    null = answered.null_model
    return np.asarray(2 * np.arctanh(np.clip(null.means / null.size, -SURELY, SURELY)))


def _alignment(answered: AnsweredGraph) -> FloatArray:
    """Product of mean vote and log-odds under the null model."""
    return answered.null_model.means * _logits(answered)


def _steepness(cells: Cells, logits: FloatArray, wanted: float) -> float:
    """Return the factor of the log-odds for which mean vote times log-odds sums to `wanted`.

    The log-odds of a vote grow with its size: strong votes follow the ranking more reliably.
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
EQUAL = 1e-6  # relative tolerance of equal weights
ROUNDING = 1e-9  # of a standard deviation that is 0
SMALL = 0.0005  # a standard deviation that "0.0%" would hide
SURPRISING = 0.01  # significance level


@dataclass(frozen=True, eq=False, repr=False)
class Outliers(Displayed, Charted):
    """Votes in the order in which they become outliers on the Huber-LASSO path.

    Attributes
    ----------
    answered
        The votes and their graph.
    penalty
        The chosen lambda.
    false_positive_rate
        The criterion: the share of votes of a consistent crowd that would be flagged.
    flagged
        Which votes are outliers at the chosen penalty.
    excess
        e, the part of each residual beyond the penalty, in display orientation; 0 if not flagged.
    entry
        The penalty at which each vote enters the path; larger means more outlying.
    scores
        Scores with the outliers downweighted, aligned with the items of `votes`.
    path
        Penalties, and the share of votes flagged at each.
    iterations, residual, solver
        Newton steps at the chosen penalty, size of the next step, and linear solver.
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
        return f"{self.n_flagged:,} of {self.votes.n_votes:,} votes, penalty {self.penalty:.2f}"

    def _preview(self) -> Preview:
        table = self.to_frame("polars", extra=False)
        return Preview(table.columns, table.iter_rows(), len(table))

    @property
    def votes(self) -> Comparisons:
        """The votes that were examined."""
        return self.answered.votes

    @property
    def n_flagged(self) -> int:
        """Number of flagged votes."""
        return int(self.votes.votes_per_row[self.flagged].sum())

    @property
    def share(self) -> float:
        """Share of flagged votes."""
        return self.n_flagged / self.votes.n_votes

    @property
    def mean_excess(self) -> float:
        """Mean excess over the penalty, over all votes."""
        return float(self.votes.votes_per_row @ np.abs(self.excess)) / self.votes.n_votes

    @cached_property
    def expected(self) -> ExpectedOutliers:
        """Outliers expected by chance: simulated consistent votes, analysed in the same way."""
        return expected_outliers(self.answered, self.penalty, self.scores)

    @cached_property
    def p_value(self) -> float:
        """Probability of at least this mean excess in a consistent crowd.

        The mean excess counts outliers by their distance. The p-value is 1 where no test is
        possible: with fewer than three outliers; with unequal weights, since a heavier vote may
        stand for several; and for margins, whose noise need not be normal.
        """
        if self.n_flagged < FEWEST_OUTLIERS or not self._is_testable:
            return 1.0
        return self.expected.p_value(self.mean_excess)

    @property
    def _is_testable(self) -> bool:
        return self._has_equal_weights and not self._are_margins

    @property
    def _are_margins(self) -> bool:
        return self.votes.report.margin_unit is not None

    @property
    def _has_equal_weights(self) -> bool:
        weight = self.votes.weight
        return weight is None or float(np.ptp(weight)) <= EQUAL * float(weight.max())

    @property
    def are_too_many(self) -> bool:
        """Whether the residuals are larger than those of a Bradley-Terry crowd (p < .01)."""
        return self.p_value < SURPRISING

    @property
    def code(self) -> str:
        """Stable name of the verdict: 'too_many', 'expected', or 'unknown' without a test."""
        if not self._is_testable:
            return "unknown"
        return "too_many" if self.are_too_many else "expected"

    @property
    def verdict(self) -> str:
        """The outliers compared with those expected by chance, in one sentence."""
        numbers = (
            f"{self.n_flagged:,} of {self.votes.n_votes:,} votes are outliers ({self.share:.1%})"
        )
        if self._are_margins:
            return f"{numbers}; of normal noise {self.false_positive_rate:.0%} would be"
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
        """The criterion for flagging, in words."""
        crowd = "margins with normal noise" if self._are_margins else "votes of a consistent crowd"
        return f"about {self.false_positive_rate:.0%} of the {crowd} would be flagged"

    def to_frame(self, backend: str | None = None, *, extra: bool = True) -> Any:
        """Return the flagged votes, most outlying first, with their rows in the source.

        The extra columns of the votes follow, unless `extra` is False.
        """
        from hodgerank.data.sources.frames import build_frame

        rows = np.flatnonzero(self.flagged)
        rows = rows[np.argsort(-self.entry[rows], kind="stable")]
        items = np.array(self.votes.items, dtype=object)
        workers = np.array([*self.votes.workers, None], dtype=object)
        columns: dict[str, Any] = {
            "row": self.votes.rows[rows],
            "left": items[self.votes.left[rows]],
            "right": items[self.votes.right[rows]],
            "outcome": self.votes.outcome[rows],
            "expected": self.votes.outcome[rows] - self._residuals[rows],
            "entry": self.entry[rows],
        }
        if (self.votes.worker != NO_WORKER).any():
            columns["worker"] = workers[self.votes.worker[rows]]
        if extra:
            new = written_names(self.votes.extra, list(columns))
            kept = self.votes.extra.at(rows)
            columns |= {new[name]: column for name, column in kept.items()}
        return build_frame(columns, backend or self.votes.backend)

    @property
    def _residuals(self) -> FloatArray:
        difference = self.scores[self.votes.left] - self.scores[self.votes.right]
        return self.votes.outcome - difference


def _percent(std: float) -> str:
    """Format with two significant digits where one decimal place would show 0."""
    return f"{100 * std:.2g}%" if ROUNDING < std < SMALL else f"{std:.1%}"


def find_outliers(
    votes: VotesLike, *, false_positive_rate: float = 0.05, penalty: float | None = None
) -> Outliers:
    """Find outlying votes by the Huber-LASSO path.

    Minimises 1/2 |y - D0 x - e|^2 + lambda |e|_1 over x and e; votes with e != 0 are outliers. The
    path starts at the largest residual and follows decreasing lambda. The entry point of a vote is
    the lambda at which it first becomes an outlier.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` accepts.
    false_positive_rate
        Chooses lambda: the share of votes that would be flagged if the crowd were consistent and
        voted with Bradley-Terry probabilities; for margins, if their noise were normal.
    penalty
        lambda itself, instead of a false positive rate.

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


def _margins_beyond(answered: AnsweredGraph, rate: float, penalty: float | None) -> Outliers:
    """Find outliers among margins, computed on their scale and given back in their unit.

    The penalty is exceeded by `rate` of normally distributed residuals, whose standard deviation is
    estimated by the median absolute deviation.
    """
    unit = float(np.sqrt(answered.graph.squares.sum() / answered.graph.weights.sum())) or 1.0
    votes = answered.votes
    on_scale = AnsweredGraph.of(replace(votes, outcome=votes.outcome / unit))
    if penalty is None:
        wanted = NormalDist().inv_cdf(1 - rate / 2)
        scores = on_scale.scores
        for _ in range(ROUNDS):
            wide = max(wanted * _typical_residual(on_scale, scores), LEAST_PENALTY)
            cells, _ = group_cells(on_scale.edge, on_scale.turned, votes.total_weight)
            scores = huber_scores(on_scale.graph, cells, wide, scores, TOLERANCE).x
        wide = max(wanted * _typical_residual(on_scale, scores), LEAST_PENALTY)
    else:
        wide = penalty / unit
    found = _outliers_at(on_scale, rate, wide)
    return replace(
        found,
        answered=answered,
        penalty=found.penalty * unit,
        excess=found.excess * unit,
        entry=found.entry * unit,
        scores=found.scores * unit,
        path=(found.path[0] * unit, found.path[1]),
        residual=found.residual * unit,
    )


def _typical_residual(answered: AnsweredGraph, scores: FloatArray) -> float:
    """Standard deviation of the noise by the median absolute residual of the votes."""
    votes, graph = answered.votes, answered.graph
    found = votes.outcome - (scores[votes.left] - scores[votes.right])
    if votes.weight is not None:
        found = found * np.sqrt(votes.weight)
    freedom = max(graph.n_votes - graph.n_items + graph.n_components, 1)
    median = float(np.median(np.repeat(np.abs(found), votes.votes_per_row)))
    return median / NormalDist().inv_cdf(0.75) * float(np.sqrt(graph.n_votes / freedom))


def outliers_among(
    answered: AnsweredGraph, false_positive_rate: float = 0.05, penalty: float | None = None
) -> Outliers:
    """Find outliers among votes whose graph is known; a row may stand for several votes."""
    if answered.votes.report.margin_unit is not None:
        return _margins_beyond(answered, false_positive_rate, penalty)
    penalty = _penalty_for(answered, false_positive_rate) if penalty is None else penalty
    return _outliers_at(answered, false_positive_rate, penalty)


def _outliers_at(answered: AnsweredGraph, false_positive_rate: float, penalty: float) -> Outliers:
    """Find the residuals beyond a penalty, and where each vote enters the path."""
    votes, graph, sign, start = answered.votes, answered.graph, answered.sign, answered.scores
    cells, cell = group_cells(answered.edge, answered.turned, votes.total_weight)
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
    """Return the smallest penalty that flags at most this share of a consistent crowd's votes."""
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
    """Return the entry point of each cell, and the share of votes flagged along the path.

    Residuals are interpolated linearly between neighbouring penalties, which is exact except where
    votes enter.
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
