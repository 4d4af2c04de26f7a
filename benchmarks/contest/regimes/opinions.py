"""Opinions of different strength and shape; all pairs allowed, every vote independent."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from benchmarks.contest.crowd import Crowd, ImaginaryCrowd, Question, Reply
from benchmarks.contest.judges import choice, linked_judge
from benchmarks.contest.noise import Noise


def bradley_terry(n: int, rng: np.random.Generator, *, spread: float) -> Crowd:
    """Logistic noise, normal scores."""
    scores = rng.normal(0, spread, n)
    return ImaginaryCrowd(scores, linked_judge(scores, rng))


def uniform_link(n: int, rng: np.random.Generator) -> Crowd:
    """P(i beats j) = (1 + x_i - x_j) / 2, scores between 0 and 1."""
    scores = rng.random(n)
    return ImaginaryCrowd(scores, linked_judge(scores, rng, link=lambda t: (1 + t) / 2))


def heavy_tails(n: int, rng: np.random.Generator) -> Crowd:
    """A few items far from the others: scores from Student's t with two degrees of freedom."""
    scores = rng.standard_t(2, n)
    return ImaginaryCrowd(scores, linked_judge(scores, rng))


def clusters(n: int, rng: np.random.Generator) -> Crowd:
    """Good, middling and bad items: far apart between groups, close within."""
    scores = rng.choice([-3.0, 0.0, 3.0], n) + rng.normal(0, 0.5, n)
    return ImaginaryCrowd(scores, linked_judge(scores, rng))


def lapses(n: int, rng: np.random.Generator, *, share: float = 0.1) -> Crowd:
    """Some votes are random, also on clear pairs."""
    scores = rng.normal(0, 2, n)
    noise, lapse = Noise(n, rng), Noise(n, rng)

    def judge(question: Question) -> Reply:
        i, j, repeat, _ = question
        p = 0.5 if lapse(i, j, repeat) < share else expit(scores[i] - scores[j])
        return choice(noise(i, j, repeat) < p)

    return ImaginaryCrowd(scores, judge)
