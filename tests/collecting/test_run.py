"""run and run_async: nothing lost, nothing asked in vain."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.collecting import stopping
from hodgerank.collecting.stopping import Progress
from hodgerank.errors import InvalidArgument, InvalidComparisons, JudgeFailed, StopAsking

ITEMS = list("abcdefgh")


def alphabetic(pair):
    return 1 if pair.left < pair.right else -1


def test_the_budget_is_kept_and_the_order_found():
    heard = []
    result = hr.run(
        hr.AutoSampler(ITEMS), alphabetic, 60, on_answer=lambda pair, answer: heard.append(answer)
    )
    assert result.n_votes == len(heard) == 60
    assert result.votes.outcome.tolist() == [answer.outcome for answer in heard]
    assert result.ranking.items == tuple(ITEMS)
    assert "60" in result.reason


def test_rules_stop_a_run_early():
    result = hr.run(hr.AutoSampler(ITEMS), alphabetic, 5000, stop=hr.ExpectedTau(0.8))
    assert result.n_votes < 500
    assert "expected tau 0.8" in result.reason
    assert hr.expected_tau(result.ranking) >= 0.8


def test_rules_combine():
    sampler = hr.AutoSampler(ITEMS)
    for _ in range(100):
        pair = sampler.ask()
        sampler.tell(pair, alphabetic(pair))
    progress = Progress(sampler)
    yes, no = hr.Budget(50), hr.Budget(200)
    assert (yes | no).is_reached(progress)
    assert not (yes & no).is_reached(progress)
    assert (hr.TopKCertain(3, 0.5) & hr.RanksWithin(8) & hr.ExpectedTau(0.3)).is_reached(progress)
    assert str(yes & no | hr.TopKCertain(3)) == "((50 votes and 200 votes) or top 3 certain to 95%)"
    for bad in (lambda: hr.ExpectedTau(1.2), lambda: hr.TopKCertain(0), lambda: hr.RanksWithin(0)):
        with pytest.raises(InvalidArgument):
            bad()


def test_a_run_resumes_from_its_log(tmp_path):
    log = tmp_path / "answers.jsonl"
    whole = hr.AutoSampler(ITEMS, seed=3)
    hr.run(whole, alphabetic, 40)
    hr.run(hr.AutoSampler(ITEMS, seed=3), alphabetic, 25, log=log)
    with log.open("a") as file:
        file.write('{"left": "a", "ri')  # the machine went down in the middle of a line
    resumed = hr.AutoSampler(ITEMS, seed=3)
    hr.run(resumed, alphabetic, 40, log=log)
    assert resumed.votes.left.tolist() == whole.votes.left.tolist()
    assert len(log.read_text().splitlines()) == 40
    assert len(hr.read_comparisons(log)) == 40
    with pytest.raises(InvalidArgument, match="new sampler"):
        hr.run(resumed, alphabetic, 50, log=log)


def test_a_broken_log_is_refused(tmp_path):
    log = tmp_path / "answers.jsonl"
    log.write_text('{"left": "a"}\n')
    with pytest.raises(InvalidComparisons, match="line 1"):
        hr.run(hr.AutoSampler(ITEMS), alphabetic, 5, log=log)


def test_a_log_is_read_whole_or_not_at_all(tmp_path):
    """Whatever it is, nothing of it is lost."""
    good = '{"left": "a", "right": "b", "outcome": 1}\n'
    bad = (
        '{"left": "a", "right": "zebra", "outcome": 1}',
        '{"left": "a", "right": "b", "outcome": 7}',
        '{"left": "a", "right": "b", "outcome": null}',
        "my precious notes",
    )
    for line in bad:
        log = tmp_path / "answers.jsonl"
        log.write_text(good + line)
        sampler = hr.AutoSampler(ITEMS)
        with pytest.raises(InvalidComparisons, match="line 2"):
            hr.run(sampler, alphabetic, 5, log=log)
        assert log.read_text() == good + line
        assert sampler.n_votes == 0
    log.write_text(good + good.strip())  # whole, if without an end of line
    hr.run(hr.AutoSampler(ITEMS), alphabetic, 5, log=log)
    assert len(log.read_text().splitlines()) == 5


@pytest.mark.parametrize("left_over", ["{", '{"le', '{"left": ', '{"left": "a", "ri'])
def test_a_line_cut_anywhere_is_healed(tmp_path, left_over):
    log = tmp_path / "answers.jsonl"
    hr.run(hr.AutoSampler(ITEMS), alphabetic, 3, log=log)
    with log.open("a") as file:
        file.write(left_over)
    hr.run(hr.AutoSampler(ITEMS), alphabetic, 5, log=log)
    assert len([json.loads(line) for line in log.read_text().splitlines()]) == 5


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"left": "a", "right": "b", "outcome": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"left": "a", "right": "b", "outcome": 1' + "0" * 400 + "}",
        '{"left": "a", "right": "b", "outcome": 1, "weight": 1' + "0" * 400 + "}",
        '{"left": "a", "right": "b", "outcome": 1' + "0" * 5000 + "}",
        '{"left": 1' + "0" * 400 + ', "right": "b", "outcome": 1}',
    ],
)
def test_numbers_and_nesting_without_end_are_named_with_their_line(tmp_path, line):
    log = tmp_path / "answers.jsonl"
    log.write_text('{"left": "a", "right": "b", "outcome": 1}\n' + line + "\n")
    with pytest.raises(InvalidComparisons, match="line 2") as caught:
        hr.run(hr.AutoSampler(ITEMS), alphabetic, 5, log=log)
    assert len(str(caught.value)) < 500


def test_numpy_answers_reach_the_log(tmp_path):
    log = tmp_path / "answers.jsonl"
    answer = hr.Answer(np.float32(1), worker=np.int64(3))
    hr.run(hr.AutoSampler(ITEMS), lambda pair: answer, 3, log=log)
    assert json.loads(log.read_text().splitlines()[0])["worker"] == 3


def test_retired_items_do_not_keep_a_run_going():
    sampler = hr.AutoSampler(ITEMS)
    for item in ITEMS[4:]:
        sampler.retire_item(item)
    stop = hr.ExpectedTau(0.8) & hr.RanksWithin(3)
    assert hr.run(sampler, alphabetic, 2000, stop=stop).n_votes < 500


def test_answers_that_came_with_failures_are_kept():
    count = 0

    async def fails_at_first(pair):
        nonlocal count
        count += 1
        if count <= 25:
            raise OSError("busy")
        return 1

    sampler = hr.RandomSampler(12)
    with pytest.raises(JudgeFailed):
        asyncio.run(hr.run_async(sampler, fails_at_first, 100, concurrency=64, retries=0))
    assert sampler.n_votes == 39


@pytest.mark.parametrize("nonsense", ["A", (1, 2, 3, 4), 7, (), [1, "ann"], 10**400])
def test_nonsense_ends_a_run_at_once(nonsense, tmp_path):
    def confused(pair):
        calls.append(pair)
        return alphabetic(pair) if len(calls) <= 10 else nonsense

    async def confused_later(pair):
        return confused(pair)

    def collect_async(sampler, log):
        asyncio.run(hr.run_async(sampler, confused_later, 60, concurrency=1, log=log))

    for collect in (lambda sampler, log: hr.run(sampler, confused, 60, log=log), collect_async):
        calls, sampler, log = [], hr.RandomSampler(ITEMS), tmp_path / "answers.jsonl"
        with pytest.raises(InvalidComparisons, match="tuple of outcome and worker") as caught:
            collect(sampler, log)
        assert f"({calls[-1].left}, {calls[-1].right})" in str(caught.value)
        assert len(calls) == 11
        assert sampler.n_votes == len(log.read_text().splitlines()) == 10
        log.unlink()


def test_answers_that_came_with_nonsense_are_kept():
    async def judge(pair):
        return "A" if "a" in pair else alphabetic(pair)

    sampler = hr.RandomSampler(ITEMS)
    with pytest.raises(InvalidComparisons, match="the judge returned 'A'"):
        asyncio.run(hr.run_async(sampler, judge, 100, concurrency=28))
    assert sampler.n_votes == 21


def test_a_judge_that_raises_our_own_error_is_asked_again():
    tries = Counter()

    async def flaky(pair):
        tries[pair] += 1
        if tries[pair] == 1:
            raise InvalidComparisons("not now")
        return alphabetic(pair)

    run = hr.run_async(hr.RandomSampler(ITEMS), flaky, 12, concurrency=4, retry_delay=0)
    assert asyncio.run(run).n_votes == 12


def test_threads_do_not_wait_for_each_other():
    everybody = threading.Barrier(40)

    def slow(pair):
        everybody.wait(timeout=30)  # until all pairs are being judged at once
        return alphabetic(pair)

    sampler = hr.AutoSampler(20)
    run = hr.run_async(sampler, slow, 40, concurrency=40, timeout=30.0, retries=0)
    assert asyncio.run(run).n_unanswered == 0


def test_any_awaitable_will_do():
    class Judge:
        async def __call__(self, pair):
            return alphabetic(pair)

    judge = Judge()
    for one in (judge, lambda pair: judge(pair)):
        result = asyncio.run(hr.run_async(hr.AutoSampler(ITEMS), one, 10, concurrency=2))
        assert result.n_votes == 10


def test_a_judge_may_decline_and_name_the_worker():
    def picky(pair):
        return None if "a" in pair else hr.Answer(alphabetic(pair), worker="ann", weight=2.0)

    result = hr.run(hr.AutoSampler(ITEMS), picky, 30)
    assert result.n_unanswered > 0
    sampler = hr.AutoSampler(ITEMS)
    with pytest.raises(JudgeFailed, match="20 pairs in a row"):
        hr.run(sampler, lambda pair: None, 30)
    with pytest.raises(InvalidComparisons, match="an outcome is"):
        hr.run(sampler, lambda pair: "left", 30)


def test_many_pairs_are_out_at_once_but_no_more_than_needed():
    out, most, total = Counter(), 0, 0

    async def slow(pair):
        nonlocal most, total
        total += 1
        out["now"] += 1
        most = max(most, out["now"])
        await asyncio.sleep(0)
        out["now"] -= 1
        return alphabetic(pair)

    sampler = hr.AutoSampler(ITEMS)
    result = asyncio.run(hr.run_async(sampler, slow, 50, concurrency=8))
    assert most == 8
    assert total == result.n_votes == 50
    assert result.ranking.items[0] == "a"


def test_a_function_is_called_in_threads():
    result = asyncio.run(hr.run_async(hr.BayesianSampler(ITEMS), alphabetic, 20, concurrency=3))
    assert result.n_votes == 20


def test_failures_are_tried_again_and_time_outs_count_as_failures():
    tries = Counter()

    async def flaky(pair):
        tries[pair] += 1
        if tries[pair] == 1:
            raise ConnectionError("try later")
        if tries[pair] == 2:
            await asyncio.Event().wait()  # for ever
        return alphabetic(pair)

    result = asyncio.run(
        hr.run_async(
            hr.RandomSampler(ITEMS), flaky, 12, concurrency=4, timeout=0.02, retry_delay=0.001
        )
    )
    assert result.n_votes == 12
    assert result.n_unanswered == 0


def test_a_judge_who_never_answers_ends_the_run_and_keeps_the_answers(tmp_path):
    log = tmp_path / "answers.jsonl"
    count = 0

    async def dies(pair):
        nonlocal count
        count += 1
        if count > 10:
            raise OSError("no route to host")
        return alphabetic(pair)

    sampler = hr.AutoSampler(ITEMS)
    with pytest.raises(JudgeFailed, match="OSError: no route"):
        asyncio.run(
            hr.run_async(sampler, dies, 100, concurrency=2, retries=1, retry_delay=0, log=log)
        )
    assert sampler.n_votes == 10
    assert len([json.loads(line) for line in log.read_text().splitlines()]) == 10


def test_an_interrupted_run_keeps_its_answers(tmp_path):
    log = tmp_path / "answers.jsonl"
    sampler = hr.AutoSampler(ITEMS)

    async def judge(pair):
        await asyncio.sleep(0)
        return alphabetic(pair)

    async def interrupted():
        task = asyncio.create_task(hr.run_async(sampler, judge, 10**6, log=log, concurrency=4))
        while sampler.n_votes < 20:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    assert len(log.read_text().splitlines()) == sampler.n_votes >= 20


def test_the_top_is_known_once_no_more_are_left():
    sampler = hr.RandomSampler(6, seed=1)

    def answer(pair):
        if sampler.n_votes == 5:
            for item in (0, 1, 2):
                sampler.retire_item(item)
        return 1 if pair.left < pair.right else -1

    result = hr.run(sampler, answer, 100, stop=hr.TopKCertain(4, 0.999999))
    assert result.n_votes < 10
    assert "top 4" in result.reason


def test_a_rule_looks_at_each_ranking_once(monkeypatch):
    looks = []
    monkeypatch.setattr(
        stopping, "expected_tau", lambda ranking, among: looks.append(len(ranking)) or 0.0
    )
    sampler = hr.RandomSampler(40, seed=1)
    rule = hr.ExpectedTau(0.9) | hr.ExpectedTau(0.8)
    hr.run(sampler, lambda pair: 1, 80, stop=rule)
    assert len(looks) == 2 * 20  # rankings are renewed every 4 answers


FULL_DISK = """
import resource, signal, sys
import hodgerank as hr
from hodgerank.errors import CannotWrite

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
try:
    hr.run(hr.AutoSampler(["a", "b", "c"], seed=1), lambda pair: 1, 50, log=sys.argv[1])
