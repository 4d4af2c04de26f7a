"""Schemes: a sampler asks a crowd, and the accuracy of its ranking is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from time import process_time
from typing import Any

import numpy as np

import hodgerank as hr
from hodgerank.collecting.run import Judge, Step, play
from hodgerank.metrics import kendall_tau
from hodgerank.sampling.candidates import Candidates
from hodgerank.types import FloatArray, Item

Scores = dict[Item, float]
Workers = Callable[[Item | None, int], Item | None]


def hodge_scores(gamma: float) -> Callable[[hr.Sampler], Scores]:
    """Return HodgeRank with ridge gamma; scores that differ only by rounding are tied."""

    def scores(sampler: hr.Sampler) -> Scores:
        ranking = hr.hodge_rank(sampler.votes, ridge=gamma, components="separate")
        return {item: round(score, 9) for item, score in ranking.score_by_item.items()}

    return scores


def posterior_mean(sampler: hr.Sampler) -> Scores:
    """Return the sampler's own posterior mean."""
    posterior = sampler.posterior
    return dict(zip(posterior.items, posterior.mean.tolist(), strict=True))


def own_ranking(sampler: hr.Sampler) -> Scores:
    """Return the scores of `sampler.ranking()`."""
    return sampler.ranking().score_by_item


@dataclass(frozen=True)
class Scheme:
    """How pairs are chosen and how the votes are scored.

    Attributes
    ----------
    build
        Builds the sampler from items and seed.
    scores
        Computes the scores from the sampler.
    worker
        Name of the worker to tell the sampler, given the actual worker (None if unknown) and the
        number of the vote. Default: the actual worker.
    schedule
        Pairs in a fixed order, given items and seed, instead of the sampler's choice.
    """

    build: Callable[..., hr.Sampler]
    scores: Callable[[hr.Sampler], Scores]
    worker: Workers | None = None
    schedule: Callable[[Sequence[Item], int], Iterator[tuple[Item, Item]]] | None = None

    def play(
        self,
        items: Sequence[Item],
        crowd: Judge,
        *,
        seed: int,
        offer: Callable[[], Candidates] | None = None,
    ) -> tuple[hr.Sampler, Iterator[Step]]:
        """Return the sampler and its turns with a crowd; `offer` returns the allowed pairs."""
        sampler = self.build(items, seed=seed)
        if self.schedule is not None:
            pairs = self.schedule(items, seed)

            def offer() -> Candidates:
                return (next(pairs),)

        return sampler, play(sampler, self.telling(crowd), candidates=offer)

    def telling(self, crowd: Judge) -> Judge:
        """Return the crowd as a judge, with renamed workers."""
        name = self.worker
        if name is None:
            return crowd
        numbers = count(1)

        def judge(pair: hr.Pair) -> hr.Answer | None:
            answer = hr.Answer.of(crowd(pair), pair)
            if answer is None:
                return None
            return replace(answer, worker=name(answer.worker, next(numbers)))

        return judge


def supervised(gamma: float) -> Scheme:
    """[Xu18] Algorithm 2 as printed, with ridge gamma."""

    def build(items: Any, seed: int) -> hr.Sampler:
        return hr.BayesianSampler(items, seed=seed, ridge=gamma, paper=True)

    return Scheme(build, hodge_scores(gamma))


def unsupervised(gamma: float) -> Scheme:
    """[Xu18] Algorithm 1: algebraic connectivity, without labels."""

    def build(items: Any, seed: int) -> hr.Sampler:
        return hr.FisherSampler(items, seed=seed, criterion="fiedler")

    return Scheme(build, hodge_scores(gamma))


def random(gamma: float) -> Scheme:
    """Pairs drawn independently."""

    def build(items: Any, seed: int) -> hr.Sampler:
        return hr.RandomSampler(items, seed=seed, order="independent")

    return Scheme(build, hodge_scores(gamma))


def without_repetition(gamma: float) -> Scheme:
    """Every pair once, in random order, before any is repeated."""
    return Scheme(hr.RandomSampler, hodge_scores(gamma))


