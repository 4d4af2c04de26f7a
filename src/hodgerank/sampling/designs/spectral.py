"""Label-free designs that value a pair by the eigenvalues of the information matrix.

The information is L + g I on centred scores, with L the Laplacian of votes and pending pairs. A
vote on (i, j) adds d d^T, d = e_i - e_j. `TraceDesign` knows the exact effect on the trace of the
inverse; `SpectralDesign` the first-order effect on any differentiable function of the eigenvalues.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from hodgerank.display import short
from hodgerank.errors import InvalidArgument
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.posterior import resistance_of
from hodgerank.kernels.selection import information, misordering
from hodgerank.sampling.designs.design import Design, Vote, VoteBatch
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import FloatArray, IntArray

MOST_FOR_TRACE, MOST_FOR_SPECTRUM = 3000, 1000  # items
EQUAL = 1e-9  # eigenvalues closer than this, relatively, are equal

SpectralDerivative: TypeAlias = Callable[[FloatArray], FloatArray]
"""Maps the eigenvalues of the information, in ascending order, to the derivative by each."""


def _require_few(n: int, most: int, criterion: str) -> None:
    if n > most:
        raise InvalidArgument(
            f"{n:,} items: {criterion} is limited to {most:,}; use criterion='d-optimal'"
        )


def _laplacian(weights: FloatArray) -> FloatArray:
    laplacian = -weights - weights.T
    laplacian[np.diag_indices(len(weights))] = -laplacian.sum(axis=0)
    return laplacian


class TraceDesign(Design):
    """A-optimal: the pair that reduces the sum of the variances of the scores most.

    With S the covariance of the centred scores, a vote on (i, j) reduces tr S by exactly
    |S d|^2 / (1 + C), C = d^T S d. C and F = |S d|^2 = d^T S^2 d of all pairs are kept, O(n^2) per
    vote:

        S <- S - a s s^T,    S^2 <- S^2 - a (s q^T + q s^T) + a^2 |s|^2 s s^T,    a = 1 / (1 + C),

    with s = S d and q = S^2 d. Pending pairs count in copies, so that they leave no trace.
    """

    def __init__(self, n: int, ridge: float) -> None:
        super().__init__()
        _require_few(n, MOST_FOR_TRACE, "criterion='a-optimal'")
        self._ridge = ridge
        self._weights = np.zeros((n, n))  # of the votes, in the upper triangle
        self._solve()

    def _solve(self) -> None:
        """Compute C and F of all pairs from the votes."""
        n = len(self._weights)
        L = _laplacian(self._weights)
        common = (self._ridge + np.trace(L) / max(n, 1)) / max(n, 1)  # any level of the scores
        with few_threads(n):
            S = np.linalg.inv(L + self._ridge * np.eye(n) + common)
            self._known = resistance_of(S), resistance_of(S @ S)
        self._expected: tuple[FloatArray, FloatArray] | None = None
        self._s, self._q = np.empty(n), np.empty(n)

    def _add(self, to: tuple[FloatArray, FloatArray], i: int, j: int, weight: float) -> None:
        """Add the precision of a pair to C and F; a negative one removes it."""
        misordering.expect_order(*to, self._s, self._q, i, j, weight)

    def _learn(self, vote: Vote, was_out: bool) -> None:
        i, j, _, weight, *_ = vote
        self._weights[i, j] += weight
        self._add(self._known, i, j, weight)
        if self._expected is None:
            return
        if was_out and not self.out:
            self._expected = None  # `_known` is the same without rounding
            return
        if was_out:
            self._add(self._expected, i, j, -1.0)
        self._add(self._expected, i, j, weight)

    def _learn_many(self, answers: VoteBatch) -> None:
        """Update vote by vote if they are few, else by an equivalent O(n^3) solution."""
        if len(answers.i) < len(self._weights):
            super()._learn_many(answers)
            return
        np.add.at(self._weights, (answers.i, answers.j), answers.weight)
        self._solve()

    def _expect(self, i: int, j: int) -> None:
        if self._expected is not None:
            self._add(self._expected, i, j, 1.0)

    def _withdraw(self, i: int, j: int) -> None:
        if self.out.total() == 1:
            self._expected = None
        elif self._expected is not None:
            self._add(self._expected, i, j, -1.0)

    def _withdraw_all(self) -> None:
        self._expected = None

    def _in_force(self) -> tuple[FloatArray, FloatArray]:
        """Return C and F with pending pairs, computed only when they are needed."""
        if self._expected is None and self.out:
            C, F = self._known
            self._expected = C.copy(), F.copy()
            for i, j in self.out.elements():
                self._add(self._expected, i, j, 1.0)
        return self._known if self._expected is None else self._expected

    def enlarge(self) -> None:
        """Add an item."""
        self._weights = np.pad(self._weights, (0, 1))
        self._solve()

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the reduction of the trace by each pair."""
        C, F = self._in_force()
        return np.maximum(F[i, j] / (1 + C[i, j]), 0.0)

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the pair that reduces the trace most."""
        C, F = self._in_force()
        return information.largest_reduction(C, F, blocked.matrix, bool(blocked), key)


class SpectralDesign(Design):
    """The pair that increases a function of the eigenvalues most, to first order.

    For f(L) = g(lambda_2, ..., lambda_n) and eigenvectors v_k the derivative in the direction of
    d d^T is d^T g'(L) d, g'(L) the sum of dg/dlambda_k v_k v_k^T. Derivatives by equal eigenvalues
    are averaged, since their eigenvectors are arbitrary. One eigendecomposition per vote.
    """

    def __init__(self, n: int, ridge: float, derivative: SpectralDerivative) -> None:
        super().__init__()
        _require_few(n, MOST_FOR_SPECTRUM, "a criterion on all eigenvalues")
        self._ridge, self._derivative = ridge, derivative
        self._weights = np.zeros((n, n))  # of votes and pending pairs, in the upper triangle
        self._gains: FloatArray | None = None  # of all pairs, until something changes
        self._derivatives(np.full(max(n - 1, 1), ridge))  # raises an error early

    def _derivatives(self, values: FloatArray) -> FloatArray:
        """Return the user's derivatives, validated and averaged over equal eigenvalues."""
        given = np.asarray(self._derivative(values.copy()))
        is_valid = given.shape == values.shape and given.dtype.kind in "fiu"
        if not is_valid or not np.isfinite(given).all() or (given < 0).any():
            raise InvalidArgument(
                "the criterion must map the eigenvalues, an array, to the derivative by each: "
                f"an array of {len(values)} finite numbers, none negative. It returned "
                f"{short(repr(given.tolist()))}"
            )
        is_new = np.diff(values, prepend=-np.inf) > EQUAL * np.abs(values)
        group = np.cumsum(is_new) - 1
        return np.asarray((np.bincount(group, given) / np.bincount(group))[group])

    def _change(self, i: int, j: int, by: float) -> None:
        self._weights[i, j] += by
        self._gains = None

    def _learn(self, vote: Vote, was_out: bool) -> None:
        self._change(vote.i, vote.j, vote.weight - was_out)

    def _learn_many(self, answers: VoteBatch) -> None:
        np.add.at(self._weights, (answers.i, answers.j), answers.weight)
        self._gains = None

    def _expect(self, i: int, j: int) -> None:
        self._change(i, j, 1.0)

    def _withdraw(self, i: int, j: int) -> None:
        self._change(i, j, -1.0)

    def enlarge(self) -> None:
        """Add an item."""
        self._weights = np.pad(self._weights, (0, 1))
        self._gains = None

    def _all_gains(self) -> FloatArray:
        if self._gains is None:
            L = _laplacian(self._weights)
            n = len(L)
            # the constant vector is shifted above all other eigenvalues
            above = 2 * np.diag(L).max(initial=0.0) + 1
            with few_threads(n):
                values, vectors = np.linalg.eigh(L + above / max(n, 1) * np.ones((n, n)))
                values, vectors = values[:-1].clip(0) + self._ridge, vectors[:, :-1]
                slopes = self._derivatives(values) if n > 1 else np.ones(0)
                self._gains = np.maximum(resistance_of((vectors * slopes) @ vectors.T), 0.0)
        return self._gains

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the first-order increase by each pair."""
        return np.asarray(self._all_gains()[i, j])

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the pair of largest first-order increase."""
        return information.widest_pair(self._all_gains(), blocked.matrix, bool(blocked), key)
