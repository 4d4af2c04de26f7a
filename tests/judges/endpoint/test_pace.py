"""Calls go out in turn, as fast as they may."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.errors import InvalidArgument
from hodgerank.judges.endpoint.pace import BURST_SECONDS, Pace


class LoopWithoutWaiting(asyncio.SelectorEventLoop):
    """Its clock leaps to whatever is next: nothing waits, and everything is in order."""

    def __init__(self):
        super().__init__()
        self.now = 0.0
        select = self._selector.select
        self._selector.select = lambda timeout: self.leap(timeout) or select(0)

    def leap(self, seconds):
        assert seconds is not None, "everybody waits for somebody else"
        self.now += seconds

    def time(self):
        return self.now


def played(coroutine):
    with asyncio.Runner(loop_factory=LoopWithoutWaiting) as runner:
        return runner.run(coroutine)


def paced(**limits):
    return Pace(**limits, clock=asyncio.get_running_loop().time)


async def starts(pace, calls):
    """When each of some calls goes out: (tokens, seconds that it then takes)."""
    loop, times = asyncio.get_running_loop(), []

    async def call(tokens, seconds):
        async with pace.slot(tokens):
            times.append(round(loop.time(), 3))
            await asyncio.sleep(seconds)

    await asyncio.gather(*(call(*each) for each in calls))
    return times


def test_without_limits_all_go_at_once():
    async def play():
        return await starts(paced(), [(10**6, 5)] * 64)

    assert played(play()) == [0.0] * 64


def test_requests_go_evenly_after_a_burst_of_three_seconds():
    async def play():
        return await starts(paced(requests_per_minute=60), [(0, 9)] * 6)

    assert played(play()) == [0, 0, 0, 1, 2, 3]


def test_less_than_a_request_a_second_is_kept_as_well():
    async def play():
        return await starts(paced(requests_per_minute=2), [(0, 1)] * 3)

    assert played(play()) == [0, 30, 60]


def test_tokens_of_a_large_call_are_waited_for_afterwards():
    async def play():
        return await starts(paced(tokens_per_minute=6000), [(1000, 0), (100, 0), (100, 0)])

    # 300 of 1,000 were there, 100 come in a second
    assert played(play()) == [0, 8, 9]


@pytest.mark.parametrize(("actual", "second"), [(100, 0), (700, 5), (300, 1)])
def test_what_a_call_took_counts_in_the_place_of_what_was_expected(actual, second):
    async def play():
        pace = paced(tokens_per_minute=6000)
        async with pace.slot(300):
            pace.correct(300, actual)
        return await starts(pace, [(100, 0)])

    assert played(play()) == [second]


@given(
    st.floats(1, 3000),
    st.lists(st.tuples(st.floats(0, 5), st.floats(0, 3)), min_size=1, max_size=40),
)
def test_no_stretch_of_time_has_more_requests_than_the_limit_and_a_burst(rate, calls):
    async def play():
        pace, loop, times = paced(requests_per_minute=rate), asyncio.get_running_loop(), []

        async def call(arrival, seconds):
            await asyncio.sleep(arrival)
            async with pace.slot():
                times.append(loop.time())
                await asyncio.sleep(seconds)

        await asyncio.gather(*(call(*each) for each in calls))
        return times

    times = played(play())
    burst = max(1.0, rate / 60 * BURST_SECONDS)
    for i, first in enumerate(times):
        for n, last in enumerate(times[i:], 1):
            assert n <= (last - first) * rate / 60 + burst + 1e-3


def test_who_comes_first_goes_first_and_keeps_the_place_when_it_comes_back():
    async def play():
        pace, order = paced(requests_per_minute=60), []
        places = {name: pace.place() for name in "abcde"}

        async def call(name):
            async with pace.slot(place=places[name]):
                order.append(name)

        await asyncio.gather(*(call(name) for name in "ecdab"))
        await asyncio.gather(*(call(name) for name in "edc"))
        return "".join(order)

    # three go at once as they come; then a before b, and c before d before e
    assert played(play()) == "ecdab" + "cde"


def test_a_hold_holds_all_also_those_that_wait_already():
    async def play():
        pace = paced(requests_per_minute=60)
        loop = asyncio.get_running_loop()
        loop.call_at(0.5, pace.hold_back, 10)
        loop.call_at(0.6, pace.hold_back, 1)  # does not shorten it
        return await starts(pace, [(0, 0)] * 5)

    assert played(play()) == [0, 0, 0, 10.5, 10.5]


def test_half_as_many_are_out_after_a_hold_and_more_again_when_it_goes_well():
    async def play():
        pace, most = paced(), []

        async def call(is_first):
            async with pace.slot():
                most.append(pace._n_out)
                await asyncio.sleep(1)
                if is_first:
                    pace.hold_back(5)

        await asyncio.gather(*(call(True) for _ in range(64)))
        del most[:]
        await asyncio.gather(*(call(False) for _ in range(600)))
        return most[0], max(most[:64]), max(most)

    first, early, late = played(play())
    assert first == 1
    assert 32 <= early <= 40
    assert late > 60


@pytest.mark.parametrize("per_second", [1, 8, 40])
def test_a_limit_that_nobody_told_is_found_before_calls_run_out_of_tries(per_second):
    """64 calls in flight at a server that counts seconds, and says no more than 'in a second'."""

    async def play():
        pace, loop = paced(), asyncio.get_running_loop()
        seen, tries = [], []
        free = asyncio.Semaphore(64)

        async def call():
            async with free:
                place = pace.place()
                for attempt in range(1, 100):
                    async with pace.slot(place=place):
                        seen[:] = [at for at in seen if at > loop.time() - 1]
                        if is_taken := len(seen) < per_second:
                            seen.append(loop.time())
                        await asyncio.sleep(0.5)
                        if not is_taken:
                            pace.hold_back(1)
                    if is_taken:
                        tries.append(attempt)
                        return

        await asyncio.gather(*(call() for _ in range(300)))
        return tries, loop.time()

    tries, seconds = played(play())
    assert len(tries) == 300
    assert max(tries) <= 7
    assert seconds < 5 * 300 / per_second + 10


def test_who_is_cancelled_while_waiting_leaves_no_trace():
    async def play():
        pace, loop = paced(requests_per_minute=60), asyncio.get_running_loop()
        times = []

        async def call():
            async with pace.slot():
                times.append(loop.time())

        tasks = [asyncio.create_task(call()) for _ in range(20)]
        await asyncio.sleep(0.5)
        for task in tasks[3:18]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not pace._waiting
        assert pace._n_out == 0
        return times

    assert played(play()) == [0, 0, 0, 1, 2]


def test_who_is_cancelled_while_out_lets_the_next_one_go():
    async def play():
        pace = paced()
        async with pace.slot():
            pace.hold_back(1)  # one at a time from here on

        async def call(seconds):
            async with pace.slot():
                await asyncio.sleep(seconds)

        endless = asyncio.create_task(call(10**6))
        second = asyncio.create_task(call(1))
        await asyncio.sleep(10)
        assert not second.done()
        endless.cancel()
        await second
        with suppress(asyncio.CancelledError):
            await endless
        assert pace._n_out == 0

    played(play())


@pytest.mark.parametrize("limit", [0, -1, float("inf"), float("nan")])
@pytest.mark.parametrize("name", ["requests_per_minute", "tokens_per_minute"])
def test_a_limit_is_a_positive_number(name, limit):
    with pytest.raises(InvalidArgument, match=f"{name} must be positive"):
        Pace(**{name: limit})
