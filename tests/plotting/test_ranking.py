"""The picture of a ranking, and of the rankings of groups."""

from __future__ import annotations

import pytest

import hodgerank as hr
from hodgerank.plotting import group_rankings_chart, ranking_chart
from hodgerank.plotting import ranking as drawing
from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.ranking import BOTTOM, MOST_ITEMS, TOP, who_leads
from pictures import notes_of, rows_of, title_of
from results import HOSTILE

CLEAR = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 40 + [("b", "a", 1), ("c", "b", 1)] * 2


def lines_of(chart):
    return {row["item"]: row for row in rows_of(chart) if "item" in row}


def ranking_of(n: int, n_votes: int) -> hr.Ranking:
    return hr.hodge_rank(hr.simulate_comparisons(n, n_votes, spread=2, rng=1))


def test_every_item_has_a_line_with_its_score_interval_and_ranks():
    ranking = ranking_of(12, 600)
    lines = lines_of(ranking_chart(ranking))
    assert list(lines) == list(ranking.items)
    for row in ranking:
        line = lines[row.item]
        assert (line["score"], line["lower"], line["upper"]) == (row.score, row.lower, row.upper)
        ends = {str(row.rank_lower), str(row.rank_upper)}
        assert set(line["ranks"].split("–")) == ends


def test_a_leader_is_called_one_only_where_it_is_certain():
    assert title_of(ranking_chart(hr.hodge_rank(CLEAR))) == "a is the best item (95% confidence)"
    two = [("a", "c", 1), ("b", "c", 1)] * 60 + [("a", "b", 1)] * 6 + [("b", "a", 1)] * 5
    assert title_of(ranking_chart(hr.hodge_rank(two))) == "a ranks first, statistically tied with b"
    ranking = ranking_of(30, 100)
    title = title_of(ranking_chart(ranking))
    assert title.startswith(f"{ranking.items[0]} ranks first, statistically tied with ")
    assert title.endswith("others")


def test_the_confidence_of_the_ranking_is_that_of_title_and_bars():
    chart = ranking_chart(hr.hodge_rank(CLEAR, confidence=0.8))
    assert title_of(chart) == "a is the best item (80% confidence)"
    assert "80% interval" in notes_of(chart)


@pytest.mark.parametrize("n", [MOST_ITEMS, MOST_ITEMS + 1, 500])
def test_of_many_items_the_ends_are_shown_and_all_others_counted(n):
    ranking = ranking_of(n, 20 * n)
    chart = ranking_chart(ranking)
    counted = sum(row["items"] for row in rows_of(chart) if "items" in row)
    if n <= MOST_ITEMS:
        assert len(lines_of(chart)) == n
        assert counted == 0
        return
    assert list(lines_of(chart)) == [*ranking.items[:TOP], *ranking.items[-BOTTOM:]]
    assert counted == n - TOP - BOTTOM
    assert f"{n} items: the best {TOP}, the last {BOTTOM}" in notes_of(chart)


def test_disconnected_groups_are_counted():
    votes = [("a", "b", 1), ("b", "a", -1), ("c", "d", 1), ("d", "c", -1)]
    chart = ranking_chart(hr.hodge_rank(votes, components="separate"))
    assert "2 disconnected groups" in notes_of(chart)


def groups_of(n: int) -> hr.VoteGroups:
    rows = [
        {"left": a, "right": b, "outcome": y, "scene": f"scene {k:02}"}
        for k in range(n)
        for a, b, y in CLEAR[: 30 + k]
    ]
    return hr.read_comparisons(rows, group="scene")


def test_every_group_has_its_own_finding_below_the_verdict():
    rankings = hr.rank_groups(groups_of(3))
    chart = group_rankings_chart(rankings)
    assert title_of(chart).lower() == rankings.verdict.lower()
    titles = [" ".join(part["title"]["text"]) for part in chart.to_dict()["vconcat"]]
    assert len(titles) == 3
    assert all(f"scene scene {k:02}: a " in title for k, title in enumerate(titles))


def test_of_many_groups_the_first_are_shown_and_that_is_said(monkeypatch):
    monkeypatch.setattr(drawing, "MOST_GROUPS", 2)
    chart = group_rankings_chart(hr.rank_groups(groups_of(4)))
    assert len(chart.to_dict()["vconcat"]) == 2
    assert "The first 2 of 4 groups" in notes_of(chart)


def test_names_are_data():
    names = [HOSTILE, "x" * 500, "\u202eשלום", "a\x00b", "漢字"]
    votes = [(one, other, 1) for k, one in enumerate(names) for other in names[k + 1 :]] * 20
    chart = ranking_chart(hr.hodge_rank(votes))
    assert set(lines_of(chart)) == set(names)
    drawn = svg_of(chart)
    assert "<script" not in drawn
    assert "\x00" not in drawn
    assert len(title_of(ranking_chart(hr.hodge_rank([("x" * 500, "b", 1)] * 9)))) < 120


def test_nobody_leads_where_a_prior_alone_ranks_groups_together():
    ranking = hr.bayes_rank([("a", "b", 1), ("c", "d", 1)] * 5)
    assert "groups" not in who_leads(ranking)
    assert who_leads(ranking, 2).startswith("The items form 2 disconnected groups")


def test_a_line_separates_items_that_are_significantly_better_from_those_below():
    ranking = ranking_of(12, 600)
    borders = [line["is_border"] for line in lines_of(ranking_chart(ranking)).values()]
    for k in range(1, 12):
        above, below = ranking.rank_intervals[:k], ranking.rank_intervals[k:]
        assert borders[k - 1] == (above[:, 1].max() <= k < below[:, 0].min())
    assert not borders[-1]
    assert 0 < sum(borders) < 11


@pytest.mark.parametrize(
    ("scale", "title", "ticks"),
    [
        ({"scale": "elo", "anchor": ("b", 1000)}, "Elo (b at 1000)", "~f"),
        ({"scale": "win-rate"}, "win rate", "~%"),
        ({"scale": "win-probability", "baseline": "b"}, "probability of beating b", "~%"),
        ({"scale": "model"}, "score", None),
    ],
)
def test_the_axis_names_the_scale_of_the_scores(scale, title, ticks):
    ranking = hr.rank(CLEAR).on_scale(**scale)
    chart = ranking_chart(ranking).to_dict()
    axes = [layer["encoding"]["x"] for layer in chart["layer"] if "title" in layer["encoding"]["x"]]
    assert axes[0]["title"] == title
    assert axes[0]["axis"].get("format") == ticks
    assert lines_of(ranking_chart(ranking))["b"]["score"] == ranking["b"].score


def test_a_long_baseline_fits_below_the_axis():
    votes = [(f"{name} {'x' * 300}", "rest", 1) for name in "ab"] * 4
    ranking = hr.rank(votes).on_scale("win-probability", baseline=votes[0][0])
    titles = [layer["encoding"]["x"].get("title") for layer in ranking.plot().to_dict()["layer"]]
    assert max(len(title) for title in titles if title) < 80
