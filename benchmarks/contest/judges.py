"""Ways to answer that several regimes share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from benchmarks.contest.crowd import Judge, Question, Reply
from benchmarks.contest.noise import Noise

Link = Callable[[float], float]


def choice(is_first: bool) -> Reply:
    """A plain preference."""
    return Reply(1.0 if is_first else -1.0)


def linked_judge(scores: np.ndarray, rng: np.random.Generator, link: Link = expit) -> Judge:
    """Prefers i to j with probability link(x_i - x_j); by default that is Bradley-Terry."""
    noise = Noise(len(scores), rng)

    def judge(question: Question) -> Reply:
        i, j, repeat, _ = question
        return choice(noise(i, j, repeat) < link(scores[i] - scores[j]))

    return judge


def perceived(scores: np.ndarray, rng: np.random.Generator) -> Callable[[Question], float]:
    """Score differences with logistic noise; their sign would be a Bradley-Terry choice."""
    noise = Noise(len(scores), rng)

    def difference(question: Question) -> float:
        i, j, repeat, _ = question
        u = noise(i, j, repeat)
        return float(scores[i] - scores[j] + np.log((1 - u) / u))

    return difference
