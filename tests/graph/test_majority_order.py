"""The order of majorities, and the crowd with that order."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.majority_order import MajorityOrder, cyclic_loops


def signs_of(rows):
    return AnsweredGraph.of(hr.read_comparisons(rows)).signs.graph


def votes(a, b, wins, losses):
    return [(a, b, 1)] * wins + [(a, b, -1)] * losses


RING = [*votes("a", "b", 9, 1), *votes("b", "c", 9, 1), *votes("c", "d", 8, 2)]


def test_a_ring_is_ordered_by_its_strong_pairs():
    signs = signs_of(RING + votes("d", "a", 6, 4))
    order = MajorityOrder.of(signs)
    assert [signs.items[k] for k in np.argsort(order.places)] == ["a", "b", "c", "d"]


def test_only_pairs_against_the_order_are_even():
    signs = signs_of(RING + votes("d", "a", 6, 4))
    means = MajorityOrder.of(signs).transitive_means()
    closing = signs.find_edges([0], [3])
    assert means[closing] == 0
    others = np.delete(np.arange(4), closing)
    np.testing.assert_allclose(means[others], signs.flows[others])


def test_faint_pairs_are_even_and_clear_ones_may_gain():
    signs = signs_of(RING + votes("d", "a", 6, 4))
    order = MajorityOrder.of(signs, faint=2.0)
    ab, bc, cd = (signs.find_edges([k], [k + 1])[0] for k in range(3))
    means = order.transitive_means(gain=0.5)
    assert means[cd] == 0
    assert means[ab] == means[bc] == pytest.approx(0.8 + 0.5 / np.sqrt(10))
    assert order.transitive_means(gain=2.0)[ab] == 1


def test_majorities_without_a_cycle_are_no_evidence():
    signs = signs_of(RING + votes("d", "a", 4, 6))
    np.testing.assert_allclose(MajorityOrder.of(signs).transitive_means(), signs.flows)
    assert cyclic_loops(signs, signs.flows[:, None]) == 0


def test_a_loop_is_as_clear_as_its_weakest_pair():
    signs = signs_of(RING + votes("d", "a", 8, 2))
    z = np.sqrt(10) * 0.6
    assert cyclic_loops(signs, signs.flows[:, None]) == pytest.approx((z - 1) ** 2)
