"""What a campaign may cost, before any call is made."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest

from hodgerank.data.items.samples import Sample
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.expected_cost import FEW_ITEMS, LOOKED_AT, expected_costs, some_pairs
from hodgerank.judges.prices import Price, Prices, guess_tokens
from hodgerank.types import Pair

NOWHERE = "http://127.0.0.1:9/v1"
TEXTS = {f"i{k}": "word " * (k + 1) for k in range(6)}


def judge(items=TEXTS, models="m", **options):
    return ChatJudge(items, "Which?", models, base_url=NOWHERE, **options)


def test_calls_are_those_of_the_budget():
    (cost,) = expected_costs(judge(), 20)
    assert (cost.model, cost.calls) == ("m", 20)


def test_models_share_the_budget():
    costs = expected_costs(judge(models=["x", "y", "z"]), 20)
    assert [cost.calls for cost in costs] == [7, 7, 6]


def test_there_are_no_more_calls_than_questions():
    assert expected_costs(judge(), 1000)[0].calls == 30
    assert expected_costs(judge(repeats=2), 1000)[0].calls == 60
    assert [cost.calls for cost in expected_costs(judge(models=["x", "y"]), 1000)] == [30, 30]


def test_questions_across_tracks_are_not_paid_for(write):
    path = write("id,text,track\n" + "".join(f"i{n},text {n},{n % 2}\n" for n in range(6)))
    assert expected_costs(judge(path), 1000)[0].calls == 12
    assert all(int(a[1:]) % 2 == int(b[1:]) % 2 for a, b in some_pairs(judge(path), seed=0))


def test_prompts_are_measured_by_their_length():
    """All pairs of so few items are looked at, in either order, which are equally long."""
    asked = judge()
    pairs = (Pair(*pair) for pair in combinations(TEXTS, 2))
    per_call = fmean(guess_tokens(asked.messages(pair)) for pair in pairs)
    (cost,) = expected_costs(asked, 10)
    assert cost.prompt_tokens == pytest.approx(10 * per_call, abs=1)


def test_replies_are_expected_to_be_as_short_as_they_must_be():
    assert expected_costs(judge(), 10)[0].completion_tokens == 160
    (cost,) = expected_costs(judge(parameters={"max_tokens": 2}), 10)
    assert cost.completion_tokens == 20


def test_money_is_tokens_times_price_and_unknown_without_one():
    prices = Prices({"x": Price(3, 15)})
    x, y = expected_costs(judge(models=["x", "y"], prices=prices), 20)
    assert x.cost == pytest.approx((3 * x.prompt_tokens + 15 * x.completion_tokens) / 1e6)
    assert y.cost is None


def test_the_seed_decides_which_pairs_are_looked_at():
    asked = judge({f"i{k}": f"text {k}" for k in range(20)})
    one, other, third = (some_pairs(asked, seed) for seed in (1, 1, 2))
    assert one == other != third
    assert len(set(map(frozenset, one))) == len(one) == LOOKED_AT


def test_of_many_items_some_pairs_are_drawn():
    asked = judge({f"i{k}": f"text {k}" for k in range(FEW_ITEMS + 1)})
    pairs = some_pairs(asked, 0)
    assert len(pairs) == LOOKED_AT
    assert all(pair.left != pair.right for pair in pairs)


def test_only_pairs_that_can_be_asked_are_looked_at():
    def of(*contexts):
        return [Sample(f"on {context}", context=context) for context in contexts]

    asked = judge({"a": of("x", "y"), "b": of("y", "z"), "c": of("z")})
    assert {frozenset(pair) for pair in some_pairs(asked, 0)} == {
        frozenset("ab"),
        frozenset("bc"),
    }
    assert expected_costs(asked, 100)[0].calls == 4
