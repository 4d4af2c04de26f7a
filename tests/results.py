"""One of every public result, small, for tests that look at all of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import hodgerank as hr
from hodgerank.campaign import CampaignItem, CampaignProgress
from hodgerank.judges.behaviour import STATUSES, JudgeBehaviour, Share
from hodgerank.judges.chat_judge import Judged
from hodgerank.judges.prices import ModelCost
from hodgerank.judges.replies import Verdict
from hodgerank.judges.run_on_items import JudgedRun

HOSTILE = "</script><b>tea & [red]milk"


@cache
def every_result() -> dict[str, Any]:
    """By the name of its class."""
    crowd = hr.SimulatedCrowd([HOSTILE, "b", "c", "d"], spread=2, rng=1)
    votes = hr.simulate_comparisons(
        [HOSTILE, "b", "c", "d"], 200, spread=2, workers={"honest": 3, "random": 1}, rng=1
    )
    lengths = {"length_left": range(1, len(votes) + 1), "length_right": [9] * len(votes)}
    with_length = replace(votes, extra=lengths)
    sampler = hr.AutoSampler(votes.items, seed=1)
    run = hr.run(sampler, crowd, budget=30)
    groups = hr.VoteGroups.split(votes, (HOSTILE, "others"), votes.worker > 1, HOSTILE)
    tracker = hr.TopologyTracker(4)
    tracker.add(0, 1)
    results = [
        votes,
        hr.ComparisonGraph.from_comparisons(votes),
        hr.describe(votes),
        hr.hodge_rank(votes),
        hr.hodge_rank(votes, position_bias="worker").position_bias,
        hr.hodge_rank(with_length, covariates="length").covariates,
        hr.robust_rank(votes),
        hr.crowd_bt(votes),
        hr.decompose(votes),
        hr.find_outliers(votes),
        hr.assess_workers(votes),
        hr.find_preference_groups(votes),
        hr.assess_reliability(votes),
        hr.assess_trust(votes),
        groups,
        hr.rank_groups(groups),
        hr.compare_rankings({HOSTILE: votes, "others": votes}, n_permutations=19),
        hr.betti_numbers(votes),
        hr.agreement(votes, votes),
        hr.votes_to_win(votes),
        hr.possible_winners(votes),
        tracker,
        crowd,
        hr.RecordedCrowd(votes, rng=1),
        sampler,
        hr.RandomSampler(votes.items),
        hr.FisherSampler(votes.items),
        hr.BayesianSampler(votes.items),
        hr.RankSampler(votes.items),
        hr.TopKSampler(votes.items, 2),
        hr.SortSampler(votes.items),
        hr.CrowdBTSampler(votes.items),
        sampler.posterior,
        run,
        hr.Forecast(hr.ExpectedTau(0.95), 0.67, 80.0, 20.0, 1_500.0),
        hr.replay(votes, ["auto"], n_votes=20, runs=2),
        hr.report(votes, with_forecast=False),
        hr.judges.JudgedItems.of({HOSTILE: HOSTILE, "b": "x" * 1000}),
        _judged(run),
        _progress(),
        hr.Answer(1.0, "ann"),
        hr.Assignment("ann", hr.Pair("a", "b")),
        hr.Pair("a", "b"),
        hr.Budget(3),
        hr.ExpectedTau(0.9),
        hr.TopKCertain(2),
        hr.RanksWithin(2),
        hr.Established(),
    ]
    return {type(result).__name__: result for result in results}


def _progress() -> CampaignProgress:
    items = [CampaignItem(name, track=HOSTILE) for name in (HOSTILE, "b")]
    with hr.Campaign.create(None, items, question=HOSTILE) as campaign:
        campaign.answer(campaign.lease(HOSTILE)[0], 1)
        return campaign.progress()


def _judged(run: hr.RunResult) -> JudgedRun:
    """The run as if a language model had answered."""
    statuses = dict.fromkeys(STATUSES, 0) | {"answered": 30}
    cost = ModelCost(HOSTILE, 30, 0, 900, 30, 0, 0.25, "EUR", 7.5, statuses)
    behaviour = JudgeBehaviour(HOSTILE, statuses, Share(3, 4), Share(0, 0), cost)
    calls = (Judged(pair, "", HOSTILE, Verdict("answered", 1.0)) for pair in [hr.Pair("b", "c")])
    return JudgedRun(f"{HOSTILE} " * 30, run, (behaviour,), tuple(calls), "auto", 0, None)
