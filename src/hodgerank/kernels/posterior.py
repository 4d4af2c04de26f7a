"""Gaussian posteriors of scores, updated vote by vote: probit filtering and covariances."""

from __future__ import annotations

import math

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import FloatArray, IntArray


def resistance_of(covariance: FloatArray) -> FloatArray:
    """Return the variances C of all differences, from the covariance S of the scores."""
    d = np.diag(covariance)
    return np.asarray(d[:, None] + d - 2 * covariance)


def covariance_of(resistance: FloatArray) -> FloatArray:
    """Return the covariance of centred scores: -1/2 J C J with J = I - 1/n."""
    upper = np.triu(resistance, 1)
    full = upper + upper.T
    rows = full.mean(axis=0)
    return np.asarray(rows[:, None] + rows - rows.mean() - full) / 2


@compiled
def response(C: FloatArray, i: int, j: int, s: FloatArray) -> float:
    """Write the centred s = S (e_i - e_j), i < j, and return C_ij."""
    n = len(C)
    for k in range(i):
        s[k] = (C[k, j] - C[k, i]) / 2
    s[i] = C[i, j] / 2
    for k in range(i + 1, j):
        s[k] = (C[k, j] - C[i, k]) / 2
    s[j] = -C[i, j] / 2
    for k in range(j + 1, n):
        s[k] = (C[j, k] - C[i, k]) / 2
    s -= s.mean()
    return float(C[i, j])


@compiled(fastmath={"contract"})
def shrink(C: FloatArray, s: FloatArray, a: float) -> None:
    """C_kl -= a (s_k - s_l)^2; a negative a removes a vote."""
    for k in range(len(C) - 1):
        # The compiler vectorises slices that start at 0.
        row, rest, s_k = C[k, k + 1 :], s[k + 1 :], s[k]
        for m in range(len(row)):
            difference = s_k - rest[m]
            row[m] -= a * difference * difference


@compiled
def learn(
    C: FloatArray, mean: FloatArray, s: FloatArray, i: int, j: int, outcome: float, noise: float
) -> None:
    """Update exactly with a vote of variance `noise` on the pair i < j: [Xu18] eqs. (17), (15)."""
    c = response(C, i, j, s)
    mean += (outcome - (mean[i] - mean[j])) / (noise + c) * s
    shrink(C, s, 1 / (noise + c))


@compiled
def learn_and_count(
    C: FloatArray,
    mean: FloatArray,
    s: FloatArray,
    adjacency: FloatArray,
    force: FloatArray,
    i: int,
    j: int,
    outcome: float,
    weight: float,
) -> None:
    """Update with a vote of precision `weight`, and add it to the normal equations."""
    learn(C, mean, s, i, j, outcome, 1 / weight)
    adjacency[i, j] += weight
    force[i] += weight * outcome
    force[j] -= weight * outcome


@compiled
def learn_many(
    C: FloatArray,
    mean: FloatArray,
    s: FloatArray,
    i: IntArray,
    j: IntArray,
    outcome: FloatArray,
    noise: FloatArray,
) -> None:
    """Update with several votes in turn."""
    for k in range(len(i)):
        learn(C, mean, s, i[k], j[k], outcome[k], noise[k])


@compiled
def expect(C: FloatArray, s: FloatArray, i: int, j: int, noise: float) -> None:
    """Update the variances for a pending pair; they do not depend on its outcome."""
    c = response(C, i, j, s)
    shrink(C, s, 1 / (noise + c))


@compiled
def expect_many(C: FloatArray, s: FloatArray, i: IntArray, j: IntArray, noise: float) -> None:
    """Update the variances for several pending pairs in turn."""
    for k in range(len(i)):
        expect(C, s, i[k], j[k], noise)


@compiled
def withdraw(C: FloatArray, s: FloatArray, i: int, j: int, noise: float) -> None:
    """Undo `expect` for a pair that will not be answered."""
    c = response(C, i, j, s)
    shrink(C, s, -1 / (noise - c))


SQRT_2 = math.sqrt(2.0)
SQRT_2PI = math.sqrt(2.0 * math.pi)
FAR = -8.0  # below this a continued fraction replaces Phi
MOST_REPETITION = 0.98


@compiled
def hazard(z: float) -> float:
    """phi(z) / Phi(z), by a continued fraction where Phi underflows."""
    if z > FAR:
        return math.exp(-z * z / 2) / (SQRT_2PI * 0.5 * math.erfc(-z / SQRT_2))
    x = -z
    return x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 5 / (x + 6 / (x + 7 / x))))))


@compiled
def log_cdf(z: float) -> float:
    """The logarithm of Phi(z), accurate where Phi underflows."""
    if z > FAR:
        return math.log(0.5 * math.erfc(-z / SQRT_2))
    return -z * z / 2 - math.log(SQRT_2PI * hazard(z))


@compiled
def sensitivity(z: float) -> float:
    """I(z) = phi^2 / (Phi (1 - Phi)): the mean of h (h + z) over both outcomes."""
    z = abs(z)
    return hazard(-z) * math.exp(-z * z / 2) / (SQRT_2PI * 0.5 * math.erfc(-z / SQRT_2))


