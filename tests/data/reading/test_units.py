"""A unit that was named: its answers hang together, and errors are clustered by it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from benchmarks.calibration.crowds import Crowd, fresh_rng

import hodgerank as hr
from hodgerank.errors import InvalidArgument, InvalidComparisons


@pytest.fixture
def table() -> pl.DataFrame:
    votes = hr.simulate_comparisons(5, 120, rng=1)
    prompts = [f"p{k}" for k in np.random.default_rng(2).integers(0, 15, 120)]
    return votes.to_frame("polars").with_columns(prompt=pl.Series(prompts))


def test_errors_are_clustered_by_it(table):
    votes = hr.read_comparisons(table, unit="prompt")
    assert votes.report.units == votes.n_ballots == 15
    assert votes.report.ballots == 0
    assert sorted(votes.units) == sorted(set(table["prompt"]))
    assert [votes.units[k] for k in votes.ballot] == table["prompt"].to_list()
    for rank in (hr.hodge_rank, hr.bradley_terry, hr.thurstone_mosteller):
        assert rank(votes).uncertainty == "clustered by unit (15 units)"
        assert "clustered" not in rank(votes, covariance="model").uncertainty


def test_it_is_never_recognised_by_itself(table):
    for name in ("prompt", "unit"):
        votes = hr.read_comparisons(table.rename({"prompt": name}))
        assert votes.ballot is None
        assert name in votes.report.unused


def test_estimators_that_cannot_say_so(table):
    votes = hr.read_comparisons(table, unit="prompt")
    note = "votes of one unit are treated as independent"
    graph = hr.ComparisonGraph.from_comparisons(votes)
    for rank in (hr.bayes_rank, hr.hodge_rank):
        assert any(note in said for said in rank(graph).notes)


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "pattern", "lazy", "pandas"])
def test_wherever_the_votes_are(table, kind, tmp_path):
    path = tmp_path / f"votes.{'parquet' if kind == 'pattern' else kind}"
    if kind == "csv":
        table.write_csv(path)
    elif kind in ("parquet", "pattern"):
        table.write_parquet(path)
    elif kind == "jsonl":
        table.write_ndjson(path)
    source = {
        "pattern": str(tmp_path / "*.parquet"),
        "lazy": table.lazy(),
        "pandas": table.to_pandas(),
    }.get(kind, path)
    votes = hr.read_comparisons(source, unit="prompt")
    assert [votes.units[k] for k in votes.ballot] == table["prompt"].to_list()
    assert hr.hodge_rank(votes).uncertainty == "clustered by unit (15 units)"


def test_the_same_unit_in_two_files_is_one(table, tmp_path):
    table[:70].write_csv(tmp_path / "a.csv")
    table[70:].write_csv(tmp_path / "b.csv")
    both = hr.read_comparisons([tmp_path / "a.csv", tmp_path / "b.csv"], unit="prompt")
    whole = hr.read_comparisons(table, unit="prompt")
    assert both.report.units == both.n_ballots == 15
    assert hr.hodge_rank(both).standard_errors == pytest.approx(
        hr.hodge_rank(whole).standard_errors
    )


def test_an_answer_without_a_unit_is_one_by_itself(table):
    some = table.with_columns(
        prompt=pl.when(pl.int_range(pl.len()) < 10).then(None).otherwise("prompt")
    )
    votes = hr.read_comparisons(some, unit="prompt")
    n_named = some["prompt"].drop_nulls().n_unique()
    assert votes.n_ballots == n_named + 10
    assert len(votes.units) == n_named


def test_it_takes_the_place_of_ballots():
    rows = [
        {"ballot": b, "item": i, "position": p, "page": b // 3}
        for b in range(12)
        for p, i in enumerate("abc" if b % 4 else "cab", 1)
    ]
    by_ballot, by_page = (hr.read_comparisons(rows, unit=unit) for unit in (None, "page"))
    assert (by_ballot.report.ballots, by_ballot.report.units) == (12, 0)
    assert (by_page.report.ballots, by_page.report.units) == (0, 4)
    assert hr.hodge_rank(by_ballot).uncertainty == "clustered by ballot (12 ballots)"
    assert hr.hodge_rank(by_page).uncertainty == "clustered by unit (4 units)"


def test_counts_and_tallies_have_units_too():
    rows = [
        {"left": a, "right": b, "wins_left": 3, "wins_right": k * 7 % 4, "page": k % 5}
        for k, (a, b) in enumerate([("a", "b"), ("b", "c"), ("a", "c")] * 5)
    ]
    votes = hr.read_comparisons(rows, unit="page")
    assert votes.report.units == 5
    assert hr.bradley_terry(votes).uncertainty == "clustered by unit (5 units)"


def test_selections_and_groups_keep_them(table):
    scenes = table.with_columns(scene=pl.Series(["x", "y"] * 60))
    groups = hr.read_comparisons(scenes, unit="prompt", group="scene")
    assert all(part.report.units == part.n_ballots > 5 for part in groups.values())
    assert groups.together().n_ballots == 15  # the same prompts in both scenes
    votes = hr.read_comparisons(table, unit="prompt")
    few = votes.select(np.arange(20)).compacted()
    assert [few.units[k] for k in few.ballot] == table["prompt"][:20].to_list()


def test_wrong_names(table):
    with pytest.raises(InvalidComparisons, match="did you mean prompt"):
        hr.read_comparisons(table, unit="promt")
    with pytest.raises(InvalidComparisons, match="cannot have two roles"):
        hr.read_comparisons(table, unit="left")
    with pytest.raises(InvalidArgument, match="--unit"):
        hr.hodge_rank(hr.read_comparisons(table), covariance="ballot")


def test_a_column_that_looks_like_something_else_can_be_the_unit(table):
    """`session` would be taken for the worker."""
    votes = hr.read_comparisons(table.drop("worker").rename({"prompt": "session"}), unit="session")
    assert votes.report.units == 15
    assert not votes.workers


def test_intervals_hold_where_answers_repeat():
    """Each opinion given five times over: taken for 5 answers, intervals are too short."""
    covered: dict[str, list[float]] = {"unit": [], "none": []}
    for seed in range(20):
        votes = Crowd(repeats=5, per_pair=20, n_items=6).votes(fresh_rng(seed, "repeats"))
        truth = dict(zip(votes.items, votes.truth - votes.truth.mean(), strict=True))
        frame = votes.to_frame("polars").with_columns(page=pl.Series(np.arange(len(votes)) // 5))
        for name, unit in (("unit", "page"), ("none", None)):
            ranking = hr.bradley_terry(hr.read_comparisons(frame, unit=unit))
            at = np.array([truth[item] for item in ranking.items])
            low, high = ranking.intervals.T
            covered[name].append(float(np.mean((low <= at) & (at <= high))))
    assert np.mean(covered["none"]) < 0.75
    assert np.mean(covered["unit"]) > np.mean(covered["none"]) + 0.15
