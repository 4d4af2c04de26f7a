"""Crowds of named workers who take turns, some of whom do not do what they are asked."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.crowd import Crowd, ImaginaryCrowd, Question, Reply
from benchmarks.contest.judges import choice, linked_judge
from benchmarks.contest.noise import Noise

N_WORKERS = 10
SPREAD = 1.5


def adversaries(n: int, rng: np.random.Generator, *, how_many: int = 2) -> Crowd:
    """Some workers say the opposite of what they think."""
    scores = rng.normal(0, SPREAD, n)
    honest = linked_judge(scores, rng)

    def judge(question: Question) -> Reply:
        worker = question.step % N_WORKERS
        sign = -1.0 if worker < how_many else 1.0
        return Reply(sign * honest(question).outcome, f"w{worker}")

    return ImaginaryCrowd(scores, judge)


def coin_tossers(n: int, rng: np.random.Generator, *, how_many: int = 3) -> Crowd:
    """Some workers do not look."""
    scores = rng.normal(0, SPREAD, n)
    honest, coin = linked_judge(scores, rng), Noise(n, rng)

    def judge(question: Question) -> Reply:
        i, j, repeat, step = question
        worker = step % N_WORKERS
        is_careless = worker < how_many
        reply = choice(coin(i, j, repeat) < 0.5) if is_careless else honest(question)
        return Reply(reply.outcome, f"w{worker}")

    return ImaginaryCrowd(scores, judge)
