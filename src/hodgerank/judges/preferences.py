"""Preferences of single judges: items that one rates higher than the others do, and its own family.

A logistic model with scores s, a position bias b of each judge and deviations d:

    P(left wins) = 1 / (1 + exp(-(s_i - s_j + b_k + d_ki - d_kj + c (o_ki - o_kj))))

where o_ki is 1 if item i is of the family of judge k. Deviations are tested one by one at d = 0 and
c = 0 (score tests, with the larger of model variance and variance clustered by judge and pair).
The common term c is estimated with random deviations d ~ N(0, v), averaged over v by evidence
(Laplace), so that tastes of judges for single items are not taken for a preference of their family.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import erfc, exp, sqrt
from typing import Any

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.metrics import kendall_tau
from hodgerank.types import FloatArray, IntArray, Item

SCORE_VARIANCE, BIAS_VARIANCE, OWN_VARIANCE = 4.0, 1.0, 4.0
DEVIATION_VARIANCES = (0.0, 0.05, 0.2, 0.8, 3.2)
MOST_UNKNOWNS = 1500
MOST_STEPS = 50
LEVEL = 0.05  # of all statements about items together
SURE = 2.576  # standard errors of the family term
LEAST_SHARE = 0.1  # of the family's contrast that scores do not explain
LEAST_INFORMATION = 1.0
FEWEST_VOTES = 20


@dataclass(frozen=True)
class OwnFamily:
    """How judges treat items of their own family.

    Attributes
    ----------
    estimate, stderr
        Advantage of an item of the judge's own family, in logits.
    n_judges
        Judges that have such items.
    """

    estimate: float
    stderr: float
    n_judges: int

    @property
    def is_significant(self) -> bool:
        """Whether the estimate differs from 0 (p < .01)."""
        return abs(self.estimate) > SURE * self.stderr

    @property
    def win_rate(self) -> tuple[float, float, float]:
        """Win rate against an equal item of another family, with a 95% interval."""
        ends = (0.0, -1.96, 1.96)
        low = tuple(1 / (1 + exp(-self.estimate - k * self.stderr)) for k in ends)
        return low[0], low[1], low[2]


@dataclass(frozen=True)
class JudgePreferences:
    """Preferences of single judges.

    Attributes
    ----------
    tau
        Kendall's tau between the ranking by a judge alone and that by the others; only judges
        with enough votes.
    favourites
        Items that a judge rates higher than the others do (5% for all statements together).
    own_family
        Term of the judges' own families; None if it is not identified.
    why_not
        Why it is not, if judges have families.
    """

    tau: Mapping[Item, float]
    favourites: Mapping[Item, tuple[Item, ...]]
    own_family: OwnFamily | None = None
    why_not: str = ""


def judge_preferences(
    votes: Comparisons, families: Mapping[Any, Collection[Item]] | None = None
) -> JudgePreferences:
    """Return preferences of judges; `families` are the items of each judge's own family."""
    families = families or {}
    n_judges = len(votes.workers)
    has_families = sum(bool(items) for items in families.values())
    if n_judges < 2 or len(votes) < FEWEST_VOTES:
        why = "one_judge" if has_families and n_judges < 2 else ""
        return JudgePreferences({}, {}, None, why)
    if len(votes.items) * (n_judges + 1) + n_judges > MOST_UNKNOWNS:
        return JudgePreferences({}, {}, None, "too_many" if has_families else "")
    model = _Model(votes)
    favourites = model.favourites()
    own, why = None, ""
    if has_families == 1:
        why = "one_family"
    elif has_families > 1:
        own = model.own_family(families)
        why = "" if own is not None else "not_identified"
    return JudgePreferences(_taus(votes), favourites, own, why)


