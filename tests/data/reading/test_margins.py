"""Reading margins: by option, by our own columns, and what is asked where numbers may be some."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hodgerank as hr
from hodgerank.data.comparisons import LARGEST_MARGIN, ReadReport
from hodgerank.data.subsets import join_comparisons
from hodgerank.errors import InvalidArgument, InvalidComparisons

GAMES = pl.DataFrame(
    {
        "home": ["a", "b", "c", "a"],
        "away": ["b", "c", "a", "c"],
        "home_goals": [3, 0, 1, 2],
        "away_goals": [1, 0, 4, 2],
        "price": ["1,5", "-2,25", "", "30"],
    }
)


def read(text, **options):
    return hr.read_comparisons(BytesIO(text.encode()), **options)


def test_the_difference_of_two_columns_is_a_margin():
    votes = hr.read_comparisons(GAMES, margin="home_goals-away_goals")
    assert votes.outcome.tolist() == [2, 0, -3, 0]
    assert votes.report.margin_unit == "goals"
    assert "(by how much home is better)" in votes.report.layout
    assert votes.display_known.all()


@pytest.mark.parametrize(
    ("column", "unit"),
    [("margin", "margin"), ("goal_difference", "goal"), ("diff", "margin"), ("price", "price")],
)
def test_the_unit_is_in_the_name_of_the_column(column, unit):
    votes = hr.read_comparisons(GAMES.rename({"home_goals": column} if column != "price" else {}),
                                margin=column, skip_invalid=True)  # fmt: skip
    assert votes.report.margin_unit == unit


def test_decimal_commas_and_empty_cells():
    votes = read(GAMES.write_csv(), margin="price")
    assert votes.outcome.tolist() == [1.5, -2.25, 30]
    assert votes.report.unanswered == 1


def test_winners_have_margins_that_are_not_negative():
    text = "winner,loser,margin\na,b,2.5\nb,c,0\nc,a,1\n"
    votes = read(text, margin="margin")
    assert votes.outcome.tolist() == [2.5, 0, 1]
    assert not votes.display_known.any()
    assert read(text, winner="loser", loser="winner", margin="margin").outcome[0] == 2.5
    with pytest.raises(InvalidComparisons, match="the margin of the winner is negative"):
        read(text + "a,b,-1\n", margin="margin")
    choices = read(text)
    assert choices.outcome.tolist() == [1, 1, 1]
    assert "use --margin margin" in choices.report.notes[0]


def test_smaller_differences_may_be_better():
    votes = hr.read_comparisons(GAMES, margin="home_goals-away_goals", worse=True)
    assert votes.outcome.tolist() == [-2, 0, 3, 0]
    assert "worse" in votes.report.layout


@pytest.mark.parametrize("cell", ["two", "inf", "1e101"])
def test_margins_that_are_no_number_or_too_large_are_refused(cell):
    with pytest.raises(InvalidComparisons, match="the margin is not a number between -1e100 and"):
        read(f"left,right,margin\na,b,1\nb,c,{cell}\n")


def test_signs_only():
    votes = hr.read_comparisons(GAMES, margin="home_goals-away_goals", signs_only=True)
    assert votes.outcome.tolist() == [1, 0, -1, 0]
    assert votes.report.margin_unit is None
    margins = hr.read_comparisons(GAMES, margin="home_goals-away_goals")
    again = hr.read_comparisons(margins, signs_only=True)
    assert again.outcome.tolist() == votes.outcome.tolist()
    for source in (again, GAMES):
        with pytest.raises((InvalidArgument, InvalidComparisons), match="is for margins"):
            hr.read_comparisons(source, outcome=None if source is again else
                                "home_goals-away_goals", signs_only=True)  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [{"scale": (-3, 3)}, {"outcome": "home"}, {"tie": "x"}, {"winner": "home"}, {"item": "home"}],
)
def test_options_on_the_meaning_of_outcomes_are_refused(options):
    with pytest.raises(InvalidArgument, match=r"cannot be combined with margin= \(--margin\)"):
        hr.read_comparisons(GAMES, margin="home_goals-away_goals", **options)


def test_a_file_of_options_may_name_the_margin(tmp_path):
    path = tmp_path / "games.csv"
    GAMES.write_csv(path)
    path.with_suffix(".toml").write_text('margin = "home_goals-away_goals"\n')
    assert hr.read_comparisons(path).report.margin_unit == "goals"
    chosen = hr.read_comparisons(path, outcome="home_goals-away_goals")
    assert chosen.report.margin_unit is None
    path.with_suffix(".toml").write_text('margin = "home_goals-away_goals"\nsigns_only = true\n')
    assert hr.read_comparisons(path).outcome.tolist() == [1, 0, -1, 0]


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl", "json"])
@given(values=st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3))
def test_margins_come_back_without_loss(form, values, tmp_path_factory):
    votes = hr.Comparisons(
        ("a", "b", "c"), [0, 1, 2], [1, 2, 0], values, workers=("ann",), worker=[0, 0, -1],
        weight=[1.0, 2.5, 1.0], report=ReadReport(margin_unit="euros"),
    )  # fmt: skip
    path = tmp_path_factory.mktemp("margins") / f"votes.{form}"
    frame = votes.to_frame("polars")
    assert frame.columns[:3] == ["left", "right", "margin"]
    write = {"csv": frame.write_csv, "parquet": frame.write_parquet,
             "jsonl": frame.write_ndjson, "json": frame.write_json}[form]  # fmt: skip
    write(path)
    again = hr.read_comparisons(path)
    np.testing.assert_array_equal(again.outcome, votes.outcome)
    np.testing.assert_array_equal(again.weight, votes.weight)
    assert again.report.margin_unit == "euros"
    assert again.workers == ("ann",)


def test_margins_are_written_in_their_own_layout_only():
    votes = hr.read_comparisons(GAMES, margin="home_goals-away_goals")
    with pytest.raises(InvalidArgument, match="cannot express margins"):
        votes.to_frame(layout="pairs", lossy=True)
    with pytest.raises(InvalidArgument, match="'margins' is for margins"):
        hr.read_comparisons(votes, signs_only=True).to_frame(layout="margins")


def test_votes_with_different_units_are_not_joined():
    one = hr.read_comparisons(GAMES, margin="home_goals-away_goals")
    other = hr.read_comparisons(one, signs_only=True)
    with pytest.raises(InvalidComparisons, match="'goals' and none"):
        join_comparisons([one, other])
    assert join_comparisons([one, one]).report.margin_unit == "goals"
    graph, signs = map(hr.ComparisonGraph.from_comparisons, (one, other))
    with pytest.raises(InvalidComparisons, match="different units"):
        graph.merge(signs)


def test_lazy_frames_give_the_same_ranking(tmp_path):
    frame = pl.concat([GAMES] * 50)
    expected = hr.rank(hr.read_comparisons(frame, margin="home_goals-away_goals"))
    lazy = frame.lazy()
    graph = hr.ComparisonGraph.from_frame(lazy, margin="home_goals-away_goals")
    assert graph.report.margin_unit == "goals"
    np.testing.assert_allclose(hr.rank(graph).scores, expected.scores)
    votes = hr.read_comparisons(frame.to_pandas(), margin="home_goals-away_goals")
    assert isinstance(votes.to_frame(), pd.DataFrame)
    votes.to_frame("polars").lazy().collect().write_parquet(tmp_path / "v.parquet")
    ranking = hr.rank(pl.scan_parquet(tmp_path / "v.parquet"))
    assert ranking.margin_unit == "goals"
    np.testing.assert_allclose(ranking.scores, expected.scores)
    np.testing.assert_allclose(ranking.standard_errors, expected.standard_errors)


def test_an_outcome_out_of_range_is_asked_about():
    rows = [("a", "b", 28), ("b", "c", 0), ("a", "c", 14)]
    with pytest.raises(InvalidComparisons) as error:
        hr.read_comparisons(rows)
    assert "--scale -28 28 (scale=(-28, 28)) if 0 is a tie" in str(error.value)
    assert "--margin outcome (margin='outcome') if they are margins" in str(error.value)
    with pytest.raises(InvalidComparisons) as error:
        hr.read_comparisons([("a", "b", 1), ("b", "c", 7)])
    assert "--margin" not in str(error.value)


def test_winner_first_margins_are_ranked_by_what_is_asked():
    rng = np.random.default_rng(1)
    x = rng.normal(size=9) * 5
    rows = []
    for i, j in rng.integers(0, 9, (150, 2)).tolist():
        if i != j:
            i, j = (i, j) if x[i] > x[j] else (j, i)
            rows.append((f"t{i}", f"t{j}", round(float(x[i] - x[j]))))
    truth = {f"t{k}": value for k, value in enumerate(x)}
    end = max(row[2] for row in rows)
    for options in ({"scale": (-end, end)}, {"margin": "outcome"}):
        scores = hr.hodge_rank(hr.read_comparisons(rows, **options)).score_by_item
        assert hr.metrics.kendall_tau(scores, truth) > 0.9
    wrong = hr.hodge_rank(hr.read_comparisons(rows, scale=(0, end))).score_by_item
    assert hr.metrics.kendall_tau(wrong, truth) < 0.6


def test_columns_that_may_be_margins_are_offered_as_both():
    rng = np.random.default_rng(2)
    left, right = np.array([rng.choice(6, 2, replace=False) for _ in range(200)]).T
    margin = np.round(3.0 * (left - right) + rng.normal(size=200)).astype(int)
    frame = pl.DataFrame({"home": left, "away": right, "goal_diff": margin}).with_columns(
        pl.col("home", "away").cast(pl.String)
    )
    with pytest.raises(InvalidComparisons) as error:
        hr.read_comparisons(frame)
    assert "--outcome goal_diff --scale" in str(error.value)
    assert "--margin goal_diff (if" in str(error.value)
    assert "--margin goal_diff --worse (if" in str(error.value)


def test_margins_beside_another_outcome_are_not_taken():
    frame = GAMES.with_columns(left="home", right="away", margin="home_goals").with_columns(
        winner=pl.col("home")
    )
    assert hr.read_comparisons(frame).report.margin_unit is None


def test_comparisons_refuse_infinite_margins():
    with pytest.raises(InvalidComparisons, match="outside"):
        hr.Comparisons(("a", "b"), [0], [1], [2 * LARGEST_MARGIN],
                       report=ReadReport(margin_unit="goals"))  # fmt: skip
    with pytest.raises(InvalidComparisons, match=r"outside \[-1, 1\]"):
        hr.Comparisons(("a", "b"), [0], [1], [2.0])


def test_a_description_has_their_range():
    found = hr.describe(hr.read_comparisons(GAMES, margin="home_goals-away_goals"))
    assert (found.margins.least, found.margins.most, found.graded, found.ties) == (-3, 2, 0, 2)
    assert hr.describe([("a", "b", 1)]).margins is None
