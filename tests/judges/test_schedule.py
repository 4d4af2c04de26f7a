"""JudgeSchedule: who is asked what, and how often."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hodgerank.data.items.item_table import Row
from hodgerank.data.items.judged_items import JudgedItems
from hodgerank.data.items.samples import Sample
from hodgerank.errors import InvalidComparisons
from hodgerank.judges.panel import JudgeSchedule
from hodgerank.types import Pair

PLAIN = JudgedItems.of({item: f"text of {item}" for item in "abcdef"})
AB = Pair("a", "b")


def with_contexts(contexts_by_item):
    return JudgedItems.of(
        {
            item: [Sample(f"{item} on {context}", context=context) for context in contexts]
            for item, contexts in contexts_by_item.items()
        }
    )


def three_contexts(items="abcdef"):
    return with_contexts(dict.fromkeys(items, ("tea", "milk", "jam")))


def all_turns(turns, pair):
    return list(iter(lambda: turns.next(pair), None))


def question(turn):
    return turn.pair, turn.model, turn.showing.key, turn.repeat


def test_models_are_asked_about_a_pair_in_their_order_and_once_each():
    turns = JudgeSchedule(PLAIN, ["x", "y", "z"], 1, seed=0)
    assert [turn.model for turn in all_turns(turns, AB)] == ["x", "y", "z"]
    assert turns.next(AB) is None


def test_a_model_can_be_named_and_others_keep_their_turns():
    turns = JudgeSchedule(PLAIN, ["x", "y"], 1, seed=0)
    assert turns.next(AB, "y").model == "y"
    assert turns.next(AB, "y") is None
    assert turns.next(AB).model == "x"
    assert turns.next(AB) is None


def test_the_other_order_is_another_question():
    turns = JudgeSchedule(PLAIN, ["x"], 1, seed=0)
    assert turns.next(AB).showing.left.text == "text of a"
    assert turns.next(AB) is None
    assert turns.next(Pair("b", "a")).showing.left.text == "text of b"


def test_models_get_equally_many_pairs():
    turns = JudgeSchedule(PLAIN, ["x", "y", "z"], 1, seed=0)
    counts = Counter(turns.next(Pair(*pair)).model for pair in combinations("abcdef", 2))
    assert counts == {"x": 5, "y": 5, "z": 5}


def test_contexts_get_equally_many_pairs():
    turns = JudgeSchedule(three_contexts(), ["x"], 1, seed=0)
    counts = Counter(turns.next(Pair(*pair)).showing.key for pair in combinations("abcdef", 2))
    assert counts == {"tea": 5, "milk": 5, "jam": 5}


def test_a_pair_is_shown_in_every_context_before_any_comes_again():
    turns = JudgeSchedule(three_contexts(), ["x", "y"], 2, seed=4)
    keys = [turn.showing.key for turn in all_turns(turns, AB)]
    for start in range(0, 12, 3):
        assert set(keys[start : start + 3]) == {"tea", "milk", "jam"}


def test_the_other_order_of_a_pair_begins_with_what_was_not_shown():
    turns = JudgeSchedule(three_contexts(), ["x"], 1, seed=0)
    keys = {turns.next(pair).showing.key for pair in (AB, Pair("b", "a"), AB)}
    assert keys == {"tea", "milk", "jam"}


def test_the_other_order_of_a_pair_goes_to_another_model():
    turns = JudgeSchedule(PLAIN, ["x", "y"], 1, seed=0)
    assert {turns.next(pair).model for pair in (AB, Pair("b", "a"))} == {"x", "y"}


def test_nothing_is_asked_again_before_everything_was_asked():
    turns = JudgeSchedule(three_contexts(), ["x", "y"], 3, seed=1)
    assert [turn.repeat for turn in all_turns(turns, AB)] == [0] * 6 + [1] * 6 + [2] * 6


def test_a_question_that_is_given_back_comes_again():
    turns = JudgeSchedule(PLAIN, ["x", "y"], 1, seed=0)
    first, _ = all_turns(turns, AB)
    turns.give_back(first)
    assert turns.next(AB) == first
    assert turns.next(AB) is None


def test_what_is_given_back_does_not_count_as_use_of_its_model():
    turns = JudgeSchedule(PLAIN, ["x", "y"], 1, seed=0)
    for _ in range(5):
        turns.give_back(turns.next(AB))
    counts = Counter(turns.next(Pair(*pair)).model for pair in combinations("abcd", 2))
    assert counts == {"x": 3, "y": 3}


def test_a_repetition_that_is_given_back_is_the_one_that_comes_again():
    """Were it another, its reply would be taken from the log and not from the model."""
    turns = JudgeSchedule(PLAIN, ["x"], 3, seed=0)
    first, second, third = all_turns(turns, AB)
    turns.give_back(first)
    assert turns.next(AB) == first
    turns.give_back(second)
    turns.give_back(third)
    assert all_turns(turns, AB) == [second, third]


def test_a_question_of_a_log_is_not_asked_again():
    turns, again = (JudgeSchedule(three_contexts(), ["x", "y"], 2, seed=0) for _ in range(2))
    asked = all_turns(turns, AB)
    for turn in asked[::2]:
        again.take(turn)
    assert {*map(question, all_turns(again, AB))} == {*map(question, asked[1::2])}


def test_items_without_a_common_context_have_no_turn():
    turns = JudgeSchedule(with_contexts({"a": "xy", "b": "yz", "c": "z"}), ["m"], 1, seed=0)
    assert turns.n_open(Pair("a", "c")) == 0
    assert turns.next(Pair("a", "c")) is None


def in_tracks(tracks_by_item):
    return JudgedItems(
        [Row(item, item, Sample(f"text of {item}"), t) for item, t in tracks_by_item.items()],
        "items",
    )


def test_items_of_different_tracks_have_no_turn():
    turns = JudgeSchedule(in_tracks({"a": "x", "b": "x", "c": "y", "d": "y"}), ["m"], 1, seed=0)
    assert turns.n_open(Pair("a", "c")) == 0
    assert turns.next(Pair("c", "a")) is None
    assert turns.open_pairs == [("a", "b"), ("c", "d")]


def test_only_questions_within_tracks_are_counted():
    turns = JudgeSchedule(
        in_tracks({"a": "x", "b": "x", "c": "x", "d": "y", "e": "y"}), ["m", "n"], 1, 0
    )
    found = [turn for pair in permutations("abcde", 2) for turn in all_turns(turns, Pair(*pair))]
    assert len(found) == turns.total == 2 * (6 + 2)
    assert turns.n_left == 0


def test_what_is_left_is_what_was_not_asked():
    turns = JudgeSchedule(three_contexts("abc"), ["x", "y"], 1, seed=0)
    assert turns.n_left == turns.total == 36
    taken = [turns.next(AB) for _ in range(4)]
    assert turns.n_left == 32
    turns.give_back(taken[0])
    assert turns.n_left == 33


def test_what_a_log_holds_of_other_models_and_further_repetitions_leaves_as_much():
    """A panel may be changed between two runs, and repeats may be fewer."""
    earlier = JudgeSchedule(PLAIN, ["x", "y"], 2, seed=0)
    turns = JudgeSchedule(PLAIN, ["y", "z"], 1, seed=0)
    for turn in all_turns(earlier, AB):
        turns.take(turn)
    assert turns.n_left == turns.total - 1  # y, once
    assert [turn.model for turn in all_turns(turns, AB)] == ["z"]


def test_more_repetitions_in_a_log_do_not_close_the_other_order():
    earlier = JudgeSchedule(PLAIN, ["x"], 2, seed=0)
    turns = JudgeSchedule(PLAIN, ["x"], 1, seed=0)
    for turn in all_turns(earlier, AB):
        turns.take(turn)
    assert turns.n_open(AB) == 1
    assert turns.open_pairs is None
    assert [turn.pair for turn in all_turns(turns, Pair("b", "a"))] == [("b", "a")]


def test_pairs_are_open_until_all_is_asked_about_them():
    turns = JudgeSchedule(JudgedItems.of(dict.fromkeys("abc", "same")), ["x"], 1, seed=0)
    assert turns.open_pairs is None  # all
    turns.next(AB)
    assert turns.open_pairs is None
    turns.next(Pair("b", "a"))
    assert turns.open_pairs == [("a", "c"), ("b", "c")]
    for pair in permutations("abc", 2):
        turns.next(Pair(*pair))
    assert (turns.open_pairs, turns.n_left) == ([], 0)


def test_pairs_that_share_no_context_are_never_open():
    turns = JudgeSchedule(with_contexts({"a": "xy", "b": "yz", "c": "z"}), ["m"], 1, seed=0)
    assert turns.open_pairs == [("a", "b"), ("b", "c")]


def test_pairs_closed_for_another_model_are_open():
    earlier = JudgeSchedule(PLAIN, ["x"], 1, seed=0)
    turns = JudgeSchedule(PLAIN, ["y"], 1, seed=0)
    for pair in (AB, Pair("b", "a")):
        turns.take(earlier.next(pair))
    assert turns.open_pairs is None


def test_the_seed_decides_where_pairs_begin():
    items = three_contexts("abcdefgh")
    pairs = [Pair(*pair) for pair in combinations("abcdefgh", 2)]

    def firsts(seed):
        return [JudgeSchedule(items, ["x"], 1, seed).next(pair).showing.key for pair in pairs]

    assert firsts(1) == firsts(1)
    assert firsts(1) != firsts(2)
    assert set(firsts(1)) == {"tea", "milk", "jam"}  # not all with the first


def test_the_same_questions_in_the_same_order_with_the_same_seed():
    items = three_contexts()
    pairs = [Pair(*pair) for pair in permutations("abcdef", 2)] * 2
    one, other = (JudgeSchedule(items, ["x", "y"], 1, seed=7) for _ in range(2))
    assert [one.next(pair) for pair in pairs] == [other.next(pair) for pair in pairs]


@pytest.mark.parametrize("n_models", [1, 3])
@pytest.mark.parametrize("repeats", [1, 2])
def test_plain_items_are_asked_as_often_as_counted(n_models, repeats):
    turns = JudgeSchedule(PLAIN, list("xyz")[:n_models], repeats, seed=0)
    assert turns.n_open(AB) == 2 * n_models * repeats
    found = [turn for pair in permutations("abcdef", 2) for turn in all_turns(turns, Pair(*pair))]
    assert turns.total == len(found) == len({*map(question, found)})
    assert turns.n_open(AB) == 0


@given(
    contexts=st.lists(st.sets(st.sampled_from("1234"), min_size=1), min_size=2, max_size=5),
    n_models=st.integers(1, 3),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_what_can_be_asked_is_what_is_asked_in_the_end(contexts, n_models, repeats, seed):
    names = "abcde"[: len(contexts)]
    try:
        items = with_contexts(dict(zip(names, map(sorted, contexts), strict=True)))
    except InvalidComparisons:  # no two share a context
        assume(False)
    turns = JudgeSchedule(items, list("xyz")[:n_models], repeats, seed)
    total = 0
    for one, other in combinations(names, 2):
        n_open = turns.n_open(Pair(other, one))
        both = all_turns(turns, Pair(one, other)) + all_turns(turns, Pair(other, one))
        assert len({*map(question, both)}) == len(both) == n_open
        total += len(both)
    assert turns.total == total
    assert turns.n_left == 0
