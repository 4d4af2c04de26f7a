from __future__ import annotations

import base64
import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from math import exp, log
from time import perf_counter

import pytest
from scipy.stats import binomtest

from chat_calls import Client, request
from hodgerank.errors import InvalidArgument
from hodgerank.judges.fake_llm import FakeLLM, Faults, ModelProfile
from hodgerank.judges.fake_llm.replies import RAMBLINGS

SCORES = {"good text": 1.0, "bad text": 0.0, f"long {'text ' * 40}": 0.0}
GOOD, BAD, LONG = SCORES
N = 400


def sigmoid(z: float) -> float:
    return 1 / (1 + exp(-z))


def share_of_a(fake_llm: FakeLLM, left: str, right: str, **more) -> int:
    """How often the left text is chosen in different requests about the same pair."""
    with Client(fake_llm.base_url) as client:
        return sum(client.ask(left, right, user=str(k), **more).text == "A" for k in range(N))


@pytest.mark.parametrize(
    ("profile", "left", "right", "expected"),
    [
        (ModelProfile(), GOOD, BAD, sigmoid(1)),
        (ModelProfile(), BAD, GOOD, sigmoid(-1)),
        (ModelProfile(acuity=2.5), GOOD, BAD, sigmoid(2.5)),
        (ModelProfile(position_bias=2), BAD, GOOD, sigmoid(1)),
        (ModelProfile(verbosity_bias=1), LONG, BAD, sigmoid((len(LONG.strip()) - len(BAD)) / 100)),
        (ModelProfile(acuity=9, lapse=0.4), GOOD, BAD, 0.2 + 0.6 * sigmoid(9)),
    ],
)
def test_choices_are_as_likely_as_the_temper_says(profile, left, right, expected):
    with FakeLLM(SCORES, profiles=profile, seed=3) as fake_llm:
        chosen = share_of_a(fake_llm, left, right)
    assert binomtest(chosen, N, expected).pvalue > 1e-3


def test_at_temperature_zero_the_same_request_has_the_same_reply():
    with FakeLLM(SCORES) as fake_llm, Client(fake_llm.base_url) as client:
        for more in ({}, {"temperature": 0}):
            requests = [dict(user=str(k), **more) for k in range(12)]
            once, twice = ([client.ask(GOOD, BAD, **r).text for r in requests] for _ in range(2))
            assert once == twice
            assert set(once) == {"A", "B"}


def test_replies_depend_on_seed_and_model():
    def replies(seed: int, model: str) -> list[str | None]:
        with FakeLLM(SCORES, seed=seed) as fake_llm, Client(fake_llm.base_url) as client:
            return [client.ask(LONG, BAD, user=str(k), model=model).text for k in range(30)]

    assert replies(1, "m") == replies(1, "m")
    assert replies(1, "m") != replies(2, "m")
    assert replies(1, "m") != replies(1, "n")


def test_at_a_higher_temperature_each_request_is_a_draw_of_its_own():
    def replies() -> list[str | None]:
        with FakeLLM(SCORES) as fake_llm, Client(fake_llm.base_url) as client:
            return [client.ask(GOOD, BAD, temperature=1).text for _ in range(N)]

    first = replies()
    assert binomtest(first.count("A"), N, sigmoid(1)).pvalue > 1e-3
    assert first == replies()


def test_models_have_tempers_of_their_own():
    profiles = {"left": ModelProfile(position_bias=50), "right": ModelProfile(position_bias=-50)}
    with FakeLLM(SCORES, profiles=profiles) as fake_llm, Client(fake_llm.base_url) as client:
        assert client.ask(GOOD, BAD, model="left").text == "A"
        assert client.ask(GOOD, BAD, model="right").text == "B"
        listed = client.send("GET", "/models").body["data"]
    assert [model["id"] for model in listed] == ["left", "right"]


def test_log_probabilities_are_those_of_the_choice():
    profile = ModelProfile(position_bias=0.5, abstain=0.1)
    with FakeLLM(SCORES, profiles=profile) as fake_llm, Client(fake_llm.base_url) as client:
        answer = client.ask(GOOD, BAD, logprobs=True, top_logprobs=5)
        best = client.ask(GOOD, BAD, logprobs=True, top_logprobs=1)
        bare = client.ask(GOOD, BAD)
    assert answer.chances == pytest.approx(
        {"A": log(0.9 * sigmoid(1.5)), "B": log(0.9 * sigmoid(-1.5)), "X": log(0.1)}
    )
    assert sum(map(exp, answer.chances.values())) == pytest.approx(1)
    first = answer.choice["logprobs"]["content"][0]
    assert first["token"] == answer.text
    assert first["logprob"] == answer.chances[answer.text]
    assert list(best.chances) == ["A"]
    assert bare.choice["logprobs"] is None


