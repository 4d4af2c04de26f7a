"""From votes to a ranking: one estimator for all samplers, and others for comparison."""

from __future__ import annotations

from collections.abc import Callable

import hodgerank as hr
from benchmarks.contest.crowd import Pairs

RIDGE = 0.01  # small: it connects disconnected groups, and hardly moves the rest


def estimate(answers: hr.Comparisons, candidates: Pairs | None) -> hr.Ranking:
    """Return the ranking by which designs are judged: that of our samplers, for every player.

    `candidates` are the pairs that could be asked at first, None for all.
    """
    sampler = hr.RandomSampler(answers.items, candidates=candidates)
    sampler.tell_many(answers)
    return sampler.ranking()


def least_squares(answers: hr.Comparisons) -> hr.Ranking:
    """HodgeRank with a small ridge; its scores are on one scale also between components."""
    return hr.hodge_rank(answers, ridge=RIDGE, components="separate")


def likelihood(answers: hr.Comparisons) -> hr.Ranking:
    """Bradley-Terry with a small ridge."""
    return hr.bradley_terry(answers, ridge=RIDGE, components="separate")


ESTIMATORS: dict[str, Callable[[hr.Comparisons], hr.Ranking]] = {
    "hodge_rank": least_squares,
    "bradley_terry": likelihood,
}
"""What `sampler.ranking()` is compared with."""
