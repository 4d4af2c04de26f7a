"""One generator plays a sampler against a judge."""

from __future__ import annotations

from itertools import islice

import pytest

import hodgerank as hr
from hodgerank.collecting.run import play
from hodgerank.errors import NothingToAsk

ITEMS = ["a", "b", "c", "d"]


def alphabetic(pair):
    return 1 if pair.left < pair.right else -1


def test_a_turn_is_told_before_it_is_yielded():
    sampler = hr.AutoSampler(ITEMS, seed=1)
    for k, (pair, answer) in enumerate(islice(play(sampler, alphabetic), 10), start=1):
        assert sampler.n_votes == k
        assert answer.outcome == alphabetic(pair)
    assert sampler.votes.n_votes == 10


def test_turns_are_those_of_ask_and_tell():
    played, by_hand = hr.AutoSampler(ITEMS, seed=3), hr.AutoSampler(ITEMS, seed=3)
    for pair, answer in islice(play(played, alphabetic), 12):
        assert by_hand.ask() == pair
        by_hand.tell(pair, answer.outcome)


def test_a_pair_without_an_answer_is_set_aside_and_not_told():
    sampler = hr.RandomSampler(ITEMS, seed=1)
    first, *others = islice(play(sampler, lambda pair: None), 6)
    assert first.answer is None
    assert sampler.n_votes == 0
    assert len({frozenset(turn.pair) for turn in (first, *others)}) == 6


def test_candidates_are_asked_for_before_each_turn():
    offers = iter([[("a", "b")], [("c", "d")], [("a", "d")]])
    turns = play(hr.AutoSampler(ITEMS), alphabetic, candidates=lambda: next(offers))
    assert [set(turn.pair) for turn in islice(turns, 3)] == [{"a", "b"}, {"c", "d"}, {"a", "d"}]


def test_it_ends_where_there_is_nothing_to_ask():
    with pytest.raises(NothingToAsk):
        next(play(hr.AutoSampler(["a"]), alphabetic))
