"""How many outlying answers a consistent crowd gives: the same procedure on redrawn answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, stdtr

from hodgerank.estimators.huber import excess_of, huber_scores
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.linalg.laplacian import inner_product
from hodgerank.kernels.models.huber import Cells, group_cells
from hodgerank.types import FloatArray, IntArray

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
    def of(cls, shares: FloatArray, excesses: FloatArray, n_answers: int) -> ExpectedOutliers:
        """Sum up crowds of so many answers."""
        roots = np.sqrt(excesses)
        return cls(
            mean=float(shares.mean()),
            std=float(shares.std(ddof=1)),
            excess_mean=float(excesses.mean()),
            excess_std=float(excesses.std(ddof=1)),
            n_redrawn=len(shares),
            _root_mean=float(roots.mean()),
            _root_std=max(float(roots.std(ddof=1)), LEAST_NOISE / np.sqrt(n_answers)),
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
    return ExpectedOutliers.of(shares, excesses, answered.votes.n_answers)


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
        answers = np.bincount(cell, votes.answers_per_row).astype(float)
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
        from hodgerank.kernels.models.binomial import redrawn_wins

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
