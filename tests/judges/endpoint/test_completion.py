"""What a body of a chat completion says, and what is not believed of it."""

from __future__ import annotations

import json

import pytest

from hodgerank.judges.endpoint.completion import BrokenCompletion, read_completion


def read(message=None, choice=None, **more):
    message = {"content": "A"} | (message or {})
    body = {"choices": [{"message": message} | (choice or {})]} | more
    return read_completion(json.dumps(body).encode(), "asked")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("A", "A"),
        (None, ""),
        ("", ""),
        ([{"type": "text", "text": "A"}, {"type": "text", "text": "!"}], "A!"),
        ([{"type": "thinking", "thinking": [{}]}, {"type": "text", "text": "A"}, 7], "A"),
        ([{"type": "text", "text": None}], ""),
        ("caf\u00e9 \U0001f600", "caf\u00e9 \U0001f600"),
        ("half \ud83d of a character", "half \ufffd of a character"),
    ],
)
def test_the_content_is_a_text_or_parts_of_one(content, text):
    assert read({"content": content}).text == text


def test_a_refusal_and_the_reason_of_the_end_are_told():
    reply = read({"content": None, "refusal": "I will not."}, {"finish_reason": "stop"})
    assert (reply.text, reply.refusal, reply.finish_reason) == ("", "I will not.", "stop")


@pytest.mark.parametrize("odd", [None, "", 7, ["x"], {}])
def test_what_should_be_a_text_and_is_not_is_left_out(odd):
    reply = read({"refusal": odd}, {"finish_reason": odd}, model=odd)
    assert (reply.refusal, reply.finish_reason, reply.model) == (None, None, "asked")


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 3}, (12, 3)),
        ({"prompt_tokens": 12}, (12, None)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, (None, None)),
        ({"prompt_tokens": -5, "completion_tokens": -1}, (None, None)),
        ({"prompt_tokens": 10**30, "completion_tokens": 10**9}, (None, None)),
        ({"prompt_tokens": "12", "completion_tokens": 3.0}, (None, None)),
        ({"prompt_tokens": True, "completion_tokens": None}, (None, None)),
        (None, (None, None)),
        ([], (None, None)),
        ("many", (None, None)),
    ],
)
def test_only_counts_that_can_be_true_are_believed(usage, tokens):
    reply = read(usage=usage)
    assert (reply.prompt_tokens, reply.completion_tokens) == tokens


def test_an_empty_reply_may_have_taken_nothing():
    reply = read({"content": ""}, usage={"prompt_tokens": 3, "completion_tokens": 0})
    assert reply.completion_tokens == 0


def place(token, logprob, *others):
    top = [{"token": other, "logprob": value} for other, value in others]
    return {"token": token, "logprob": logprob, "top_logprobs": top}


def alternatives(*places):
    return [
        (choice.token, dict(choice.alternatives))
        for choice in read(choice={"logprobs": {"content": list(places)}}).first_tokens
    ]


def test_alternatives_hold_the_chosen_token_once():
    assert alternatives(place("A", -0.1, ("A", -0.1), ("B", -2.0)), place(".", -1)) == [
        ("A", {"A": -0.1, "B": -2.0}),
        (".", {".": -1.0}),
    ]


def test_log_probabilities_that_are_none_are_left_out():
    odd = [("B", None), ("C", "x"), ("D", float("-inf")), ("E", float("nan")), ("F", 0.9), (7, -1)]
    assert alternatives(place("A", 1e-7, *odd)) == [("A", {"A": 0.0})]


@pytest.mark.parametrize(
    "logprobs",
    [None, [], "x", {}, {"content": None}, {"content": {}}, {"content": [None, 3, {"token": 5}]}],
)
def test_without_log_probabilities_there_are_no_tokens(logprobs):
    assert read(choice={"logprobs": logprobs}).first_tokens == ()


def test_a_place_without_alternatives_is_a_place():
    assert alternatives({"token": "A"}, {"token": "B", "top_logprobs": [None, 3, "x"]}) == [
        ("A", {}),
        ("B", {}),
    ]


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", "an empty body"),
        (b" \n", "an empty body"),
        (b"<html>", "not JSON"),
        (b'{"choices": [', "not JSON"),
        (b'"A"', "not an object"),
        (b"{}", "without choices"),
        (b'{"choices": [{"message": "A"}]}', "without choices"),
        (b'{"choices": [{"message": {"content": {}}}]}', "content is not text"),
        (b'{"error": "busy"}', "an error"),
    ],
)
def test_a_body_that_is_no_completion_is_named(body, what):
    with pytest.raises(BrokenCompletion, match=what):
        read_completion(body, "asked")


def test_what_a_broken_reply_took_is_told():
    body = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    with pytest.raises(BrokenCompletion) as caught:
        read_completion(json.dumps(body).encode(), "asked")
    assert (caught.value.prompt_tokens, caught.value.completion_tokens) == (9, 2)
