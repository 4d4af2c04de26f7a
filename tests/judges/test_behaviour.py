"""JudgeBehaviour: what each judge did, counted by hand."""

from __future__ import annotations

import pytest

from hodgerank.data.items.samples import Sample
from hodgerank.judges.behaviour import STATUSES, Share, behaviour_of
from hodgerank.judges.chat_judge import ChatJudge, Judged
from hodgerank.judges.replies import Verdict
from hodgerank.types import Pair

LONG, MIDDLE, SHORT = "a long text", "some text", "text"
TEXTS = {"long": LONG, "middle": MIDDLE, "short": SHORT, "as long": LONG}


def call(left, right, outcome, model="m", context=""):
    status = "abstained" if outcome is None else "answered"
    return Judged(Pair(left, right), context, model, Verdict(status, outcome))


def behaviour(*calls, items=TEXTS, models="m"):
    judge = ChatJudge(items, "Which?", models, base_url="http://127.0.0.1:9/v1")
    judge.judged += calls
    return behaviour_of(judge)


def test_a_share_is_so_many_of_so_many():
    assert str(Share(1, 3)) == "1 of 3"
    assert str(Share(1000, 2000)) == "1,000 of 2,000"
    assert str(Share(0, 0)) == ""


def test_all_kinds_of_endings_are_counted_and_all_are_there():
    (found,) = behaviour(
        call("long", "short", 1), call("short", "long", 0), call("long", "middle", None)
    )
    assert found.statuses == dict.fromkeys(STATUSES, 0) | {"answered": 2, "abstained": 1}
    assert tuple(found.statuses) == STATUSES


def test_failed_calls_are_those_of_the_ledger():
    judge = ChatJudge(TEXTS, "Which?", "m", base_url="http://127.0.0.1:9/v1")
    for status in ("failed", "failed", "answered"):
        with judge.ledger.reserve("m", 10, 1) as reserved:
            reserved.settle(10, 1, status=status)
    judge.judged.append(call("long", "short", 1.0))
    (found,) = behaviour_of(judge)
    assert (found.statuses["failed"], found.statuses["answered"], found.cost.calls) == (2, 1, 1)


def test_judges_come_in_the_order_of_the_panel():
    found = behaviour(
        call("long", "short", 1, "y"), call("long", "short", 1, "x"), models=["x", "y"]
    )
    assert [who.model for who in found] == ["x", "y"]
    assert [who.statuses["answered"] for who in found] == [1, 1]


def test_the_longer_text_is_counted_among_decided_answers_on_texts_of_different_length():
    (found,) = behaviour(
        call("long", "short", 1),  # the longer
        call("long", "short", 0.2),  # the longer, a little
        call("short", "middle", -1),  # the longer
        call("middle", "long", 1),  # the shorter
        call("long", "as long", 1),  # neither
        call("long", "middle", 0),  # a tie
        call("long", "middle", None),  # no answer
    )
    assert found.longer == Share(3, 4)


def test_images_have_no_length(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + name.encode())
    (found,) = behaviour(call("one", "two", 1), items=tmp_path)
    assert found.longer == Share(0, 0)


def test_the_same_item_in_both_orders():
    (found,) = behaviour(
        call("long", "short", 1), call("short", "long", -1),  # the same item
        call("long", "middle", 1), call("middle", "long", 1),  # the first each time
        call("middle", "short", 1),  # one order only
        call("as long", "short", 1), call("short", "as long", 0),  # a tie is no decision
        call("as long", "middle", 1), call("middle", "as long", None),  # nor is silence
    )  # fmt: skip
    assert found.both_orders == Share(1, 2)


def test_whoever_changes_their_mind_in_one_order_is_not_the_same_in_both():
    (found,) = behaviour(
        call("long", "short", 1), call("long", "short", -1), call("short", "long", -1)
    )
    assert found.both_orders == Share(0, 1)


@pytest.mark.parametrize(("context", "share"), [("x", Share(1, 1)), ("y", Share(0, 0))])
def test_orders_are_compared_within_a_context(context, share):
    items = {name: [Sample(f"{name} {c}", context=c) for c in "xy"] for name in ("a", "b")}
    (found,) = behaviour(call("a", "b", 1, "m", "x"), call("b", "a", -1, "m", context), items=items)
    assert found.both_orders == share


def test_orders_are_compared_within_a_judge():
    calls = (call("long", "short", 1, "x"), call("short", "long", -1, "y"))
    assert [who.both_orders for who in behaviour(*calls, models=["x", "y"])] == [Share(0, 0)] * 2
