"""Published files of judgments on language models are read without options."""

from __future__ import annotations

import json

import polars as pl
import pytest

from hodgerank import read_comparisons
from hodgerank.errors import InvalidComparisons

LONG = "An answer of which nobody wants to see the whole text in a table of results, number {}."


def votes_of(tmp_path, rows, name="votes.jsonl", **options):
    path = tmp_path / name
    lines = name.endswith("jsonl")
    path.write_text("\n".join(map(json.dumps, rows)) if lines else json.dumps(rows))
    return read_comparisons(path, **options)


def listed(votes) -> list[tuple[str, str, float]]:
    return [
        (str(votes.items[left]), str(votes.items[right]), round(float(outcome), 3))
        for left, right, outcome in zip(votes.left, votes.right, votes.outcome, strict=True)
    ]


def annotation(preference, k=0):
    return {
        "dataset": "made", "instruction": f"Write poem {k % 2}", "annotator": "some-judge",
        "output_1": LONG.format(k), "generator_1": "old", "output_2": LONG.format(-k),
        "generator_2": "new", "preference": preference,
    }  # fmt: skip


def test_annotations_of_alpaca_eval_compare_generators(tmp_path):
    preferences = [1, 2, 1.5, 1.75, None, 0]
    rows = [annotation(preference, k) for k, preference in enumerate(preferences)]
    votes = votes_of(tmp_path, rows, "annotations.json")
    assert listed(votes) == [
        ("old", "new", 1.0), ("old", "new", -1.0), ("old", "new", 0.0), ("old", "new", -0.5),
        ("old", "new", 0.0),
    ]  # fmt: skip
    assert votes.report.unanswered == 1
    assert votes.workers == ("some-judge",)
    assert "AlpacaEval" in votes.report.layout
    assert not votes.display_known.any()


def test_whole_preferences_of_alpaca_eval_have_the_same_meaning(tmp_path):
    votes = votes_of(tmp_path, [annotation(1), annotation(2)], "annotations.json")
    assert listed(votes) == [("old", "new", 1.0), ("old", "new", -1.0)]


def test_instructions_of_alpaca_eval_can_be_units_or_groups(tmp_path):
    rows = [annotation(1 + k % 2, k) for k in range(6)]
    assert votes_of(tmp_path, rows, unit="instruction").n_ballots == 2
    assert len(votes_of(tmp_path, rows, group="instruction")) == 2


@pytest.mark.parametrize("preference", [3, -1, "first"])
def test_other_preferences_are_an_error(tmp_path, preference):
    rows = [annotation(1), annotation(2), annotation(preference)]
    with pytest.raises(InvalidComparisons, match="1 of 3 rows are invalid"):
        votes_of(tmp_path, rows)


def game(first, second, **more):
    return {
        "question_id": 81, "model_1": "small", "model_2": "large", "g1_winner": first,
        "g2_winner": second, "judge": ["some-judge", "pair-v2"], "turn": 1, "tstamp": 17.5, **more,
    }  # fmt: skip


def test_judgments_of_mt_bench_are_two_votes_in_both_orders(tmp_path):
    rows = [game("model_1", "model_2"), game("tie", "model_1"), game("model_2", "error")]
    votes = votes_of(tmp_path, rows)
    assert listed(votes) == [
        ("small", "large", 1.0), ("large", "small", 1.0),
        ("small", "large", 0.0), ("large", "small", -1.0),
        ("small", "large", -1.0),
    ]  # fmt: skip
    assert votes.report.skipped == 1
    assert votes.workers == ("some-judge pair-v2",)
    assert votes.display_known.all()
    assert votes.ballot.tolist() == [0, 0, 1, 1, 2]
    assert "MT-Bench" in votes.report.layout


def test_a_judge_of_mt_bench_who_prefers_the_first_place_prefers_left(tmp_path):
    first = [game("model_1", "model_2", question_id=k) for k in range(9)]
    votes = votes_of(tmp_path, first)
    assert votes.outcome[votes.display_known].tolist() == [1.0] * 18
    same = votes_of(tmp_path, [game("model_1", "model_1", question_id=k) for k in range(9)])
    assert same.outcome.mean() == 0


@pytest.mark.parametrize("word", ["small", "model_a", "left", "1", "-1"])
def test_unknown_words_of_mt_bench_are_an_error(tmp_path, word):
    rows = [game("model_1", word), game("tie", "tie")]
    with pytest.raises(InvalidComparisons, match=f"row 1: '{word}' in column 'g2_winner'"):
        votes_of(tmp_path, rows)
    votes = votes_of(tmp_path, rows, skip_invalid=True)
    assert (len(votes), votes.report.rejected) == (3, 1)


def test_human_judgments_of_mt_bench_are_read(tmp_path):
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    rows = [
        {"question_id": 81, "model_a": "small", "model_b": "large", "winner": winner, "turn": 1,
         "judge": "author_2", "conversation_a": talk, "conversation_b": talk}
        for winner in ("model_a", "model_b", "tie")
    ]  # fmt: skip
    votes = votes_of(tmp_path, rows)
    assert [outcome for _, _, outcome in listed(votes)] == [1.0, -1.0, 0.0]
    assert votes.workers == ("author_2",)


def arena(*scores, **more):
    games = [None if s == "failed" else {"score": s, "judgment": {"answer": "x"}} for s in scores]
    return {"uid": "q1", "model": "new", "judge": "some-judge", "games": games, **more}


