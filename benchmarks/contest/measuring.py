"""Measures of a campaign at each look."""

from __future__ import annotations

from typing import cast

import numpy as np

import hodgerank as hr
from benchmarks.contest.campaign import Campaign
from benchmarks.contest.estimators import ESTIMATORS, estimate
from benchmarks.contest.players import REFERENCE, K, Ours, build_player
from benchmarks.contest.regimes.regime import Regime
from benchmarks.contest.setting import Setting
from hodgerank.metrics import kendall_tau, top_k_recall

Measures = dict[str, np.ndarray]
"""By name, one value for each run and look; NaN where the crowd has not enough answers."""

TAU, RECALL, BEST, MILLISECONDS = "tau", "recall", "best first", "milliseconds per answer"
OWN = "ranking()"
RANKED, ESTIMATED = (TAU, RECALL, BEST), (OWN, *ESTIMATORS)


def measure(regime: Regime, player: str, runs: range, setting: Setting) -> Measures:
    """Some runs of one player in one regime."""
    found = [_measured_run(regime, player, run, setting) for run in runs]
    return {name: np.array([run[name] for run in found]) for name in found[0]}


def _measured_run(regime: Regime, player: str, run: int, setting: Setting) -> Measures:
    crowd = regime.crowd(run, setting)
    n = len(crowd.truth)
    campaign = Campaign(crowd, build_player(player, n, setting.seed, run))
    names = [*RANKED, MILLISECONDS, *(ESTIMATED if player == REFERENCE else ())]
    found = {name: np.full(len(setting.per_item), np.nan) for name in names}
    for look, per_item in enumerate(setting.per_item):
        if per_item * n > crowd.max_votes:
            break
        campaign.continue_to(per_item * n)
        values = _ranked(campaign) | (_estimated(campaign) if player == REFERENCE else {})
        values[MILLISECONDS] = 1000 * campaign.seconds / (per_item * n)
        for name, value in values.items():
            found[name][look] = value
    return found


def _ranked(campaign: Campaign) -> dict[str, float]:
    """How good the ranking is that follows from the answers."""
    truth = campaign.crowd.truth
    scores = _scores(estimate(campaign.answers, campaign.candidates))
    return {
        TAU: kendall_tau(scores, truth),
        RECALL: top_k_recall(scores, truth, min(K, len(truth))),
        BEST: top_k_recall(scores, truth, 1),
    }


def _estimated(campaign: Campaign) -> dict[str, float]:
    """Tau by the sampler's own ranking, and by other estimators."""
    answers, player = campaign.answers, cast(Ours, campaign.player)
    rankings = {OWN: player.sampler.ranking()}
    rankings |= {name: estimator(answers) for name, estimator in ESTIMATORS.items()}
    truth = campaign.crowd.truth
    return {name: kendall_tau(_scores(ranking), truth) for name, ranking in rankings.items()}


def _scores(ranking: hr.Ranking) -> np.ndarray:
    """In the order of the items; what differs by rounding alone is tied."""
    score = ranking.score_by_item
    return np.round([score[item] for item in range(len(score))], 9)
