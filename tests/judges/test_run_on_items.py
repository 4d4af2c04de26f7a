"""Judged campaigns from the first call to the report, over real HTTP."""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections import Counter
from itertools import combinations, permutations

import pytest

import hodgerank as hr
from campaigns import (
    QUESTION,
    SCORES,
    TEXTS,
    asked_in,
    few,
    judge_of,
    records,
    run,
    shown_in,
)
from hodgerank.cli import main
from hodgerank.collecting.stopping import read_rule
from hodgerank.data.items.judged_items import read_items
from hodgerank.data.items.samples import Sample
from hodgerank.errors import JudgeFailed
from hodgerank.judges.fake_llm import FakeLLM, Faults, ModelProfile
from hodgerank.judges.ledger import Caps

SHARP = ModelProfile(acuity=100)


def tau(found):
    """With the true scores: 12 items in random order reach .6 in one of 400 cases."""
    truth = [SCORES[TEXTS[item]] for item in found.result.ranking.items]
    signs = [1 if one > other else -1 for one, other in combinations(truth, 2)]
    return sum(signs) / len(signs)


def judges_section(found):
    page = found.report(with_forecast=False).to_markdown()
    return page.split("## Judges")[1].split("\n## ")[0]


# The ranking


@pytest.mark.parametrize("bias", [0.0, 2.0])
def test_the_ranking_is_found(bias):
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=2, position_bias=bias)) as fake_llm:
        found = run(judge_of(fake_llm), 100, concurrency=64)
    assert tau(found) > 0.6
    assert found.result.n_votes == len(fake_llm.calls) == 100
    assert found.result.reason == "budget of 100 votes used"


@pytest.mark.parametrize("options", [{"template": "grade"}, {"probabilities": True}])
def test_graded_answers_find_it_too(options):
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=2)) as fake_llm:
        found = run(judge_of(fake_llm, **options), 80, concurrency=8)
    assert tau(found) > 0.6
    assert len(set(found.result.votes.outcome.tolist())) > 2


def test_a_panel_shares_the_work_and_each_is_a_worker():
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=2)) as fake_llm:
        found = run(judge_of(fake_llm, models=["x", "y", "z"]), 90, concurrency=9)
    counts = Counter(call.model for call in fake_llm.calls)
    assert all(abs(counts[model] - 30) <= 3 for model in "xyz")
    assert set(found.result.votes.workers) == {"x", "y", "z"}
    assert tau(found) > 0.6


def test_systems_are_ranked_by_their_outputs_to_the_same_prompts():
    items, scores = {}, {}
    for k, system in enumerate(("bad", "fair", "good")):
        outputs = [Sample(f"{system} output {n}", context=f"Prompt {n}.") for n in range(4)]
        items[system] = outputs
        scores |= {output.text: 2.0 * k for output in outputs}
    with FakeLLM(scores, profiles=ModelProfile(acuity=2)) as fake_llm:
        found = run(judge_of(fake_llm, items), 24, concurrency=4)
    assert found.result.ranking.items == ("good", "fair", "bad")
    assert set(Counter(found.to_frame("polars")["context"]).values()) == {6}
    assert found.n_left == 0


@pytest.mark.parametrize("orders", ["single", "both"])
def test_items_of_different_tracks_are_never_shown_together(write, orders):
    tracks = {item: str(k % 3) for k, item in enumerate(TEXTS)}
    rows = [{"id": item, "text": text, "track": tracks[item]} for item, text in TEXTS.items()]
    items = read_items(write("\n".join(map(json.dumps, rows)), "items.jsonl"))
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=2)) as fake_llm:
        found = run(judge_of(fake_llm, items), 1000, concurrency=8, orders=orders)
    asked = [call.pair for call in found.judged]
    assert all(tracks[left] == tracks[right] for left, right in asked)
    assert set(asked) == {
        pair for pair in permutations(TEXTS, 2) if len({tracks[item] for item in pair}) == 1
    }
    assert (found.n_left, found.open_pairs) == (0, [])


def test_one_call_at_a_time_is_repeatable():
    with FakeLLM(SCORES) as fake_llm:
        one, other = (run(judge_of(fake_llm), 40, concurrency=1, seed=3) for _ in range(2))
        third = run(judge_of(fake_llm), 40, concurrency=1, seed=4)
    assert [call.pair for call in one.judged] == [call.pair for call in other.judged]
    assert one.result.ranking.scores.tolist() == other.result.ranking.scores.tolist()
    assert [call.pair for call in one.judged] != [call.pair for call in third.judged]


