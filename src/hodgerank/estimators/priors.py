"""What is believed of the scores before any answer, for designs of different shape.

Scores are independent, or items that may be compared are alike: a Gaussian Markov prior on the
graph G of the pairs that can be asked. With L its Laplacian of m edges and B = L n / (2m) the
precision of order p at variance v is

    s_p B^p / v,    s_p = (1/n) sum of lambda_B^(1-p) over eigenvalues > 0

so that a difference that can be asked has variance 2v on average. On the complete graph it is that
of independent scores whatever p, hence one scale of v for all.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from hodgerank.kernels.edges import rewired
from hodgerank.kernels.expectation_propagation import (
    Answers,
    DenseDifferences,
    Sites,
    dense_precision,
    fit_messages,
    fit_sites,
)
from hodgerank.kernels.linalg.bordered_equations import PrecisionEquations
from hodgerank.kernels.linalg.cholesky import factor_and_inverse
from hodgerank.kernels.linalg.laplacian import components, degrees
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import CodeArray, FloatArray

CHAINED = 1.1  # mean resistance relative to that of rewired designs
REWIRINGS = 3  # of few items; the larger the graph, the more alike they are
EXACT_ITEMS = 300  # up to which the trace of an inverse is exact
PROBED_ITEMS = 2_000  # by random vectors together, beyond


def has_long_ways(i: CodeArray, j: CodeArray, n: int) -> bool:
    """Whether items lie farther apart than in designs with as many neighbours for each item.

    Measured by tr L^+, the mean effective resistance. Where every item has half of the others for
    neighbours there are no long ways. No graph with these degrees has less than the sum of their
    inverses, times (1 - 1/n)^2 (Cauchy-Schwarz): close to that bound nothing needs rewiring.
    """
    if n < 4 or 4 * len(i) >= n * n:
        return False
    resistance = total_resistance(i, j, n)
    neighbours = degrees(i, j, np.ones(len(i)), n)
    if neighbours.min() and resistance <= CHAINED * (1 - 1 / n) ** 2 * float(
        (1 / neighbours).sum()
    ):
        return False
    rng = np.random.default_rng(0)
    times = REWIRINGS if n <= EXACT_ITEMS else 1
    others = [total_resistance(*rewired(i, j, n, rng), n) for _ in range(times)]
    return resistance > CHAINED * float(np.mean(others))


def n_long_modes(i: CodeArray, j: CodeArray, n: int) -> float:
    """In how many directions items lie far apart: (tr L^+)^2 / tr (L^+)^2.

    About 1 where a single bottleneck parts them, 2.5 along a chain.
    """
    equations = NormalEquations(i, j, np.ones(len(i)), components(i, j, n))
    if n <= EXACT_ITEMS:
        inverse = equations.inverse
        return float(np.trace(inverse) ** 2 / np.sum(inverse**2))
    signs = _signs(n)
    solved = equations.solve(signs, tolerance=1e-3)
    first, second = (float(np.einsum("ia,ia->", part, solved)) for part in (signs, solved))
    return first**2 / second / len(signs[0])


def total_resistance(i: CodeArray, j: CodeArray, n: int) -> float:
    """The trace of L^+: exact for few items, else estimated by random vectors."""
    equations = NormalEquations(i, j, np.ones(len(i)), components(i, j, n))
    if n <= EXACT_ITEMS:
        return float(equations.inverse_diagonal.values.sum())
    signs = _signs(n)
    solved = equations.solve(signs, tolerance=1e-3)
    return float(np.einsum("ia,ia->", signs, solved)) / len(signs[0])


def _signs(n: int) -> FloatArray:
    """Random vectors, as many as it takes."""
    return np.random.default_rng(1).choice(np.array([-1.0, 1.0]), (n, -(-PROBED_ITEMS // n)))


DENSE_ITEMS = 200  # up to which independent scores are fitted by matrices, beyond by messages
DENSE_CHAINED_ITEMS = 500  # likewise, beyond by sparse factors
MOST_FACTOR_WORK = 2e8  # n times the square of the bandwidth
MOST_SWEEPS = 100
MOST_MESSAGE_SWEEPS = 300  # rings take many
ONE_MODE = 1.8  # directions in which items lie far apart: more than one bottleneck has
TINY = 1e-9
ALIKE = (
    "the pairs that were compared lead from item to item in long chains: neighbours are taken to "
    "be alike beforehand, as the answers suggest"
)
TOO_MANY = (
    "the pairs that were compared lead from item to item in long chains, which a prior for so many "
    "items cannot follow: items far apart may be closer here than they are"
)


class Prior(Protocol):
    """A Gaussian over the scores, up to its variance."""

    @property
    def note(self) -> str | None:
        """What a reader should know of it."""

    def fit(
        self,
        answers: Answers,
        i: CodeArray,
        j: CodeArray,
        variance: float,
        start: Sites,
        tolerance: float,
    ) -> Sites:
        """Sites for the answers to the pairs, by expectation propagation."""

    def equations(
        self, i: CodeArray, j: CodeArray, t: FloatArray, variance: float
    ) -> NormalEquations | PrecisionEquations:
        """The precision of the scores with sites of precisions t."""


@dataclass(frozen=True, eq=False)
class IndependentScores:
    """Scores N(0, variance), each for itself."""

    n: int
    note: str | None = None

    def fit(
        self,
        answers: Answers,
        i: CodeArray,
        j: CodeArray,
        variance: float,
        start: Sites,
        tolerance: float,
    ) -> Sites:
        """By matrices for few items, by messages for many."""
        if self.n > DENSE_ITEMS:
            return fit_messages(
                answers, i, j, self.n, variance, start, tolerance, MOST_MESSAGE_SWEEPS
            )
        posterior = DenseDifferences(
            i, j, np.eye(self.n) / variance, -self.n * float(np.log(variance))
        )
        most = np.full(len(i), 2 * variance)
        return fit_sites(answers, posterior, most, start, tolerance, MOST_SWEEPS)

    def equations(
        self, i: CodeArray, j: CodeArray, t: FloatArray, variance: float
    ) -> NormalEquations:
        """A Laplacian and a ridge."""
        return NormalEquations(i, j, t, np.zeros(self.n, np.int64), 1 / variance)


@dataclass(frozen=True, eq=False)
class ChainedScores:
    """Scores of items that may be compared are alike: B to the power of `order`.

    `precision` is that at variance 1, dense or sparse, proper: one item of each component of G is
    anchored. Order 0 are independent scores, with an evidence that can be compared with that of the
    others.
    """

    order: int
    precision: Any

    @property
    def note(self) -> str | None:
        """That the prior is not the usual one."""
        return ALIKE if self.order else None

    @property
    def _is_dense(self) -> bool:
        return isinstance(self.precision, np.ndarray)

    @cached_property
    def _log_determinant(self) -> float:
        n = self.precision.shape[0]
        if self._is_dense:
            with few_threads(n):
                return factor_and_inverse(self.precision)[0]
        from hodgerank.kernels.linalg.cholesky import factorise

        factor = factorise(self.precision.tocsc(), reorder=True)
        return float(np.log(factor.U.diagonal()).sum())

    def fit(
        self,
        answers: Answers,
        i: CodeArray,
        j: CodeArray,
        variance: float,
        start: Sites,
        tolerance: float,
    ) -> Sites:
        """By matrices, dense or sparse."""
        n = self.precision.shape[0]
        log_determinant = self._log_determinant - n * float(np.log(variance))
        if self._is_dense:
            posterior: Any = DenseDifferences(i, j, self.precision / variance, log_determinant)
        else:
            from hodgerank.kernels.expectation_propagation import SparseDifferences

            posterior = SparseDifferences(i, j, self.precision / variance, log_determinant)
        nothing = np.full(len(i), TINY / variance)
        most = posterior(nothing, np.zeros(len(i))).variance * (1 + TINY)
        return fit_sites(answers, posterior, most, start, tolerance, MOST_SWEEPS)

    def equations(
        self, i: CodeArray, j: CodeArray, t: FloatArray, variance: float
    ) -> PrecisionEquations:
        """The matrix of both."""
        prior = self.precision / variance
        if self._is_dense:
            return PrecisionEquations(dense_precision(i, j, t, prior), 1 / variance)
        from hodgerank.kernels.expectation_propagation import sparse_precision

        return PrecisionEquations(sparse_precision(i, j, t, prior), 1 / variance)


class Scope:
    """The pairs that can be asked, and the priors that suit them.

    Parameters
    ----------
    n
        Number of items.
    pairs
        Ends i < j of the pairs, sorted; None for all pairs.
    """

    def __init__(self, n: int, pairs: tuple[CodeArray, CodeArray] | None = None) -> None:
        self.n, self.pairs = n, pairs

    def __deepcopy__(self, memo: object) -> Self:
        return copy(self)

    @cached_property
    def priors(self) -> tuple[Prior, ...]:
        """Independent scores and, where the ways are long and factors stay small, chained ones."""
        if self.pairs is None or not has_long_ways(*self.pairs, self.n):
            return (IndependentScores(self.n),)
        orders = [order for order in (1, 2) if self._has_small_factors(order)]
        if not orders:
            return (IndependentScores(self.n, TOO_MANY),)
        return tuple(chained_scores(*self.pairs, self.n, order) for order in (0, *orders))

    def _has_small_factors(self, order: int) -> bool:
        """Whether matrices are few, or an order is known in which they keep to a narrow band."""
        if self.n <= DENSE_CHAINED_ITEMS or self.pairs is None:
            return True
        return self.n * float(order * self._bandwidth) ** 2 <= MOST_FACTOR_WORK

    @cached_property
    def _bandwidth(self) -> int:
        from hodgerank.kernels.linalg.cholesky import narrow_order

        assert self.pairs is not None
        return narrow_order(*self.pairs, self.n)[1]

    @cached_property
    def has_bottleneck(self) -> bool:
        """Whether the long ways are those between two parts alone."""
        return self.pairs is not None and n_long_modes(*self.pairs, self.n) < ONE_MODE

    @property
    def is_chained(self) -> bool:
        """Whether the ways from item to item are long."""
        return len(self.priors) > 1


def chained_scores(i: CodeArray, j: CodeArray, n: int, order: int) -> ChainedScores:
    """The Markov prior of an order on the graph of some pairs."""
    from scipy import sparse

    if not order:
        return ChainedScores(0, _fitting(sparse.eye_array(n, format="csc")))
    scale = n / (2 * len(i))
    own = degrees(i, j, np.ones(len(i)), n)
    upper = sparse.coo_array((-np.ones(len(i)), (i, j)), shape=(n, n))
    B = scale * (upper + upper.T + sparse.diags_array(own)).tocsc()
    labels = components(i, j, n)
    mean_resistance = total_resistance(i, j, n) / scale / n  # of the inverse of B
    rank = n - int(labels.max()) - 1
    strength = rank / n if order == 1 else mean_resistance
    precision = strength * (B if order == 1 else B @ B)
    # what a component's scores have in common varies as they do around it
    spread = max(mean_resistance * n / rank, 1.0)
    anchored = np.zeros(n)
    _, held = np.unique(labels[np.argsort(-own, kind="stable")], return_index=True)
    anchored[np.argsort(-own, kind="stable")[held]] = 1 / spread
    return ChainedScores(order, _fitting(precision + sparse.diags_array(anchored)))


def _fitting(matrix: Any) -> Any:
    """Dense where items are few."""
    return matrix.toarray() if matrix.shape[0] <= DENSE_CHAINED_ITEMS else matrix
