"""Simulated crowds: each a function from a number of items and random numbers to a crowd."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import expit

from benchmarks.contest.crowds import (
    Crowd,
    ImaginaryCrowd,
    Noise,
    Pairs,
    Question,
    Reply,
    choice,
    linked_judge,
    perceived,
)

SPREAD = 1.5  # standard deviation of the scores, in logits, where a regime does not name it
N_WORKERS = 10
LENGTH = 20  # answers per item, after which nothing moves any more
START, MOVE = 1.5, 0.75  # standard deviations of the scores, and of how far they go
MILD = 1.0  # spread of scores that are graded
INDIFFERENCE = 0.7  # logits; closer pairs look the same
WITHIN, BETWEEN = 1.0, 2.0  # standard deviations of items in a cluster, and of clusters
TAIL = 1.5  # mean of the scores of a weak tail, in logits


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


def perfect(n: int, rng: np.random.Generator) -> Crowd:
    """The better item always wins."""
    scores = rng.normal(0, SPREAD, n)
    return ImaginaryCrowd(scores, lambda q: choice(scores[q.i] > scores[q.j]), is_perfect=True)


def weak_tail(n: int, rng: np.random.Generator) -> Crowd:
    """A few good items, and many weak ones that hardly differ: exponential scores."""
    scores = rng.exponential(TAIL, n)
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


def adversaries(n: int, rng: np.random.Generator, *, how_many: int = 2) -> Crowd:
    """Some workers say the opposite of what they think."""
    scores = rng.normal(0, SPREAD, n)
    honest = linked_judge(scores, rng)

    def judge(question: Question) -> Reply:
        worker = question.step % N_WORKERS
        sign = -1.0 if worker < how_many else 1.0
        return Reply(sign * honest(question).outcome, f"w{worker}")

    return ImaginaryCrowd(scores, judge)


def random_workers(n: int, rng: np.random.Generator, *, how_many: int = 3) -> Crowd:
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


def ties(n: int, rng: np.random.Generator) -> Crowd:
    """A tie where the perceived difference is small."""
    scores = rng.normal(0, MILD, n)
    difference = perceived(scores, rng)

    def judge(question: Question) -> Reply:
        seen = difference(question)
        return Reply(0.0 if abs(seen) < INDIFFERENCE else float(np.sign(seen)))

    return ImaginaryCrowd(scores, judge)


def five_grades(n: int, rng: np.random.Generator) -> Crowd:
    """-1, -1/2, 0, 1/2 or 1."""
    scores = rng.normal(0, MILD, n)
    difference = perceived(scores, rng)

    def judge(question: Question) -> Reply:
        return Reply(float(np.clip(np.round(difference(question)), -2, 2)) / 2)

    return ImaginaryCrowd(scores, judge)


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


def windows(n: int, rng: np.random.Generator, *, reach: int, spread: float) -> Crowd:
    """Pairs at most so many places apart in the true order."""
    order = rng.permutation(n)  # the numbers of the items must not tell their places
    scores = np.empty(n)
    scores[order] = np.sort(rng.normal(0, spread, n))
    places = (pair for pair in combinations(range(n), 2) if pair[1] - pair[0] <= reach)
    return _allowing({(order[a], order[b]) for a, b in places}, scores, rng)


def bridged_clusters(n: int, rng: np.random.Generator, *, size: int = 8) -> Crowd:
    """All pairs within clusters of similar items, and one between a cluster and the next."""
    cluster = np.array_split(rng.permutation(n), max(n // size, 2))
    scores = rng.normal(0, WITHIN, n)
    allowed = set()
    for members, following in zip(cluster, [*cluster[1:], cluster[0]], strict=True):
        scores[members] += rng.normal(0, BETWEEN)
        allowed |= set(combinations(members.tolist(), 2))
        allowed.add((rng.choice(members), rng.choice(following)))
    return _allowing(allowed, scores, rng)


def random_sparse(n: int, rng: np.random.Generator, *, degree: int = 6) -> Crowd:
    """A ring through all items and random chords, independent of the scores."""
    scores = rng.normal(0, SPREAD, n)
    ring = rng.permutation(n).tolist()
    allowed = {_sorted(pair) for pair in zip(ring, [*ring[1:], ring[0]], strict=True)}
    every = list(combinations(range(n), 2))
    for k in rng.permutation(len(every)):
        if len(allowed) >= degree * n / 2:
            break
        allowed.add(every[k])
    return _allowing(allowed, scores, rng)


def _sorted(pair: tuple[int, int]) -> tuple[int, int]:
    return (int(min(pair)), int(max(pair)))


def _allowing(
    pairs: set[tuple[int, int]], scores: np.ndarray, rng: np.random.Generator
) -> ImaginaryCrowd:
    candidates: Pairs = tuple(sorted({_sorted(pair) for pair in pairs}))
    return ImaginaryCrowd(scores, linked_judge(scores, rng), candidates)