def test_ties_and_grades_are_given_where_they_are_offered():
    profile = ModelProfile(ties=100)
    with FakeLLM(SCORES, profiles=profile) as fake_llm, Client(fake_llm.base_url) as client:
        assert client.ask(GOOD, BAD, "A, B or T").text == "T"
        assert client.ask(GOOD, BAD, "A or B").text in ("A", "B")
        chances = client.ask(GOOD, BAD, "1, 2, 3, 4 or 5", logprobs=True, top_logprobs=9).chances
    assert sum(map(exp, chances.values())) == pytest.approx(1)
    assert set(chances) == set("12345")


def test_labels_of_a_template_overrule_what_the_prompt_offers():
    labels = {"first": 1.0, "second": -1.0}
    profile = ModelProfile(acuity=50)
    with (
        FakeLLM(SCORES, profiles=profile, labels=labels) as fake_llm,
        Client(fake_llm.base_url) as client,
    ):
        assert client.ask(BAD, GOOD).text == "second"


def test_refusals_come_in_the_ways_of_endpoints():
    with (
        FakeLLM(SCORES, profiles=ModelProfile(refuse=1)) as fake_llm,
        Client(fake_llm.base_url) as client,
    ):
        choices = [client.ask(GOOD, BAD, user=str(k), logprobs=True).choice for k in range(30)]
    kinds = {
        (bool(c["message"]["content"]), bool(c["message"]["refusal"]), c["finish_reason"])
        for c in choices
    }
    assert kinds == {
        (False, True, "stop"),
        (True, False, "stop"),
        (False, False, "content_filter"),
    }


def test_rambling_is_cut_off_where_the_tokens_end():
    with (
        FakeLLM(SCORES, profiles=ModelProfile(ramble=1)) as fake_llm,
        Client(fake_llm.base_url) as client,
    ):
        whole = client.ask(GOOD, BAD, logprobs=True)
        cut = client.ask(GOOD, BAD, max_tokens=2)
    assert whole.text in RAMBLINGS
    assert whole.choice["finish_reason"] == "stop"
    assert len(whole.choice["logprobs"]["content"]) == len(whole.text.split())
    assert cut.choice["finish_reason"] == "length"
    assert len(cut.text.split()) == 2


def test_images_are_known_by_their_bytes():
    contents = [b"first image", b"second image"]
    scores = {f"sha256:{hashlib.sha256(c).hexdigest()}": 50.0 * k for k, c in enumerate(contents)}
    urls = [f"data:image/png;base64,{base64.b64encode(c).decode()}" for c in contents]
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    body = {"model": "m", "messages": [{"role": "user", "content": parts}]}
    with FakeLLM(scores) as fake_llm, Client(fake_llm.base_url) as client:
        assert client.post(body).text == "B"


