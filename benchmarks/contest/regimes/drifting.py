"""Scores that move while they are measured."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from benchmarks.contest.crowd import Crowd, ImaginaryCrowd, Question, Reply
from benchmarks.contest.judges import choice
from benchmarks.contest.noise import Noise

LENGTH = 20  # answers per item, after which nothing moves any more
START, MOVE = 1.5, 0.75  # standard deviations of the scores, and of how far they go


def drift(n: int, rng: np.random.Generator) -> Crowd:
    """Every item goes its way at constant speed; the truth is where it ends."""
    start, move = rng.normal(0, START, n), rng.normal(0, MOVE, n)
    noise = Noise(n, rng)

    def judge(question: Question) -> Reply:
        i, j, repeat, step = question
        way = min(step / (LENGTH * n), 1.0)
        difference = start[i] - start[j] + way * (move[i] - move[j])
        return choice(noise(i, j, repeat) < expit(difference))

    return ImaginaryCrowd(start + move, judge)
