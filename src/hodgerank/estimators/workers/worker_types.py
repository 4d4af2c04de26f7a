"""EM over types of workers: honest, random, adversarial or position-clicking.

Honest workers follow the scores more or less closely, random workers toss a coin, adversarial
workers reverse the order, and position-clicking ones choose the same side. Given scores, each
worker's votes give the probabilities of the first three types. Given types, random workers are left
out, adversarial ones reversed, and the scores fitted again. Finally each worker is assessed by
scores from the other workers only: by all four types, with position bias, if the display order is
known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from hodgerank.estimators.likelihood import bradley_terry
from hodgerank.estimators.posterior_mode import most_probable
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.workers.type_likelihoods import (
    ACUITIES,
    AcuityLikelihood,
    Evidence,
    SidedLikelihood,
    sum_and_shares,
)
from hodgerank.estimators.workers.worker_cells import WorkerCells
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.laplacian import centre
from hodgerank.types import BoolArray, FloatArray, IntArray

LEAST_SPREAD = 0.5  # of log acuity: honest workers are never assumed to be more alike
# Weight of the prior, in workers.
PRIOR_WORKERS = 5.0
# Of honest, random, adversarial and, if the display order is known, position-clicking workers.
PRIOR = (0.7, 0.15, 0.08, 0.07)
PRIOR_UNSEEN = (0.7, 0.2, 0.1)
MAX_ACUITY_ROUNDS = 50
TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class Kinds:
    """Posterior of each worker's type, with the distribution of acuity estimated from all.

    Attributes
    ----------
    probabilities
        Probabilities of honest, random, adversarial and position-clicking, one column per worker.
    acuity
        Acuity of each worker if honest, as a multiple of the typical one.
    typical, spread
        Acuity of the typical honest worker, and the standard deviation of log acuity.
    shares
        Share of each type.
    """

    probabilities: FloatArray
    acuity: FloatArray
    typical: float
    spread: float
    shares: FloatArray

    @classmethod
    def fitted(cls, evidence: Evidence) -> Kinds:
        """Fit shares of the types, and mean and spread of log acuity, by EM."""
        place = np.log(ACUITIES)
        prior_shares = np.array(PRIOR if evidence.clicking is not None else PRIOR_UNSEEN)
        shares, mean, spread, change = prior_shares, 0.0, LEAST_SPREAD, np.inf
        for _ in range(MAX_ACUITY_ROUNDS):
            probabilities, among = _posterior(evidence, mean, spread, shares)
            typical, acuity = float(np.exp(mean)), np.exp(among @ place - mean)
            found = cls(probabilities, acuity, typical, spread, shares)
            if change < TOLERANCE:
                break
            before = np.array([mean, spread, *shares])
            weight = probabilities[0] @ among
            total = float(weight.sum()) + PRIOR_WORKERS
            mean = float(weight @ place) / total
            variance = (
                float(weight @ (place - mean) ** 2) + PRIOR_WORKERS * LEAST_SPREAD**2
            ) / total
            spread = max(float(np.sqrt(variance)), LEAST_SPREAD)
            shares = probabilities.sum(axis=1)[: len(shares)] + PRIOR_WORKERS * prior_shares
            shares = shares / shares.sum()
            change = float(np.abs(np.array([mean, spread, *shares]) - before).max())
        return found

    def with_one_random(self) -> Kinds:
        """Return the types if one more of the workers were random instead of honest."""
        more = 1 / (self.probabilities.shape[1] + PRIOR_WORKERS)
        shares = self.shares + np.r_[-more, more, np.zeros(len(self.shares) - 2)]
        return replace(self, shares=np.maximum(shares, 1e-9))

    def of(self, evidence: Evidence) -> FloatArray:
        """Return the probabilities of the types for other votes, as in `probabilities`."""
        return _posterior(evidence, float(np.log(self.typical)), self.spread, self.shares)[0]


def _posterior(
    evidence: Evidence, mean: float, spread: float, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities of the types, and of the acuities of each worker if honest."""
    prior = -(((np.log(ACUITIES) - mean) / spread) ** 2) / 2
    prior -= np.log(np.exp(prior).sum())
    log_honest, among = sum_and_shares(evidence.honest + prior)
    log_opposite, _ = sum_and_shares(evidence.opposite + prior)
    columns = [log_honest, evidence.random, log_opposite]
    if evidence.clicking is not None:
        columns.append(evidence.clicking)
    probabilities = np.zeros((4, len(log_honest)))
    probabilities[: len(columns)] = sum_and_shares(np.column_stack(columns) + np.log(shares))[1].T
    return probabilities, among


