"""Columns of groups, units and populations are pointed out with the option that fits."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.data.reading import group_columns

N = 600
RNG = np.random.default_rng(3)


def votes(n_items: int = 8, n_votes: int = N, prefix: str = "item ") -> pl.DataFrame:
    """Random votes of twenty workers."""
    rng = np.random.default_rng(n_items)
    left = rng.integers(n_items, size=n_votes)
    right = (left + rng.integers(1, n_items, n_votes)) % n_items
    return pl.DataFrame(
        {
            "left": [f"{prefix}{k}" for k in left],
            "right": [f"{prefix}{k}" for k in right],
            "outcome": rng.choice([-1, 1], n_votes),
            "worker": [f"w{k}" for k in rng.integers(20, size=n_votes)],
        }
    )


VOTES = votes()
NUMBER = pl.col("left").str.extract(r"(\d+)$").cast(int)
WORKER = pl.col("worker").str.slice(1).cast(int)


def drawn(n_values: int, n_votes: int = N) -> pl.Series:
    return pl.Series([f"v{k}" for k in RNG.integers(n_values, size=n_votes)])


def notes(table: pl.DataFrame, **options: str) -> tuple[str, ...]:
    return hr.read_comparisons(table, **options).report.notes


def test_crossed_prompts_are_units_first_then_populations_then_groups():
    (note,) = notes(VOTES.with_columns(prompt=drawn(13)))
    assert note.startswith("column 'prompt' has 13 values, and most items occur with most of them.")
    places = [note.index(f"--{option} prompt") for option in ("unit", "compare", "by")]
    assert places == sorted(places)


@pytest.mark.parametrize("n_values", [2, 3])
def test_few_scenes_are_compared_because_they_do_not_show_how_votes_are_correlated(n_values):
    (note,) = notes(VOTES.with_columns(scene=drawn(n_values)))
    assert "--unit" not in note
    assert note.index("--compare scene") < note.index("--by scene")


def test_values_with_few_votes_each_are_not_to_be_ranked_separately():
    for n_values in (60, 250):
        (note,) = notes(VOTES.with_columns(prompt_id=drawn(n_values)))
        assert "--unit prompt_id" in note
        assert "--by" not in note
        assert "--compare" not in note


def test_criteria_are_questions_of_their_own():
    (note,) = notes(VOTES.with_columns(criterion=drawn(5)))
    assert "--unit" not in note
    assert note.index("--by criterion") < note.index("--compare criterion")


def test_pages_of_one_worker_each_are_units_only():
    (note,) = notes(VOTES.with_columns(task=pl.col("worker") + drawn(3)))
    assert "--unit task" in note
    assert "--compare" not in note


def test_a_column_that_splits_the_items_is_the_group_whatever_its_name():
    parts = [votes(6, 90, f"{k} ").with_columns(k=pl.lit(k), coarse=pl.lit(k[0])) for k in
             ("xa", "xb", "ya", "yb")]  # fmt: skip
    table = pl.concat(parts)
    read = hr.read_comparisons(table)
    assert "column 'k' splits the items into 4 groups" in read.report.notes[0]
    assert "--by k" in read.report.notes[0]
    assert read.report.split_by == "k"
    by_coarse = hr.read_comparisons(table.drop("k"))
    assert "--by coarse" in by_coarse.report.notes[0]
    assert by_coarse.report.split_by is None  # its groups are not connected


def test_groups_that_share_few_items_are_ranked_separately_to_be_safe():
    table = pl.concat(
        [votes(6, 90, f"{k} ").with_columns(category=pl.lit(k)) for k in ("x", "y", "z")]
    )
    links = pl.DataFrame(
        {"left": ["x 1", "x 1"], "right": ["y 1", "z 1"], "outcome": [1, 1], "worker": ["w1"] * 2,
         "category": ["y", "z"]}
    )  # fmt: skip
    table = pl.concat([table, links], how="vertical_relaxed")
    (note,) = notes(table)
    assert "only 1 of 18 items occur with more than one" in note
    assert "--unit" not in note
    assert "--by category" in note


def test_votes_without_a_value_may_connect_groups():
    table = pl.concat(
        [votes(6, 90, f"{k} ").with_columns(category=pl.lit(k)) for k in ("x", "y", "z")]
    )
    cup = votes(3, 9).with_columns(pl.lit(None, pl.String).alias("category"))
    cup = cup.with_columns(left=pl.lit("x 1"), right=pl.Series(["y 1", "z 1", "y 2"] * 3))
    assert notes(pl.concat([table, cup])) == ()


def test_a_column_gets_one_note():
    parts = [votes(6, 90, f"{k} ").with_columns(pl.col("worker") + k, group=pl.lit(k)) for k in
             ("x", "y")]  # fmt: skip
    (note,) = notes(pl.concat(parts))
    assert "--by group" in note


def test_what_each_worker_has_one_of_is_a_population():
    for name in ("country", "age_group", "group", "language"):
        (note,) = notes(VOTES.with_columns((WORKER % 3).alias(name)))
        assert "3 populations" in note
        assert f"--compare {name}" in note
        assert "--by" not in note
        assert "--unit" not in note


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("question_id", range(N)),
        pl.Series("prompt", [f"text {k}" for k in range(N)]),
        drawn(9).alias("trial"),
        drawn(9).alias("session"),
        drawn(9).alias("user"),
        drawn(9).alias("task_seconds"),
        drawn(9).alias("prompt_length"),
        drawn(9).alias("winner_category"),
        drawn(9).alias("round"),
        drawn(9).alias("Which topic did you find in the question above"),
        drawn(9).alias("^topic$"),
        drawn(9).alias(""),
        pl.Series("topic", ["2024-05-01", "2024-05-02", "03.05.2024"] * 200),
        pl.Series("topic", ["0.5", "1", "1.5"] * 200),
        pl.Series("topic", [0.5, 1.0, 1.5] * 200),
        pl.Series("topic", [True, False] * 300),
        pl.Series("topic", ["one"] * N),
        pl.Series("topic", [None] * N, dtype=pl.String),
        pl.Series("topic", [None] * 400 + ["a", "b"] * 100),
        pl.Series("topic", ["a", " ", "NA"] * 200),
        pl.Series("topic", [["a"], ["b"]] * 300),
        (NUMBER % 3).alias("category"),
        (NUMBER % 3).alias("left_category"),
        pl.concat_str(pl.min_horizontal("left", "right"), pl.max_horizontal("left", "right")).alias(
            "task"
        ),
        pl.col("worker").replace_strict({f"w{k}": f"W{k}" for k in range(20)}).alias("group"),
    ],
    ids=str,
)
def test_other_columns_are_not_called_groups(column):
    assert notes(VOTES.with_columns(column)) == ()


def test_attributes_of_both_items_are_not_groups():
    other = pl.col("right").str.extract(r"(\d+)$").cast(int)
    table = VOTES.with_columns(topic_a=drawn(4), topic_b=drawn(4), x=NUMBER % 2, y=other % 2)
    assert notes(table) == ()


def test_prompts_with_one_pair_each_are_units():
    pairs = [("a", "b"), ("b", "c"), ("a", "c")] * 4
    rows = [(left, right, 1, f"w{k}", prompt) for prompt, (left, right) in enumerate(pairs)
            for k in range(5)]  # fmt: skip
    table = pl.DataFrame(rows, ["left", "right", "outcome", "worker", "prompt"], orient="row")
    (note,) = notes(table)
    assert "--unit prompt" in note
    assert "--by" not in note


def sets_of(n_sets: int, size: int, votes_each: int) -> pl.DataFrame:
    """Votes on prompts that each show a few of thirty items."""
    rng = np.random.default_rng(5)
    rows = []
    for prompt in range(n_sets):
        items = rng.choice(30, size, replace=False)
        for k in range(votes_each):
            left, right = rng.choice(items, 2, replace=False)
            rows.append((f"i{left}", f"i{right}", 1, f"w{k % 5}", f"p{prompt}"))
    return pl.DataFrame(rows, ["left", "right", "outcome", "worker", "prompt"], orient="row")


def test_prompts_that_share_few_items_with_each_other_are_not_enough_for_one_ranking():
    (note,) = notes(sets_of(20, 6, 30))
    assert "intervals of one ranking are too short, even with --unit prompt" in note
    assert "To be safe, rank each value separately with --by prompt" in note
    (note,) = notes(sets_of(20, 6, 8))
    assert note.endswith("Collect votes on each item with more values.")
    (note,) = notes(sets_of(80, 6, 15))
    assert "intervals that allow for correlated votes, use --unit prompt" in note


def test_options_that_were_given_are_not_suggested():
    table = VOTES.with_columns(prompt=drawn(13), topic=drawn(5))
    assert notes(table, unit="prompt") == ()
    assert notes(table, group="prompt") == ()
    (note,) = notes(table, where="prompt != 'v1'")
    assert "'topic' has 5 values" in note


def test_only_rows_that_are_read_count():
    parts = [votes(6, 90, f"{k} ").with_columns(scene=pl.lit(k)) for k in ("x", "y")]
    mixed = pl.DataFrame({"left": ["x 1"], "right": ["y 1"], "outcome": [1], "worker": ["bot"],
                          "scene": ["x"]})  # fmt: skip
    table = pl.concat([*parts, mixed], how="vertical_relaxed")
    assert hr.read_comparisons(table).report.split_by is None
    assert hr.read_comparisons(table, where="worker != 'bot'").report.split_by == "scene"


def test_tables_of_counts_have_groups_too():
    table = pl.DataFrame(
        {"left": ["a", "a", "b"] * 4, "right": ["b", "c", "c"] * 4, "wins_left": [5, 7, 6] * 4,
         "wins_right": [4, 2, 3] * 4, "scene": [f"s{k // 3}" for k in range(12)]}
    )  # fmt: skip
    (note,) = notes(table)
    assert "--unit scene" in note
    assert "--by scene" in note


def test_names_are_quoted_for_the_shell():
    (note,) = notes(VOTES.with_columns(drawn(13).alias("the scene")))
    assert "--unit 'the scene' (unit='the scene')" in note


def test_values_of_any_type_can_be_read():
    for values in (
        pl.Series([2**63 + k % 13 for k in range(N)], dtype=pl.UInt64),
        pl.Series([-(k % 13) for k in range(N)], dtype=pl.Int8),
        pl.Series([2**100 + k % 13 for k in range(N)], dtype=pl.Int128),
    ):
        assert "13 values" in notes(VOTES.with_columns(prompt=values))[0]


def test_files_of_text_and_files_with_types_are_pointed_out_alike(tmp_path):
    table = VOTES.with_columns(prompt=pl.Series(RNG.integers(13, size=N)))
    table.write_csv(tmp_path / "votes.csv")
    table.write_parquet(tmp_path / "votes.parquet")
    categories = table.with_columns(pl.col("prompt").cast(pl.String).cast(pl.Categorical))
    found = {
        notes(source)
        for source in (tmp_path / "votes.csv", tmp_path / "votes.parquet", table, categories)
    }
    assert len(found) == 1


def test_of_large_tables_only_columns_named_like_groups_are_inspected(monkeypatch):
    monkeypatch.setattr(group_columns, "INSPECTED_ROWS", 100)
    parts = [votes(6, 90, f"{k} ").with_columns(k=pl.lit(k)) for k in ("x", "y")]
    table = pl.concat(parts)
    assert notes(table) == ()
    assert "--by scene" in notes(table.rename({"k": "scene"}))[0]


def test_small_files_are_pointed_out_too(write):
    by_name = "left,right,outcome,scene\nx,y,1,street\ny,x,1,beach\nx,y,1,street\ny,x,-1,beach\n"
    assert "--by scene" in hr.read_comparisons(write(by_name)).report.notes[0]
    split = "left,right,outcome,k\nx,y,1,5\ny,x,1,5\nu,v,1,6\nv,u,-1,6\n"
    assert "--by k" in hr.read_comparisons(write(split)).report.notes[0]
    mixed = "left,right,outcome,k\nx,y,1,5\ny,x,1,6\nx,y,1,6\nu,v,-1,5\n"
    assert hr.read_comparisons(write(mixed)).report.notes == ()
