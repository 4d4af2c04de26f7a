"""FisherSampler: designs that need no labels."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal, Self

import numpy as np

from hodgerank.errors import InvalidArgument, require_one_of, require_positive
from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.selection import fiedler
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.designs.design import Design, Vote, VoteBatch
from hodgerank.sampling.designs.matrix_free_posterior import Engine, gaussian_posterior
from hodgerank.sampling.designs.spectral import SpectralDerivative, SpectralDesign, TraceDesign
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import FloatArray, IntArray, Item

MAX_ITEMS = 3000
CRITERIA = ("d-optimal", "a-optimal", "fiedler")
DENSE_ITEMS = 32  # up to which a new decomposition is faster than an update


class ConnectivityDesign(Design):
    """How often each pair was asked, and how much another vote would increase lambda_2.

    The first-order gain of a pair is (v_i - v_j)^2 with v the Fiedler vector; if lambda_2 is not
    simple, P_ii + P_jj - 2 P_ij with P the projector on its eigenspace. The count that all pairs
    share shifts all eigenvalues and is left out, so that each round starts as the first.

    All eigenvectors of L are recomputed occasionally. In that basis later votes are a low-rank
    change of a diagonal matrix, whose lowest eigenvector takes a few small solves.

    Parameters
    ----------
    path
        Items in the order in which the first n - 1 pairs visit them, if any.
    """

    def __init__(self, n: int, path: IntArray | None = None) -> None:
        super().__init__()
        if n > MAX_ITEMS:
            raise InvalidArgument(
                f"{n:,} items: criterion='fiedler' is limited to {MAX_ITEMS:,}; "
                "criterion='d-optimal' is as accurate and cheaper"
            )
        self._path = [] if path is None else [sorted(step) for step in pairwise(path.tolist())]
        self._counts = np.zeros((n, n), np.int64)  # upper triangle
        self._start_afresh()

    def _start_afresh(self) -> None:
        """Recompute everything that follows from the counts."""
        self._basis: FloatArray | None = None  # eigenvectors of an earlier L, one per column,
        self._values = np.empty(0)  # their eigenvalues,
        self._guess = np.empty(0)  # the last Fiedler vector in that basis,
        self._lowest = 0.0  # a lower bound of lambda_2,
        self._changes: dict[tuple[int, int], int] = {}  # and the pairs asked since
        self._start_round()

    def _start_round(self) -> None:
        """Find the smallest count, the number of pairs with it, and components of the others."""
        n = len(self._counts)
        upper = self._counts[np.triu_indices(n, 1)]
        self._shared = int(upper.min()) if len(upper) else 0
        self._n_left = int(np.count_nonzero(upper == self._shared))
        self._labels, self._n_components = fiedler.component_labels(self._counts, self._shared)

    def _learn(self, vote: Vote, was_out: bool) -> None:
        """Count the vote, unless it was counted as pending."""
        if not was_out:
            self._expect(vote.i, vote.j)

    def _learn_many(self, answers: VoteBatch) -> None:
        np.add.at(self._counts, (answers.i, answers.j), 1)
        self._start_afresh()

    def _expect(self, i: int, j: int) -> None:
        """Count a pending pair like a vote."""
        if self._counts[i, j] == self._shared:
            self._n_left -= 1
        self._change(i, j, 1)
        if not self._n_left:
            self._start_round()
        elif self._labels[i] != self._labels[j]:
            self._labels[self._labels == self._labels[j]] = self._labels[i]
            self._n_components -= 1

    def _withdraw(self, i: int, j: int) -> None:
        self._change(i, j, -1)
        self._lowest = 0.0
        if self._counts[i, j] <= self._shared:
            self._start_round()

    def _change(self, i: int, j: int, by: int) -> None:
        self._counts[i, j] += by
        if self._basis is not None:
            change = self._changes.pop((i, j), 0) + by
            if change:
                self._changes[i, j] = change

    def enlarge(self) -> None:
        """Add an item."""
        self._counts = np.pad(self._counts, (0, 1))
        self._start_afresh()

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the pair that increases lambda_2 most, among those asked least often."""
        for i, j in self._path:
            if not self._counts[i, j] and not (blocked and blocked.matrix[i, j]):
                return i, j
        fewest = self._shared
        if blocked:
            fewest = fiedler.fewest_asked(self._counts, blocked.matrix)
        if self._n_components > 1:
            return fiedler.smallest_components_pair(
                self._labels, self._counts, fewest, blocked.matrix, bool(blocked), key
            )
        return fiedler.farthest_pair(
            self._eigenspace(), self._counts, fewest, blocked.matrix, bool(blocked), key
        )

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the first-order gain in lambda_2 of each pair; pairs asked least come first."""
        if self._n_components > 1:
            share = 1 / np.bincount(self._labels)[self._labels]
            gains = np.where(self._labels[i] != self._labels[j], share[i] + share[j], 0.0)
        else:
            points = self._eigenspace()
            gains = ((points[i] - points[j]) ** 2).sum(axis=1)
        # A gain is at most 2: the factor puts later rounds after all earlier ones.
        return np.asarray(gains * 1e-3 ** (self._counts[i, j] - self._shared))

    def _eigenspace(self) -> FloatArray:
        """Return an orthonormal basis of the eigenspace of lambda_2, one vector per column."""
        n, basis = len(self._counts), self._basis
        if n <= DENSE_ITEMS or basis is None or len(self._changes) > 8 + n // 12:
            basis = self._decompose()
        elif self._changes:
            i, j = np.array(list(self._changes)).T
            Z = basis[i] - basis[j]
            times = np.array(list(self._changes.values()), float)
            try:
                with few_threads(len(Z)):
                    value, vector, multiplicity = fiedler.lowest_eigenvector(
                        self._values, Z, times, self._guess, self._lowest
                    )
            except (np.linalg.LinAlgError, ZeroDivisionError):
                multiplicity = 0  # a step started exactly at an eigenvalue
            if multiplicity == 1:
                self._guess, self._lowest = vector, value
                return np.asarray((basis @ vector)[:, None])
            basis = self._decompose()
        lowest = self._values <= self._values[0] * (1 + fiedler.SAME)
        return np.ascontiguousarray(basis[:, lowest])

    def _decompose(self) -> FloatArray:
        """Compute all eigenvectors."""
        adjacency = (self._counts + self._counts.T).astype(float)
        degrees = adjacency.sum(axis=0)
        # The constant vector is shifted above all other eigenvalues.
        above = 2 * degrees.max() / len(degrees)
        with few_threads(len(degrees)):
            values, vectors = np.linalg.eigh(np.diag(degrees) - adjacency + above)
        self._values, self._basis = values, vectors
        self._guess, self._lowest = np.eye(len(values))[0], values[0]
        self._changes = {}
        return vectors


class FisherSampler(Sampler):
    """Fisher information maximisation without labels, [Xu18] Algorithm 1.

    The pairs do not depend on the outcomes and could be listed beforehand; pending pairs count like
    votes.

    Parameters
    ----------
    items, seed, display, candidates, position_bias
        As in `Sampler`.
    criterion
        'd-optimal' asks the pair with the largest variance of the difference, which increases the
        determinant of the information most. 'a-optimal' asks the pair that reduces the sum of the
        variances of the scores most. 'fiedler' is the criterion of the paper: the pair that
        increases the algebraic connectivity lambda_2 most, to first order, among those asked least
        often. They are about equally accurate; D-optimal is the fastest. Any other concave function
        of the eigenvalues is given by a function that maps them, in ascending order, to the
        derivative by each: the pair asked increases it most, to first order (up to 1,000 items).
    ridge
        Prior precision of the scores, in units of one vote; it is part of the eigenvalues, which
        are never 0 (not for fiedler).
    start
        'empty', or 'path': the first n - 1 pairs visit all items in random order, as in the
        published experiments (fiedler only).
    engine
        As in `BayesianSampler` (d-optimal only).

    Examples
    --------
    >>> sampler = FisherSampler(["tea", "milk", "cola", "beer"], seed=7)
    >>> first, second = sampler.ask(2)
    >>> len({*first, *second})
    4
    >>> custom = FisherSampler(9, criterion=lambda eigenvalues: eigenvalues**-3.0)
    """

    follows_labels = False

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        criterion: Literal["d-optimal", "a-optimal", "fiedler"] | SpectralDerivative = "d-optimal",
        ridge: float = 1.0,
        start: Literal["empty", "path"] = "empty",
        engine: Engine = "auto",
        display: Display = "balanced",
        candidates: Candidates = None,
        position_bias: Position | None = None,
    ) -> None:
        super().__init__(items, seed, display, candidates, position_bias)
        if not callable(criterion):
            require_one_of(criterion, CRITERIA, "criterion")
        require_one_of(start, ("empty", "path"), "start")
        if start == "path" and criterion != "fiedler":
            raise InvalidArgument("start='path' needs criterion='fiedler'")
        if engine != "auto" and criterion != "d-optimal":
            raise InvalidArgument(f"engine={engine!r} needs criterion='d-optimal'")
        self._criterion, self._start, self._engine = criterion, start, engine
        self._ridge = require_positive(ridge, "ridge")
        self._design = self._new_design(len(self._items))

    def _new_design(self, n: int) -> Design:
        if callable(self._criterion):
            return SpectralDesign(n, self._ridge, self._criterion)
        if self._criterion == "a-optimal":
            return TraceDesign(n, self._ridge)
        if self._criterion == "fiedler":
            is_path = self._start == "path"
            path = np.random.default_rng(self._seed).permutation(n) if is_path else None
            return ConnectivityDesign(n, path)
        return gaussian_posterior(
            np.zeros(n), self._ridge, criterion="variance", engine=self._engine, seed=self._seed
        )

    @property
    def name(self) -> str:
        """The name in `build_sampler`; 'spectral' for a criterion given as a function."""
        return "spectral" if callable(self._criterion) else self._criterion

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """Return a sampler of the same kind for other items."""
        return type(self)(
            items, seed=seed, criterion=self._criterion, ridge=self._ridge, start=self._start,
            engine=self._engine, display=self.display, position_bias=self.position_bias,
        )  # fmt: skip
