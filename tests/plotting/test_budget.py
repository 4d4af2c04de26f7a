"""Where the votes went."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.plotting import budget_chart
from hodgerank.plotting.charts import svg_of
from pictures import notes_of, rows_of, title_of
from results import HOSTILE

CHAIN = [("a", "b", 1)] * 3 + [("b", "c", 1)] * 3 + [("c", "d", 1)] * 3 + [("a", "d", 1)]


def cells_of(chart):
    return {(row["item"], row["other"]): row["votes"] for row in rows_of(chart) if "other" in row}


def bars_of(chart):
    return {row["item"]: row["votes"] for row in rows_of(chart) if "other" not in row}


def test_cells_count_the_votes_on_each_pair_from_either_side():
    cells = cells_of(budget_chart(CHAIN))
    assert cells["a", "b"] == cells["b", "a"] == 3
    assert cells["d", "a"] == 1
    assert len(cells) == 8


def test_bars_count_the_votes_on_each_item():
    assert bars_of(budget_chart(CHAIN)) == {"a": 4, "b": 6, "c": 6, "d": 4}


def test_the_title_counts_votes_and_pairs():
    chart = budget_chart(CHAIN)
    assert title_of(chart) == "90% of votes are on neighbours in the ranking (50% of all pairs)"
    assert "4 of 6 pairs were compared" in notes_of(chart)


def test_a_single_pair_is_the_only_one():
    assert title_of(budget_chart([("a", "b", 1)])) == "All votes are on the only pair"


def test_a_run_is_drawn_along_its_own_ranking():
    crowd = hr.SimulatedCrowd(list("abcde"), spread=2, rng=1)
    result = hr.run(hr.AutoSampler(crowd.items, seed=1), crowd, budget=60)
    chart = result.plot()
    assert list(bars_of(chart)) == list(result.ranking.items)
    assert sum(cells_of(chart).values()) == 2 * 60
    assert title_of(chart) == title_of(budget_chart(result))


def test_ranks_of_many_items_are_taken_together():
    votes = hr.simulate_comparisons(200, 4_000, rng=1)
    chart = budget_chart(votes)
    bars, cells = bars_of(chart), cells_of(chart)
    assert len(bars) == 40
    assert np.mean(list(bars.values())) == pytest.approx(2 * 4_000 / 200, abs=0.1)
    assert np.mean(list(cells.values())) == pytest.approx(4_000 / (200 * 199 / 2), rel=0.1)
    assert "200 items in 40 rows" in notes_of(chart)


def test_pairs_across_components_are_not_counted():
    chart = budget_chart([("a", "b", 1), ("b", "c", 1), ("x", "y", 1)])
    assert "(75% of all pairs)" in title_of(chart)
    assert "2 disconnected groups" in notes_of(chart)


def test_no_votes_say_so():
    empty = hr.read_comparisons([("a", "b", 1)]).select(np.zeros(1, bool))
    assert title_of(budget_chart(empty)) == "No votes yet"


def test_hostile_names_can_be_drawn():
    chart = budget_chart([(HOSTILE, "\x1b[31m", 1), ("x" * 500, "\x1b[31m", 1)])
    assert "<b>tea" not in svg_of(chart)
