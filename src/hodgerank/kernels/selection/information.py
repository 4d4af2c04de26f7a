"""Expected information of the next vote under a Gaussian posterior of the scores.

    EIG = 1/2 [ v C/(1+C)^2 + ln(1+C) - C/(1+C) ],    [Xu18] Prop. 2, with ln(1+C) for ln(1-C)

C is the variance of the score difference, D its mean, v = E(y - D)^2 under the binary predictive.
The paper's v increases again for |D| > 2, so that decided pairs attract votes. `CLAMPED` uses the
variance of y instead, 1 - D^2 on the uniform link and at least 0; the value is then no longer the
expected information.
"""

from __future__ import annotations

import math

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.selection.tie_breaking import best_in_row, item_keys, none_yet
from hodgerank.types import BoolArray, FloatArray

UNIFORM, NORMAL, ANGULAR = 0, 1, 2


@compiled(inline="always")
def outcome_spread(D: float, link: int, paper: bool) -> float:
    """v: mean square of y - D as in the paper, or the variance of y."""
    if link == UNIFORM:
        lean = min(1.0, max(-1.0, D))
    elif link == NORMAL:
        lean = math.erf(D / math.sqrt(2.0))
    else:
        lean = math.sin(min(math.pi / 2, max(-math.pi / 2, D)))
    return 1 + D * D - 2 * D * lean if paper else 1 - lean * lean


@compiled(inline="always")
def information(C: float, v: float) -> float:
    """The gain in nats: the expected information if v is that of the paper."""
    u = 1 / (1 + C)
    return 0.5 * (v * C * u * u + math.log1p(C) - C * u)


@compiled(inline="always", error_model="numpy", fastmath={"contract", "nnan", "nsz"})
def may_exceed(C: float, v: float, twice: float) -> bool:
    """Whether the gain may reach half of `twice`, decided without a logarithm or a division.

    From ln(1+C) <= C (6+C) / (6+4C), which is tight for small C, multiplied out.
    """
    w, q = 1 + C, 6 + 4 * C
    return C * (v * q + w * C * (3 + C)) >= twice * w * w * q


@compiled(error_model="numpy", fastmath={"contract", "nnan", "nsz"})
def row_may_exceed(
    c: FloatArray, mean_a: float, mean: FloatArray, link: int, paper: bool, twice: float
) -> bool:
    """Whether any pair of an item with later items may reach half of `twice`."""
    found = False
    for b in range(len(c)):
        found |= may_exceed(c[b], outcome_spread(mean_a - mean[b], link, paper), twice)
    return found


@compiled(error_model="numpy", fastmath={"contract", "nnan", "nsz"})
def uniform_row_may_exceed(
    c: FloatArray, mean_a: float, mean: FloatArray, paper: bool, twice: float
) -> bool:
    """Apply `row_may_exceed` on the uniform link, in a form that the compiler vectorises."""
    found, excess = False, 1.0 if paper else 0.0
    for b in range(len(c)):
        D = mean_a - mean[b]
        lean = min(1.0, max(-1.0, D))
        found |= may_exceed(c[b], 1 - lean * lean + excess * (D - lean) ** 2, twice)
    return found


@compiled
def widest_pair(C: FloatArray, blocked: BoolArray, has_blocked: bool, key: int) -> tuple[int, int]:
    """Return the pair with the most uncertain difference, argmax C_ij: the D-optimal next vote."""
    keys = item_keys(key, len(C))
    best = none_yet()
    for a in range(len(C) - 1):
        best = best_in_row(best, a, C[a], blocked, has_blocked, keys)
    return best[2], best[3]


@compiled(error_model="numpy")
def largest_reduction(
    C: FloatArray, F: FloatArray, blocked: BoolArray, has_blocked: bool, key: int
) -> tuple[int, int]:
    """Return the pair with the largest F / (1 + C): the A-optimal next vote."""
    n = len(C)
    keys = item_keys(key, n)
    best, row = none_yet(), np.empty(n)
    for a in range(n - 1):
        for b in range(a + 1, n):
            row[b] = max(F[a, b], 0.0) / (1 + C[a, b])
        best = best_in_row(best, a, row, blocked, has_blocked, keys)
    return best[2], best[3]
