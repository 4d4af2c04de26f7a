"""ChatJudge against a stand-in, over real HTTP: answers, what is none, caps, and the log."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
from collections import Counter
from itertools import combinations, permutations
from math import exp

import pytest

import hodgerank as hr
from campaigns import (
    BEST,
    KEY,
    QUESTION,
    SCORES,
    TEXTS,
    WORST,
    ask,
    asked_in,
    few,
    judge_of,
    records,
    run,
    shown_in,
    taken_up,
)
from hodgerank.campaign.campaign import Campaign
from hodgerank.data.items.samples import Sample
from hodgerank.errors import (
    CannotWrite,
    InvalidArgument,
    InvalidComparisons,
    JudgeFailed,
    StopAsking,
)
from hodgerank.judges.behaviour import behaviour_of
from hodgerank.judges.call_log import FIELDS
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.endpoint.endpoint import CallFailed, EndpointRefuses
from hodgerank.judges.fake_llm import FakeLLM, Faults, ModelProfile
from hodgerank.judges.ledger import Caps
from hodgerank.judges.prices import Price, Prices
from hodgerank.sampling.answers import Answer
from hodgerank.types import Pair

SHARP = ModelProfile(acuity=100)
NOWHERE = "http://127.0.0.1:9/v1"  # the port that throws away: nobody listens
PNG = b"\x89PNG\r\n\x1a\n"


def sigmoid(z):
    return 1 / (1 + exp(-z))


# What an answer is


def test_the_better_item_wins_in_both_orders():
    with FakeLLM(SCORES, profiles=SHARP) as fake_llm:
        said = ask(judge_of(fake_llm), (BEST, WORST), (WORST, BEST))
    assert said == [hr.Answer(1.0, "m"), hr.Answer(-1.0, "m")]


def test_the_left_item_is_shown_first():
    with FakeLLM(SCORES) as fake_llm:
        ask(judge_of(fake_llm), (BEST, WORST), (WORST, BEST))
    assert [shown_in(call) for call in fake_llm.calls] == [(BEST, WORST), (WORST, BEST)]


def test_a_tie_is_an_answer():
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=0, ties=1000)) as fake_llm:
        judge = judge_of(fake_llm, template="tie")
        assert ask(judge, (BEST, WORST)) == [hr.Answer(0.0, "m")]
    assert judge.judged[0].verdict.status == "answered"
    assert judge.unanswered == []


def test_a_choice_offers_no_tie():
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=0, ties=1000)) as fake_llm:
        (answer,) = ask(judge_of(fake_llm), (BEST, WORST))
    assert abs(answer.outcome) == 1


def test_grades_are_outcomes_between():
    grades = {"1": 1.0, "2": 0.5, "3": 0.0, "4": -0.5, "5": -1.0}
    with FakeLLM(SCORES) as fake_llm:
        said = ask(judge_of(fake_llm, few(6), template="grade"), *permutations(few(6), 2))
    assert [answer.outcome for answer in said] == [grades[call.reply] for call in fake_llm.calls]
    assert {answer.outcome for answer in said} == set(grades.values())


@pytest.mark.parametrize("bias", [0.0, 1.5])
def test_a_probability_is_an_outcome_from_minus_one_to_one(bias):
    pairs = list(permutations(few(4), 2))
    with FakeLLM(SCORES, profiles=ModelProfile(position_bias=bias, abstain=0.1)) as fake_llm:
        said = ask(judge_of(fake_llm, probabilities=True), *pairs)
    for (left, right), answer in zip(pairs, said, strict=True):
        p = sigmoid(SCORES[TEXTS[left]] - SCORES[TEXTS[right]] + bias)
        assert answer.outcome == pytest.approx(2 * p - 1, abs=1e-6)


def test_probabilities_of_replies_are_kept():
    with FakeLLM(SCORES, profiles=ModelProfile(abstain=0.1)) as fake_llm:
        judge = judge_of(fake_llm, probabilities=True)
        ask(judge, (BEST, WORST))
    chances = judge.judged[0].verdict.probabilities
    assert chances == pytest.approx({"A": 0.9 * sigmoid(5.5), "B": 0.9 * sigmoid(-5.5), "X": 0.1})


def test_a_template_of_ones_own_decides_what_is_asked_and_what_replies_mean(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'user = """{question}\n{left}\nor\n{right}\nReply 1 or 2."""\n[answers]\n2 = 1\n1 = -1\n'
    )
    with FakeLLM(SCORES, profiles=SHARP, labels={"1": -1.0, "2": 1.0}) as fake_llm:
        said = ask(judge_of(fake_llm, template=path), (BEST, WORST))
    assert said == [hr.Answer(1.0, "m")]
    (message,) = fake_llm.calls[0].body["messages"]
    assert message["content"].startswith(f"{QUESTION}\n{TEXTS[BEST]}\nor\n")


def test_what_is_shown_beforehand_is_what_is_sent():
    with FakeLLM(SCORES) as fake_llm:
        judge = judge_of(fake_llm)
        ask(judge, (BEST, WORST))
    assert fake_llm.calls[0].body["messages"] == judge.messages(Pair(BEST, WORST))


def test_images_are_judged_and_the_log_names_them_by_their_digest(tmp_path):
    contents = {name: PNG + name.encode() for name in ("good", "bad")}
    names = {name: f"sha256:{hashlib.sha256(c).hexdigest()}" for name, c in contents.items()}
    (tmp_path / "images").mkdir()
    for name, content in contents.items():
        (tmp_path / "images" / f"{name}.png").write_bytes(content)
    log = tmp_path / "calls.jsonl"
    with FakeLLM({names["good"]: 1.0, names["bad"]: 0.0}, profiles=SHARP) as fake_llm:
        judge = judge_of(fake_llm, tmp_path / "images", log=log)
        assert ask(judge, ("bad", "good")) == [hr.Answer(-1.0, "m")]
        assert len(taken_up(fake_llm, tmp_path / "images", log=log).judged) == 1
    assert names["good"] in log.read_text()
    assert "base64" not in log.read_text()


# What is none


def test_four_ways_of_not_answering_are_counted_apart_and_never_told(no_waiting):
    profiles = {
        "good": SHARP,
        "silent": ModelProfile(abstain=1),
        "shy": ModelProfile(refuse=1),
        "vague": ModelProfile(ramble=1),
    }
    with FakeLLM(SCORES, profiles=profiles) as fake_llm:
        urls = [fake_llm.base_url] * 4 + [NOWHERE]
        judge = judge_of(fake_llm, few(3), [*profiles, "gone"], base_url=urls, retries=0)
        pairs = [pair for pair in permutations(few(3), 2) for _ in range(5)]
        said = ask(judge, *pairs, at_once=True)
    counts = {
        who.model: {s: n for s, n in who.statuses.items() if n} for who in behaviour_of(judge)
    }
    assert counts == {
        "good": {"answered": 6},
        "silent": {"abstained": 6},
        "shy": {"refused": 6},
        "vague": {"unparsable": 6},
        "gone": {"failed": 6},
    }
    assert len([answer for answer in said if answer is None]) == 18
    assert len([answer for answer in said if isinstance(answer, CallFailed)]) == 6
    sampler = hr.AutoSampler(few(3))
    judge.tell(sampler)
    assert sampler.n_votes == 6
    assert set(sampler.votes.workers) == {"good"}
    assert len(judge.unanswered) == 18
    assert judge.n_left == 6  # what failed got no reply, and may be asked again


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        (ModelProfile(abstain=1), "abstained"),
        (ModelProfile(refuse=1), "refused: "),
        (ModelProfile(ramble=1), "unparsable: "),
    ],
)
def test_no_answer_is_none_and_says_why(profile, words):
    with FakeLLM(SCORES, profiles=profile) as fake_llm:
        judge = judge_of(fake_llm)
        assert ask(judge, (BEST, WORST)) == [None]
    assert judge.trouble.startswith(words)


def test_a_judge_without_log_probabilities_is_not_asked_for_them_silently():
    """A reply alone is not taken for a probability."""

    class Plain(FakeLLM):
        def answer(self, body):
            found = super().answer(body)
            found["choices"][0]["logprobs"] = None
            return found

    with Plain(SCORES) as fake_llm:
        judge = judge_of(fake_llm, probabilities=True)
        said = ask(judge, *permutations(few(4), 2), at_once=True)
        assert len(fake_llm.calls) == 1  # enough to know
    assert len(said) == 12
    assert {type(answer) for answer in said} == {EndpointRefuses}
    assert "returned no log-probabilities" in str(said[0])


def test_a_call_that_fails_is_logged_and_can_be_made_again(tmp_path, no_waiting):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES, faults=Faults(server_error=1)) as fake_llm:
        judge = judge_of(fake_llm, retries=2, log=log)
        (error,) = ask(judge, (BEST, WORST))
    assert isinstance(error, CallFailed)
    assert "3 tries" in judge.trouble
    (record,) = records(log)
    assert (record["status"], record["attempts"], record["outcome"]) == ("failed", 3, None)
    with FakeLLM(SCORES, profiles=SHARP) as fake_llm:
        again = judge_of(fake_llm, log=log)
        assert again.judged == []
        assert ask(again, (BEST, WORST)) == [hr.Answer(1.0, "m")]


def test_who_was_asked_everything_about_a_pair_gives_no_answer_and_is_not_called():
    with FakeLLM(SCORES) as fake_llm:
        judge = judge_of(fake_llm)
        _, again = ask(judge, (BEST, WORST), (BEST, WORST))
    assert again is None
    assert len(fake_llm.calls) == 1
    assert "asked about this pair in this order and context" in judge.trouble


def test_a_model_that_is_named_is_asked_once_and_its_reply_remembered(tmp_path):
    pair, log = Pair(BEST, WORST), tmp_path / "calls.jsonl"

    async def replies(judge):
        found = [await judge.ask(pair, "y"), await judge.ask(pair, "y")]
        await judge.close()
        return found

    with FakeLLM(SCORES) as fake_llm:
        first, again = asyncio.run(replies(judge_of(fake_llm, models=["x", "y"], log=log)))
        later = judge_of(fake_llm, models=["x", "y"], log=log)
        assert later.replied(pair, "y") == first
        assert later.replied(pair, "x") is None
        assert later.replied(Pair(WORST, BEST), "y") is None
        assert asyncio.run(replies(later)) == [first, first]
        assert [call.model for call in fake_llm.calls] == ["y"]
    assert first is again
    assert first.answer == Answer(first.verdict.outcome, "y")


def test_who_is_not_of_the_panel_cannot_be_asked():
    with FakeLLM(SCORES) as fake_llm, pytest.raises(InvalidArgument, match="not one of x, y"):
        asyncio.run(judge_of(fake_llm, models=["x", "y"]).ask(Pair(BEST, WORST), "z"))


def test_the_same_may_be_asked_again_where_that_is_wanted():
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=0)) as fake_llm:
        judge = judge_of(fake_llm, parameters={"temperature": 1}, repeats=20)
        said = ask(judge, *[(BEST, WORST)] * 21)
    assert len(fake_llm.calls) == 20
    assert said.pop() is None
    assert {answer.outcome for answer in said} == {-1.0, 1.0}  # a coin, drawn anew


def test_a_judge_that_was_stopped_makes_no_calls():
    with FakeLLM(SCORES) as fake_llm:
        judge = judge_of(fake_llm)
        assert not judge.is_stopped
        judge.stop("enough")
        assert judge.is_stopped
        (error,) = ask(judge, (BEST, WORST))
    assert isinstance(error, StopAsking)
    assert str(error) == "enough"
    assert fake_llm.calls == []


def told(answers):
    """How often what was answered."""
    return Counter(zip(answers.left, answers.right, answers.outcome, strict=True))


# Caps


@pytest.mark.parametrize("faults", [Faults(latency=0.02), Faults(server_error=0.3)])
def test_a_cap_on_calls_is_kept_exactly_with_64_in_flight(faults, no_waiting):
    with FakeLLM(SCORES, faults=faults) as fake_llm:
        judge = judge_of(fake_llm, caps=Caps(calls=37))
        found = run(judge, 1000, concurrency=64)
    assert len(fake_llm.calls) == judge.ledger.calls == found.result.n_votes == 37
    assert found.result.reason == "limit of 37 calls reached"


def test_a_cap_on_tokens_is_not_passed_with_64_in_flight():
    with FakeLLM(SCORES, faults=Faults(latency=0.02)) as fake_llm:
        judge = judge_of(fake_llm, caps=Caps(tokens=5000))
        found = run(judge, 1000, concurrency=64)
    used = sum(sum(call.tokens) for call in fake_llm.calls)
    assert judge.ledger.tokens == used
    assert 2500 < used <= 5000  # replies are taken for longer than they are
    assert found.result.reason.startswith("limit of 5,000 tokens reached")


def test_a_cap_on_cost_is_not_passed_with_64_in_flight():
    prices = Prices({"m": Price(1000, 2000)}, "EUR")
    with FakeLLM(SCORES, faults=Faults(latency=0.02)) as fake_llm:
        judge = judge_of(fake_llm, prices=prices, caps=Caps(cost=5))
        found = run(judge, 1000, concurrency=64)
    spent = sum((1000 * asked + 2000 * said) / 1e6 for asked, said in map(_tokens, fake_llm.calls))
    assert judge.ledger.cost == pytest.approx(spent)
    assert 2.5 < spent <= 5  # replies are taken for longer than they are
    assert found.result.reason.startswith("limit on the cost of 5 EUR reached")


def _tokens(call):
    return call.tokens


def test_replies_without_an_answer_count_towards_caps():
    with FakeLLM(SCORES, profiles=ModelProfile(abstain=0.5)) as fake_llm:
        judge = judge_of(fake_llm, caps=Caps(calls=30))
        found = run(judge, 1000, concurrency=8)
    assert len(fake_llm.calls) == 30
    assert 0 < found.result.n_votes < 30


def test_a_cap_counts_what_the_log_holds(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 20)
        found = run(judge_of(fake_llm, log=log, caps=Caps(calls=25)), 1000, concurrency=64)
        assert len(fake_llm.calls) == found.result.n_votes == 25


def test_a_cap_on_cost_needs_prices():
    with FakeLLM(SCORES) as fake_llm, pytest.raises(InvalidArgument, match="needs the price of m"):
        judge_of(fake_llm, caps=Caps(cost=1))


# The log


def test_every_record_holds_prompt_model_and_parameters(tmp_path):
    log = tmp_path / "calls.jsonl"
    sent = {"temperature": 0.5, "max_tokens": 8, "stop": ["\n"]}
    with FakeLLM(SCORES) as fake_llm:
        judge = judge_of(fake_llm, few(4), ["x", "y"], parameters=sent, log=log)
        run(judge, 24, concurrency=5)
        by_key = {asked_in(call, fake_llm): call for call in fake_llm.calls}
        url = fake_llm.base_url
    found = records(log)
    assert len(found) == len(by_key) == 24
    for record in found:
        call = by_key[record["key"]]
        assert record.keys() >= FIELDS.keys()
        assert record["messages"] == call.body["messages"]
        assert record["parameters"] == sent
        assert {name: call.body[name] for name in sent} == sent
        assert (record["model"], record["base_url"]) == (call.model, url)
        assert (record["left"], record["right"]) == shown_in(call)
        assert record["reply"] == call.reply
        assert (record["prompt_tokens"], record["completion_tokens"]) == call.tokens
        assert record["status"] == ("abstained" if call.reply == "X" else "answered")
        assert record["time"].startswith("20")


def test_the_key_is_nowhere(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES, key=KEY) as fake_llm:
        judge = judge_of(fake_llm, few(4), api_key=KEY, log=log)
        found = run(judge, 10)
    assert found.result.n_votes == 10
    assert "zq83" not in log.read_text().lower()
    shown = [
        repr(judge),
        repr(found),
        repr(judge.panel["m"]),
        found.report(with_forecast=False).to_markdown(),
    ]
    assert all("zq83" not in text.lower() for text in shown)


def test_a_log_is_taken_up_again_and_answers_are_told_once(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES, profiles=ModelProfile(abstain=0.2)) as fake_llm:
        first = run(judge_of(fake_llm, log=log), 30)
        n_first = len(fake_llm.calls)
        again = judge_of(fake_llm, log=log)
        assert [call.verdict for call in again.judged] == [call.verdict for call in first.judged]
        sampler = hr.AutoSampler(TEXTS)
        again.tell(sampler)
        assert sampler.n_votes == 30
        assert told(sampler.votes) == told(first.result.votes)
        with pytest.raises(InvalidArgument, match="a new one"):
            again.tell(sampler)
        second = run(again, 50)
        calls = fake_llm.calls
    assert second.result.n_votes == 50
    assert n_first > 30
    assert max(Counter(asked_in(call, fake_llm) for call in calls).values()) == 1
    assert len(records(log)) == len(calls) == len(second.judged)


def test_a_budget_that_is_used_makes_no_call(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        first = run(judge_of(fake_llm, log=log), 30)
        before = log.read_bytes()
        second = run(judge_of(fake_llm, log=log), 30)
        assert len(fake_llm.calls) == 30
    assert log.read_bytes() == before
    assert second.result.ranking.items == first.result.ranking.items
    assert second.judges[0].statuses == first.judges[0].statuses


def test_what_was_spent_is_known_again(tmp_path):
    log = tmp_path / "calls.jsonl"
    prices = Prices({"m": Price(1000, 2000)}, "EUR")
    with FakeLLM(SCORES, profiles=ModelProfile(refuse=0.2)) as fake_llm:
        judge = judge_of(fake_llm, prices=prices, log=log)
        run(judge, 30)
        again = taken_up(fake_llm, prices=prices, log=log)
    assert again.ledger.cost == pytest.approx(judge.ledger.cost)
    assert [row.statuses for row in again.ledger.rows()] == [
        row.statuses for row in judge.ledger.rows()
    ]
    assert (again.ledger.calls, again.ledger.tokens) == (judge.ledger.calls, judge.ledger.tokens)


@pytest.fixture(scope="module")
def twelve_calls(tmp_path_factory):
    """A log."""
    log = tmp_path_factory.mktemp("log") / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 12)
    return log.read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"question": "Which text is worse?"},
        {"template": "tie"},
        {"parameters": {"temperature": 1}},
        {"probabilities": True},
        {"items": TEXTS | {BEST: "Another text."}},
        {"items": {item: Sample(text, context="A story.") for item, text in TEXTS.items()}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_log_that_asks_something_else_is_refused_in_words(tmp_path, change, twelve_calls):
    log = tmp_path / "calls.jsonl"
    log.write_bytes(twelve_calls)
    options = {"items": TEXTS, "question": QUESTION, "models": "m", "base_url": NOWHERE, "log": log}
    with pytest.raises(InvalidArgument) as caught:
        ChatJudge(**options | change)
    assert f"{log} has calls with other prompts" in str(caught.value)
    assert "another folder to start again" in str(caught.value)
    assert log.read_bytes() == twelve_calls
    again = ChatJudge(**options)  # nobody holds the log, and another address is the same question
    assert len(again.judged) == 12
    asyncio.run(again.close())


def test_calls_about_withdrawn_items_are_ignored_and_counted(tmp_path, twelve_calls):
    log = tmp_path / "calls.jsonl"
    log.write_bytes(twelve_calls)
    left = {item: text for item, text in TEXTS.items() if item != BEST}
    n_gone = sum(BEST in (r["left"], r["right"]) for r in records(log))
    assert 0 < n_gone < 12
    with FakeLLM(SCORES) as fake_llm:
        found = run(judge_of(fake_llm, left, log=log), 20, campaign=tmp_path / "campaign.db")
        assert len(fake_llm.calls) == 20 - (12 - n_gone)
    assert BEST not in found.result.votes.items
    assert found.result.n_votes == 20
    assert f"{n_gone} call" in found.notes[0]
    assert "withdrawn, and ignored" in found.notes[0]
    assert found.judges[0].cost.calls == len(records(log))  # they were paid for
    with FakeLLM(SCORES) as fake_llm:  # the item is back, and so are its calls
        judge = taken_up(fake_llm, log=log)
    assert len(judge.judged) == len(records(log))
    assert judge.withdrawn == []


def test_an_item_is_retired_in_the_campaign_and_can_come_back(tmp_path):
    log, place = tmp_path / "calls.jsonl", tmp_path / "campaign.db"
    left = {item: text for item, text in TEXTS.items() if item != BEST}
    with FakeLLM(SCORES) as fake_llm:
        for items, retired in ((TEXTS, []), (left, [BEST]), (TEXTS, [])):
            run(judge_of(fake_llm, items, log=log), 30, campaign=place)
            with Campaign.open(place) as campaign:
                assert campaign.retired == retired


def test_further_items_are_welcome(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, few(4), log=log), 12)
        judge = judge_of(fake_llm, TEXTS, log=log)
        assert len(judge.judged) == 12
        found = run(judge, 60)
        assert len(fake_llm.calls) == 60
    assert len(found.result.ranking) == 12


def test_further_models_are_welcome(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, few(4), "x", log=log), 12)
        found = run(judge_of(fake_llm, few(4), ["x", "y"], log=log), 24)
        assert Counter(call.model for call in fake_llm.calls) == {"x": 12, "y": 12}
    assert [who.model for who in found.judges] == ["x", "y"]
    assert found.n_left == 0


def test_another_model_goes_on_where_one_is_done(tmp_path):
    """All that one was asked does not keep the other from being asked."""
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, few(4), "x", log=log), 12)
        found = run(judge_of(fake_llm, few(4), "y", log=log), 24)
        assert Counter(call.model for call in fake_llm.calls) == {"x": 12, "y": 12}
    assert found.result.n_votes == 24
    assert found.n_left == 0


def test_another_order_of_items_and_parameters_is_the_same(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        sent = {"temperature": 0.5, "max_tokens": 8}
        run(judge_of(fake_llm, log=log, parameters=sent), 20)
        turned = dict(reversed(TEXTS.items())), dict(reversed(sent.items()))
        assert len(taken_up(fake_llm, turned[0], log=log, parameters=turned[1]).judged) == 20


def test_equal_texts_under_two_ids_are_paid_once(tmp_path):
    log = tmp_path / "calls.jsonl"
    items = {"a": TEXTS[BEST], "b": TEXTS[WORST], "c": TEXTS[WORST]}
    with FakeLLM(SCORES, profiles=SHARP) as fake_llm:
        judge = judge_of(fake_llm, items, log=log)
        assert ask(judge, ("a", "b"), ("a", "c")) == [hr.Answer(1.0, "m")] * 2
        again = taken_up(fake_llm, items, log=log)
        assert [call.pair for call in again.judged] == [("a", "b"), ("a", "c")]
        assert len(fake_llm.calls) == 1
    assert judge.ledger.calls == 1


def test_equal_texts_that_are_out_at_once_are_paid_once(tmp_path):
    items = {"a": TEXTS[BEST], "b": TEXTS[WORST], "c": TEXTS[WORST]}
    with FakeLLM(SCORES, profiles=SHARP, faults=Faults(latency=0.05)) as fake_llm:
        judge = judge_of(fake_llm, items, log=tmp_path / "calls.jsonl")
        said = ask(judge, ("a", "b"), ("a", "c"), at_once=True)
    assert said == [hr.Answer(1.0, "m")] * 2
    assert len(fake_llm.calls) == 1


def test_what_was_not_paid_for_is_not_counted_when_the_log_is_taken_up(tmp_path):
    log = tmp_path / "calls.jsonl"
    items = {"a": TEXTS[BEST], "b": TEXTS[WORST], "c": TEXTS[WORST]}
    prices = Prices({"m": Price(1000, 2000)})
    with FakeLLM(SCORES, profiles=SHARP) as fake_llm:
        judge = judge_of(fake_llm, items, log=log, prices=prices)
        ask(judge, ("a", "b"), ("a", "c"))
        again = taken_up(fake_llm, items, log=log, prices=prices)
        assert (again.ledger.calls, again.ledger.tokens, again.ledger.cost) == (
            judge.ledger.calls,
            judge.ledger.tokens,
            judge.ledger.cost,
        )


def test_a_repetition_that_failed_is_asked_again_and_no_reply_counts_twice(tmp_path, no_waiting):
    """What failed was the first of two, and the second is in the log."""
    log = tmp_path / "calls.jsonl"

    class FailsOnce(FakeLLM):
        def mishap(self):
            fault = "server_error" if not held else None
            held.append(1)
            return fault

    held: list[int] = []
    with FailsOnce(SCORES) as fake_llm:
        options = {"log": log, "repeats": 2, "retries": 0, "parameters": {"temperature": 1}}
        judge = judge_of(fake_llm, **options)

        said = ask(judge, (BEST, WORST), (BEST, WORST), at_once=True)
        assert len([answer for answer in said if isinstance(answer, CallFailed)]) == 1
        again = judge_of(fake_llm, **options)
        assert len(again.judged) == 1
        ask(again, (BEST, WORST))
        assert len(fake_llm.calls) == 2
    assert sorted(r["repeat"] for r in records(log) if r["status"] == "answered") == [0, 1]


def is_held(log):
    """Whether a process that is not this one finds the log in use."""
    other = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    done = subprocess.run([sys.executable, "-c", other, log], capture_output=True, check=False)
    return b"BlockingIOError" in done.stderr


def test_a_second_judge_on_the_log_is_refused_in_words(tmp_path):
    """In this process or in another."""
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        judge = judge_of(fake_llm, log=log)
        with pytest.raises(CannotWrite, match="in use by another run: wait for it, stop it"):
            judge_of(fake_llm, log=log)
        assert is_held(log)
        asyncio.run(judge.close())
        assert not is_held(log)
        taken_up(fake_llm, log=log)


def test_a_log_whose_last_line_was_cut_is_taken_up(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 10)
        log.write_bytes(log.read_bytes()[:-40])
        judge = judge_of(fake_llm, log=log)
        assert len(judge.judged) == 9
        run(judge, 10)
        assert len(fake_llm.calls) == 11  # the one whose line was lost is paid again
    assert len(records(log)) == 10


# Everything else


def test_a_question_that_is_empty_is_refused():
    for question in ("", " \n"):
        with pytest.raises(InvalidArgument, match="question"):
            ChatJudge(TEXTS, question, "m", base_url=NOWHERE)


def test_repeats_are_at_least_one():
    with pytest.raises(InvalidArgument, match="repeats"):
        ChatJudge(TEXTS, QUESTION, "m", base_url=NOWHERE, repeats=0)


def test_items_that_share_no_context_have_no_prompt():
    def of(*contexts):
        return [Sample(f"on {context}", context=context) for context in contexts]

    items = {"a": of("x", "y"), "b": of("y", "z"), "c": of("z")}
    judge = ChatJudge(items, QUESTION, "m", base_url=NOWHERE)
    with pytest.raises(InvalidArgument, match="a and c have no context in common"):
        judge.messages(Pair("a", "c"))


def test_items_of_different_tracks_have_no_prompt(write):
    path = write("id,text,track\na,one,x\nb,two,x\nc,three,y\n")
    judge = ChatJudge(path, QUESTION, "m", base_url=NOWHERE)
    assert judge.messages(Pair("b", "a"))
    with pytest.raises(InvalidArgument, match="a and c have no track in common"):
        judge.messages(Pair("a", "c"))


def test_an_item_that_is_not_there_is_named():
    judge = ChatJudge(TEXTS, QUESTION, "m", base_url=NOWHERE)
    with pytest.raises(hr.errors.UnknownItem, match="item-99"):
        judge.messages(Pair(BEST, "item-99"))


def test_outputs_to_the_same_prompt_are_compared_and_every_prompt_comes(tmp_path):
    scores = {}
    items = {}
    for model, score in (("good", 2.0), ("bad", 0.0)):
        samples = [Sample(f"{model} text on {c}", context=f"Write on {c}.") for c in "xyz"]
        items[model] = samples
        scores |= {sample.text: score for sample in samples}
    log = tmp_path / "calls.jsonl"
    with FakeLLM(scores, profiles=SHARP) as fake_llm:
        judge = judge_of(fake_llm, items, log=log)
        assert judge.n_open(Pair("good", "bad")) == 6
        said = ask(judge, *[("good", "bad"), ("bad", "good")] * 3)
    assert [answer.outcome for answer in said] == [1, -1] * 3
    contexts = Counter((record["context"], record["left"]) for record in records(log))
    assert set(contexts.values()) == {1}
    assert len(contexts) == 6
    for record in records(log):
        assert record["context"] in record["messages"][0]["content"]


def test_any_loop_will_do_one_after_the_other():
    with FakeLLM(SCORES, profiles=SHARP) as fake_llm:
        judge = judge_of(fake_llm)
        said = [ask(judge, pair)[0].outcome for pair in combinations(few(3), 2)]
    assert said == [-1.0] * 3


def test_a_judge_is_one_for_run_async():
    with FakeLLM(SCORES, profiles=SHARP) as fake_llm:
        judge = judge_of(fake_llm)
        sampler = hr.AutoSampler(TEXTS, seed=1)

        async def campaign():
            found = await hr.run_async(sampler, judge, 40, concurrency=8, retries=0)
            await judge.close()
            return found

        found = asyncio.run(campaign())
    assert found.n_votes == 40
    assert found.ranking.items[0] == BEST


# What must not be paid for


def test_caps_on_tokens_and_money_hold_where_replies_are_long():
    """The first call goes out alone, and then nobody knows of longer replies."""
    ramble = {"max_tokens": 4000}
    prices = Prices({"m": Price(1.0, 10.0)})
    for caps in (Caps(tokens=3000), Caps(cost=0.005)):
        with FakeLLM(SCORES, faults=Faults(latency=0.01)) as fake_llm:
            judge = judge_of(fake_llm, caps=caps, prices=prices, parameters=ramble)
            found = run(judge, 200, concurrency=32)
        assert "limit" in found.result.reason
        if caps.cost is None:
            assert 2500 < judge.ledger.tokens <= 3000  # what is out is waited for
        else:
            assert 0.004 < judge.ledger.cost <= 0.005


def test_no_call_is_made_where_its_reply_may_find_no_room(tmp_path, monkeypatch):
    with FakeLLM(SCORES) as fake_llm:
        judge = judge_of(fake_llm, log=tmp_path / "calls.jsonl")
        monkeypatch.setattr(
            "hodgerank.judges.call_log.shutil.disk_usage",
            lambda path: type("Usage", (), {"free": 1000}),
        )
        [said] = ask(judge, (BEST, WORST))
        assert isinstance(said, JudgeFailed)
        assert "nearly full" in str(said)
        assert fake_llm.calls == []


def test_a_line_that_stands_twice_in_the_log_counts_once(tmp_path):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 10)
        log.write_bytes(log.read_bytes() * 2)
        judge = taken_up(fake_llm, log=log)
    assert (len(judge.judged), judge.ledger.calls) == (10, 10)


@pytest.mark.parametrize(
    ("old", "new"), [('"answered"', '"banana"'), ('"outcome": 1.0', '"outcome": null')]
)
def test_lines_that_cannot_be_are_named(tmp_path, old, new):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES, profiles=SHARP) as fake_llm:
        ask(judge_of(fake_llm, log=log), (BEST, WORST))
        log.write_text(log.read_text().replace(old, new))
        with pytest.raises(InvalidComparisons, match="line 1"):
            judge_of(fake_llm, log=log)


def test_a_model_that_is_down_does_not_get_every_turn():
    with FakeLLM(SCORES) as fake_llm:
        judge = judge_of(
            fake_llm, models=["m", "down"], base_url=[fake_llm.base_url, NOWHERE], retries=0
        )
        found = run(judge, 30, concurrency=4)
    assert found.result.n_votes == 30
    assert {call.model for call in found.judged} == {"m"}


@pytest.mark.parametrize("name", ["api_key", "Authorization", "extra_headers"])
def test_keys_are_no_parameters(name):
    with FakeLLM(SCORES) as fake_llm, pytest.raises(InvalidArgument, match="environment"):
        judge_of(fake_llm, parameters={name: KEY})


def test_replies_to_the_very_same_question_count_as_one():
    with FakeLLM(SCORES, profiles=SHARP) as fake_llm:
        judge = judge_of(fake_llm, {name: TEXTS[name] for name in (BEST, WORST)}, repeats=10)
        found = run(judge, 100)
    assert found.result.n_votes == 20
    assert set(found.to_frame("polars")["weight"]) == {0.1}
    report = found.report(with_forecast=False)
    assert not report.findings.verdict.is_settled
    assert report.findings.votes.weight.sum() <= 2.0001
