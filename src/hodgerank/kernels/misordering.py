"""Choosing the pair whose answer most reduces the expected number of misordered pairs.

That number is the sum over pairs of Phi(-|m| / s), m and s^2 the mean and variance C of their
difference. To first order an answer to (i, j) lowers it by

    I(z) / (1 + C_ij) R_ij,    R_ij = d^T S Lw S d,  d = e_i - e_j

with Lw the Laplacian of the weights w_kl, the derivative of Phi(-|delta|/s) in s^2 averaged over
delta ~ N(m, s^2). R has the form of a resistance, of B = S Lw S, and is updated as one.
"""

import math

import numba
import numpy as np

from hodgerank.kernels.choice import TIE, consider, item_keys, none_yet
from hodgerank.kernels.probit import sensitivity
from hodgerank.kernels.resistance import response, shrink

SQRT_PI = math.sqrt(math.pi)
MOST_SENSITIVE = 2 / math.pi  # I(0)
DECAY = 1 - 2 / math.pi  # I(z) <= I(0) exp(-DECAY z^2)


@numba.njit(cache=True)
def order_weights(C, mean):  # type: ignore[no-untyped-def]
    """w_kl, symmetric with zero diagonal.

    With t = |m|/s: exp(-t^2/4) / (4 sqrt(pi) s^2) [exp(-t^2/4)/sqrt(pi) + t/2 erf(t/2)].
    """
    n = len(mean)
    weights = np.zeros((n, n))
    for k in range(n):
        for m in range(k + 1, n):
            half = 0.5 * abs(mean[k] - mean[m]) / math.sqrt(C[k, m])
            bell = math.exp(-half * half)
            inside = bell / SQRT_PI + half * math.erf(half)
            weights[k, m] = weights[m, k] = bell / (4 * SQRT_PI * C[k, m]) * inside
    return weights


@numba.njit(cache=True)
def order_relevance(C, mean):  # type: ignore[no-untyped-def]
    """R from scratch: how much the direction of each pair matters for the order of all."""
    n = len(mean)
    laplacian = -order_weights(C, mean)
    means = np.zeros(n)
    for k in range(n):
        laplacian[k, k] = -laplacian[k].sum()
        for m in range(k + 1, n):
            means[k] += C[k, m] / n
            means[m] += C[k, m] / n
    level = means.mean()
    covariance = np.empty((n, n))  # as `resistance.covariance_of`
    for k in range(n):
        covariance[k, k] = means[k] - level / 2
        for m in range(k + 1, n):
            covariance[k, m] = covariance[m, k] = (means[k] + means[m] - level - C[k, m]) / 2
    B = covariance @ (laplacian @ covariance)
    R = np.empty((n, n))
    for k in range(n):
        for m in range(n):
            R[k, m] = B[k, k] + B[m, m] - 2 * B[k, m]
    return R


@numba.njit(cache=True, fastmath={"contract"})
def deflect(R, s, q, a, strength):  # type: ignore[no-untyped-def]
    """R after S -> S - a s s^T with the weights as they were; q = B d and strength = d^T B d."""
    for k in range(len(R) - 1):
        row, rest_s, rest_q = R[k, k + 1 :], s[k + 1 :], q[k + 1 :]
        for m in range(len(row)):
            ds, dq = s[k] - rest_s[m], q[k] - rest_q[m]
            row[m] -= a * ds * (2 * dq - a * strength * ds)


@numba.njit(cache=True)
def follow(R, s, q, i, j, a):  # type: ignore[no-untyped-def]
    """Keep R up to date when the posterior has taken S -> S - a s s^T for the pair (i, j)."""
    strength = response(R, i, j, q)
    deflect(R, s, q, a, strength)


@numba.njit(cache=True)
def expect_order(C, R, s, q, i, j, precision):  # type: ignore[no-untyped-def]
    """A pair goes out that will add this much precision to its difference, on average."""
    c = response(C, i, j, s)
    a = precision / (1 + precision * c)
    shrink(C, s, a)
    follow(R, s, q, i, j, a)


@numba.njit(cache=True, inline="always")
def order_gain(c, r, D):  # type: ignore[no-untyped-def]
    """Expected fall of the number of misordered pairs."""
    return sensitivity(D / math.sqrt(1 + c)) / (1 + c) * r


@numba.njit(cache=True)
def order_gain_of_pairs(C, R, mean, i, j):  # type: ignore[no-untyped-def]
    """Gain of each listed pair i < j."""
    gains = np.empty(len(i))
    for k in range(len(i)):
        a, b = i[k], j[k]
        gains[k] = max(0.0, order_gain(C[a, b], R[a, b], mean[a] - mean[b]))
    return gains


@numba.njit(cache=True, inline="always", error_model="numpy", fastmath={"contract", "nnan", "nsz"})
def may_exceed(c, r, D, least):  # type: ignore[no-untyped-def]
    """Whether the gain may reach I(0) times `least`: a bound of I without its exponentials.

    exp(-a) <= 1 / (1 + a + a^2/2) with a = DECAY D^2 / (1+c), multiplied through.
    """
    w, e = 1 + c, DECAY * D * D
    return r * w >= least * (w * w + e * w + 0.5 * e * e)


@numba.njit(cache=True, error_model="numpy", fastmath={"contract", "nnan", "nsz"})
def _row_may_exceed(c, r, mean_a, mean, least):  # type: ignore[no-untyped-def]
    found = False
    for b in range(len(c)):
        found |= may_exceed(c[b], r[b], mean_a - mean[b], least)
    return found


@numba.njit(cache=True)
def most_ordering_pair(C, R, mean, blocked, has_blocked, key, leaders):  # type: ignore[no-untyped-def]
    """The pair (i, j) of largest gain; `leaders` as in `information.most_informative_pair`."""
    n = len(C)
    keys = item_keys(key, n)
    best = none_yet()
    for a in range(n - 1):
        b = leaders[a]
        if b > a and not (has_blocked and blocked[a, b]):
            gain = order_gain(C[a, b], R[a, b], mean[a] - mean[b])
            best = consider(best, a, b, max(0.0, gain), keys[a] ^ keys[b])
    for a in range(n - 1):
        least = best[0] * (1 - TIE) / MOST_SENSITIVE
        if not _row_may_exceed(C[a, a + 1 :], R[a, a + 1 :], mean[a], mean[a + 1 :], least):
            continue
        highest = -1.0
        for b in range(a + 1, n):
            D = mean[a] - mean[b]
            if may_exceed(C[a, b], R[a, b], D, least) and not (has_blocked and blocked[a, b]):
                gain = max(0.0, order_gain(C[a, b], R[a, b], D))
                best = consider(best, a, b, gain, keys[a] ^ keys[b])
                least = best[0] * (1 - TIE) / MOST_SENSITIVE
                if gain > highest:
                    highest = gain
                    leaders[a] = b
    return best[2], best[3]
