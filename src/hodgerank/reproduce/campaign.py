"""A sampler asks a crowd; how near the truth its ranking is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

import hodgerank as hr
from hodgerank.metrics import kendall_tau
from hodgerank.types import FloatArray, Item

Scores = dict[Item, float]
Workers = Callable[[Item | None, int], Item | None]


def hodge_scores(gamma: float) -> Callable[[hr.Sampler], Scores]:
    """HodgeRank with the ridge gamma; scores that differ by rounding alone are tied."""

    def scores(sampler: hr.Sampler) -> Scores:
        ranking = hr.hodge_rank(sampler.answers, ridge=gamma, components="separate")
        return dict(zip(ranking.items, ranking.scores.round(9).tolist(), strict=True))

    return scores


def posterior_mean(sampler: hr.Sampler) -> Scores:
    """What the sampler itself believes."""
    posterior = sampler.posterior
    return dict(zip(posterior.items, posterior.mean.tolist(), strict=True))


def own_ranking(sampler: hr.Sampler) -> Scores:
    """`sampler.ranking()`."""
    ranking = sampler.ranking()
    return dict(zip(ranking.items, ranking.scores.tolist(), strict=True))


@dataclass(frozen=True)
class Scheme:
    """How pairs are chosen and how the answers are scored.

    Attributes
    ----------
    build
        The sampler, from items and seed.
    scores
        From the sampler at a look.
    worker
        Who is told to have answered, given who did (None if unknown) and the number of the answer.
    """

    build: Callable[..., hr.Sampler]
    scores: Callable[[hr.Sampler], Scores]
    worker: Workers = lambda worker, _: worker


def supervised(gamma: float) -> Scheme:
    """[Xu18] Algorithm 2 exactly as printed, with the ridge gamma."""

    def build(items: Any, seed: int) -> hr.Sampler:
        return hr.BayesianSampler(items, seed=seed, prior_strength=gamma, paper=True)

    return Scheme(build, hodge_scores(gamma))


def unsupervised(gamma: float) -> Scheme:
    """[Xu18] Algorithm 1."""

    def build(items: Any, seed: int) -> hr.Sampler:
        return hr.FisherSampler(items, seed=seed, criterion="fiedler")

    return Scheme(build, hodge_scores(gamma))


def random(gamma: float) -> Scheme:
    """Independent pairs."""

    def build(items: Any, seed: int) -> hr.Sampler:
        return hr.RandomSampler(items, seed=seed, order="independent")

    return Scheme(build, hodge_scores(gamma))


def rounds(gamma: float) -> Scheme:
    """Every pair once, in random order, before any is asked again."""
    return Scheme(hr.RandomSampler, hodge_scores(gamma))


# [Chen13] with a reliability for each worker; an unknown worker is one nobody has met before.
CROWD_BT = Scheme(
    hr.CrowdBTSampler,
    posterior_mean,
    lambda worker, k: f"unknown-{k}" if worker is None else worker,
)
# The baseline of [Xu18]: one worker gives all answers, and asking is also about that worker.
CROWD_BT_AS_PUBLISHED = Scheme(
    lambda items, seed: hr.CrowdBTSampler(items, seed=seed, exploration=5.0),
    posterior_mean,
    lambda worker, _: None,
)


def true_scores(crowd: hr.SimulatedCrowd) -> dict[Item, float]:
    """By item."""
    return dict(zip(crowd.items, crowd.truth.tolist(), strict=True))


def drawn_votes(crowd: hr.RecordedCrowd) -> Callable[[], Any]:
    """One pair at a time, drawn in proportion to its votes: what random sampling may ask."""
    return lambda: (crowd.random_pair(),)


def play(
    scheme: Scheme,
    crowd: Callable[[hr.Pair], Any],
    items: Sequence[Item],
    looks: Sequence[int],
    truths: Mapping[str, Mapping[Item, float]],
    *,
    seed: int,
    offer: Callable[[], Any] | None = None,
) -> dict[str, list[float]]:
    """Kendall's tau at each look, for each truth; `offer` says which pairs may be asked next."""
    sampler = scheme.build(items, seed=seed)
    taus: dict[str, list[float]] = {name: [] for name in truths}
    wanted = set(looks)
    for t in range(1, max(looks) + 1):
        pair = sampler.ask(candidates=None if offer is None else offer())
        answer = hr.Answer.of(crowd(pair))
        assert answer is not None
        sampler.tell(pair, answer.outcome, scheme.worker(answer.worker, t), weight=answer.weight)
        if t in wanted:
            scores = scheme.scores(sampler)
            for name, truth in truths.items():
                taus[name].append(kendall_tau(scores, truth))
    return taus


def incidence(n: int, pair: hr.Pair) -> FloatArray:
    """The row of D0 of a pair of positions."""
    row = np.zeros(n)
    row[int(pair.left)], row[int(pair.right)] = 1, -1
    return row


def stream(*key: int | str) -> np.random.Generator:
    """Random numbers that belong to a run and to nothing else."""
    return np.random.default_rng([k if isinstance(k, int) else _code(k) for k in key])


def sampler_seed(*key: int | str) -> int:
    """The seed of a sampler that belongs to a run."""
    return int(stream("sampler", *key).integers(2**63))


def _code(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big")