class _Model:
    """Votes of judges, and the design of the unknowns: scores, biases, deviations."""

    def __init__(self, votes: Comparisons) -> None:
        self.votes = votes
        self.n, self.m = len(votes.items), len(votes.workers)
        self.left = np.asarray(votes.left, np.int64)
        self.right = np.asarray(votes.right, np.int64)
        assert votes.worker is not None
        self.judge = np.asarray(votes.worker, np.int64)
        self.y = (np.asarray(votes.outcome, float) + 1) / 2
        self.weight = (
            np.ones(len(self.y)) if votes.weight is None else np.asarray(votes.weight, float)
        )
        rows = np.arange(len(self.y))
        base = np.zeros((len(self.y), self.n + self.m))
        base[rows, self.left] += 1
        base[rows, self.right] -= 1
        base[rows, self.n + self.judge] = 1
        self.base = base
        self.base_precision = np.r_[
            np.full(self.n, 1 / SCORE_VARIANCE), np.full(self.m, 1 / BIAS_VARIANCE)
        ]
        cells = np.zeros((len(self.y), self.m * self.n))
        cells[rows, self.judge * self.n + self.left] += 1
        cells[rows, self.judge * self.n + self.right] -= 1
        self.cells = cells

    def favourites(self) -> dict[Item, tuple[Item, ...]]:
        """Return the items that judges rate higher, by the procedure of Holm."""
        theta, inverse, _ = _fit(self.base, self.y, self.weight, self.base_precision)
        p = _sigmoid(self.base @ theta)
        w = self.weight * p * (1 - p)
        residual = self.weight * (self.y - p)
        scores = self.cells.T @ residual
        crossed = self.base.T @ (w[:, None] * self.cells)
        information = np.einsum("vc,v,vc->c", self.cells, w, self.cells)
        information -= np.einsum("ic,ij,jc->c", crossed, inverse, crossed)
        # with what a change of the cell does to the scores, by judge and pair
        adjusted = self.cells - self.base @ (inverse @ crossed)
        sums = _by_cluster(adjusted * residual[:, None], self._clusters())
        variance = np.maximum(information, (sums**2).sum(axis=0))
        z = np.where(information >= LEAST_INFORMATION, scores / np.sqrt(variance.clip(1e-9)), 0.0)
        p_values = np.array([erfc(abs(value) / sqrt(2)) for value in z])
        tested = int((information >= LEAST_INFORMATION).sum())
        found: dict[Item, list[Item]] = {}
        for place, cell in enumerate(np.argsort(p_values)[:tested]):
            if p_values[cell] > LEVEL / (tested - place):
                break
            if z[cell] > 0:
                judge, item = divmod(int(cell), self.n)
                found.setdefault(self.votes.workers[judge], []).append(self.votes.items[item])
        return {judge: tuple(items) for judge, items in found.items()}

    def own_family(self, families: Mapping[Any, Collection[Item]]) -> OwnFamily | None:
        """Return the term of the judges' own families, if the votes can tell it."""
        own = np.zeros((self.m, self.n))
        for k, judge in enumerate(self.votes.workers):
            mine = set(families.get(judge, ()))
            own[k] = [item in mine for item in self.votes.items]
        z = own[self.judge, self.left] - own[self.judge, self.right]
        judges = int((own.any(axis=1)).sum())
        if judges < 2 or not z.any():
            return None
        unexplained = z - self.base @ np.linalg.lstsq(self.base, z, rcond=None)[0]
        if (unexplained @ unexplained) / (z @ z) < LEAST_SHARE:
            return None
        estimates, variances, evidences = [], [], []
        for variance in DEVIATION_VARIANCES:
            design, precision = np.c_[self.base, z], np.r_[self.base_precision, 1 / OWN_VARIANCE]
            if variance:
                design = np.c_[design, self.cells]
                precision = np.r_[precision, np.full(self.m * self.n, 1 / variance)]
            theta, inverse, evidence = _fit(design, self.y, self.weight, precision)
            place = self.n + self.m
            estimates.append(theta[place])
            p = _sigmoid(design @ theta)
            sums = _by_cluster(
                (self.weight * (self.y - p))[:, None] * (design @ inverse[:, place])[:, None],
                self._clusters(),
            )
            variances.append(max(inverse[place, place], float((sums**2).sum())))
            evidences.append(evidence)
        share = np.exp(np.array(evidences) - max(evidences))
        share /= share.sum()
        mean = float(share @ np.array(estimates))
        spread = float(share @ (np.array(variances) + (np.array(estimates) - mean) ** 2))
        return OwnFamily(mean, sqrt(spread), judges)

    def _clusters(self) -> IntArray:
        """Return the judge and pair of each vote as a number."""
        low, high = np.minimum(self.left, self.right), np.maximum(self.left, self.right)
        key = (self.judge * self.n + low) * self.n + high
        return np.unique(key, return_inverse=True)[1].astype(np.int64)