def balanced_rounds(gamma: float) -> Scheme:
    """Rounds in which every item meets one other, and all others before any of them again."""
    return Scheme(hr.RandomSampler, hodge_scores(gamma), schedule=round_robin)


def round_robin(items: Sequence[Item], seed: int) -> Iterator[tuple[Item, Item]]:
    """Yield pairs by the circle method, in random order; of an odd number one item rests."""
    rng = np.random.default_rng(seed)
    n = len(items) + len(items) % 2
    while True:
        first, *others = rng.permutation(n).tolist()
        for turn in rng.permutation(n - 1).tolist():
            ring = [first, *others[turn:], *others[:turn]]
            for k in rng.permutation(n // 2).tolist():
                left, right = ring[k], ring[n - 1 - k]
                if max(left, right) < len(items):
                    yield items[left], items[right]


def controls(gamma: float) -> dict[str, Scheme]:
    """Return the two baselines that the paper does not have."""
    return {
        "random without repetition": without_repetition(gamma),
        "balanced rounds": balanced_rounds(gamma),
    }


# [Chen13] with a reliability for each worker; unknown workers count as new ones.
CROWD_BT = Scheme(
    hr.CrowdBTSampler,
    posterior_mean,
    lambda worker, k: f"unknown-{k}" if worker is None else worker,
)
# The baseline of [Xu18]: one worker gives all votes, and pairs are also chosen to assess that
# worker.
CROWD_BT_AS_PUBLISHED = Scheme(
    lambda items, seed: hr.CrowdBTSampler(items, seed=seed, exploration=5.0),
    posterior_mean,
    lambda worker, _: None,
)


def true_scores(crowd: hr.SimulatedCrowd) -> dict[Item, float]:
    """Return the true score of each item."""
    return dict(zip(crowd.items, crowd.truth.tolist(), strict=True))


def drawn_votes(crowd: hr.RecordedCrowd) -> Callable[[], Candidates]:
    """Offer one pair at a time, drawn in proportion to its votes, for random sampling."""
    return lambda: (crowd.random_pair(),)


def taus_of(
    scheme: Scheme,
    crowd: Judge,
    items: Sequence[Item],
    looks: Sequence[int],
    truths: Mapping[str, Mapping[Item, float]],
    *,
    seed: int,
    offer: Callable[[], Candidates] | None = None,
) -> dict[str, list[float]]:
    """Return Kendall's tau at each look, for each truth; `offer` returns the allowed pairs."""
    sampler, turns = scheme.play(items, crowd, seed=seed, offer=offer)
    taus: dict[str, list[float]] = {name: [] for name in truths}
    for look in looks:
        while sampler.n_votes < look:
            next(turns)
        scores = scheme.scores(sampler)
        for name, truth in truths.items():
            taus[name].append(kendall_tau(scores, truth))
    return taus


def seconds_of(
    scheme: Scheme, sampler: hr.Sampler, crowd: Judge, n: int, offer: Any = None
) -> float:
    """Return the seconds that the sampler takes for n turns, without those of the crowd.

    This is time of the processor: other processes on the machine do not count.
    """
    judge = scheme.telling(crowd)
    spent_judging = 0.0

    def timed(pair: hr.Pair) -> Any:
        nonlocal spent_judging
        start = process_time()
        answer = judge(pair)
        spent_judging += process_time() - start
        return answer

    turns = play(sampler, timed, candidates=None if offer is None else lambda: offer)
    start = process_time()
    for _ in range(n):
        next(turns)
    return process_time() - start - spent_judging


def incidence(n: int, pair: hr.Pair) -> FloatArray:
    """Return the row of D0 of a pair of positions."""
    row = np.zeros(n)
    row[int(pair.left)], row[int(pair.right)] = 1, -1
    return row


def stream(*key: int | str) -> np.random.Generator:
    """Return random numbers that belong to one run."""
    return np.random.default_rng([k if isinstance(k, int) else _code(k) for k in key])


def sampler_seed(*key: int | str) -> int:
    """Return the seed of a sampler that belongs to one run."""
    return int(stream("sampler", *key).integers(2**63))


def _code(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big")
