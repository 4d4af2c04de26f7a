"""Whether a ranking shows in answers that led to the pairs asked next.

A sampler asks again where answers left it in doubt and turns away where they did not, and so finds
more of a ranking in coin tosses than pairs chosen beforehand would. What it cannot do is to know a
toss in advance: given all answers before, a coin falls either way, whichever pair was chosen. So
scores follow the answers, and what they foretell of the next one is held against it.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.kernels.models.foretelling import foretell


def foretold_chance(votes: Comparisons) -> float:
    """How often coin tosses, in the order of these answers, would be foretold as well.

    A sum of fair signs, each times something that was known before it, is normal in the end,
    however that came about [Brown71]; neither ties nor grades change it.
    """
    told = np.ascontiguousarray(votes.outcome * votes.total_weight, dtype=float)
    total, squares = foretell(votes.left, votes.right, told, votes.n_items)
    return NormalDist().cdf(-total / sqrt(squares)) if squares else 1.0
