"""Imaginary and recorded crowds that answer one pair at a time, for benchmarks of samplers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import expit, ndtr

import hodgerank as hr
from hodgerank.metrics import kendall_tau

Crowd = tuple[np.ndarray, Callable[[int, int], float]]
"""True scores, and the answer to a pair."""


def _choice(rng: np.random.Generator, probability: float) -> float:
    return 1.0 if rng.random() < probability else -1.0


def _linked(scores: np.ndarray, link: Callable, rng: np.random.Generator) -> Crowd:
    return scores, lambda i, j: _choice(rng, float(link(scores[i] - scores[j])))


def _uniform(t: float) -> float:
    return (1 + t) / 2


def _graded(scores: np.ndarray, rng: np.random.Generator) -> Crowd:
    """Five grades: -1, -1/2, 0, 1/2, 1."""

    def answer(i: int, j: int) -> float:
        noisy = scores[i] - scores[j] + rng.logistic()
        return float(np.clip(np.round(noisy), -2, 2) / 2)

    return scores, answer


def _careless(scores: np.ndarray, share: float, rng: np.random.Generator) -> Crowd:
    def answer(i: int, j: int) -> float:
        p = 0.5 if rng.random() < share else expit(scores[i] - scores[j])
        return _choice(rng, float(p))

    return scores, answer


@cache
def _recorded(name: str, reference: int) -> tuple[np.ndarray, np.ndarray]:
    votes = hr.load_dataset(name, reference=reference)
    n = votes.n_items
    wins = np.zeros((n, n))
    np.add.at(wins, (votes.left, votes.right), (1 + votes.outcome) / 2)
    np.add.at(wins, (votes.right, votes.left), (1 - votes.outcome) / 2)
    ranking = hr.hodge_rank(votes)
    scores = dict(zip(ranking.items, ranking.scores, strict=True))
    return np.array([scores[item] for item in votes.items]), wins / (wins + wins.T + np.eye(n))


def _pool(name: str, n_references: int, rng: np.random.Generator) -> Crowd:
    """A label is drawn from the pair's votes; the truth is HodgeRank on all of them."""
    scores, rates = _recorded(name, int(rng.integers(n_references)) + 1)
    return scores, lambda i, j: _choice(rng, rates[i, j])


CROWDS: dict[str, Callable[[int, np.random.Generator], Crowd]] = {
    "uniform": lambda n, rng: _linked(rng.random(n), _uniform, rng),
    "uniform grid": lambda n, rng: _linked(rng.permutation(n) / n, _uniform, rng),
    "BT spread 0.3": lambda n, rng: _linked(rng.normal(0, 0.3, n), expit, rng),
    "BT spread 0.6": lambda n, rng: _linked(rng.normal(0, 0.6, n), expit, rng),
    "BT spread 1": lambda n, rng: _linked(rng.normal(0, 1, n), expit, rng),
    "BT spread 1.5": lambda n, rng: _linked(rng.normal(0, 1.5, n), expit, rng),
    "BT spread 3": lambda n, rng: _linked(rng.normal(0, 3, n), expit, rng),
    "BT heavy tails": lambda n, rng: _linked(rng.standard_t(2, n), expit, rng),
    "BT clusters": lambda n, rng: _linked(
        rng.choice([-3, 0, 3], n) + rng.normal(0, 0.5, n), expit, rng
    ),
    "probit spread 0.7": lambda n, rng: _linked(rng.normal(0, 0.7, n), ndtr, rng),
    "BT skewed": lambda n, rng: _linked(rng.exponential(2, n), expit, rng),
    "30 % careless": lambda n, rng: _careless(rng.normal(0, 2, n), 0.3, rng),
    "five grades": lambda n, rng: _graded(rng.normal(0, 1, n), rng),
    "VQA": lambda n, rng: _pool("pc-vqa", 10, rng),
    "IQA": lambda n, rng: _pool("pc-iqa", 15, rng),
}


def least_squares_tau(sampler: hr.Sampler, truth: np.ndarray) -> float:
    """Return tau of the least-squares scores of minimal norm, as in the published targets."""
    votes = sampler.votes
    n = votes.n_items
    laplacian, surplus = np.zeros((n, n)), np.zeros(n)
    np.add.at(laplacian, (votes.left, votes.right), -1.0)
    np.add.at(surplus, votes.left, votes.outcome)
    np.add.at(surplus, votes.right, -votes.outcome)
    laplacian += laplacian.T
    laplacian[np.diag_indices(n)] = -laplacian.sum(axis=0)
    return kendall_tau(np.round(np.linalg.pinv(laplacian, hermitian=True) @ surplus, 9), truth)


def ranking_tau(sampler: hr.Sampler, truth: np.ndarray) -> float:
    """Return tau of `sampler.ranking()`."""
    ranking = sampler.ranking()
    scores = dict(zip(ranking.items, ranking.scores.tolist(), strict=True))
    return kendall_tau(scores, dict(enumerate(truth.tolist())))


def campaign(
    build: Callable[[int, int], hr.Sampler],
    crowd: str,
    n: int,
    looks: list[int],
    run: int,
    tau: Callable[[hr.Sampler, np.ndarray], float] = least_squares_tau,
    batch: int = 1,
) -> list[float]:
    """Tau at some numbers of answers; runs of the same number face the same crowd."""
    rng = np.random.default_rng((sum(map(ord, crowd)), n, run))
    truth, answer = CROWDS[crowd](n, rng)
    sampler = build(len(truth), run)
    taus = []
    while len(taus) < len(looks):
        for left, right in sampler.ask(batch):
            sampler.tell((left, right), answer(left, right))
            if sampler.n_votes == looks[len(taus)]:
                taus.append(tau(sampler, truth))
                if len(taus) == len(looks):
                    break
    return taus