def _fit(
    design: FloatArray, y: FloatArray, weight: FloatArray, precision: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Return the penalised estimate, its covariance, and the Laplace log evidence."""
    theta = np.zeros(design.shape[1])
    for _ in range(MOST_STEPS):
        p = _sigmoid(design @ theta)
        gradient = design.T @ (weight * (y - p)) - precision * theta
        hessian = (design.T * (weight * p * (1 - p))) @ design + np.diag(precision)
        step = np.linalg.solve(hessian, gradient)
        size = float(np.abs(step).max())
        theta = theta + step / max(1.0, size / 2)
        if size < 1e-8:
            break
    eta = design @ theta
    likelihood = float(weight @ (y * eta - np.logaddexp(0, eta)))
    _, logdet = np.linalg.slogdet(hessian)
    prior = 0.5 * float(np.log(precision).sum() - precision @ theta**2)
    inverse = np.asarray(np.linalg.inv(hessian), float)
    return theta, inverse, likelihood + prior - 0.5 * float(logdet)


def _taus(votes: Comparisons) -> dict[Item, float]:
    """Return tau between the ranking by each judge alone and that by the others."""
    assert votes.worker is not None
    found: dict[Item, float] = {}
    for code, judge in enumerate(votes.workers):
        mine = np.asarray(votes.worker) == code
        parts = [_scores(votes, mine), _scores(votes, ~mine)]
        both = np.flatnonzero(~np.isnan(parts[0]) & ~np.isnan(parts[1]))
        if mine.sum() >= FEWEST_VOTES and len(both) > 2:
            found[judge] = float(kendall_tau(parts[0][both], parts[1][both]))
    return found


def _scores(votes: Comparisons, chosen: np.ndarray) -> FloatArray:
    """Return scores by some of the votes; NaN for items without any."""
    n, m = len(votes.items), len(votes.workers)
    assert votes.worker is not None
    left, right = np.asarray(votes.left)[chosen], np.asarray(votes.right)[chosen]
    rows = np.arange(len(left))
    design = np.zeros((len(left), n + m))
    design[rows, left] += 1
    design[rows, right] -= 1
    design[rows, n + np.asarray(votes.worker)[chosen]] = 1
    y = (np.asarray(votes.outcome, float)[chosen] + 1) / 2
    precision = np.r_[np.full(n, 1 / SCORE_VARIANCE), np.full(m, 1 / BIAS_VARIANCE)]
    theta, _, _ = _fit(design, y, np.ones(len(y)), precision)
    scores = theta[:n].copy()
    scores[np.setdiff1d(np.arange(n), np.r_[left, right])] = np.nan
    return scores


def _by_cluster(values: FloatArray, clusters: IntArray) -> FloatArray:
    sums = np.zeros((int(clusters.max()) + 1, values.shape[1]))
    np.add.at(sums, clusters, values)
    return sums


def _sigmoid(z: FloatArray) -> FloatArray:
    return np.exp(-np.logaddexp(0, -z))
