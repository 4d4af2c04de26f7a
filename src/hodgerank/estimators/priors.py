"""Gaussian priors on the scores, for designs of different shape.

Scores are independent, or similar for items that may be compared: a Gaussian Markov random field
on the graph G of the pairs that can be asked. With L the Laplacian of G, m its edges and
B = L n / (2m), the precision of order p at variance v is

    s_p B^p / v,    s_p = (1/n) sum of lambda_B^(1-p) over eigenvalues > 0

so that the difference of a pair that can be asked has variance 2v on average. On the complete graph
every order p gives independent scores, so all priors share one scale of v.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from hodgerank.kernels.edges import rewired
from hodgerank.kernels.expectation_propagation import (
    DenseDifferences,
    PairVotes,
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

CHAINED = 1.1  # mean resistance relative to rewired designs
REWIRINGS = 3  # for few items; larger graphs vary less between rewirings
EXACT_ITEMS = 300  # largest n for which the trace of the inverse is exact
PROBED_ITEMS = 2_000  # total length of the random probe vectors for larger n


def has_long_ways(i: CodeArray, j: CodeArray, n: int) -> bool:
    """Whether the mean resistance exceeds that of random designs with the same degrees.

    Measured by tr L^+, the mean effective resistance. False for designs in which the average item
    is compared with at least half of the others. For given degrees the resistance is at least the
    sum of their inverses times (1 - 1/n)^2 (Cauchy-Schwarz): close to that bound no rewiring is
    needed.
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
    """Effective number of slow modes of the graph: (tr L^+)^2 / tr (L^+)^2.

    About 1 if a single bottleneck separates the items, 2.5 along a chain.
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
    """Return the trace of L^+: exact for few items, else a stochastic estimate."""
    equations = NormalEquations(i, j, np.ones(len(i)), components(i, j, n))
    if n <= EXACT_ITEMS:
        return float(equations.inverse_diagonal.values.sum())
    signs = _signs(n)
    solved = equations.solve(signs, tolerance=1e-3)
    return float(np.einsum("ia,ia->", signs, solved)) / len(signs[0])


def _signs(n: int) -> FloatArray:
    """Return random sign vectors, more of them for fewer items."""
    return np.random.default_rng(1).choice(np.array([-1.0, 1.0]), (n, -(-PROBED_ITEMS // n)))


DENSE_ITEMS = 200  # largest n fitted with dense matrices; message passing beyond (independent)
DENSE_CHAINED_ITEMS = 500  # largest n fitted with dense matrices; sparse beyond (Markov)
MOST_FACTOR_WORK = 2e8  # n times the square of the bandwidth
MOST_SWEEPS = 100
MOST_MESSAGE_SWEEPS = 300  # rings converge slowly
ONE_MODE = 1.8  # slow modes: more than this is more than one bottleneck
TINY = 1e-9
ALIKE = (
    "the compared pairs form long chains: as the votes suggest, the prior assumes that neighbours "
    "have similar scores"
)
TOO_MANY = (
    "the compared pairs form long chains, which the prior cannot model for so many items: "
    "differences between distant items may be underestimated"
)


class Prior(Protocol):
    """A Gaussian prior on the scores, up to its variance."""

    @property
    def note(self) -> str | None:
        """The note for readers of the ranking, if any."""

    def fit(
        self,
        votes: PairVotes,
        i: CodeArray,
        j: CodeArray,
        variance: float,
        start: Sites,
        tolerance: float,
    ) -> Sites:
        """Fit the sites of the votes by expectation propagation."""

    def equations(
        self, i: CodeArray, j: CodeArray, t: FloatArray, variance: float
    ) -> NormalEquations | PrecisionEquations:
        """Return the posterior precision, given sites of precisions t."""


@dataclass(frozen=True, eq=False)
class IndependentScores:
    """Independent scores, each N(0, variance)."""

    n: int
    note: str | None = None

    def fit(
        self,
        votes: PairVotes,
        i: CodeArray,
        j: CodeArray,
        variance: float,
        start: Sites,
        tolerance: float,
    ) -> Sites:
        """Fit with dense matrices for few items, by message passing for many."""
        if self.n > DENSE_ITEMS:
            return fit_messages(
                votes, i, j, self.n, variance, start, tolerance, MOST_MESSAGE_SWEEPS
            )
        posterior = DenseDifferences(
            i, j, np.eye(self.n) / variance, -self.n * float(np.log(variance))
        )
        most = np.full(len(i), 2 * variance)
        return fit_sites(votes, posterior, most, start, tolerance, MOST_SWEEPS)

    def equations(
        self, i: CodeArray, j: CodeArray, t: FloatArray, variance: float
    ) -> NormalEquations:
        """Return a Laplacian plus a ridge."""
        return NormalEquations(i, j, t, np.zeros(self.n, np.int64), 1 / variance)


@dataclass(frozen=True, eq=False)
class ChainedScores:
    """A Markov prior: items that may be compared have similar scores; B to the power `order`.

    `precision` is the precision at variance 1, dense or sparse. One item of each component of G is
    anchored to make it proper. Order 0 means independent scores, with a marginal likelihood on the
    same scale as the other orders.
    """

    order: int
    precision: Any

    @property
    def note(self) -> str | None:
        """A note if the scores are not independent."""
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
        votes: PairVotes,
        i: CodeArray,
        j: CodeArray,
        variance: float,
        start: Sites,
        tolerance: float,
    ) -> Sites:
        """Fit with dense or sparse matrices."""
        n = self.precision.shape[0]
        log_determinant = self._log_determinant - n * float(np.log(variance))
        if self._is_dense:
            posterior: Any = DenseDifferences(i, j, self.precision / variance, log_determinant)
        else:
            from hodgerank.kernels.expectation_propagation import SparseDifferences

            posterior = SparseDifferences(i, j, self.precision / variance, log_determinant)
        nothing = np.full(len(i), TINY / variance)
        most = posterior(nothing, np.zeros(len(i))).variance * (1 + TINY)
        return fit_sites(votes, posterior, most, start, tolerance, MOST_SWEEPS)

    def equations(
        self, i: CodeArray, j: CodeArray, t: FloatArray, variance: float
    ) -> PrecisionEquations:
        """Return the sum of prior precision and site precision."""
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
        Endpoints i < j of the pairs, sorted; None for all pairs.
    """

    def __init__(self, n: int, pairs: tuple[CodeArray, CodeArray] | None = None) -> None:
        self.n, self.pairs = n, pairs

    def __deepcopy__(self, memo: object) -> Self:
        return copy(self)

    @cached_property
    def priors(self) -> tuple[Prior, ...]:
        """Independent scores and, for chained designs with small enough factors, Markov priors."""
        if self.pairs is None or not has_long_ways(*self.pairs, self.n):
            return (IndependentScores(self.n),)
        orders = [order for order in (1, 2) if self._has_small_factors(order)]
        if not orders:
            return (IndependentScores(self.n, TOO_MANY),)
        return tuple(chained_scores(*self.pairs, self.n, order) for order in (0, *orders))

    def _has_small_factors(self, order: int) -> bool:
        """Whether the matrices are small, or have an ordering with a narrow band."""
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
        """Whether a single bottleneck separates the items."""
        return self.pairs is not None and n_long_modes(*self.pairs, self.n) < ONE_MODE

    @property
    def is_chained(self) -> bool:
        """Whether the pairs form long chains."""
        return len(self.priors) > 1


def chained_scores(i: CodeArray, j: CodeArray, n: int, order: int) -> ChainedScores:
    """Return the Markov prior of an order on the graph of the given pairs."""
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
    # the level of a component varies as much as scores within it
    spread = max(mean_resistance * n / rank, 1.0)
    anchored = np.zeros(n)
    _, held = np.unique(labels[np.argsort(-own, kind="stable")], return_index=True)
    anchored[np.argsort(-own, kind="stable")[held]] = 1 / spread
    return ChainedScores(order, _fitting(precision + sparse.diags_array(anchored)))


def _fitting(matrix: Any) -> Any:
    """Return a dense matrix if there are few items."""
    return matrix.toarray() if matrix.shape[0] <= DENSE_CHAINED_ITEMS else matrix
