"""Allowance: how often a pair may still be asked."""

from __future__ import annotations

import pytest

import hodgerank as hr
from hodgerank.collecting.run_async import Allowance
from hodgerank.errors import InvalidArgument
from hodgerank.types import Pair

AB, BA, AC = Pair("a", "b"), Pair("b", "a"), Pair("a", "c")


def sampler(*told):
    found = hr.AutoSampler(["a", "b", "c"])
    for pair in told:
        found.tell(pair, 1)
    return found


def used_up(allowance):
    return {frozenset(pair) for pair in allowance.used_up}


def test_a_pair_is_asked_so_often_and_no_more_either_way_round():
    allowance = Allowance(sampler(), 3)
    assert [allowance.take(pair) for pair in (AB, BA, AB, BA, AB)] == [True] * 3 + [False] * 2


def test_pairs_are_counted_apart():
    allowance = Allowance(sampler(), 1)
    assert [allowance.take(pair) for pair in (AB, AC, BA)] == [True, True, False]


def test_a_pair_is_used_up_with_the_last_time_it_may_be_asked():
    allowance = Allowance(sampler(), 2)
    allowance.take(AB)
    assert used_up(allowance) == set()
    allowance.take(BA)
    assert used_up(allowance) == {frozenset("ab")}


def test_earlier_answers_count_either_way_round():
    allowance = Allowance(sampler(AB, BA, AC), 2)
    assert used_up(allowance) == {frozenset("ab")}
    assert not allowance.take(AB)
    assert allowance.take(AC)


def test_more_answers_than_may_be_asked_are_no_error():
    allowance = Allowance(sampler(AB, AB, AB), 1)
    assert not allowance.take(BA)


def test_a_function_tells_how_often_each_pair_may_be_asked():
    most = {frozenset("ab"): 2, frozenset("ac"): 0, frozenset("bc"): 1}
    allowance = Allowance(sampler(), lambda pair: most[frozenset(pair)])
    assert [allowance.take(pair) for pair in (AB, BA, AB)] == [True, True, False]
    assert not allowance.take(AC)
    assert used_up(allowance) == {frozenset("ab"), frozenset("ac")}


def test_a_function_tells_how_often_from_now_on():
    allowance = Allowance(sampler(AB, BA), lambda pair: 1)
    assert used_up(allowance) == set()
    assert [allowance.take(pair) for pair in (AB, BA)] == [True, False]


@pytest.mark.parametrize("per_pair", [0, -1])
def test_a_number_is_at_least_one(per_pair):
    with pytest.raises(InvalidArgument, match="how often a pair is asked"):
        Allowance(sampler(), per_pair)