RIDGE = 0.1  # a prior of standard deviation 3 on the scores
ROUGHLY = 0.05  # relative error of the variances used for shrinkage, in large graphs
MANY_FOLDS, FEW_FOLDS = 10, 5
FEW_ITEMS, FEW_CELLS = 300, 100_000  # sizes up to which many folds are cheap


def known_differences(
    cells: WorkerCells, trust: FloatArray, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the difference of every edge from votes weighted by trust, and the scores.

    Uncertain differences are shrunk [MacKay92]; differences between disconnected items are 0.
    """
    graph, edges = cells.trusting(trust), cells.graph
    # Scores sum to zero in each component, of which there may be more than for `start`.
    start = centre(start, graph.components)
    fit, information = most_probable(
        graph, "bradley-terry", RIDGE, graph.components, start, TOLERANCE
    )
    variance = information.inverse_diagonal_within(ROUGHLY).values
    signal = max(_mean_over_compared(graph, fit.x**2 - variance), 0.0)
    kept = signal / np.maximum(signal + variance, np.finfo(float).tiny)
    scores, variance = kept * fit.x, kept * variance
    i, j = edges.i, edges.j
    difference = (scores[i] - scores[j]) / np.sqrt(1 + np.pi / 8 * (variance[i] + variance[j]))
    connected = graph.components[i] == graph.components[j]
    return np.where(connected, difference, 0.0), fit.x


def differences_by_others(cells: WorkerCells, trust: FloatArray, start: FloatArray) -> FloatArray:
    """Return the difference of every cell's edge from the votes of other workers.

    Cross-validation over groups of workers; with few workers, leave one out.
    """
    found = np.zeros(len(cells.edge))
    groups = _folds(cells)
    of_cell = np.append(groups, -1)[cells.worker]
    for group in range(groups.max(initial=-1) + 1):
        without = np.where(groups == group, 0.0, trust)
        difference, _ = known_differences(cells, without, start)
        mine = of_cell == group
        found[mine] = difference[cells.edge[mine]]
    return found


def _folds(cells: WorkerCells) -> IntArray:
    """Return the fold of each worker; folds have similar numbers of votes."""
    is_small = cells.graph.n_items <= FEW_ITEMS and len(cells.edge) <= FEW_CELLS
    most = MANY_FOLDS if is_small else FEW_FOLDS
    order = np.argsort(-cells.per_worker(cells.votes), kind="stable")
    folds = np.empty(cells.n_workers, np.int64)
    folds[order] = np.arange(cells.n_workers) % most
    return folds


def _mean_over_compared(graph: ComparisonGraph, values: FloatArray) -> float:
    compared = np.zeros(graph.n_items, bool)
    compared[graph.i] = compared[graph.j] = True
    return float(values[compared].mean()) if compared.any() else 0.0


# A worker is trusted fully until honesty is this improbable: with weak signals everybody looks a
# little random, and discounting honest workers costs more than it gains.
SUSPICION = 0.3
MAX_ROUNDS = 30
FEWEST_VOTES = 8  # votes needed to assess a worker
SIMULATED_WORKERS, SIMULATED_ROWS = 50, 500  # of the power
COMMON = 4.0  # standard errors by which the others must agree to serve as a reference
IMPRECISE = 2 / 3  # of the typical acuity: workers significantly below are less precise


@dataclass(frozen=True, eq=False)
class WorkerTypes:
    """Probability of each type, one entry per worker, and the ranking that accounts for them.

    Attributes
    ----------
    cells
        The votes.
    acuity
        How closely the worker follows the scores, if honest; 1 is typical.
    imprecision_p_value
        p-value of an acuity of at least IMPRECISE.
    comparable
        Whether the other workers agree with each other, so that the worker can be compared.
    trust
        Weight of the worker's votes in the ranking: 1 full, 0 none, negative reversed. Position
        clicks spoil no ranking where sides are balanced, so trust is about the scores alone.
    likelihood, kinds
        The votes as compared with scores by other workers, and the types fitted to them.
    """

    cells: WorkerCells
    honest: FloatArray
    random: FloatArray
    adversarial: FloatArray
    clicking: FloatArray
    acuity: FloatArray
    imprecision_p_value: FloatArray
    comparable: BoolArray
    trust: FloatArray
    likelihood: AcuityLikelihood | SidedLikelihood
    kinds: Kinds
    iterations: int
    converged: bool

    @cached_property
    def ranking(self) -> Ranking:
        """Ranking by all votes, weighted by trust; disconnected groups are ranked separately."""
        return bradley_terry(self.cells.trusting(self.trust), ridge=RIDGE, components="separate")

    @property
    def reliability(self) -> FloatArray:
        """Expected agreement of a worker with the scores: 1 honest, 1/2 random, 0 adversarial.

        NaN if there are no other workers to compare with.
        """
        return np.where(self.comparable, self.honest + (self.random + self.clicking) / 2, np.nan)

    def power(self, tested: BoolArray, rate: float) -> float:
        """Return the probability that a random worker with the pairs of a tested one is noticed.

        That is, is improbably honest or significantly imprecise, if no other worker is. Simulated;
        NaN if no worker is tested.
        """
        workers = np.flatnonzero(tested)
        if not len(workers):
            return np.nan
        n = min(len(workers), SIMULATED_WORKERS)
        some = workers[np.linspace(0, len(workers) - 1, n).astype(np.int64)]
        rows = np.repeat(some, -(-SIMULATED_ROWS // n))
        evidence = self.likelihood.of_coins(rows, np.random.default_rng(0)).evidence
        honest = self.kinds.with_one_random().of(evidence)[0]
        imprecise = _imprecision(evidence, self.kinds.typical) <= rate / len(workers)
        return float(((honest <= rate) | imprecise).mean())


def worker_types(cells: WorkerCells) -> WorkerTypes:
    """Fit worker types by EM, starting from the plain ranking.

    Position-clicking workers are found if the cells are summed by side.

    Only ratios of weights matter: they are rescaled to sum to the effective number of votes.
    """
    cells = cells.in_effective_votes()
    trust, scores = np.ones(cells.n_workers), np.zeros(cells.graph.n_items)
    rounds, change = 0, np.inf
    while change > 1e-3 and rounds < MAX_ROUNDS:
        rounds += 1
        difference, scores = known_differences(cells, trust, scores)
        share = cells.independent_share(trust)
        kinds = Kinds.fitted(AcuityLikelihood.of(cells, difference[cells.edge], share).evidence)
        updated = _trust(kinds)
        change = float(np.abs(updated - trust).max(initial=0.0))
        trust = updated
    alike = np.ones(cells.n_workers)
    share_if_alike = cells.independent_share(alike)
    difference = differences_by_others(cells, alike, scores)
    agreement = AcuityLikelihood.of(cells, difference, share_if_alike)
    comparable = _comparable(agreement)
    # in most crowds every worker is trusted
    if not (np.array_equal(trust, alike) and np.array_equal(share, share_if_alike)):
        difference = differences_by_others(cells, trust, scores)
        agreement = AcuityLikelihood.of(cells, difference, share)
    kinds = Kinds.fitted(agreement.evidence)
    trust = np.where(comparable, _trust(kinds), trust)
    likelihood: AcuityLikelihood | SidedLikelihood = agreement
    evidence = agreement.evidence
    if cells.is_any_shown:
        likelihood = SidedLikelihood.of(cells, difference, share, agreement)
        evidence = likelihood.evidence
        kinds = Kinds.fitted(evidence)
    honest, random, adversarial, clicking = kinds.probabilities
    return WorkerTypes(
        cells=cells,
        honest=honest,
        random=random,
        adversarial=adversarial,
        clicking=clicking,
        acuity=kinds.acuity,
        imprecision_p_value=_imprecision(evidence, kinds.typical),
        comparable=comparable,
        trust=trust,
        likelihood=likelihood,
        kinds=kinds,
        iterations=rounds,
        converged=change <= 1e-3,
    )


def _trust(kinds: Kinds) -> FloatArray:
    honest, _, adversarial, _ = kinds.probabilities
    return np.where(honest < SUSPICION, honest - adversarial, 1.0)


def _imprecision(evidence: Evidence, typical: float) -> FloatArray:
    """Return p-values of the likelihood ratio between the best acuity and the best not low."""
    honest = np.column_stack((evidence.random, evidence.honest))
    small = np.append(0.0, ACUITIES) < IMPRECISE * typical
    best, otherwise = honest.max(axis=1), honest[:, ~small].max(axis=1)
    return np.asarray(ndtr(-np.sqrt(2 * np.maximum(best - otherwise, 0.0))))


def _comparable(agreement: AcuityLikelihood) -> BoolArray:
    """Return, for each worker, whether the others agree with each other.

    Computed with equal trust: among random workers too, some that agree by chance would be trusted.
    """
    surplus, variance = agreement.surplus
    z = surplus / np.sqrt(np.maximum(variance, 1e-300))
    total, squares, count = (part.sum() - part for part in (z, z**2, 1.0 * (variance > 0)))
    # The others agree overall; or, with some adversarial workers, most agree and each one clearly
    # does or does not.
    count = np.maximum(count, 1.0)
    together, each = total / np.sqrt(count), (squares - count) / np.sqrt(2 * count)
    return np.asarray((together > COMMON) | ((each > COMMON) & (together > 1)))
