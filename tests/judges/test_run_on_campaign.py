"""Models that work on a campaign, over real HTTP."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import threading
import time
from collections import Counter
from contextlib import contextmanager
from itertools import combinations

import pytest

import hodgerank as hr
from campaigns import QUESTION, SCORES, TEXTS, asked_in, few, judge_of, records, shown_in
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.settings import GoldPair
from hodgerank.errors import CampaignError, InvalidArgument, JudgeFailed, NoTask, UnknownItem
from hodgerank.judges.fake_llm import FakeLLM, Faults, ModelProfile
from hodgerank.judges.ledger import Caps
from hodgerank.judges.run_on_campaign import judge_campaign, judge_for
from hodgerank.types import Pair

SHARP = ModelProfile(acuity=2)


@contextmanager
def campaign_of(items=TEXTS, where=None, **settings):
    with Campaign.create(where, items, question=QUESTION, **settings) as campaign:
        yield campaign


def work(fake_llm, campaign, models="m", judge=None, **options):
    """A run; then the judge is closed."""
    of_run = ("budget", "concurrency", "on_answer")
    to_run = {name: options.pop(name) for name in of_run if name in options}
    judge = judge or judge_for(campaign, models, base_url=fake_llm.base_url, **options)

    async def run():
        try:
            return await judge_campaign(judge, campaign, **to_run)
        finally:
            await judge.close()

    return asyncio.run(run())


def answered(campaign):
    """How often each worker answered each pair, as shown."""
    return Counter((row["worker"], row["left"], row["right"]) for row in campaign.answers())


def asked(fake_llm):
    """How often each model was asked about each pair, as shown."""
    return Counter((call.model, *shown_in(call)) for call in fake_llm.calls)


# Beside others


def test_two_models_and_a_person_share_a_campaign_and_every_answer_counts_once(tmp_path):
    with (
        FakeLLM(SCORES, profiles=SHARP, faults=Faults(latency=0.005)) as fake_llm,
        campaign_of(where=tmp_path / "campaign.db", budget=60) as campaign,
    ):
        n_of_ann = 0

        def ann():
            nonlocal n_of_ann
            while True:
                try:
                    [task] = campaign.lease("ann")
                except NoTask as none:
                    if none.why != "busy":
                        return
                    time.sleep(0.01)
                    continue
                left, right = (SCORES[TEXTS[item]] for item in task.pair)
                campaign.answer(task, 1 if left > right else -1, worker="ann")
                n_of_ann += 1
                time.sleep(0.02)

        person = threading.Thread(target=ann)
        person.start()
        run = work(fake_llm, campaign, ["x", "y"], concurrency=8)
        person.join(20)
        assert not person.is_alive()
        assert run.n_answers == run.n_counted == len(fake_llm.calls) == 60 - n_of_ann
        assert n_of_ann > 0
        given = answered(campaign)
        assert set(given.values()) == {1}
        assert asked(fake_llm) == {key: n for key, n in given.items() if key[0] != "ann"}
        assert campaign.counts.n_votes == campaign.counts.n_given == 60
        assert {worker.worker for worker in campaign.workers()} == {"x", "y", "ann"}
        assert all(model.n_answers > 10 for model in run.models)
        assert run.reason == "the campaign has all 60 votes of its budget"
        truth = [SCORES[TEXTS[item]] for item in campaign.ranking().items]
        assert sum(one > other for one, other in combinations(truth, 2)) > 50  # of 66


def test_a_model_answers_each_pair_once_and_then_has_seen_them_all():
    with FakeLLM(SCORES) as fake_llm, campaign_of(few(5)) as campaign:
        told = []
        run = work(fake_llm, campaign, on_answer=lambda pair, answer: told.append((pair, answer)))
        again = work(fake_llm, campaign)
        assert len(fake_llm.calls) == 10
    assert [run.n_answers, again.n_answers] == [10, 0]
    assert run.reason == again.reason == "m has seen every pair"
    assert len({pair for pair, _ in told}) == 10
    assert {answer.worker for _, answer in told} == {"m"}


@pytest.mark.parametrize("concurrency", [1, 2, 5])
def test_no_more_calls_are_out_than_may_be_and_models_take_turns(concurrency):
    in_hand, most, all_are_out = 0, 0, asyncio.Event()

    with FakeLLM(SCORES) as fake_llm, campaign_of() as campaign:
        judge = judge_for(campaign, ["x", "y", "z"], base_url=fake_llm.base_url)
        ask = judge.ask

        async def counting(pair, model):
            nonlocal in_hand, most
            in_hand += 1
            most = max(most, in_hand)
            if in_hand == concurrency:
                all_are_out.set()
            try:
                await asyncio.wait_for(all_are_out.wait(), 30)
                return await ask(pair, model)
            finally:
                in_hand -= 1

        judge.ask = counting
        run = work(fake_llm, campaign, judge=judge, budget=30, concurrency=concurrency)
    assert most == concurrency
    assert all(abs(model.n_answers - 10) <= concurrency for model in run.models)


def test_a_model_waits_for_what_is_out_with_others():
    with FakeLLM(SCORES) as fake_llm, campaign_of(few(3), budget=3) as campaign:
        [task] = campaign.lease("ann")
        skipping = threading.Timer(0.3, campaign.skip, [task])
        skipping.start()
        run = work(fake_llm, campaign)
        skipping.join()
        assert run.n_answers == campaign.counts.n_votes == 3


def test_who_has_seen_every_pair_does_not_wait_for_others():
    with FakeLLM(SCORES) as fake_llm, campaign_of(few(4)) as campaign:
        campaign.lease("ann", 3)
        run = work(fake_llm, campaign)
        assert campaign.counts.n_out == 3
    assert (run.n_answers, run.reason) == (6, "m has seen every pair")


def test_items_that_are_numbers_are_asked_about_too():
    items = [CampaignItem(k, text) for k, text in enumerate(TEXTS.values())]
    with FakeLLM(SCORES, profiles=SHARP) as fake_llm, campaign_of(items) as campaign:
        assert work(fake_llm, campaign, budget=20).n_answers == 20
        assert {row["worker"] for row in campaign.answers()} == {"m"}


def test_pairs_are_within_tracks():
    items = [
        CampaignItem(item, text, track=str(k % 3)) for k, (item, text) in enumerate(TEXTS.items())
    ]
    tracks = {item.id: item.track for item in items}
    with FakeLLM(SCORES) as fake_llm, campaign_of(items) as campaign:
        run = work(fake_llm, campaign)
    assert run.n_answers == len(fake_llm.calls) == 18
    assert all(tracks[left] == tracks[right] for _, left, right in asked(fake_llm))


# When it ends


def test_the_budget_of_a_run_is_kept():
    with FakeLLM(SCORES) as fake_llm, campaign_of() as campaign:
        run = work(fake_llm, campaign, ["x", "y"], budget=25, concurrency=16)
        assert campaign.counts.n_votes == 25
    assert len(fake_llm.calls) == 25
    assert run.reason == "budget of 25 votes used"


def test_the_budget_of_a_run_is_reached_though_some_abstain():
    profiles = {"x": ModelProfile(abstain=0.5)}
    with FakeLLM(SCORES, profiles=profiles) as fake_llm, campaign_of() as campaign:
        run = work(fake_llm, campaign, ["x", "y"], budget=60, concurrency=8)
    assert run.n_answers == 60
    assert run.n_skipped > 3


def test_the_budget_of_the_campaign_is_kept():
    with FakeLLM(SCORES) as fake_llm, campaign_of(budget=12) as campaign:
        run = work(fake_llm, campaign, ["x", "y"])
        assert campaign.counts.n_votes == 12
    assert len(fake_llm.calls) == 12
    assert run.reason == "the campaign has all 12 votes of its budget"


def test_a_stopping_rule_ends_it():
    hr.expected_tau(hr.bayes_rank([("a", "b", 1), ("b", "c", 1)]))  # compiled before it counts
    slow = FakeLLM(SCORES, profiles=SHARP, faults=Faults(latency=0.05))
    with slow as fake_llm, campaign_of(stop="tau >= 0.5") as campaign:
        run = work(fake_llm, campaign, ["x", "y"], concurrency=4)
        assert campaign.progress().is_enough
    assert run.n_answers < 132
    assert "the campaign has reached its target" in run.reason


def test_a_cap_ends_it_well_and_what_was_not_asked_stays_with_the_model():
    with FakeLLM(SCORES) as fake_llm, campaign_of() as campaign:
        run = work(fake_llm, campaign, concurrency=8, caps=Caps(calls=10))
        assert len(fake_llm.calls) == run.n_answers == 10
        assert run.reason == "limit of 10 calls reached"
        [worker] = campaign.workers()
        assert (worker.n_skipped, worker.n_answers) == (0, 10)
        assert worker.n_out > 0
        out = {task.pair for task in campaign.lease("m", worker.n_out)}
        again = work(fake_llm, campaign, budget=worker.n_out, concurrency=8)
        assert {Pair(*shown_in(call)) for call in fake_llm.calls[10:]} == out
        assert again.n_answers == len(out)


def test_a_closed_campaign_has_nothing_to_ask():
    with FakeLLM(SCORES) as fake_llm, campaign_of() as campaign:
        campaign.close()
        run = work(fake_llm, campaign)
    assert fake_llm.calls == []
    assert (run.n_answers, run.reason) == (0, "the campaign is closed")


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (lambda campaign: campaign.close(), "the campaign is closed"),
        (lambda campaign: campaign.pause(), "the campaign is paused: try again later"),
        (lambda campaign: campaign.ban("m"), "m is banned from this campaign"),
    ],
    ids=["closed", "paused", "banned"],
)
def test_a_campaign_that_ends_meanwhile_ends_the_run(end, words):
    with campaign_of() as campaign:

        def on_call(call):
            if len(fake_llm._calls) == 10:
                end(campaign)

        with FakeLLM(SCORES, on_call=on_call) as fake_llm:
            run = work(fake_llm, campaign, concurrency=4)
            assert 10 <= len(fake_llm.calls) <= 14
        assert run.reason == words
        [model] = run.models
        assert model.n_answers + model.n_not_taken == len(fake_llm.calls)
        assert campaign.counts.n_given == model.n_answers


def test_a_reset_meanwhile_is_no_trouble_and_nothing_is_asked_again():
    with campaign_of(few(6)) as campaign:

        def on_call(call):
            if len(fake_llm._calls) == 8:
                campaign.reset()

        with FakeLLM(SCORES, on_call=on_call) as fake_llm:
            run = work(fake_llm, campaign, concurrency=4)
            assert set(asked(fake_llm).values()) == {1}
        assert campaign.counts.n_votes == 15
        assert run.models[0].n_not_taken > 0


def test_items_that_join_meanwhile_end_the_run_and_the_next_one_knows_them():
    with campaign_of(few(4)) as campaign:

        def on_call(call):
            if len(fake_llm._calls) == 2:
                campaign.add({"item-11": TEXTS["item-11"]})

        with FakeLLM(SCORES, on_call=on_call) as fake_llm:
            run = work(fake_llm, campaign, concurrency=1)
            assert (
                run.reason
                == "item-11 was added to the campaign meanwhile: run the same command again"
            )
            work(fake_llm, campaign)
        assert campaign.counts.n_votes == 10


def test_who_stops_the_judge_gets_what_is_out():
    with campaign_of() as campaign:

        def on_call(call):
            if len(fake_llm._calls) == 5:
                judge.stop("enough of it")

        with FakeLLM(SCORES, on_call=on_call) as fake_llm:
            judge = judge_for(campaign, "m", base_url=fake_llm.base_url)
            run = work(fake_llm, campaign, judge=judge, concurrency=4)
            n_calls = len(fake_llm.calls)
        assert run.reason == "enough of it"
        assert run.n_answers == n_calls <= 9


# No answer


@pytest.mark.parametrize(
    ("reasons", "given"), [(("hard", "abstained"), "abstained"), (("hard", "easy"), "hard")]
)
def test_abstentions_are_skipped_and_do_not_come_back(reasons, given):
    profiles = ModelProfile(abstain=0.4)
    with FakeLLM(SCORES, profiles=profiles, seed=3) as fake_llm:
        with campaign_of(few(7), skip_reasons=reasons) as campaign:
            run = work(fake_llm, campaign)
            again = work(fake_llm, campaign)
            skips = [event.data["reason"] for event in campaign.events() if event.kind == "skipped"]
        assert len(fake_llm.calls) == run.n_answers + run.n_skipped == 21
    assert run.n_skipped == len(skips) > 3
    assert set(skips) == {given}
    assert (again.n_answers, again.n_skipped) == (0, 0)


def test_calls_that_fail_for_good_are_skipped(no_waiting):
    faults = Faults(server_error=0.3)
    with FakeLLM(SCORES, faults=faults) as fake_llm, campaign_of() as campaign:
        run = work(fake_llm, campaign, retries=0, concurrency=4)
        assert run.n_answers == len(fake_llm.calls)
        assert run.n_skipped == fake_llm.faulted["server_error"] == 66 - run.n_answers > 5


def test_a_model_that_never_answers_ends_alone():
    profiles = {"x": ModelProfile(ramble=1)}
    with FakeLLM(SCORES, profiles=profiles) as fake_llm, campaign_of() as campaign:
        run = work(fake_llm, campaign, ["x", "y"], concurrency=8)
    x, y = run.models
    assert x.is_failed
    assert 20 <= x.n_skipped <= 20 + 8  # those that were under way
    assert x.reason.startswith("x gave no answer to 20 pairs in a row. The last reason: unparsable")
    assert (y.is_failed, y.n_answers, y.reason) == (False, 66, "y has seen every pair")


def test_where_no_model_ever_answers_it_fails():
    with (
        FakeLLM(SCORES, profiles=ModelProfile(refuse=1)) as fake_llm,
        campaign_of() as campaign,
        pytest.raises(JudgeFailed, match="m gave no answer to 20 pairs in a row") as caught,
    ):
        work(fake_llm, campaign, concurrency=4)
    assert "refused: " in str(caught.value)
    assert len(fake_llm.calls) <= 20 + 2 * 4  # those that were under way, and as many behind


def test_a_wrong_key_ends_its_model_and_the_others_go_on(no_waiting):
    with FakeLLM(SCORES, key="right") as fake_llm, campaign_of() as campaign:
        found = work(fake_llm, campaign, ["x", "y"], api_key=["right", "wrong"])
        assert campaign.counts.n_given == len(fake_llm.calls) > 0
    x, y = found.models
    assert not x.is_failed
    assert y.is_failed
    assert "HTTP 401" in y.reason
    assert y.n_answers == 0


def test_a_wrong_key_of_all_models_is_an_error(no_waiting):
    with FakeLLM(SCORES, key="right") as fake_llm, campaign_of() as campaign:
        with pytest.raises(JudgeFailed, match="HTTP 401"):
            work(fake_llm, campaign, ["x", "y"], api_key="wrong")
        assert fake_llm.calls == []


# Going on


def test_what_is_in_the_log_is_handed_in_and_not_asked_again(tmp_path):
    """The campaign has lost its answers, the log has not."""
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES, profiles=ModelProfile(abstain=0.2)) as fake_llm:
        with campaign_of(few(6), seed=1) as campaign:
            first = work(fake_llm, campaign, log=log)
        n_calls = len(fake_llm.calls)
        assert n_calls == 15
        with campaign_of(few(6), seed=1, display="random") as campaign:
            second = work(fake_llm, campaign, log=log, concurrency=1)
            known = {(row["left"], row["right"]): row["outcome"] for row in records(log)[:15]}
            for row in campaign.answers():
                if (row["left"], row["right"]) in known:
                    assert row["outcome"] == known[row["left"], row["right"]]
        assert set(asked(fake_llm).values()) == {1}
    assert first.models[0].n_known == 0
    assert second.models[0].n_known == 15 - (len(fake_llm.calls) - n_calls) > 3
    assert len(records(log)) == len(fake_llm.calls)


def test_a_reply_that_was_not_handed_in_is_handed_in_by_the_next_run(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm, campaign_of() as campaign:
        [task] = campaign.lease("m")

        async def ask_only():
            judge = judge_for(campaign, "m", base_url=fake_llm.base_url, log=log)
            call = await judge.ask(task.pair, "m")
            await judge.close()
            return call

        outcome = asyncio.run(ask_only()).verdict.outcome
        run = work(fake_llm, campaign, log=log, budget=1, caps=Caps(calls=1))
        assert len(fake_llm.calls) == 1
        [row] = campaign.answers()
        assert (row["left"], row["right"], row["outcome"]) == (*task.pair, outcome)
    assert (run.n_answers, run.models[0].n_known) == (1, 1)


def test_a_pair_that_comes_again_since_its_lease_has_ended_is_asked_once():
    """The reply to the first lease answers the second one too."""
    now = [1e6]
    with Campaign.create(
        None, few(2), question=QUESTION, lease_seconds=5, display="fixed", clock=lambda: now[0]
    ) as campaign:
        again = []

        def on_call(call):
            now[0] += 10
            again.extend(campaign.lease("m"))

        with FakeLLM(SCORES, on_call=on_call) as fake_llm:
            run = work(fake_llm, campaign, concurrency=2)
        assert len(fake_llm.calls) == 1
        assert len(again) == 1
        assert campaign.counts.n_votes == run.n_counted == 1
        assert run.n_answers == 2


def test_gold_pairs_that_come_again_are_not_paid_again():
    gold = (GoldPair("item-11", "item-00"),)
    with (
        FakeLLM(SCORES, profiles=SHARP) as fake_llm,
        campaign_of(few(7) | {"item-11": TEXTS["item-11"]}, gold=gold, gold_share=0.5) as campaign,
    ):
        run = work(fake_llm, campaign, concurrency=4)
        [worker] = campaign.workers()
        assert worker.gold_seen > 10
        assert set(asked(fake_llm).values()) == {1}
        assert run.n_counted == campaign.counts.n_votes == 27
        assert run.n_answers == 27 + worker.gold_seen


PREPARED = multiprocessing.get_context("forkserver")
PREPARED.set_forkserver_preload(
    ["hodgerank.judges.run_on_campaign", "hodgerank.campaign.stores.sqlite", "httpx", "alembic"]
)


def judge_to_the_end(where, base_url, log):
    with Campaign.open(where) as campaign:
        judge = judge_for(campaign, ["x", "y"], base_url=base_url, log=log)
        asyncio.run(judge_campaign(judge, campaign, concurrency=8))


def test_a_run_survives_being_killed_at_any_moment(tmp_path):
    """What is in the log is not paid again, and is handed in; what was out may be paid again."""
    where, log = tmp_path / "campaign.db", tmp_path / "calls.jsonl"
    with campaign_of(few(8), where):
        pass
    with FakeLLM(SCORES) as fake_llm:
        base_url = fake_llm.base_url

    def judge(moment=None):
        def kill(_):
            if len(fake_llm._calls) == moment:
                process.kill()

        process = PREPARED.Process(target=judge_to_the_end, args=(where, base_url, log))
        port = int(base_url.split(":")[-1].removesuffix("/v1"))
        with FakeLLM(SCORES, on_call=kill, port=port) as fake_llm:
            process.start()
            process.join()
            paid = [asked_in(call, fake_llm) for call in fake_llm.calls]
        lines = log.read_bytes().split(b"\n")[:-1]  # whole ones
        (tmp_path / "whole.jsonl").write_bytes(b"\n".join(lines))
        return process.exitcode, paid, {row["key"] for row in records(tmp_path / "whole.jsonl")}

    logged = set()
    for moment in (1, 15):
        end, paid, logged_now = judge(moment)
        assert end == -signal.SIGKILL
        assert not logged & {*paid}
        assert len({*paid}) == len(paid)
        logged = logged_now
    end, paid, logged_now = judge()
    assert end == 0
    assert not logged & {*paid}
    assert len(records(log)) == len(logged_now) == 56
    with Campaign.open(where) as campaign:
        assert campaign.counts.n_votes == campaign.counts.n_given == 56
        said = {(row["model"], row["left"], row["right"]): row["outcome"] for row in records(log)}
        for row in campaign.answers():
            assert row["outcome"] == said[row["worker"], row["left"], row["right"]]
        assert set(answered(campaign).values()) == {1}


# What does not fit


def test_a_campaign_without_skip_reasons_is_refused():
    with FakeLLM(SCORES) as fake_llm, campaign_of(skip_reasons=()) as campaign:
        with pytest.raises(CampaignError, match="needs skip_reasons"):
            work(fake_llm, campaign)
        assert fake_llm.calls == []


@pytest.mark.parametrize(
    ("options", "words", "remedy"),
    [
        ({"template": "tie"}, "outcomes 0, but", {"ties": True}),
        ({"template": "grade"}, "outcomes 0.5, 0, -0.5, but", {"grades": 0}),
        ({"probabilities": True}, "with --probabilities", {"grades": 0}),
    ],
)
def test_answers_that_the_campaign_does_not_take_are_refused_with_the_remedy(
    options, words, remedy
):
    [(name, value)] = remedy.items()
    with FakeLLM(SCORES) as fake_llm, campaign_of() as campaign:
        with pytest.raises(InvalidArgument, match=words) as caught:
            work(fake_llm, campaign, **options)
        assert f"set {name} = {str(value).lower()}" in str(caught.value)
        assert fake_llm.calls == []
        campaign.change(**remedy)
        assert work(fake_llm, campaign, budget=5, **options).n_answers == 5


def test_a_judge_who_does_not_know_the_items_is_refused():
    with FakeLLM(SCORES) as fake_llm, campaign_of() as campaign:
        with pytest.raises(UnknownItem, match="item-05"):
            work(fake_llm, campaign, judge=judge_of(fake_llm, few(5)))
        for item in list(TEXTS)[5:]:
            campaign.retire(item)
        assert work(fake_llm, campaign, judge=judge_of(fake_llm, few(5))).n_answers == 10


@pytest.mark.parametrize("options", [{"budget": 0}, {"concurrency": 0}])
def test_nothing_at_once_is_refused(options):
    with FakeLLM(SCORES) as fake_llm, campaign_of() as campaign, pytest.raises(InvalidArgument):
        work(fake_llm, campaign, **options)


def test_a_campaign_that_is_only_read_is_refused(tmp_path):
    with FakeLLM(SCORES) as fake_llm, campaign_of(where=tmp_path / "campaign.db"):
        with (
            Campaign.open(tmp_path / "campaign.db", read_only=True) as campaign,
            pytest.raises(CampaignError, match="open read only"),
        ):
            work(fake_llm, campaign)
        assert fake_llm.calls == []


# What models are shown

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
HERE = "http://localhost:1/v1"


def test_models_are_shown_texts_and_images(tmp_path):
    image = tmp_path / "a.png"
    image.write_bytes(PNG)
    items = [CampaignItem("a", media=str(image)), CampaignItem("b", "words", str(image))]
    with campaign_of(items) as campaign:
        judge = judge_for(campaign, "m", base_url=HERE)
        kinds = [part["type"] for part in judge.messages(Pair("a", "b"))[-1]["content"]]
    assert judge.question == QUESTION
    assert kinds.count("image_url") == 2


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (CampaignItem("c"), "the item c: there is neither a text nor an image"),
        (CampaignItem("c", media="nowhere.png"), "the image nowhere.png does not exist"),
        (CampaignItem("c", "words", "https://a.b/c.png"), "is not on this machine"),
    ],
)
def test_what_cannot_be_shown_is_refused(item, words):
    items = [CampaignItem("a", "A"), CampaignItem("b", "B"), item]
    with campaign_of(items) as campaign, pytest.raises(CampaignError, match=words):
        judge_for(campaign, "m", base_url=HERE)


def test_what_is_retired_need_not_be_shown():
    with campaign_of([CampaignItem("a", "A"), CampaignItem("b", "B"), "c"]) as campaign:
        campaign.retire("c")
        judge = judge_for(campaign, "m", base_url=HERE)
    assert judge.items.items == ("a", "b")
