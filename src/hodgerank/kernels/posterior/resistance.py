"""The variance of every score difference, kept up to date answer by answer.

C_ij = S_ii + S_jj - 2 S_ij, the effective resistance where S = L^+, is all that pair selection
needs of a covariance S. One answer to (i, j) turns S into S - a s s^T with s = S (e_i - e_j):

    C_kl -= a (s_k - s_l)^2,    s_k - s_l = (C_kj - C_ki - C_lj + C_li) / 2

so C is updated from itself. It is smaller than S by what all scores have in common, which no
comparison tells and which would only cost digits. Only the upper triangle is kept.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import FloatArray, IntArray


def resistance_of(covariance: FloatArray) -> FloatArray:
    """The variances C of all differences, from the covariance S of the scores."""
    d = np.diag(covariance)
    return np.asarray(d[:, None] + d - 2 * covariance)


def covariance_of(resistance: FloatArray) -> FloatArray:
    """The covariance of centred scores: -1/2 J C J with J = I - 1/n."""
    upper = np.triu(resistance, 1)
    full = upper + upper.T
    rows = full.mean(axis=0)
    return np.asarray(rows[:, None] + rows - rows.mean() - full) / 2


@compiled
def response(C: FloatArray, i: int, j: int, s: FloatArray) -> float:
    """Write s = S (e_i - e_j), i < j, less what all its entries have in common; returns C_ij."""
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
    """C_kl -= a (s_k - s_l)^2; a negative a takes an answer out again."""
    for k in range(len(C) - 1):
        # Slices that start at 0 are what the compiler vectorises.
        row, rest, s_k = C[k, k + 1 :], s[k + 1 :], s[k]
        for m in range(len(row)):
            difference = s_k - rest[m]
            row[m] -= a * difference * difference


@compiled
def learn(
    C: FloatArray, mean: FloatArray, s: FloatArray, i: int, j: int, outcome: float, noise: float
) -> None:
    """One answer of variance `noise` to the pair i < j, exactly: [Xu18] eqs. (8), (9)."""
    c = response(C, i, j, s)
    mean += (outcome - (mean[i] - mean[j])) / (noise + c) * s
    shrink(C, s, 1 / (noise + c))


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
    """Some answers in turn."""
    for k in range(len(i)):
        learn(C, mean, s, i[k], j[k], outcome[k], noise[k])


@compiled
def expect(C: FloatArray, s: FloatArray, i: int, j: int, noise: float) -> None:
    """A pair goes out: the effect of its answer on the variances is known before it comes."""
    c = response(C, i, j, s)
    shrink(C, s, 1 / (noise + c))


@compiled
def expect_many(C: FloatArray, s: FloatArray, i: IntArray, j: IntArray, noise: float) -> None:
    """Some pairs go out, one after the other."""
    for k in range(len(i)):
        expect(C, s, i[k], j[k], noise)


@compiled
def withdraw(C: FloatArray, s: FloatArray, i: int, j: int, noise: float) -> None:
    """Undo `expect`: the answer will not come."""
    c = response(C, i, j, s)
    shrink(C, s, -1 / (noise - c))
