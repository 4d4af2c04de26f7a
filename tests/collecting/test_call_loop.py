"""CallLoop: budget, reasons to stop, waiting for what is out, breaking off, giving up."""

from __future__ import annotations

import asyncio
import pickle

import pytest

from hodgerank.collecting.call_loop import (
    MOST_IN_A_ROW,
    Budget,
    CallLoop,
    MissedInARow,
    StopReason,
)
from hodgerank.errors import InvalidArgument, JudgeFailed, StopAsking


class Counting(CallLoop[int]):
    """Calls by number, until there are no more; what they return or raise is kept."""

    def __init__(self, call, concurrency=3, budget=None, n_calls=100):
        super().__init__(concurrency, None if budget is None else Budget(budget))
        self._call, self._n_calls = call, n_calls
        self.sent, self.came, self.ended, self.most_out = 0, [], [], 0

    @property
    def n_votes(self):
        return len(self.came)

    async def fill(self):
        while self.n_free > 0 and self.sent < self._n_calls:
            self.send(self._call(self.sent), self.sent)
            self.sent += 1
        self.most_out = max(self.most_out, len(self.out))
        return "" if self.out else "nothing left"

    def take(self, done):
        self.came += [(number, task.exception() or task.result()) for number, task in done]

    def end(self, reason):
        self.ended.append((reason, len(self.out)))


async def answers(number):
    await asyncio.sleep(0)
    return -number


def test_it_ends_when_nothing_is_left_and_keeps_the_order():
    loop = Counting(answers, n_calls=7)
    assert asyncio.run(loop.run()) == "nothing left"
    assert loop.came == [(k, -k or 0) for k in range(7)]
    assert loop.most_out == 3


def test_no_more_calls_go_out_than_the_budget_can_use():
    loop = Counting(answers, concurrency=4, budget=6)
    assert asyncio.run(loop.run()) == "budget of 6 votes used"
    assert (loop.sent, len(loop.came)) == (6, 6)


def test_a_reason_to_stop_keeps_its_code():
    loop = Counting(answers, budget=6)
    reason = asyncio.run(loop.run())
    assert reason.code == StopReason(reason).code == pickle.loads(pickle.dumps(reason)).code
    assert reason.code == "budget"


@pytest.mark.parametrize(
    ("error", "reason"), [(StopAsking("a cap"), "a cap"), (StopAsking(), "StopAsking")]
)
def test_a_wish_ends_it_and_what_is_out_is_waited_for(error, reason):
    async def call(number):
        await asyncio.sleep(0 if number == 4 else 0.01)
        if number == 4:
            raise error
        return number

    loop = Counting(call)
    assert asyncio.run(loop.run()) == reason
    assert loop.ended == [(reason, loop.ended[0][1])]
    assert sorted(number for number, _ in loop.came) == [k for k in range(loop.sent) if k != 4]


def test_a_failure_is_raised_when_what_is_out_has_come_back():
    async def call(number):
        await asyncio.sleep(0 if number == 1 else 0.01)
        if number == 1:
            raise JudgeFailed("a wrong key")
        return number

    loop = Counting(call)
    with pytest.raises(JudgeFailed, match="a wrong key"):
        asyncio.run(loop.run())
    assert [number for number, _ in loop.came] == [0, 2]
    assert loop.ended == [("a wrong key", 2)]


def test_news_ends_a_wait_and_news_that_fail_end_the_run():
    async def news():
        raise OSError("no connection")

    class Waiting(Counting):
        async def fill(self):
            if not self.besides:
                self.besides.add(asyncio.create_task(news()))
            return ""

    with pytest.raises(OSError, match="no connection"):
        asyncio.run(Waiting(answers).run())


def test_who_is_cancelled_leaves_no_call_behind():
    cancelled = []

    async def call(number):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(number)
            raise

    async def broken_off():
        task = asyncio.create_task(Counting(call).run())
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(broken_off())
    assert cancelled == [0, 1, 2]


def test_judges_are_given_up_one_by_one_and_an_answer_forgives():
    missed = MissedInARow()
    assert [missed.miss("x") for _ in range(MOST_IN_A_ROW - 1)] == [0] * (MOST_IN_A_ROW - 1)
    assert missed.miss("y") == 0
    assert missed.miss("x") == MOST_IN_A_ROW
    missed.answer("x")
    assert missed.miss("x") == 0


@pytest.mark.parametrize("size", [0, -1, 1.5, None, "7"])
def test_a_budget_is_a_number_of_answers(size):
    with pytest.raises(InvalidArgument, match="at least 1"):
        Budget(size)


def test_at_least_one_call_may_be_out():
    with pytest.raises(InvalidArgument, match="concurrency"):
        Counting(answers, concurrency=0)
