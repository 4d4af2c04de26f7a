"""Judges whose repeated votes on a pair are not independent."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.crowd import Crowd, ImaginaryCrowd, Question, Reply
from benchmarks.contest.judges import choice, perceived
from benchmarks.contest.noise import Noise

SPREAD = 1.5


def deterministic(n: int, rng: np.random.Generator) -> Crowd:
    """Says the same again each time, right or wrong."""
    scores = rng.normal(0, SPREAD, n)
    difference = perceived(scores, rng)

    def judge(question: Question) -> Reply:
        return choice(difference(question._replace(repeat=0)) > 0)

    return ImaginaryCrowd(scores, judge)


def stubborn(n: int, rng: np.random.Generator, *, share: float = 0.7) -> Crowd:
    """Mostly repeats the last answer to the pair, and else looks again."""
    scores = rng.normal(0, SPREAD, n)
    difference, habit = perceived(scores, rng), Noise(n, rng)

    def judge(question: Question) -> Reply:
        i, j, last_look, _ = question
        while last_look and habit(i, j, last_look) < share:
            last_look -= 1
        return choice(difference(question._replace(repeat=last_look)) > 0)

    return ImaginaryCrowd(scores, judge)
