from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import DisconnectedGraph, InvalidArgument
from hodgerank.metrics import kendall_tau


def tau(ranking, votes):
    table = dict(zip(ranking.items, ranking.scores, strict=True))
    return kendall_tau([table[item] for item in votes.items], votes.truth)


def mean_taus(crowd, spread, runs=20):
    rng = np.random.default_rng(0)
    plain, robust = [], []
    for _ in range(runs):
        votes = hr.simulate_comparisons(16, 240, spread=spread, workers=crowd, rng=rng)
        plain.append(tau(hr.hodge_rank(votes), votes))
        robust.append(tau(hr.robust_rank(votes), votes))
    return np.mean(plain), np.mean(robust)


def test_adversarial_workers_are_resisted():
    plain, robust = mean_taus({"honest": 16, "adversarial": 4}, spread=3)
    assert plain < 0.76
    assert robust > 0.85


@pytest.mark.parametrize(
    "spread", [1, *(pytest.param(spread, marks=pytest.mark.slow) for spread in (3, 0.5))]
)
def test_clean_crowds_lose_next_to_nothing(spread):
    plain, robust = mean_taus({"honest": 15}, spread=spread)
    assert robust > plain - 0.005


def test_workers_are_told_apart():
    crowd = {"honest": 8, "random": 1, "adversarial": 1}
    votes = hr.simulate_comparisons(12, 800, spread=3, workers=crowd, rng=1)
    ranking = hr.robust_rank(votes)
    reliability = dict(zip(ranking.workers, ranking.reliability, strict=True))
    assert reliability["honest-01"] > 0.95
    assert reliability["random-01"] == pytest.approx(0.5, abs=0.1)
    assert reliability["adversarial-01"] < 0.05
    assert ranking.unreliable == ("adversarial-01", "random-01")
    assert dict(zip(ranking.workers, ranking.trust, strict=True))["adversarial-01"] < -0.9
    assert (ranking.standard_errors > 0).all()
    assert ranking.converged


def test_without_workers_single_answers_are_resisted():
    rows = [(a, b, 1) for a, b in ["ab", "bc", "cd", "ac", "bd", "ad"] for _ in range(5)]
    rows += [("d", "a", 1)] * 2
    ranking = hr.robust_rank(rows)
    assert ranking.items == ("a", "b", "c", "d")
    assert ranking.workers == ()
    assert "workers are not recorded" in ranking.notes[0]
    gap = ranking.scores[0] - ranking.scores[-1]
    plain = hr.hodge_rank(rows).scores
    assert gap > plain[0] - plain[-1]


def test_intervals_of_anonymous_votes_cover_the_truth():
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(60):
        truth = rng.permutation(np.linspace(-0.4, 0.4, 10))
        votes = hr.simulate_comparisons(10, 500, scores=truth, link="uniform", rng=rng)
        votes = replace(votes, workers=(), worker=np.full(500, -1, np.int32))
        ranking = hr.robust_rank(votes)
        assert ranking.converged
        place = [votes.code(item) for item in ranking.items]
        low, high = ranking.intervals.T
        inside += ((low <= truth[place]) & (truth[place] <= high)).tolist()
    assert np.mean(inside) > 0.92


def test_the_unit_of_weights_does_not_matter():
    votes = hr.simulate_comparisons(8, 300, workers={"honest": 5, "random": 1}, rng=0)
    plain = hr.robust_rank(votes)
    for unit in (0.001, 1000.0):
        weighted = hr.robust_rank(replace(votes, weight=np.full(300, unit)))
        np.testing.assert_allclose(weighted.scores, plain.scores, atol=1e-6)
        np.testing.assert_allclose(weighted.standard_errors, plain.standard_errors, rtol=1e-5)


def test_groups_that_only_a_distrusted_worker_joins_are_not_ranked_together():
    honest = hr.simulate_comparisons(list("abc"), 300, spread=3, workers={"honest": 3}, rng=0)
    others = hr.simulate_comparisons(list("xyz"), 300, spread=3, workers={"honest": 3}, rng=1)
    rows = honest.to_frame("polars").rows() + others.to_frame("polars").rows()
    rng = np.random.default_rng(0)
    pairs = [(a, b) for a in "abc" for b in "xyz"]
    pairs += [("a", "b"), ("b", "c"), ("a", "c"), ("x", "y"), ("y", "z"), ("x", "z")] * 6
    rows += [(a, b, int(rng.choice([-1, 1])), "joker") for a, b in pairs for _ in range(4)]
    assert "joker" in hr.robust_rank(rows, components="separate").unreliable
    with pytest.raises(DisconnectedGraph):
        hr.robust_rank(rows)


@pytest.mark.parametrize("confidence", [0, 2, -1, np.nan])
def test_senseless_confidence_is_refused(confidence):
    with pytest.raises(InvalidArgument):
        hr.robust_rank([("a", "b", 1, "w"), ("a", "b", -1, "w")], confidence=confidence)


def test_a_disconnected_graph_is_refused():
    with pytest.raises(DisconnectedGraph):
        hr.robust_rank([("a", "b", 1, "w"), ("c", "d", 1, "w")])
