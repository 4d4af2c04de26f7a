"""The heat map of probabilities."""

from __future__ import annotations

import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.plotting import probability_chart
from hodgerank.plotting.charts import svg_of
from pictures import notes_of, rows_of, title_of
from results import HOSTILE


def ranking_of(n: int, n_votes: int):
    return hr.hodge_rank(hr.simulate_comparisons(n, n_votes, spread=2, rng=1))


def test_cells_hold_the_models_probabilities_and_certainties():
    ranking = ranking_of(6, 200)
    cells = rows_of(probability_chart(ranking))
    assert len(cells) == 6 * 5
    for cell in cells:
        a, b = cell["row"], cell["column"]
        assert cell["probability"] == pytest.approx(ranking.probability(a, b), abs=1e-4)
        assert cell["certainty"] == pytest.approx(ranking.certainty(a, b), abs=1e-4)


def test_the_title_counts_the_pairs_that_differ_significantly():
    ranking = ranking_of(6, 200)
    level = (1 + ranking.confidence) / 2
    certain = sum(
        ranking.certainty(a, b) >= level for a in ranking.items for b in ranking.items if a != b
    )
    assert 0 < certain < 15
    assert title_of(probability_chart(ranking)) == (
        f"{certain} of 15 pairs are significantly different (95% confidence)"
    )


def test_all_and_none_are_said_so():
    votes = [("a", "b", 1), ("a", "b", 1), ("b", "a", 1)] * 200
    chart = probability_chart(hr.hodge_rank(votes))
    assert title_of(chart) == "The two items are significantly different (95% confidence)"
    third = [("b", "c", 1), ("b", "c", 1), ("c", "b", 1)] * 200
    chart = probability_chart(hr.hodge_rank(votes + third))
    assert title_of(chart).startswith("All 3 pairs are significantly different")
    open_ = hr.hodge_rank([("a", "b", 1), ("b", "a", 1), ("b", "c", 1), ("c", "b", 1)])
    assert title_of(probability_chart(open_)).startswith("0 of 3 pairs are")


def test_numbers_stand_in_few_cells_only():
    marks = [str(probability_chart(ranking_of(n, 400)).to_dict()) for n in (12, 13)]
    assert "'type': 'text'" in marks[0]
    assert "'type': 'text'" not in marks[1]


def test_of_many_items_the_best_are_shown():
    ranking = ranking_of(300, 3_000)
    chart = probability_chart(ranking)
    assert {cell["row"] for cell in rows_of(chart)} == {str(item) for item in ranking.top(40)}
    assert "The 40 best of 300 items" in notes_of(chart)
    assert "780 pairs among the 40 best" in title_of(chart)


def test_items_that_cannot_be_compared_have_no_cell():
    votes = [("a", "b", 1), ("b", "a", 1), ("x", "y", 1), ("y", "x", 1)] * 3
    chart = probability_chart(hr.hodge_rank(votes, components="separate"))
    assert {(cell["row"], cell["column"]) for cell in rows_of(chart)} == {
        ("a", "b"), ("b", "a"), ("x", "y"), ("y", "x"),
    }  # fmt: skip
    assert "of 2 pairs" in title_of(chart)
    assert "not connected" in notes_of(chart)


def test_one_item_alone_is_refused():
    with pytest.raises(InvalidArgument, match="at least two items"):
        probability_chart(hr.RandomSampler(["a"]).ranking())


def test_hostile_names_can_be_drawn():
    ranking = hr.hodge_rank([(HOSTILE, "\x1b[31m", 1), ("x" * 500, "\x1b[31m", 1)] * 3)
    assert "<b>tea" not in svg_of(probability_chart(ranking))