def test_judgments_of_arena_hard_are_graded_votes_in_both_orders(tmp_path):
    rows = [
        arena("A>B", "A>>B", baseline="old"),
        arena("A=B", "B>A", baseline="old"),
        arena("B>>A", None, baseline="old"),
        arena("A<B", "failed", baseline="old"),
        arena("B<<A", baseline="old"),
    ]
    votes = votes_of(tmp_path, rows)
    assert listed(votes) == [
        ("old", "new", 0.5), ("new", "old", 1.0),
        ("old", "new", 0.0), ("new", "old", -0.5),
        ("old", "new", -1.0),
        ("old", "new", -0.5),
        ("old", "new", 1.0),
    ]  # fmt: skip
    assert votes.report.unanswered == 2
    assert votes.display_known.all()
    assert votes.report.notes == ()
    assert "Arena-Hard" in votes.report.layout


def test_a_baseline_without_a_name_is_called_baseline(tmp_path):
    votes = votes_of(tmp_path, [arena("A>B", "B>A"), arena("A=B", "A=B")])
    assert votes.items == ("baseline", "new")
    assert votes.report.notes == ("no column names the baseline: it is the item 'baseline'",)


def test_files_of_several_models_are_read_together(tmp_path):
    for model in ("new", "newer"):
        row = {**arena("A>B", "B>A"), "model": model}
        (tmp_path / f"{model}.jsonl").write_text(json.dumps(row))
    assert read_comparisons(str(tmp_path / "*.jsonl")).items == ("baseline", "new", "newer")


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ([{"score": "A>B"}] * 3, "a row of Arena-Hard has two games"),
        ([{"verdict": "A>B"}], "not a list of games with a score"),
        ("A>B", "not a list of games with a score"),
        (3, "not a list of games with a score"),
        ([{"score": "C>A"}, {"score": "A>B"}], "row 1: 'C>A' in column 'games' is not one of A>>B"),
        ([{"score": 1}, {"score": -1}], "row 1: '1' in column 'games' is not one of"),
        ([], "no rows"),
    ],
)
def test_other_games_are_an_error(tmp_path, games, message):
    with pytest.raises(InvalidComparisons) as caught:
        votes_of(tmp_path, [{**arena(), "games": games}])
    assert message in str(caught.value)


def test_a_file_without_any_verdict_does_not_spoil_the_others(tmp_path):
    assert len(votes_of(tmp_path, [arena("failed", "failed"), arena("A>B", None)])) == 1
    with pytest.raises(InvalidComparisons, match="none of the 2 rows is a vote"):
        votes_of(tmp_path, [arena("failed", "failed")])


def battles():
    talk = [{"role": "user", "content": "Hi"}]
    return [
        {"model_a": f"m{k % 3}", "model_b": f"m{(k + 1) % 3}", "winner": winner, "turn": 1,
         "judge": f"arena_user_{k}", "conversation_a": talk, "conversation_b": talk,
         "language": "English",
         "category_tag": {"math_v0.1": {"math": k % 2 == 0}, "criteria_v0.1": {"clear": True}}}
        for k, winner in enumerate(["model_a", "model_b", "tie", "tie (bothbad)"] * 3)
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["json", "jsonl", "parquet"])
def test_fields_of_nested_columns_are_columns_with_dots(tmp_path, form):
    path = tmp_path / f"battles.{form}"
    if form == "parquet":
        pl.DataFrame(battles()).write_parquet(path)
    else:
        votes_of(tmp_path, battles(), path.name)
    votes = read_comparisons(path)
    assert (len(votes), votes.report.both_bad_ties) == (12, 3)
    by = read_comparisons(path, group="category_tag.math_v0.1.math")
    assert {name: len(part) for name, part in by.items()} == {"false": 6, "true": 6}
    math = read_comparisons(path, where='"category_tag.math_v0.1.math" = true')
    assert len(math) == 6
    if form != "parquet":  # which is filtered while it is read
        assert math.report.filtered == 6


def test_a_field_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(InvalidComparisons, match=r"there is no column .category_tag\.physics"):
        votes_of(tmp_path, battles(), group="category_tag.physics")
    with pytest.raises(InvalidComparisons, match="there is no column"):
        votes_of(tmp_path, battles(), where='"category_tag.physics" = true')


def test_unused_nested_columns_are_not_read(tmp_path, monkeypatch):
    from hodgerank.data.sources.frames import Frame

    asked: list[str] = []
    rows = Frame.rows

    def noted(self, columns):
        asked.extend(columns)
        return rows(self, columns)

    monkeypatch.setattr(Frame, "rows", noted)
    votes_of(tmp_path, battles())
    assert "language" in asked
    assert not {"conversation_a", "conversation_b", "category_tag"} & set(asked)


def test_names_of_systems_are_items_beside_their_long_texts(tmp_path):
    rows = [
        {"response_1": LONG.format(k), "response_2": LONG.format(-k), "policy_1": "old",
         "policy_2": "new", "label": [1, -1][k % 2]}
        for k in range(6)
    ]  # fmt: skip
    votes = votes_of(tmp_path, rows)
    assert votes.items == ("new", "old")
    assert "policy_1, policy_2, label" in votes.report.layout


def test_short_responses_remain_the_items(tmp_path):
    rows = [
        {"response_1": "yes", "response_2": "no", "policy_1": "old", "policy_2": "new", "label": y}
        for y in (1, -1, 1, 1)
    ]
    assert votes_of(tmp_path, rows).items == ("no", "yes")


def test_texts_remain_the_items_where_two_pairs_might_name_them(tmp_path):
    rows = [
        {"response_1": LONG.format(k % 3), "response_2": LONG.format(3 + k % 2), "policy_1": "p",
         "policy_2": "q", "engine_1": "e", "engine_2": "f", "label": [1, -1][k % 2]}
        for k in range(6)
    ]  # fmt: skip
    assert votes_of(tmp_path, rows).n_items == 5
