"""Kendall's tau over the truth's strict pairs, pair by pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def slow_kendall_tau(estimate, truth) -> float:
    total = agreement = 0
    for a, b in combinations(range(len(truth)), 2):
        order = np.sign(truth[a] - truth[b])
        if order:
            total += 1
            agreement += order * np.sign(estimate[a] - estimate[b])
    return agreement / total
