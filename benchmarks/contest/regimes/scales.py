"""Votes that are not choices."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.crowd import Crowd, ImaginaryCrowd, Question, Reply
from benchmarks.contest.judges import perceived

SPREAD = 1.0
INDIFFERENCE = 0.7  # logits; closer pairs look the same


def ties(n: int, rng: np.random.Generator) -> Crowd:
    """A tie where the perceived difference is small."""
    scores = rng.normal(0, SPREAD, n)
    difference = perceived(scores, rng)

    def judge(question: Question) -> Reply:
        seen = difference(question)
        return Reply(0.0 if abs(seen) < INDIFFERENCE else float(np.sign(seen)))

    return ImaginaryCrowd(scores, judge)


def five_grades(n: int, rng: np.random.Generator) -> Crowd:
    """-1, -1/2, 0, 1/2 or 1."""
    scores = rng.normal(0, SPREAD, n)
    difference = perceived(scores, rng)

    def judge(question: Question) -> Reply:
        return Reply(float(np.clip(np.round(difference(question)), -2, 2)) / 2)

    return ImaginaryCrowd(scores, judge)