def test_a_judge_goes_on_with_a_larger_budget():
    """Without a log it remembers what it was asked."""
    with FakeLLM(SCORES) as fake_llm:
        judge = judge_of(fake_llm)
        run(judge, 20)
        found = run(judge, 30)
        keys = {asked_in(call, fake_llm) for call in fake_llm.calls}
    assert found.result.n_votes == len(fake_llm.calls) == len(keys) == 30
    assert found.result.reason == "budget of 30 votes used"


def test_any_sampler_will_do():
    with FakeLLM(SCORES) as fake_llm:
        found = run(judge_of(fake_llm), 20, sampler=hr.BayesianSampler(TEXTS, seed=1))
    assert found.asked_by == hr.BayesianSampler(TEXTS).name
    assert set(found.to_frame("polars")["asked_by"]) == {found.asked_by}


def test_a_stopping_rule_ends_it():
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=2)) as fake_llm:
        found = run(judge_of(fake_llm), 130, concurrency=8, stop=read_rule("tau >= 0.5"))
    assert found.result.n_votes == len(fake_llm.calls) < 130
    assert found.result.reason == "expected tau 0.5 reached"
    assert hr.expected_tau(found.result.ranking) > 0.45  # what was out came in later


# Leans


@pytest.mark.parametrize(
    ("bias", "said", "not_said"),
    [
        (2.0, "“m” prefers the item shown first", "prefers the item shown second"),
        (0.0, "No judge shows a significant position bias", "prefers the"),
        pytest.param(
            -2.0,
            "“m” prefers the item shown second",
            "prefers the item shown first",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_lean_is_measured_and_said(bias, said, not_said):
    with FakeLLM(SCORES, profiles=ModelProfile(position_bias=bias)) as fake_llm:
        found = run(judge_of(fake_llm), 100, concurrency=1)
    assert tau(found) > 0.6
    section = judges_section(found)
    assert said in section
    assert not_said not in section
    assert f"Question: {QUESTION}" in section
    assert "100 calls returned an answer" in section
    assert "32 more questions can be put to these judges" in section


def test_of_two_judges_the_one_that_leans_is_named():
    profiles = {"leans": ModelProfile(acuity=2, position_bias=3), "fair": ModelProfile(acuity=2)}
    with FakeLLM(SCORES, profiles=profiles) as fake_llm:
        found = run(judge_of(fake_llm, models=["leans", "fair"]), 120, concurrency=1)
    section = judges_section(found)
    assert "“leans” prefers the item shown first" in section
    assert "fair prefers" not in section


# Many at once


def test_64_calls_in_flight_are_64_different_pairs():
    """Of 66: the sampler knows what is out."""
    with FakeLLM(SCORES, faults=Faults(latency=0.05)) as fake_llm:
        found = run(judge_of(fake_llm), 64, concurrency=64)
    assert len({frozenset(shown_in(call)) for call in fake_llm.calls}) == 64
    assert found.result.n_votes == 64


@pytest.mark.parametrize("concurrency", [1, 64])
def test_no_question_is_put_twice_and_in_the_end_all_are(concurrency):
    items = few(6)
    with FakeLLM(SCORES) as fake_llm:
        found = run(judge_of(fake_llm, items, ["x", "y"]), 1000, concurrency=concurrency)
    asked = Counter((call.model, *shown_in(call)) for call in fake_llm.calls)
    assert set(asked) == {(m, *pair) for m in ("x", "y") for pair in permutations(items, 2)}
    assert set(asked.values()) == {1}
    assert found.result.reason == "every pair has been asked as often as allowed"
    assert found.n_left == 0
    assert "Every question has been put to these judges" in judges_section(found)


def test_questions_that_were_not_answered_are_not_put_again_either(tmp_path):
    """Going on after everything was asked is not a judge who fails."""
    log, items = tmp_path / "calls.jsonl", few(7)
    with FakeLLM(SCORES, profiles=ModelProfile(abstain=0.6), seed=1) as fake_llm:
        first = run(judge_of(fake_llm, items, log=log), 1000, concurrency=8)
        again = run(judge_of(fake_llm, items, log=log), 1000, concurrency=8)
        assert len(fake_llm.calls) == 42
    assert first.n_left == again.n_left == 0
    assert again.result.n_votes == first.result.n_votes
    assert again.result.reason == first.result.reason


def test_every_question_is_put_though_the_judge_abstains_and_the_run_is_broken_off(tmp_path):
    log, items = tmp_path / "calls.jsonl", few(5)
    options = {"parameters": {"temperature": 1}, "log": log, "repeats": 2}
    with FakeLLM(SCORES, profiles=ModelProfile(abstain=0.4), seed=2) as fake_llm:
        for n_calls in (7, 15, 30):
            run(judge_of(fake_llm, items, caps=Caps(calls=n_calls), **options), 1000)
        found = run(judge_of(fake_llm, items, **options), 1000)
        asked = Counter(shown_in(call) for call in fake_llm.calls)
    assert found.n_left == 0
    assert asked == dict.fromkeys(permutations(items, 2), 2)


# Both orders


def test_both_orders_are_asked_and_both_answers_kept():
    """A judge who always takes the first says so twice; that is no tie."""
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=0, position_bias=50)) as fake_llm:
        found = run(judge_of(fake_llm, few(6)), 30, orders="both", concurrency=4)
    assert {frozenset(call.pair) for call in found.judged} == {
        frozenset(pair) for pair in combinations(few(6), 2)
    }
    assert len({call.pair for call in found.judged}) == 30
    assert found.to_frame("polars")["outcome"].to_list() == [1.0] * 30
    assert found.judges[0].both_orders.part == 0
    assert found.judges[0].both_orders.whole == 15


@pytest.mark.parametrize("concurrency", [1, 5])
def test_a_pair_that_is_asked_in_one_order_is_asked_in_the_other(concurrency):
    """Of 66 pairs 20 are asked, though places become free one at a time."""
    with FakeLLM(SCORES, faults=Faults(latency=(0.0, 0.02))) as fake_llm:
        found = run(judge_of(fake_llm), 40, orders="both", concurrency=concurrency)
    orders = Counter(frozenset(call.pair) for call in found.judged)
    assert sorted(orders.values()) == [2] * 20


def test_single_orders_are_balanced():
    with FakeLLM(SCORES) as fake_llm:
        found = run(judge_of(fake_llm), 66, concurrency=1)
    lefts = Counter(call.pair.left for call in found.judged)
    rights = Counter(call.pair.right for call in found.judged)
    assert all(abs(lefts[item] - rights[item]) <= 3 for item in TEXTS)


# What goes wrong on the way


def test_faults_on_the_way_change_nothing_in_the_end(no_waiting):
    faults = Faults(too_many=0.15, server_error=0.15, broken_json=0.15, closed=0.05)
    with FakeLLM(SCORES) as fake_llm:
        smooth = run(judge_of(fake_llm), 50, concurrency=1)
    with FakeLLM(SCORES, faults=faults, seed=0) as fake_llm:
        rough = run(judge_of(fake_llm, retries=20), 50, concurrency=1)
        assert len(fake_llm.calls) == 50  # what was paid for
        assert set(fake_llm.faulted) == {"too_many", "server_error", "broken_json", "closed"}
        n_faults = sum(fake_llm.faulted.values())
    assert rough.judges[0].cost.retries == n_faults
    assert rough.judges[0].statuses == smooth.judges[0].statuses
    assert [call.verdict for call in rough.judged] == [call.verdict for call in smooth.judged]
    assert rough.result.ranking.scores.tolist() == smooth.result.ranking.scores.tolist()


def test_calls_that_fail_for_good_leave_their_answers_out_and_nothing_else(no_waiting):
    with FakeLLM(SCORES, faults=Faults(server_error=0.3)) as fake_llm:
        found = run(judge_of(fake_llm, retries=0), 60, concurrency=4)
    assert found.result.n_votes == len(fake_llm.calls) == 60
    assert found.judges[0].statuses["failed"] == fake_llm.faulted["server_error"] > 5
    assert found.result.n_unanswered == fake_llm.faulted["server_error"]


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (ModelProfile(ramble=1), "The last reason: unparsable: "),
        (ModelProfile(refuse=1), "The last reason: refused: "),
        (ModelProfile(abstain=1), "The last reason: abstained"),
    ],
)
def test_a_judge_that_never_answers_ends_with_an_error_that_quotes_it(profile, said):
    with FakeLLM(SCORES, profiles=profile) as fake_llm, pytest.raises(JudgeFailed) as caught:
        run(judge_of(fake_llm), 100, concurrency=4)
    message = str(caught.value)
    assert message.startswith("20 pairs in a row got no answer")
    assert said in message
    assert len(fake_llm.calls) <= 24
    quoted = message.split(said)[1]
    replies = {call.reply for call in fake_llm.calls if call.reply}
    if profile.ramble:
        assert any(reply[:30] in quoted for reply in replies)


