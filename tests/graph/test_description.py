from __future__ import annotations

import json

import pytest

import hodgerank as hr


def test_counts_by_hand():
    text = [
        ("a", "b", 1, "ann"), ("b", "a", 1, "bob"), ("a", "b", 0, "bob"),
        ("c", "b", 0.5, None), ("c", "b", 0.5, "ann"),
    ]  # fmt: skip
    d = hr.describe(text)
    assert (d.items, d.votes, d.workers, d.anonymous_votes) == (3, 5, 2, 1)
    assert (d.ties, d.graded, d.pairs_asked, d.pairs_possible) == (1, 2, 2, 3)
    assert d.coverage == pytest.approx(2 / 3)
    assert (d.votes_per_pair.least, d.votes_per_pair.most) == (2, 3)
    assert d.display_order.left_preferred == 1
    assert d.display_order.both_orders == 0.5
    json.dumps(d.to_dict(), allow_nan=False)


def test_display_order_is_not_made_up():
    votes = hr.read_comparisons([("a", "b", 1)], display_known=False)
    assert hr.describe(votes).display_order is None


def test_what_cannot_be_said_is_not_said():
    order = hr.describe([("a", "b", 0)]).display_order
    assert order.left_preferred is order.both_orders is order.most_one_sided is None


def test_unanimous_pairs_need_two_answers():
    d = hr.describe([("a", "b", 1), ("b", "a", -1), ("b", "c", 1), ("a", "c", 1), ("c", "a", 1)])
    assert d.unanimous_pairs == 1


def test_position_bias_shows():
    votes = hr.simulate_comparisons(5, 2000, workers={"position-biased": 1}, rng=0)
    order = hr.describe(votes).display_order
    assert order.left_preferred > 0.5 + 10 * order.left_preferred_stderr