except CannotWrite as error:
    print(error)
"""


def test_a_full_disk_leaves_whole_lines(tmp_path):
    log = tmp_path / "answers.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, log], capture_output=True, text=True, check=True
    )
    assert "cannot be written" in done.stdout
    lines = log.read_text().splitlines(keepends=True)
    assert 1 < len(lines) < 50
    assert all(json.loads(line)["outcome"] == 1 and line.endswith("\n") for line in lines)


def asked_by(sampler, budget, **options):
    """The pairs a judge is shown in a run."""
    seen = []

    async def judge(pair):
        seen.append(pair)
        await asyncio.sleep(0)
        return alphabetic(pair)

    return seen, asyncio.run(hr.run_async(sampler, judge, budget, **options))


@pytest.mark.parametrize("concurrency", [1, 7, 40])
def test_a_pair_is_asked_no_more_often_than_it_may_be(concurrency):
    sampler = hr.AutoSampler(list("abcd"))
    seen, result = asked_by(sampler, 1000, per_pair=2, concurrency=concurrency)
    assert Counter(map(frozenset, seen)) == {frozenset(p): 2 for p in combinations("abcd", 2)}
    assert set(Counter(seen).values()) == {1}  # once each way round
    assert "as often as allowed" in result.reason


def test_earlier_answers_count():
    sampler = hr.AutoSampler(["a", "b", "c"])
    sampler.tell_many([("a", "b", 1), ("a", "c", 1), ("c", "a", -1)])
    seen, _ = asked_by(sampler, 50, per_pair=2, concurrency=5)
    assert Counter(map(frozenset, seen)) == {frozenset("ab"): 1, frozenset("bc"): 2}


def test_some_pairs_may_never_be_asked():
    sampler = hr.AutoSampler(["a", "b", "c"])
    allowed = {frozenset("ab"): 1, frozenset("bc"): 1, frozenset("ac"): 0}
    seen, _ = asked_by(sampler, 50, per_pair=lambda pair: allowed[frozenset(pair)], concurrency=5)
    assert Counter(map(frozenset, seen)) == {frozenset("ab"): 1, frozenset("bc"): 1}


def test_both_orders_of_a_pair_are_asked_and_both_answers_kept():
    seen, result = asked_by(hr.AutoSampler(ITEMS), 41, orders="both", concurrency=6)
    assert result.n_votes == len(seen) == 41  # the budget is kept, though it is odd
    for pair, turned in zip(seen[:40:2], seen[1:40:2], strict=True):
        assert (pair.right, pair.left) == turned
    with pytest.raises(InvalidArgument, match="single, both"):
        asked_by(hr.AutoSampler(ITEMS), 4, orders="all")


def test_pairs_that_are_out_when_a_run_ends_are_waited_for():
    async def judge(pair):
        if sampler.n_votes < 5:
            return alphabetic(pair)
        if len(waiting) < 3:
            waiting.append(pair)
            await asyncio.sleep(0.01)
            return alphabetic(pair)
        raise StopAsking("enough")

    waiting, sampler = [], hr.RandomSampler(ITEMS)
    result = asyncio.run(hr.run_async(sampler, judge, 1000, concurrency=5))
    assert result.reason == "enough"
    assert result.n_votes == sampler.n_votes >= 8


def test_a_judge_that_fails_for_good_ends_the_run_at_once_and_the_rest_is_kept():
    tries = 0

    async def judge(pair):
        nonlocal tries
        tries += 1
        if tries == 4:
            raise JudgeFailed("no such model")
        await asyncio.sleep(0.01)
        return alphabetic(pair)

    sampler = hr.RandomSampler(ITEMS)
    with pytest.raises(JudgeFailed, match="no such model"):
        asyncio.run(hr.run_async(sampler, judge, 1000, concurrency=4))
    assert (tries, sampler.n_votes) == (4, 3)


def test_pairs_set_aside_before_are_shown_the_other_way_round():
    sampler = hr.AutoSampler(["a", "b"])
    seen, _ = asked_by(sampler, 1, set_aside=[hr.Pair("a", "b")])
    assert seen == [("b", "a")]


HALF_CARELESS = {"honest": 5, "random": 5}


def test_the_sampler_chooses_among_the_workers_available():
    crowd = hr.SimulatedCrowd(20, spread=2, workers=HALF_CARELESS, n_available=4, rng=1)
    seen = []

    def judge(pair, worker):
        seen.append(worker)
        return crowd(pair, worker)[0]

    result = hr.run(
        hr.FisherSampler(crowd.items, seed=1), judge, 300, workers=crowd.available_workers
    )
    votes = result.votes
    assert [votes.workers[code] for code in votes.worker] == seen
    honest = np.mean([worker.startswith("honest") for worker in seen[100:]])
    assert honest > 0.55
    again = hr.run(hr.AutoSampler(8), lambda pair, worker: 1, 30, workers=iter(["ann", "bob"]))
    assert {*again.votes.workers} == {"ann", "bob"}


def test_a_judge_may_say_that_somebody_else_answered():
    result = hr.run(hr.AutoSampler(4), lambda pair, worker: (1, "eve"), 5, workers=["ann"])
    assert result.votes.workers == ("eve",)


def test_each_worker_has_one_pair_in_progress():
    busy = Counter()

    async def judge(pair, worker):
        busy[worker] += 1
        assert busy[worker] == 1
        await asyncio.sleep(0)
        busy[worker] -= 1
        return alphabetic(pair)

    names = ["ann", "bob", "cem"]
    sampler = hr.AutoSampler(ITEMS)
    result = asyncio.run(hr.run_async(sampler, judge, 60, workers=names, concurrency=8))
    assert result.n_votes == 60
    assert {*result.votes.workers} <= {*names}

    def in_threads(pair, worker):
        return alphabetic(pair), worker

    result = asyncio.run(hr.run_async(hr.AutoSampler(ITEMS), in_threads, 20, workers=names))
    assert result.n_votes == 20


def test_no_worker_ends_a_run():
    result = asyncio.run(hr.run_async(hr.AutoSampler(4), alphabetic, 20, workers=lambda: []))
    assert (result.n_votes, result.reason) == (0, "no worker is available")
    with pytest.raises(InvalidArgument, match="orders='both'"):
        asyncio.run(hr.run_async(hr.AutoSampler(4), alphabetic, 20, workers=["ann"], orders="both"))
    with pytest.raises(InvalidArgument, match="list of names"):
        hr.run(hr.AutoSampler(4), alphabetic, 20, workers="ann")
    with pytest.raises(InvalidArgument, match="at least one worker"):
        hr.run(hr.AutoSampler(4), alphabetic, 20, workers=[])


def test_a_simulated_crowd_says_who_is_available():
    crowd = hr.SimulatedCrowd(4, workers=HALF_CARELESS, n_available=3, rng=1)
    shown = {crowd.available_workers() for _ in range(30)}
    assert {len({*each}) for each in shown} == {3}
    assert {worker for each in shown for worker in each} == {*crowd.workers}
    assert crowd((crowd.items[0], crowd.items[1]), "random-02")[1] == "random-02"
    with pytest.raises(InvalidArgument, match="no worker"):
        crowd((crowd.items[0], crowd.items[1]), "eve")
    for wrong in (0, 11, 1.5):
        with pytest.raises(InvalidArgument, match="n_available"):
            hr.SimulatedCrowd(4, workers=HALF_CARELESS, n_available=wrong)