def test_a_judge_that_never_answers_about_few_items_ends_with_that_error_too():
    """There are no twenty pairs to fail on."""
    with (
        FakeLLM(SCORES, profiles=ModelProfile(ramble=1)) as fake_llm,
        pytest.raises(JudgeFailed) as caught,
    ):
        run(judge_of(fake_llm, few(3)), 100, concurrency=4)
    assert "unparsable: " in str(caught.value)
    assert len(fake_llm.calls) == 6


def test_a_server_that_always_fails_is_quoted(no_waiting):
    words = "HTTP 500: simulated server error"
    with (
        FakeLLM(SCORES, faults=Faults(server_error=1)) as fake_llm,
        pytest.raises(JudgeFailed, match=words) as caught,
    ):
        run(judge_of(fake_llm, retries=1), 100, concurrency=4)
    assert str(caught.value).count("HTTP 500") == 1


# Kill


PREPARED = multiprocessing.get_context("forkserver")
PREPARED.set_forkserver_preload(["hodgerank.judges.run_on_items", "hodgerank.cli.judge", "httpx"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "moments", [[2, 20], pytest.param([1, 2, 12, 20], marks=pytest.mark.slow)], ids=str
)
def test_a_run_survives_being_killed_at_any_moment(tmp_path, moments):
    """What is in the log is not paid again; what was out when it was killed may be.

    The process is killed while one of its calls is answered: the reply to that one and to others
    that are out, no more than may be in flight, are lost.
    """
    items, folder, in_flight = tmp_path / "items.jsonl", tmp_path / "run", 8
    items.write_text("\n".join(json.dumps({"id": k, "text": v}) for k, v in TEXTS.items()))
    with FakeLLM(SCORES) as fake_llm:
        base_url = fake_llm.base_url

    def judge(moment=None):
        """Run the command in a process of its own: how it ends, what is paid, what is logged.

        `moment` is the call at which the process is killed. Each has a stand-in to itself, at the
        same address: what a killed one had sent is not met by the next.
        """

        def kill(_):
            if len(fake_llm._calls) == moment:
                process.kill()

        words = ["judge", items, "-q", QUESTION, "-m", "m", "--base-url", base_url]
        words += ["--budget", 60, "--concurrency", in_flight, "--format", "md", "--no-forecast"]
        words += ["-o", folder]
        process = PREPARED.Process(target=main, args=([*map(str, words)],))
        port = int(base_url.split(":")[-1].removesuffix("/v1"))
        with FakeLLM(SCORES, on_call=kill, port=port) as fake_llm:
            process.start()
            process.join()
            paid = [asked_in(call, fake_llm) for call in fake_llm.calls]
        lines = (folder / "calls.jsonl").read_bytes().split(b"\n")[:-1]  # whole ones
        return process.exitcode, paid, {json.loads(line)["key"] for line in lines}

    paid, logged = [], set()
    for moment in moments:
        end, paid_now, logged_now = judge(moment)
        assert end == -signal.SIGKILL
        assert not logged & {*paid_now}
        assert len({*paid_now}) == len(paid_now)
        assert len({*paid_now} - logged_now) <= in_flight
        assert logged <= logged_now
        paid, logged = paid + paid_now, logged_now
    end, paid_now, logged_now = judge()
    assert end == 0
    assert not logged & {*paid_now}
    assert len(records(folder / "calls.jsonl")) == len(logged_now) == 60
    assert logged_now <= {*paid, *paid_now}
    assert len(paid + paid_now) <= 60 + len(moments) * in_flight
    assert (folder / "report.md").exists()
