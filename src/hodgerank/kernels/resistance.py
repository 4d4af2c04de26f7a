"""The variance of every score difference, kept up to date answer by answer.

C_ij = S_ii + S_jj - 2 S_ij, the effective resistance where S = L^+, is all that pair selection
needs of a covariance S. One answer to (i, j) turns S into S - a s s^T with s = S (e_i - e_j):

    C_kl -= a (s_k - s_l)^2,    s_k - s_l = (C_kj - C_ki - C_lj + C_li) / 2

so C is updated from itself. It is smaller than S by what all scores have in common, which no
comparison tells and which would only cost digits. Only the upper triangle is kept.
"""

import numba
import numpy as np

from hodgerank.types import FloatArray


def resistance_of(covariance: FloatArray) -> FloatArray:
    """C of a covariance S."""
    d = np.diag(covariance)
    return np.asarray(d[:, None] + d - 2 * covariance)


def covariance_of(resistance: FloatArray) -> FloatArray:
    """The covariance of centred scores: -1/2 J C J with J = I - 1/n."""
    upper = np.triu(resistance, 1)
    full = upper + upper.T
    rows = full.mean(axis=0)
    return np.asarray(rows[:, None] + rows - rows.mean() - full) / 2


@numba.njit(cache=True)
def response(C, i, j, s):  # type: ignore[no-untyped-def]
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
    return C[i, j]


@numba.njit(cache=True, fastmath={"contract"})
def shrink(C, s, a):  # type: ignore[no-untyped-def]
    """C_kl -= a (s_k - s_l)^2; a negative a takes an answer out again."""
    for k in range(len(C) - 1):
        # Slices that start at 0 are what the compiler vectorises.
        row, rest, s_k = C[k, k + 1 :], s[k + 1 :], s[k]
        for m in range(len(row)):
            difference = s_k - rest[m]
            row[m] -= a * difference * difference


@numba.njit(cache=True)
def learn(C, mean, s, i, j, outcome, noise):  # type: ignore[no-untyped-def]
    """One answer of variance `noise` to the pair i < j, exactly: [Xu18] eqs. (8), (9)."""
    c = response(C, i, j, s)
    mean += (outcome - (mean[i] - mean[j])) / (noise + c) * s
    shrink(C, s, 1 / (noise + c))


@numba.njit(cache=True)
def expect(C, s, i, j, noise):  # type: ignore[no-untyped-def]
    """A pair goes out: what its answer will do to the variances is known before it comes."""
    c = response(C, i, j, s)
    shrink(C, s, 1 / (noise + c))


@numba.njit(cache=True)
def withdraw(C, s, i, j, noise):  # type: ignore[no-untyped-def]
    """The down-date: an expected answer will not come."""
    c = response(C, i, j, s)
    shrink(C, s, -1 / (noise - c))
