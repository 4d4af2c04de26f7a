"""What calls took, and caps."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.errors import InvalidArgument
from hodgerank.judges.ledger import CapReached, Caps, Ledger
from hodgerank.judges.prices import Price, Prices, guess_tokens

PRICES = Prices({"judge": Price(2.0, 8.0), "other": Price(1.0, 1.0)}, "EUR")


def record(**more):
    return {
        "model": "judge",
        "messages": [{"role": "user", "content": "x" * 400}],
        "reply": "A",
        "prompt_tokens": 120,
        "completion_tokens": 2,
        "cost": None,
        "status": "answered",
        "seconds": 0.5,
        "attempts": 1,
    } | more


def test_tokens_are_guessed_by_letters_and_images():
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10**6}}
    content = [{"type": "text", "text": "x" * 10}, image, {"type": "text", "text": "x" * 10}, image]
    messages = [{"role": "system", "content": "x" * 20}, {"role": "user", "content": content}]
    assert guess_tokens(messages) == 10 + 2000
    assert guess_tokens([{"role": "user", "content": None}]) == 0


def test_a_settled_call_counts_as_what_it_took():
    ledger = Ledger(PRICES)
    cost = ledger.reserve("judge", 100, 5).settle(
        1000, 500, status="answered", seconds=1.5, attempts=3
    )
    assert cost == pytest.approx(0.006)
    (row,) = ledger.rows()
    assert (row.model, row.calls, row.retries) == ("judge", 1, 2)
    assert (row.prompt_tokens, row.completion_tokens, row.estimated_calls) == (1000, 500, 0)
    assert (row.cost, row.currency, row.seconds) == (cost, "EUR", 1.5)
    assert row.statuses == {"answered": 1}
    assert (ledger.calls, ledger.tokens, ledger.cost) == (1, 1500, cost)


def test_models_are_counted_apart():
    ledger = Ledger(PRICES, models=["judge", "other"])
    ledger.reserve("other", 1, 1).settle(10, 10, status="refused")
    ledger.reserve("judge", 1, 1).settle(20, 20, status="answered")
    assert [(row.model, row.calls, row.prompt_tokens) for row in ledger.rows()] == [
        ("judge", 1, 20),
        ("other", 1, 10),
    ]


def test_tokens_that_are_not_told_are_estimated_and_marked():
    ledger = Ledger(PRICES)
    ledger.reserve("judge", 100, 5).settle(None, None, status="answered")
    ledger.reserve("judge", 100, 5).settle(None, 7, status="answered")
    (row,) = ledger.rows()
    assert (row.prompt_tokens, row.completion_tokens, row.estimated_calls) == (200, 12, 2)


def test_estimates_follow_what_was_seen():
    ledger = Ledger()
    assert ledger.reserve("judge", 100, 5).tokens == 105
    ledger.reserve("judge", 100, 5).settle(150, 1, status="answered")
    ledger.reserve("judge", 300, 5).settle(450, 2, status="answered")
    assert ledger.reserve("judge", 200, 5).tokens == 300 + 2  # 1.5 for each guessed, and 1.5
    assert ledger.reserve("other", 200, 5).tokens == 205


def test_calls_that_failed_are_told_apart_and_cost_what_is_known_of_them():
    ledger = Ledger(PRICES, Caps(calls=1))
    ledger.reserve("judge", 100, 5).settle(None, None, status="failed", attempts=7)
    ledger.reserve("judge", 100, 5).settle(1000, 0, status="failed", attempts=7)
    (row,) = ledger.rows()
    assert (row.calls, row.retries, row.statuses) == (0, 12, {"failed": 2})
    assert (row.prompt_tokens, row.completion_tokens, row.estimated_calls) == (1000, 0, 0)
    assert row.cost == pytest.approx(0.002)
    ledger.reserve("judge", 100, 5)  # is still allowed


def test_without_a_price_the_cost_is_not_known():
    ledger = Ledger(PRICES)
    assert ledger.reserve("free", 1, 1).settle(1, 1, status="answered") is None
    ledger.reserve("judge", 1, 1).settle(1, 1, status="answered")
    assert ledger.cost is None
    assert [row.cost for row in ledger.rows()] == [None, pytest.approx(1e-5)]


def test_a_cap_on_calls_counts_those_that_are_out():
    ledger = Ledger(caps=Caps(calls=3))
    ledger.reserve("judge", 1, 1).settle(1, 1, status="answered")
    out = [ledger.reserve("judge", 1, 1), ledger.reserve("other", 1, 1)]
    with pytest.raises(CapReached, match="limit of 3 calls reached"):
        ledger.reserve("judge", 1, 1)
    out[0].release()
    ledger.reserve("judge", 1, 1)


def test_a_cap_on_tokens_counts_what_those_that_are_out_may_take():
    ledger = Ledger(caps=Caps(tokens=1000))
    ledger.reserve("judge", 290, 10).settle(290, 10, status="answered")
    ledger.reserve("judge", 390, 10)
    with pytest.raises(CapReached) as caught:
        ledger.reserve("judge", 291, 10)
    assert "300 are used" in str(caught.value)
    assert "need about 701" in str(caught.value)
    ledger.reserve("judge", 290, 10)


def test_a_cap_on_cost_is_kept():
    ledger = Ledger(PRICES, Caps(cost=0.01), models=["judge"])
    for _ in range(3):
        ledger.reserve("judge", 1000, 125).settle(1000, 125, status="answered")
    with pytest.raises(CapReached) as caught:
        ledger.reserve("judge", 1000, 125)
    assert "cost of 0.01 EUR reached: 0.009 are spent" in str(caught.value)
    assert "cost about 0.003" in str(caught.value)


def test_a_sum_that_is_a_cap_but_for_rounding_is_allowed():
    ledger = Ledger(Prices({"judge": Price(1e5, 1e5)}), Caps(cost=0.3))
    for _ in range(3):
        ledger.reserve("judge", 1, 0).settle(1, 0, status="answered")
    assert ledger.cost > 0.3
    assert ledger.calls == 3


@given(
    st.integers(1, 30),
    st.lists(st.sampled_from(["reserve", "settle", "fail", "release"]), max_size=120),
)
def test_whatever_happens_a_cap_on_calls_is_never_passed_and_can_be_used_up(cap, events):
    ledger, out = Ledger(caps=Caps(calls=cap)), []
    for event in events:
        if event == "reserve":
            try:
                out.append(ledger.reserve("judge", 1, 1))
            except CapReached:
                assert ledger.calls + len(out) == cap
        elif out and event == "release":
            out.pop().release()
        elif out:
            status = "answered" if event == "settle" else "failed"
            out.pop(0).settle(1, 1, status=status)
        assert ledger.calls + len(out) <= cap
    for reservation in out:
        reservation.release()
    for _ in range(cap - ledger.calls):
        ledger.reserve("judge", 1, 1)


def test_a_block_that_ends_without_a_reply_gives_back_what_was_set_aside():
    ledger = Ledger(caps=Caps(calls=1))
    with pytest.raises(KeyboardInterrupt), ledger.reserve("judge", 1, 1):
        raise KeyboardInterrupt
    with ledger.reserve("judge", 1, 1) as reservation:
        reservation.settle(1, 1, status="answered")
    assert ledger.calls == 1
    reservation.release()  # changes nothing
    with pytest.raises(CapReached):
        ledger.reserve("judge", 1, 1)


def test_a_call_is_not_counted_twice():
    reservation = Ledger().reserve("judge", 1, 1)
    reservation.settle(1, 1, status="answered")
    with pytest.raises(KeyError):
        reservation.settle(1, 1, status="answered")


def test_a_cap_on_cost_needs_every_price_at_once():
    with pytest.raises(InvalidArgument, match=r"price of jugde \(did you mean judge\?\)"):
        Ledger(PRICES, Caps(cost=1), models=["judge", "jugde"])
    with pytest.raises(InvalidArgument, match="needs the price of judge"):
        Ledger(caps=Caps(cost=1)).reserve("judge", 1, 1)


@pytest.mark.parametrize("name", ["calls", "tokens", "cost"])
@pytest.mark.parametrize("cap", [0, -1, float("nan"), float("inf")])
def test_a_cap_is_positive(name, cap):
    with pytest.raises(InvalidArgument, match=f"limit on {name} must be positive"):
        Caps(**{name: cap})


def test_logged_calls_count_as_spent():
    ledger = Ledger(PRICES, Caps(calls=3, tokens=500))
    ledger.restore(record(cost=0.5, attempts=2))
    ledger.restore(record())
    ledger.restore(record(status="failed", reply=None, prompt_tokens=None, completion_tokens=None))
    (row,) = ledger.rows()
    assert (row.calls, row.retries, row.prompt_tokens, row.seconds) == (2, 1, 240, 1.5)
    assert row.cost == pytest.approx(0.5 + (120 * 2 + 2 * 8) / 1e6)
    assert ledger.reserve("judge", 100, 9).tokens == 122  # learned from them
    with pytest.raises(CapReached, match="calls"):
        ledger.reserve("judge", 1, 1)


def test_logged_calls_without_tokens_are_estimated_from_prompt_and_reply():
    ledger = Ledger()
    ledger.restore(record(prompt_tokens=None, completion_tokens=None, reply="x" * 40))
    (row,) = ledger.rows()
    assert (row.prompt_tokens, row.completion_tokens, row.estimated_calls) == (100, 10, 1)


def test_why_a_run_ended_goes_through_a_pickle():
    error = pickle.loads(pickle.dumps(CapReached("the cap")))
    assert str(error) == "the cap"
