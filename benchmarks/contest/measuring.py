"""One campaign: a player asks a crowd, and the ranking of the votes is evaluated at each look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from time import perf_counter
from typing import cast

import numpy as np

import hodgerank as hr
from benchmarks.contest.crowds import Crowd, Pairs
from benchmarks.contest.players import REFERENCE, K, Ours, build_player
from benchmarks.contest.regimes import Regime, Setting
from benchmarks.contest.rivals.entrant import Player
from hodgerank.metrics import kendall_tau, top_k_recall

Measures = dict[str, np.ndarray]
"""By name, one value for each run and look; NaN where the crowd has not enough votes.

Votes until the order is proven have one value for each run: NaN if the crowd makes mistakes,
infinite if the order was not proven at the last look."""

TAU, RECALL, BEST, MILLISECONDS = "tau", "recall", "best first", "milliseconds per vote"
PROVEN, OWN = "votes per item until proven", "ranking()"
RIDGE = 0.01  # small: it connects disconnected groups, and hardly moves the rest


class Campaign:
    """The votes so far.

    Attributes
    ----------
    candidates
        The pairs that could be asked at first, None for all.
    proven_after
        Number of votes after which those of a perfect crowd left one order; infinite before.
    seconds
        Time of the player, without that of the crowd.
    """

    def __init__(self, crowd: Crowd, player: Player, in_progress: int = 1) -> None:
        self.crowd, self.player = crowd, player
        self.candidates = crowd.candidates
        self.seconds = 0.0
        self.proven_after = np.inf
        order = np.argsort(-crowd.truth).tolist()
        self._unproven = set(pairwise(order)) if crowd.is_perfect else set()
        self._in_progress = in_progress
        self._pending: list[tuple[int, int]] = []
        self._votes: list[tuple[int, int, float, str | None]] = []

    def continue_to(self, n_votes: int) -> None:
        """Ask and tell until there are `n_votes` votes; the pair asked first is told first."""
        crowd, player, pending = self.crowd, self.player, self._pending
        while len(self._votes) < n_votes:
            began = perf_counter()
            while len(pending) < self._in_progress:
                pending.append(player.ask(crowd.candidates, pending))
            asked = perf_counter()
            pair = pending.pop(0)
            outcome, worker = crowd.answer(*pair)
            answered = perf_counter()
            player.tell(pair, outcome, worker)
            self.seconds += asked - began + perf_counter() - answered
            self._votes.append((*pair, outcome, worker))
            if self._unproven:
                self._note_proof(pair)

    def _note_proof(self, pair: tuple[int, int]) -> None:
        """Votes without mistakes prove the order when all neighbours in it have met."""
        self._unproven -= {pair, pair[::-1]}
        if not self._unproven:
            self.proven_after = len(self._votes)

    @property
    def votes(self) -> hr.Comparisons:
        """Return all votes, for estimators."""
        left, right, outcome, worker = zip(*self._votes, strict=True)
        workers = list(dict.fromkeys(each for each in worker if each is not None))
        codes: dict[str | None, int] = {each: code for code, each in enumerate(workers)}
        return hr.Comparisons(
            items=tuple(range(len(self.crowd.truth))),
            left=np.array(left),
            right=np.array(right),
            outcome=np.array(outcome),
            workers=tuple(workers),
            worker=np.array([codes.get(each, -1) for each in worker]),
        )


def estimate(votes: hr.Comparisons, candidates: Pairs | None) -> hr.Ranking:
    """Return the ranking by which designs are judged: that of our samplers, for every player.

    `candidates` are the pairs that could be asked at first, None for all. Players choose by votes,
    so the pairs they asked do not show which they could have asked.
    """
    sampler = hr.RandomSampler(votes.items, candidates=candidates)
    sampler.tell_many(replace(votes, report=replace(votes.report, adaptive=True)))
    return sampler.ranking()


def least_squares(votes: hr.Comparisons) -> hr.Ranking:
    """HodgeRank with a small ridge; its scores are on one scale also between components."""
    return hr.hodge_rank(votes, ridge=RIDGE, components="separate")


def likelihood(votes: hr.Comparisons) -> hr.Ranking:
    """Bradley-Terry with a small ridge."""
    return hr.bradley_terry(votes, ridge=RIDGE, components="separate")


ESTIMATORS: dict[str, Callable[[hr.Comparisons], hr.Ranking]] = {
    "hodge_rank": least_squares,
    "bradley_terry": likelihood,
}
"""What `sampler.ranking()` is compared with."""
RANKED, ESTIMATED = (TAU, RECALL, BEST), (OWN, *ESTIMATORS)


def measure(regime: Regime, player: str, runs: range, setting: Setting) -> Measures:
    """Some runs of one player in one regime."""
    found = [_measured_run(regime, player, run, setting) for run in runs]
    return {name: np.array([run[name] for run in found]) for name in found[0]}


def _measured_run(regime: Regime, player: str, run: int, setting: Setting) -> Measures:
    crowd = regime.crowd(run, setting)
    n, looks = len(crowd.truth), regime.part.looks(setting)
    campaign = Campaign(crowd, build_player(player, n, setting.seed, run), regime.in_progress)
    names = [*RANKED, MILLISECONDS, *(ESTIMATED if player == REFERENCE else ())]
    found = {name: np.full(len(looks), np.nan) for name in names}
    for look, n_votes in enumerate(round(per_item * n) for per_item in looks):
        if n_votes > crowd.max_votes:
            break
        campaign.continue_to(n_votes)
        votes = campaign.votes
        values = _ranked(campaign, votes)
        values |= _estimated(campaign, votes) if player == REFERENCE else {}
        values[MILLISECONDS] = 1000 * campaign.seconds / n_votes
        for name, value in values.items():
            found[name][look] = value
    found[PROVEN] = np.array(campaign.proven_after / n if crowd.is_perfect else np.nan)
    return found


def _ranked(campaign: Campaign, votes: hr.Comparisons) -> dict[str, float]:
    """How good the ranking is that follows from the votes."""
    truth = campaign.crowd.truth
    scores = _scores(estimate(votes, campaign.candidates))
    return {
        TAU: kendall_tau(scores, truth),
        RECALL: top_k_recall(scores, truth, min(K, len(truth))),
        BEST: top_k_recall(scores, truth, 1),
    }


def _estimated(campaign: Campaign, votes: hr.Comparisons) -> dict[str, float]:
    """Tau by the sampler's own ranking, and by other estimators."""
    rankings = {OWN: cast(Ours, campaign.player).sampler.ranking()}
    rankings |= {name: estimator(votes) for name, estimator in ESTIMATORS.items()}
    truth = campaign.crowd.truth
    return {name: kendall_tau(_scores(ranking), truth) for name, ranking in rankings.items()}


def _scores(ranking: hr.Ranking) -> np.ndarray:
    """In the order of the items; what differs by rounding alone is tied."""
    score = ranking.score_by_item
    return np.round([score[item] for item in range(len(score))], 9)