def test_answers_have_the_shape_of_chat_completions():
    with FakeLLM(SCORES) as fake_llm, Client(fake_llm.base_url) as client:
        answer = client.ask(GOOD, BAD)
    body = answer.body
    assert (body["object"], body["model"]) == ("chat.completion", "m")
    assert answer.choice["message"] == {
        "role": "assistant", "content": answer.text, "refusal": None
    }  # fmt: skip
    usage = body["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert answer.headers["Content-Type"] == "application/json"


def test_calls_are_what_was_answered():
    told = []
    with (
        FakeLLM(SCORES, on_call=told.append) as fake_llm,
        Client(fake_llm.base_url) as client,
    ):
        answer = client.ask(BAD, GOOD)
        client.ask("unknown", "texts")
        (call,) = fake_llm.calls
    assert call.body == request(BAD, GOOD)
    assert (call.model, call.left, call.right, call.reply) == ("m", BAD, GOOD, answer.text)
    assert told == [call]


@pytest.mark.parametrize(
    ("faults", "status"),
    [(Faults(too_many=1, retry_after=3), 429), (Faults(server_error=1), 500)],
)
def test_faults_have_a_status_and_are_not_calls(faults, status):
    with FakeLLM(SCORES, faults=faults) as fake_llm, Client(fake_llm.base_url) as client:
        answer = client.ask(GOOD, BAD)
        assert fake_llm.calls == []
        assert sum(fake_llm.faulted.values()) == 1
    assert answer.status == status
    assert answer.body["error"]["message"]
    assert answer.headers["Retry-After"] == ("3" if status == 429 else None)


def test_broken_json_ends_in_the_middle():
    with (
        FakeLLM(SCORES, faults=Faults(broken_json=1)) as fake_llm,
        Client(fake_llm.base_url) as client,
    ):
        answer = client.ask(GOOD, BAD)
        assert (fake_llm.calls, fake_llm.faulted) == ([], {"broken_json": 1})
    assert answer.status == 200
    with pytest.raises(json.JSONDecodeError):
        _ = answer.body


def test_a_connection_may_be_closed_without_an_answer():
    with (
        FakeLLM(SCORES, faults=Faults(closed=1)) as fake_llm,
        Client(fake_llm.base_url) as client,
    ):
        with pytest.raises((HTTPException, OSError)):
            client.ask(GOOD, BAD)
        assert (fake_llm.calls, fake_llm.faulted) == ([], {"closed": 1})


def test_64_requests_are_answered_at_once():
    def one(number: int) -> int:
        with Client(fake_llm.base_url) as client:
            return client.ask(GOOD, BAD, user=str(number)).status

    with (
        FakeLLM(SCORES, faults=Faults(latency=0.5)) as fake_llm,
        ThreadPoolExecutor(64) as pool,
    ):
        began = perf_counter()
        statuses = list(pool.map(one, range(64)))
        seconds = perf_counter() - began
        users = {call.body["user"] for call in fake_llm.calls}
    assert statuses == [200] * 64
    assert users == {str(number) for number in range(64)}
    assert seconds < 8  # one after the other they would take 32


def test_who_is_closed_does_not_wait_for_slow_answers():
    began = perf_counter()
    with (
        FakeLLM(SCORES, faults=Faults(latency=60)) as fake_llm,
        ThreadPoolExecutor(1) as pool,
        Client(fake_llm.base_url) as client,
    ):
        waiting = pool.submit(client.ask, GOOD, BAD)
        fake_llm.__exit__()
        waiting.exception()
    assert perf_counter() - began < 30


def test_the_key_is_asked_for():
    with FakeLLM(SCORES, key="secret") as fake_llm:
        with Client(fake_llm.base_url) as client:
            refused = client.ask(GOOD, BAD)
            listed = client.send("GET", "/models")
        with Client(fake_llm.base_url, Authorization="Bearer secret") as client:
            allowed = client.ask(GOOD, BAD)
    assert (refused.status, listed.status, allowed.status) == (401, 401, 200)
    assert refused.body["error"]["code"] == "invalid_api_key"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": None}, "model"),
        ({"messages": "hello"}, "messages"),
        ({"temperature": 3}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": "many"}, "max_tokens"),
        ({"stream": True}, "stream"),
        ({"n": 2}, "'n'"),
        ({"top_logprobs": 5}, "logprobs"),
        ({"logprobs": True, "top_logprobs": 21}, "between 0 and 20"),
        ({"messages": [{"role": "user", "content": "good text"}]}, "shows 1 known items"),
    ],
)
def test_bodies_that_cannot_be_answered_are_refused(change, message):
    with FakeLLM(SCORES) as fake_llm, Client(fake_llm.base_url) as client:
        answer = client.ask(GOOD, BAD, **change)
        assert fake_llm.calls == []
        assert client.ask(GOOD, BAD).status == 200
    assert answer.status == 400
    assert message in answer.body["error"]["message"]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_bodies_that_are_no_requests_are_refused(content):
    with FakeLLM(SCORES) as fake_llm, Client(fake_llm.base_url) as client:
        assert client.send("POST", "/chat/completions", content).status == 400


def test_a_body_must_say_how_long_it_is():
    with FakeLLM(SCORES) as fake_llm, Client(fake_llm.base_url) as client:
        path = "/chat/completions"
        for length in ("-1", "many", str(1 << 40)):
            assert client.send("POST", path, None, **{"Content-Length": length}).status == 400


def test_there_is_nothing_else_at_this_address():
    with FakeLLM(SCORES) as fake_llm, Client(fake_llm.base_url) as client:
        assert client.send("GET", "/files").status == 404
        assert client.send("POST", "/embeddings", b"{}").status == 404
        assert [m["id"] for m in client.send("GET", "/models").body["data"]] == ["stand-in"]


@pytest.mark.parametrize("scores", [{}, {"one": 1.0}, {"one": 1.0, " ": 0.0}])
def test_two_texts_are_needed(scores):
    with pytest.raises(InvalidArgument, match="two texts"):
        FakeLLM(scores)