@compiled
def assimilate(
    C: FloatArray,
    mean: FloatArray,
    s: FloatArray,
    i: int,
    j: int,
    outcome: float,
    noise: float,
    side: int,
    bias: FloatArray,
) -> tuple[float, float]:
    """Filter one vote on the pair i < j; return (log evidence, a) where S became S - a s s^T.

    `s` holds the response of the pair afterwards. `side` is +1 if i was shown left, -1 if j was,
    and 0 if unknown; `bias` holds mean and variance of the position bias towards the left.
    """
    c = response(C, i, j, s)
    total = noise + c + side * side * bias[1]
    z = (mean[i] - mean[j] + side * bias[0]) / math.sqrt(total)
    won, lost = (1 + outcome) / 2, (1 - outcome) / 2
    h_won, h_lost = hazard(z), hazard(-z)
    push = (won * h_won - lost * h_lost) / math.sqrt(total)
    mean += push * s
    a = (won * h_won * (h_won + z) + lost * h_lost * (h_lost - z)) / total
    shrink(C, s, a)
    if side != 0:
        bias[0] += side * push * bias[1]
        bias[1] -= a * bias[1] * bias[1]
    evidence = 0.0
    if won > 0:
        evidence += won * log_cdf(z)
    if lost > 0:
        evidence += lost * log_cdf(-z)
    return evidence, a


@compiled
def assimilate_repeated(
    C: FloatArray,
    mean: FloatArray,
    s: FloatArray,
    i: int,
    j: int,
    outcome: float,
    weight: float,
    times: int,
    last: float,
    side: int,
    bias: FloatArray,
    tally: FloatArray,
) -> tuple[float, float]:
    """Filter one vote on a pair that had `times` earlier votes, the latest being `last`.

    Updates the estimated correlation of repeated votes, see `repetition`, and discounts the vote by
    it.
    """
    weight *= news(repetition(tally), times)
    if times and last * outcome != 0:
        total = 1 + C[i, j] + side * side * bias[1]
        z = (mean[i] - mean[j] + side * bias[0]) / math.sqrt(total)
        expected = 0.5 * math.erfc(-(z if last > 0 else -z) / SQRT_2)
        tally[0] += (1.0 if last * outcome > 0 else 0.0) - expected
        tally[1] += expected * (1 - expected)
        tally[2] += 1 - expected
    return assimilate(C, mean, s, i, j, outcome, 1 / weight, side, bias)


@compiled
def repetition(tally: FloatArray) -> float:
    """rho: the correlation of repeated votes on a pair beyond what the scores explain.

    With a = 1 if a vote repeats the last one and e its probability under the scores known then,
    `tally` holds the sums of a - e, e (1 - e) and 1 - e. Conservative: one standard deviation is
    subtracted, and three votes that repeat nothing are added.
    """
    beyond = tally[0] - math.sqrt(tally[1])
    return float(min(max(beyond / (tally[2] + 3), 0.0), MOST_REPETITION))


@compiled(inline="always")
def news(rho: float, times: int) -> float:
    """Return the effective number added by another vote, after `times` with correlation rho.

    m votes count as m / (1 + (m-1) rho) independent ones; this is the increment.
    """
    return (1 - rho) / ((1 + (times - 1) * rho) * (1 + times * rho))


@compiled
def assimilate_into_bank(
    C: FloatArray,
    mean: FloatArray,
    s: FloatArray,
    i: int,
    j: int,
    outcome: float,
    weight: float,
    times: int,
    last: float,
    side: int,
    who: int,
    biases: FloatArray,
    tally: FloatArray,
    evidence: FloatArray,
    a: FloatArray,
) -> None:
    """Filter one vote into several posteriors, one per entry of each array.

    `biases` has a row for each worker; `who` voted.
    """
    for k in range(len(C)):
        more, a[k] = assimilate_repeated(
            C[k], mean[k], s[k], i, j, outcome, weight, times, last, side, biases[k, who], tally[k]
        )
        evidence[k] += more


@compiled
def assimilate_all(
    C: FloatArray,
    mean: FloatArray,
    s: FloatArray,
    i: IntArray,
    j: IntArray,
    outcomes: FloatArray,
    weights: FloatArray,
    times: IntArray,
    last: FloatArray,
    sides: IntArray,
    who: IntArray,
    biases: FloatArray,
    tally: FloatArray,
    evidence: FloatArray,
) -> None:
    """Filter many votes in turn into several posteriors."""
    for k in range(len(C)):
        for t in range(len(i)):
            evidence[k] += assimilate_repeated(
                C[k], mean[k], s[k], i[t], j[t], outcomes[t], weights[t], times[t], last[t],
                sides[t], biases[k, who[t]], tally[k],
            )[0]  # fmt: skip


@compiled
def scale_news(
    R: FloatArray, i: IntArray, j: IntArray, times: IntArray, rho: float, back: FloatArray
) -> None:
    """Multiply a matrix over pairs by the effective number of another vote on some of them.

    `back` gets the previous entries.
    """
    for e in range(len(i)):
        back[e] = R[i[e], j[e]]
        R[i[e], j[e]] *= news(rho, times[e])


@compiled
def put_back(R: FloatArray, i: IntArray, j: IntArray, back: FloatArray) -> None:
    """Undo `scale_news`."""
    for e in range(len(i)):
        R[i[e], j[e]] = back[e]


@compiled
def expected_precision(c: float, D: float) -> float:
    """Return the expected precision that a vote adds to a difference N(D, c).

    S -> S - a s s^T with a = I(z) / (1 + c) adds a / (1 - a c).
    """
    total = 1 + c
    a = sensitivity(D / math.sqrt(total)) / total
    return a / (1 - a * c)
