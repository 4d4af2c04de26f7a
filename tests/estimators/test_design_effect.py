"""The design effect: votes of the same worker, ballot or unit count for less."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.clusters import Crowd

import hodgerank as hr
from hodgerank.estimators import design_effect
from hodgerank.estimators.design_effect import find_clustering
from hodgerank.graph.answered_graph import AnsweredGraph

TASTES = Crowd(n_workers=10, tastes=0.8)
PROMPTS = Crowd(per_prompt=28, prompts=0.8)


def effects(crowd: Crowd, runs: int = 25, by=None):
    """Design effects, and whether a note says so."""
    rngs = (np.random.default_rng((7, run)) for run in range(runs))
    votes = (AnsweredGraph.of(crowd.people(rng).votes()) for rng in rngs)
    found = [find_clustering(each, by) for each in votes]
    return np.array([each.effect for each in found]), np.mean([bool(each.notes) for each in found])


@pytest.mark.parametrize(
    "crowd",
    [
        Crowd(),
        Crowd(n_workers=5),
        Crowd(n_workers=240),
        Crowd(per_prompt=28),
        Crowd(n_items=30, n_votes=4),
    ],
)
def test_independent_votes_lose_little(crowd):
    found, noted = effects(crowd)
    assert found.mean() < 1.06
    assert noted <= 0.12


@pytest.mark.parametrize("crowd", [TASTES, PROMPTS])
def test_tastes_and_prompts_are_found(crowd):
    found, noted = effects(crowd, 10)
    assert 1.3 < found.mean() < 2.4
    assert noted >= 0.9


def test_copies_count_once():
    found, _ = effects(Crowd(n_items=10, n_votes=60, repeats=3), 10)
    assert 2.5 < found.mean() < 3.2


def test_effects_of_workers_and_prompts_add_up():
    both = Crowd(n_workers=10, tastes=0.8, per_prompt=28, prompts=0.8)
    alone = effects(both, 10, "worker")[0].mean() + effects(both, 10, "ballot")[0].mean() - 1
    assert effects(both, 10)[0].mean() == pytest.approx(alone, rel=0.1)


def test_a_worker_with_one_prompt_counts_once():
    votes = PROMPTS.people(np.random.default_rng(1)).votes()
    own = replace(votes, worker=votes.ballot, workers=votes.units)
    nested, by_unit = (find_clustering(AnsweredGraph.of(each), by).effect
                       for each, by in ((own, None), (votes, "ballot")))  # fmt: skip
    assert nested == pytest.approx(by_unit)


def test_weights_that_are_reduced_already_are_not_reduced_again():
    votes = PROMPTS.people(np.random.default_rng(2)).votes()
    effect = find_clustering(AnsweredGraph.of(votes), "ballot").effect
    reduced = replace(votes, weight=np.full(len(votes), 1 / effect))
    assert find_clustering(AnsweredGraph.of(reduced), "ballot").effect == pytest.approx(1, abs=0.05)


def test_the_unit_of_large_weights_does_not_matter():
    votes = PROMPTS.people(np.random.default_rng(2)).votes()
    heavy = replace(votes, weight=np.full(len(votes), 50.0))
    effects = [find_clustering(AnsweredGraph.of(each), "ballot").effect for each in (votes, heavy)]
    assert effects[0] == pytest.approx(effects[1], rel=0.1)


def test_few_clusters_say_nothing():
    votes = Crowd(n_workers=3, tastes=2.0).people(np.random.default_rng(3)).votes()
    assert find_clustering(AnsweredGraph.of(votes), None) is None


def test_position_bias_shown_in_both_orders_does_not_hide_correlation():
    people = PROMPTS.people(np.random.default_rng(4))
    votes = people.votes()
    left, right = np.r_[votes.left, votes.right], np.r_[votes.right, votes.left]
    prompt, worker = np.tile(votes.ballot, 2), np.zeros(2 * len(votes), int)
    d = people.shared + people.effects[prompt]
    rows = np.arange(len(left))
    outcome = np.where(d[rows, left] - d[rows, right] + 1.5 > np.random.default_rng(5).normal(
        size=len(left)), 1.0, -1.0)  # fmt: skip
    shown = hr.Comparisons(
        items=votes.items, left=left, right=right, outcome=outcome, workers=("judge",),
        worker=worker, ballot=prompt, units=votes.units,
    )  # fmt: skip
    ignored, modelled = (
        find_clustering(AnsweredGraph.of(shown), "ballot", by).effect for by in (None, "worker")
    )
    assert modelled > ignored + 0.1


def test_a_sample_of_many_votes_has_the_same_effect(monkeypatch):
    votes = replace(TASTES, n_votes=400, n_workers=30).people(np.random.default_rng(6)).votes()
    whole = find_clustering(AnsweredGraph.of(votes), None).effect
    monkeypatch.setattr(design_effect, "MOST_ROWS", 1500)
    assert find_clustering(AnsweredGraph.of(votes), None).effect == pytest.approx(whole, rel=0.25)


def test_multiplicity_is_the_same_as_repeated_rows():
    votes = TASTES.people(np.random.default_rng(8)).votes().select(np.arange(200))
    counted = replace(votes, multiplicity=np.random.default_rng(1).integers(1, 4, 200))
    effects = [find_clustering(AnsweredGraph.of(v), None).effect
               for v in (counted, counted.repeated())]  # fmt: skip
    assert effects[0] == pytest.approx(effects[1])


def test_the_ranking_of_a_sampler_counts_tastes_too_and_keeps_the_effect_when_frozen():
    votes = TASTES.people(np.random.default_rng(9)).votes()
    sampler = hr.AutoSampler(votes.items, seed=1)
    sampler.tell_many(votes)
    found = sampler.ranking()
    assert found.design_effect > 1.3
    assert any("votes of the same worker are correlated" in note for note in found.notes)
    frozen = deepcopy(sampler)
    frozen.freeze_workers()
    frozen.tell((0, 1), 1)
    assert frozen.ranking().design_effect == found.design_effect
