"""Split halves: whole workers stay together, and nothing is said of items that are not joined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd, fresh_rng

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.reliability.split_half import _halves_of_pairs, split_half
from hodgerank.graph.answered_graph import AnsweredGraph


def halves(votes, **options):
    return split_half(AnsweredGraph.of(votes), **{"n_splits": 30, **options})


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [20, pytest.param(5, marks=pytest.mark.slow)])
def test_spearman_brown_foresees_the_correlation_of_two_such_samples(n_workers):
    """Of whole workers where there are ten, else of answers: all of one crowd."""
    told, true = [], []
    for seed in range(15):
        crowd = Crowd(n_workers=n_workers, per_pair=6)
        rng = fresh_rng(seed, "halves")
        truth = rng.normal(0, 1, 12)
        both = [
            hr.simulate_comparisons(
                12, 400, scores=truth, link="bradley-terry", workers={"honest": n_workers}, rng=rng
            )
            for _ in range(2)
        ]
        found = [halves(votes, n_splits=10) for votes in both]
        assert found[0].by == ("worker" if n_workers >= 10 else "vote")
        told += [half.spearman_brown for half in found]
        scores = [hr.assess_reliability(votes, n_splits=1).scores for votes in both]
        true.append(np.corrcoef(*scores)[0, 1])
        assert crowd.n_workers == n_workers
    assert np.mean(told) == pytest.approx(np.mean(true), abs=0.04)


def test_workers_who_disagree_lower_it_where_they_stay_together():
    """Two camps of opposite tastes: answers agree with their other half, workers do not."""
    votes = Crowd(n_workers=12, per_pair=40, tastes=2.5, spread=0.1).votes(fresh_rng(2, "camps"))
    by_worker = halves(votes).correlation
    by_answer = halves(replace(votes, workers=(), worker=np.full(len(votes), -1))).correlation
    assert by_answer > by_worker + 0.2


def test_halves_are_halves():
    votes = Crowd(answer="grade").votes(fresh_rng(3, "dealt"))
    votes = replace(votes, multiplicity=np.random.default_rng(1).integers(1, 9, len(votes)))
    answered = AnsweredGraph.of(votes)
    for one, other in _halves_of_pairs(answered, 5, np.random.default_rng(2)):
        together = one.merge(other)
        assert np.array_equal(together.counts, answered.graph.counts)
        assert together.flows == pytest.approx(answered.graph.flows)
        assert together.squares == pytest.approx(answered.graph.squares)
        assert np.abs(one.counts - other.counts).max() <= 1
    assert not np.allclose(one.flows, other.flows)


def test_rows_that_stand_for_many_are_dealt_out_like_answers():
    """Halves of 600 : 400 differ by chance, and by no more than that."""
    rows = [("a", "b", 1), ("a", "b", -1), ("b", "c", 1), ("b", "c", -1), ("a", "c", 1)]
    votes = replace(hr.read_comparisons(rows), multiplicity=np.array([600, 400, 500, 500, 100]))
    answered = AnsweredGraph.of(votes)
    drawn = [one.flows[0] for one, _ in _halves_of_pairs(answered, 300, np.random.default_rng(3))]
    hypergeometric = 2 * np.sqrt(500 * 0.6 * 0.4 * 500 / 999) / 500
    assert np.std(drawn) == pytest.approx(hypergeometric, rel=0.2)
    assert halves(votes).correlation > 0.5
    huge = replace(votes, multiplicity=votes.multiplicity * 10**9)
    assert halves(huge, n_splits=4).correlation == pytest.approx(1, abs=1e-3)


def test_units_stay_together_where_workers_are_few():
    votes = Crowd(n_workers=3, repeats=5, per_pair=20).votes(fresh_rng(4, "units"))
    unit = np.arange(len(votes)) // 5
    by_unit = halves(replace(votes, ballot=unit, units=tuple(range(unit.max() + 1))))
    assert by_unit.by == "unit"
    assert by_unit.correlation < halves(votes).correlation


def test_what_cannot_be_said():
    chain = [(f"i{k}", f"i{k + 1}", 1, f"w{k}") for k in range(20)]
    found = hr.assess_reliability(chain, n_splits=5)
    assert found.split_half.correlation is None
    assert found.split_half.spearman_brown is None
    assert "cannot be computed" in found.split_half_statement
    coins = Crowd(spread=0.0, per_pair=2).votes(fresh_rng(11, "coins"))
    negative = [halves(coins, n_splits=1, rng=k) for k in range(20)]
    assert all(half.spearman_brown is None for half in negative if half.correlation < 0)
    with pytest.raises(InvalidArgument, match="n_splits"):
        halves(coins, n_splits=0)
