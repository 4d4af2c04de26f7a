"""Samplers that know that answers may lean to a side."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.metrics import kendall_tau


def campaign(position, leans, n=20, answers=200, seed=0, display="balanced"):
    """A sampler told by judges who lean so far, in logits; and how near it came to the truth."""
    rng = np.random.default_rng([seed, 5])
    x = rng.normal(0, 1.5, n)
    sampler = hr.AutoSampler(n, seed=seed, position_bias=position, display=display)
    for k in range(answers):
        pair, judge = sampler.ask(), k % len(leans)
        chance = expit(x[pair.left] - x[pair.right] + leans[judge])
        sampler.tell(pair, 1 if rng.random() < chance else -1, f"judge {judge}")
    ranking = sampler.ranking()
    scores = dict(zip(ranking.items, ranking.scores.tolist(), strict=True))
    return sampler, kendall_tau(scores, dict(enumerate(x.tolist())))


def mean_tau(position, lean):
    return np.mean([campaign(position, [lean], seed=seed)[1] for seed in range(20)])


@pytest.mark.slow
def test_rankings_come_nearer_to_the_truth_where_a_judge_leans():
    assert mean_tau("worker", 3.0) > mean_tau(None, 3.0) + 0.02


@pytest.mark.slow
def test_it_costs_little_where_nobody_leans():
    assert mean_tau("worker", 0.0) > mean_tau(None, 0.0) - 0.05


def test_the_lean_of_each_judge_is_learned():
    sampler, _ = campaign("worker", [2.0, -1.0, 0.0], answers=900)
    bank = sampler._design.order.bank
    mean = bank.biases[bank.best_supported, 1:, 0]
    np.testing.assert_allclose(mean, np.array([2.0, -1.0, 0.0]) / 1.7, atol=0.3)
    assert set(sampler.ranking().position_bias.grouping) == {"worker"}


def test_one_lean_is_learned_for_all():
    sampler, _ = campaign("common", [1.0, 2.0], answers=400)
    assert sampler._design.order.bank.biases.shape[1] == 2  # nobody's, and everybody's


def test_answers_of_unknown_display_teach_no_lean():
    sampler = hr.AutoSampler(["a", "b", "c"], position_bias="worker")
    sampler.tell_many(hr.read_comparisons([{"winner": "a", "loser": "b"}] * 9))
    assert sampler._design.order.bank.biases.shape[1] == 1
    assert sampler.ranking().items[0] == "a"


def test_an_early_ranking_is_possible_where_only_one_side_was_chosen():
    sampler = hr.AutoSampler(6, position_bias="worker")
    assert len(sampler.ranking()) == 6
    for _ in range(20):
        sampler.tell(sampler.ask(), 1, "always left")
    ranking = sampler.ranking()
    assert np.isfinite(ranking.scores).all()
    assert hr.expected_tau(ranking) < 0.3


@pytest.mark.parametrize(
    "build", [hr.RandomSampler, hr.FisherSampler, hr.BayesianSampler, hr.RankSampler]
)
def test_every_sampler_ranks_with_sides(build):
    sampler = build(5, position_bias="common", seed=3)
    for _ in range(30):
        pair = sampler.ask()
        sampler.tell(pair, 1 if pair.left < pair.right else -1)
    assert sampler.ranking().position_bias is not None
    assert sampler.fresh(4, 1).position_bias == "common"


def test_a_position_that_does_not_exist_is_refused():
    with pytest.raises(InvalidArgument, match="common, worker"):
        hr.AutoSampler(5, position_bias="left")


def test_leans_are_told_by_worker_and_can_be_frozen():
    sampler, _ = campaign("worker", [2.0, -1.0], answers=300)
    leans = sampler.position_biases
    assert leans["judge 0"] > 0.7
    assert leans["judge 1"] < -0.2
    assert leans[None] == 0  # nobody without a name has answered
    sampler.freeze_workers()
    for _ in range(40):
        sampler.tell(sampler.ask(), -1, "judge 0")
    assert sampler.position_biases == leans
    assert len(sampler.ranking()) == 20
    assert hr.AutoSampler(3).position_biases == {}
    common, _ = campaign("common", [1.0], answers=100)
    assert common.position_biases.keys() == {None}
