"""The section on the judges, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import hodgerank as hr
from hodgerank.judges.behaviour import STATUSES, Asked, JudgeBehaviour, Share, judges_section
from hodgerank.judges.prices import ModelCost
from hodgerank.reporting.blocks import Bullets, Paragraph

NAN = float("nan")
VOTES = hr.read_comparisons(
    [("tea", "milk", 1, "x"), ("milk", "cola", 1, "x"), ("cola", "tea", -1, "y")]
)

OFTEN = hr.read_comparisons([*zip("abcd", "bcda", [1] * 4, strict=True)] * 2)


def behaviour(model, counts, both=(0, 0), longer=(0, 0), **cost):
    statuses = dict(zip(STATUSES, counts, strict=True))
    plain = {"retries": 0, "estimated_calls": 0, "cost": None, "currency": "", "seconds": 0.0}
    row = ModelCost(
        model=model,
        calls=sum(counts) - statuses["failed"],
        statuses=statuses,
        **{"prompt_tokens": 0, "completion_tokens": 0, **plain, **cost},
    )
    return JudgeBehaviour(model, statuses, Share(*both), Share(*longer), row)


X = behaviour("x", (10, 1, 0, 2, 3), (3, 4), (2, 3), prompt_tokens=1500, seconds=6.5)
Y = behaviour("y", (0, 0, 0, 0, 0))


def section(judges=(X, Y), *, votes=VOTES, workers=None, **asked):
    found = SimpleNamespace(votes=votes, trust=SimpleNamespace(workers=workers))
    plain = {"question": "Which?", "n_contexts": 0, "share": 1.0, "n_left": 7, "unjudged": ()}
    return judges_section(found, Asked(judges=judges, **plain | asked))


def leaning(*leans):
    """What is known of workers: a name, a lean and its p-value each."""
    names, biases, p_values = zip(*leans, strict=True)
    return SimpleNamespace(workers=names, position_bias=biases, position_bias_p_value=p_values)


def said(block):
    return " ".join(map(str, block.texts))


def in_total(*judges, **more):
    return said(section(judges, **more).blocks[0])


def leans(*leans):
    found = section(workers=leaning(*leans)).blocks[3]
    return [str(text) for text in found.texts]


def test_the_question_comes_first():
    assert said(section().blocks[0]).startswith("Question: Which? ")
    assert section().key == "judges"


def test_a_question_gives_no_orders_to_a_terminal():
    assert "\x1b" not in said(section(question="Which\x1b[31m?\n\nNow").blocks[0])


def test_endings_are_added_up_over_judges():
    words = in_total(X, behaviour("z", (5, 1, 4, 0, 0), prompt_tokens=10, completion_tokens=2))
    assert "15 calls returned an answer" in words
    assert "2 abstained, 4 were refused, 2 could not be interpreted and 3 failed" in words
    assert "used 1,512 tokens" in words


@pytest.mark.parametrize(
    ("costs", "words"),
    [((1.5, 0.25), "They cost 1.75 EUR."), ((1.5, None), ""), ((None, None), "")],
)
def test_what_it_cost_is_said_where_all_of_it_is_known(costs, words):
    judges = (behaviour("x", (1, 0, 0, 0, 0), cost=cost, currency="EUR") for cost in costs)
    text = in_total(*judges)
    assert words in text
    assert ("They cost" in text) == bool(words)


def test_money_may_have_no_name():
    assert "They cost 2." in in_total(behaviour("x", (1, 0, 0, 0, 0), cost=2.0))


@pytest.mark.parametrize(
    ("n", "words"),
    [(1, "1 call did not report its tokens"), (2, "2 calls did not report their tokens")],
)
def test_tokens_that_are_estimated_are_said_to_be(n, words):
    assert words in in_total(behaviour("x", (2, 0, 0, 0, 0), estimated_calls=n))
    assert "did not report" not in in_total(X)


@pytest.mark.parametrize(
    ("n_left", "words"),
    [
        (0, "Every question has been put to these judges"),
        (1, "1 more question can be put to these judges"),
        (1234, "1,234 more questions can be put to these judges"),
    ],
)
def test_what_is_left_is_said(n_left, words):
    assert words in in_total(X, n_left=n_left)


def test_items_without_an_answer_are_named():
    assert "1 item has no votes and is not in this report: a." in in_total(X, unjudged=["a"])
    many = in_total(X, unjudged=list("abcdefg"))
    assert "7 items have no votes and are not in this report" in many
    assert many.endswith("a, b, c, d, e ....")
    assert "not in this report" not in in_total(X)


def test_replies_and_what_they_took_stand_in_a_table():
    table = section().blocks[1]
    assert [str(name) for name in table.header] == [
        "judge", "answers", "abstained", "refused", "not interpretable", "failed", "tokens",
        "s per call",
    ]  # fmt: skip
    assert table.rows[0] == ("x", "10", "1", "0", "2", "3", "1,500", "0.5")  # 6.5 s, 13 replies
    assert table.rows[1] == ("y", "0", "0", "0", "0", "0", "0", "")


def test_habits_stand_in_a_table():
    first, second = section().blocks[2].rows
    assert first[0] == "x"
    assert first[1].endswith(")")
    assert "%" in first[1]
    assert first[2:] == ("3 of 4", "67%", "")
    assert second[2:] == ("", "", "")


def test_who_gave_no_answer_is_not_said_to_choose():
    silent = behaviour("silent", (0, 5, 0, 0, 0))
    assert section((X, silent)).blocks[2].rows[1] == ("silent", "", "", "", "")


def test_a_lean_is_said_with_its_side_and_how_sure_it_is():
    first, second = leans(("x", 0.3, 0.0001), ("y", -0.3, 0.009))
    assert first.startswith("“x” prefers the item shown first: with two equal items")
    assert "p < .001" in first
    assert second.startswith("“y” prefers the item shown second: with two equal items")
    assert "p = .009" in second


@pytest.mark.parametrize("unsure", [("x", 0.3, 0.02), ("x", NAN, NAN), ("z", 0.3, 0.001)])
def test_a_lean_that_may_be_chance_is_not_said(unsure):
    block = section(workers=leaning(unsure)).blocks[3]
    assert isinstance(block, Paragraph)
    assert said(block).startswith("No judge shows a significant position bias")


def test_without_workers_no_lean_is_said():
    assert said(section().blocks[3]).startswith("No judge shows a significant position bias")


def test_one_that_leans_among_others_is_a_list_of_one():
    block = section(workers=leaning(("x", 0.1, 0.5), ("y", 0.4, 0.001))).blocks[3]
    assert isinstance(block, Bullets)
    assert [str(text)[:11] for text in block.texts] == ["“y” prefers"]


def test_contexts_are_said_to_hang_together_where_that_shows_or_cannot_be_told():
    words = [said(section(votes=OFTEN, n_contexts=n).blocks[-1]) for n in (0, 1, 3, 4)]
    assert ["are correlated" in text for text in words] == [False, False, True, False]
    assert "There are 3 contexts" in words[2]
    counted = said(section(votes=OFTEN, n_contexts=20, share=0.61).blocks[-1])
    assert "counts as 61% of an independent vote" in counted


def test_hostile_names_of_models_are_cut_and_visible():
    hostile = behaviour("\x1b[31m" + "m" * 500, (1, 0, 0, 0, 0))
    name = section((hostile,)).blocks[1].rows[0][0]
    assert "\x1b" not in name
    assert len(name) < 100


def test_retired_judges_notes_and_suspicious_items_are_listed():
    told = section(
        retired={"y": "HTTP 401"}, notes=["3 calls are ignored"], suspicious=["tea", "milk"]
    ).blocks[3]
    first, second, third = map(str, told.texts)
    assert first.startswith("“y” was retired during the run")
    assert first.endswith("HTTP 401")
    assert second == "3 calls are ignored."
    assert "The texts of 2 items seem to address the judge: tea, milk." in third.replace(
        "“", ""
    ).replace("”", "")


def test_a_judge_with_favourites_is_not_called_careless(monkeypatch):
    from hodgerank.judges import behaviour as module
    from hodgerank.judges.preferences import JudgePreferences, OwnFamily

    found = JudgePreferences({"x": 0.5}, {"x": ("tea",)}, OwnFamily(2.0, 0.4, 2))
    monkeypatch.setattr(module, "judge_preferences", lambda votes, families: found)
    workers = SimpleNamespace(
        workers=("x",), position_bias=(0.0,), position_bias_p_value=(1.0,), flag=("careless",)
    )
    blocks = section(workers=workers).blocks
    first, second, third = (str(text) for text in blocks[4].texts)
    assert first == "“x” rates 1 item higher than the other judges do: tea."
    assert second == (
        "The warning about “x” may come from this preference, not from random answers."
    )
    assert third.startswith("Judges prefer items of their own family: such an item would win 88%")
    assert blocks[2].rows[0][-1] == "0.50"
