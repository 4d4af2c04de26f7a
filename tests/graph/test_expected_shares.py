"""The position part beside display orders dealt at random."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd

import hodgerank as hr
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.expected_shares import position_bias_part, shuffle_display_order


def p_value(crowd, seed):
    decomposition = hr.decompose(crowd.votes(np.random.default_rng(seed)))
    return decomposition.expected.bias.p_value(decomposition.energy["bias"])


def test_random_sides_give_the_share_that_is_expected():
    p_values = [p_value(Crowd(n_workers=3, per_pair=10, spread=0.4), k) for k in range(40)]
    assert np.mean(np.array(p_values) < 0.05) <= 0.2
    assert 0.3 < np.mean(p_values) < 0.7


def test_clicking_left_is_seen():
    assert (
        np.median([p_value(Crowd(n_workers=3, per_pair=10, lean=2.0), k) for k in range(9)]) < 0.05
    )


def test_the_expected_energy_is_the_variance_of_each_group():
    rows = [("a", "b", 1, "w"), ("b", "a", 1, "w"), ("a", "b", -1, "w"), ("a", "b", 1, "v")]
    answered = AnsweredGraph.of(hr.read_comparisons(rows))
    dealt = shuffle_display_order(answered)
    assert dealt.n_both_ways == 1
    assert dealt.energies.mean() == pytest.approx(np.var([1, -1, -1], ddof=1), rel=0.1)
    shown = position_bias_part(answered.votes, answered.edge)
    assert np.abs(dealt.energies - shown @ shown).min() < 1e-12  # one of the ways of dealing


def test_where_no_pair_was_shown_both_ways_nothing_is_seen():
    for votes in (
        [("a", "b", 1, "w"), ("b", "a", 1, "v")],
        hr.read_comparisons([("a", "b", 1), ("b", "a", 1)], display_known=False),
    ):
        decomposition = hr.decompose(votes)
        expected = decomposition.expected
        assert expected.n_both_ways == 0
        assert expected.bias.p_value(decomposition.energy["bias"]) == 1
