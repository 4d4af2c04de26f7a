"""Expected information of the next answer under a Gaussian posterior of the scores.

    EIG = 1/2 [ v C/(1+C)^2 + ln(1+C) - C/(1+C) ],    [Xu18] Prop. 2, with ln(1+C) for ln(1-C)

C is the variance of the score difference, D its mean, v = E(y - D)^2 under the binary predictive.
The paper's v grows again where |D| > 2, so that decided pairs attract answers; `CLAMPED` takes the
variance of y instead, 1 - D^2 on the uniform link and never below 0.
"""

import math

import numba
import numpy as np

from hodgerank.kernels.choice import TIE, best_in_row, consider, item_keys, none_yet

UNIFORM, NORMAL, ANGULAR = 0, 1, 2


@numba.njit(cache=True, inline="always")
def outcome_spread(D, link, paper):  # type: ignore[no-untyped-def]
    """v: mean square of y - D as in the paper, or the variance of y."""
    if link == UNIFORM:
        lean = min(1.0, max(-1.0, D))
    elif link == NORMAL:
        lean = math.erf(D / math.sqrt(2.0))
    else:
        lean = math.sin(min(math.pi / 2, max(-math.pi / 2, D)))
    return 1 + D * D - 2 * D * lean if paper else 1 - lean * lean


@numba.njit(cache=True, inline="always")
def information(C, v):  # type: ignore[no-untyped-def]
    """The expected information gain in nats."""
    u = 1 / (1 + C)
    return 0.5 * (v * C * u * u + math.log1p(C) - C * u)


@numba.njit(cache=True, inline="always", error_model="numpy", fastmath={"contract", "nnan", "nsz"})
def may_exceed(C, v, twice):  # type: ignore[no-untyped-def]
    """Whether the gain may reach half of `twice`, told without a logarithm or a division.

    From ln(1+C) <= C (6+C) / (6+4C), which is tight for small C, multiplied through.
    """
    w, q = 1 + C, 6 + 4 * C
    return C * (v * q + w * C * (3 + C)) >= twice * w * w * q


@numba.njit(cache=True)
def information_of_pairs(C, mean, i, j, link, paper):  # type: ignore[no-untyped-def]
    """Gain of each listed pair i < j."""
    gains = np.empty(len(i))
    for k in range(len(i)):
        v = outcome_spread(mean[i[k]] - mean[j[k]], link, paper)
        gains[k] = information(C[i[k], j[k]], v)
    return gains


@numba.njit(cache=True, error_model="numpy", fastmath={"contract", "nnan", "nsz"})
def _row_may_exceed(c, mean_a, mean, link, paper, twice):  # type: ignore[no-untyped-def]
    """Whether any pair of an item with those after it may reach half of `twice`.

    The default rule stands apart, in a form that the compiler vectorises.
    """
    found = False
    if link == UNIFORM and not paper:
        for b in range(len(c)):
            D = mean_a - mean[b]
            found |= may_exceed(c[b], max(0.0, 1 - D * D), twice)
    else:
        for b in range(len(c)):
            found |= may_exceed(c[b], outcome_spread(mean_a - mean[b], link, paper), twice)
    return found


@numba.njit(cache=True)
def most_informative_pair(C, mean, link, paper, blocked, has_blocked, key, leaders):  # type: ignore[no-untyped-def]
    """The pair (i, j) of largest gain.

    `leaders` remembers the best partner of each item from search to search: their gains now are
    a threshold that most rows do not reach.
    """
    n = len(C)
    keys = item_keys(key, n)
    best = none_yet()
    for a in range(n - 1):
        b = leaders[a]
        if b > a and not (has_blocked and blocked[a, b]):
            v = outcome_spread(mean[a] - mean[b], link, paper)
            best = consider(best, a, b, information(C[a, b], v), keys[a] ^ keys[b])
    for a in range(n - 1):
        twice = 2 * best[0] * (1 - TIE)
        if not _row_may_exceed(C[a, a + 1 :], mean[a], mean[a + 1 :], link, paper, twice):
            continue
        highest = -1.0
        for b in range(a + 1, n):
            v = outcome_spread(mean[a] - mean[b], link, paper)
            if may_exceed(C[a, b], v, twice) and not (has_blocked and blocked[a, b]):
                gain = information(C[a, b], v)
                best = consider(best, a, b, gain, keys[a] ^ keys[b])
                twice = 2 * best[0] * (1 - TIE)
                if gain > highest:
                    highest = gain
                    leaders[a] = b
    return best[2], best[3]


@numba.njit(cache=True)
def widest_pair(C, blocked, has_blocked, key):  # type: ignore[no-untyped-def]
    """The pair whose difference is least known, argmax C_ij: the D-optimal next answer."""
    keys = item_keys(key, len(C))
    best = none_yet()
    for a in range(len(C) - 1):
        best = best_in_row(best, a, C[a], blocked, has_blocked, keys)
    return best[2], best[3]
