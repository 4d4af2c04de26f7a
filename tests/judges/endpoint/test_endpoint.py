"""One chat completion, whatever the server does."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import pickle
import ssl
import subprocess
import sys
import traceback
from contextlib import asynccontextmanager
from email.utils import formatdate
from random import Random

import httpx
import pytest

from hodgerank import __version__
from hodgerank.errors import HodgeRankError, InvalidArgument, MissingDependency
from hodgerank.judges.endpoint.completion import Reply
from hodgerank.judges.endpoint.endpoint import CallFailed, Endpoint, EndpointRefuses
from hodgerank.judges.endpoint.pace import Pace
from hodgerank.judges.fake_llm import FakeLLM, Faults
from hodgerank.judges.ledger import Caps, Ledger

KEY = "sk-proj-Zq83hTvLx92mWd71"
MESSAGES = [{"role": "user", "content": "Which is better? A or B"}]


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    for name in ("HODGERANK_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


class Time:
    """Passes when somebody sleeps, and only then."""

    def __init__(self):
        self.now, self.slept = 1000.0, []

    def clock(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(round(seconds, 3))
        self.now += seconds
        await asyncio.sleep(0)


def http(status=200, body=b"", **headers):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def completion(content="A", **more):
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 11, "completion_tokens": 1}
    return {"model": "judge-1", "choices": [choice], "usage": usage} | more


def error(message="wrong", **more):
    return {"error": {"message": message, **more}}


class Server:
    """Says what is in its script, one thing after the other, and the last one for ever."""

    def __init__(self, *script):
        self.script, self.heads, self.bodies = list(script), [], []

    @asynccontextmanager
    async def running(self):
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            yield f"http://127.0.0.1:{port}/v1"

    async def answer(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = next(
                int(line[15:]) for line in head.split("\r\n") if "content-length:" in line
            )
            self.heads.append(head)
            self.bodies.append(json.loads(await reader.readexactly(length)))
            said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            if isinstance(said, bytes):
                writer.write(said)
                await writer.drain()
            else:
                await said(reader, writer)
        finally:
            writer.close()


class Asked:
    """What came of one call to a server with that script."""

    def __init__(self, *script, logprobs=False, messages=MESSAGES, **options):
        self.time, self.server, self.attempts = Time(), Server(*script), []
        self.pace = Pace(clock=self.time.clock, sleep=self.time.sleep)
        self.result = self.failure = None
        asyncio.run(self.ask(messages, logprobs, options))

    async def ask(self, messages, logprobs, options):
        async with self.server.running() as url:
            endpoint = Endpoint(
                "judge",
                base_url=options.pop("base_url", url),
                pace=self.pace,
                rng=Random(1),
                sleep=self.time.sleep,
                clock=self.time.clock,
                on_attempt=lambda *told: self.attempts.append(told),
                **{"api_key": KEY, "timeout": 5} | options,
            )
            try:
                self.result = await endpoint.complete(messages, logprobs=logprobs)
            except HodgeRankError as failure:
                self.failure = failure
            finally:
                await endpoint.close()


def test_a_reply_comes_with_what_it_took():
    asked = Asked(http(body=completion("B")))
    assert asked.result == Reply("B", None, "stop", (), 11, 1, "judge-1", 0.0, 1)
    assert asked.server.bodies == [{"model": "judge", "messages": MESSAGES}]
    assert asked.attempts == [(1, None)]
    assert asked.time.slept == []


def test_the_key_goes_out_as_a_bearer_token_to_the_address_given():
    (head,) = Asked(http(body=completion())).server.heads
    assert head.startswith("post /v1/chat/completions ")
    assert f"authorization: bearer {KEY.lower()}\r\n" in head


def test_it_says_which_program_asks():
    (head,) = Asked(http(body=completion())).server.heads
    assert f"user-agent: hodgerank/{__version__}\r\n" in head
    assert "content-type: application/json\r\n" in head


def test_a_call_goes_out_byte_for_byte_as_ever():
    """In UTF-8 without spaces: model, messages, parameters."""
    content = '{"model":"judge","messages":[{"role":"user","content":"Wähle „A“ / B"}],"top_k":3}'
    length = f"content-length: {len(content.encode())}\r\n"
    messages = [{"role": "user", "content": "Wähle „A“ / B"}]
    asked = Asked(http(body=completion()), messages=messages, parameters={"top_k": 3})
    assert asked.server.bodies == [json.loads(content)]
    assert list(asked.server.bodies[0]) == ["model", "messages", "top_k"]
    assert length in asked.server.heads[0]


def test_who_pays_comes_from_the_environment(monkeypatch):
    (head,) = Asked(http(body=completion())).server.heads
    assert "openai-" not in head
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-2")
    (head,) = Asked(http(body=completion())).server.heads
    assert "openai-organization: org-1\r\nopenai-project: project-2\r\n" in head


def test_parameters_go_out_as_they_are_also_those_the_client_does_not_know():
    parameters = {"temperature": 0, "top_k": 3, "max_tokens": 5}
    asked = Asked(http(body=completion()), parameters=parameters)
    assert asked.server.bodies[0].items() >= parameters.items()


@pytest.mark.parametrize(
    ("parameters", "n"), [({}, 20), ({"top_logprobs": 5}, 5), ({"logprobs": False}, 20)]
)
def test_log_probabilities_are_asked_for(parameters, n):
    place = {"token": "A", "logprob": -0.1, "top_logprobs": [{"token": "B", "logprob": -2.5}]}
    body = completion()
    body["choices"][0]["logprobs"] = {"content": [place]}
    asked = Asked(http(body=body), logprobs=True, parameters=parameters)
    assert asked.server.bodies[0].items() >= {"logprobs": True, "top_logprobs": n}.items()
    (first,) = asked.result.first_tokens
    assert (first.token, first.alternatives) == ("A", {"A": -0.1, "B": -2.5})


def test_the_stand_in_is_understood():
    scores = {"a short text": 0.0, "a good long text": 3.0}
    messages = [{"role": "user", "content": "A: a short text\n\nB: a good long text\n\nA or B?"}]

    async def ask(url):
        endpoint = Endpoint("stand-in", base_url=url, pace=Pace())
        reply = await endpoint.complete(messages, logprobs=True)
        await endpoint.close()
        return reply

    with FakeLLM(scores, seed=1) as server:
        reply = asyncio.run(ask(server.base_url))
        assert (reply.prompt_tokens, reply.completion_tokens) == server.calls[0].tokens
    assert reply.text in ("A", "B")
    assert set(reply.first_tokens[0].alternatives) >= {"A", "B"}
    assert reply.seconds > 0


# what is tried again


async def hangs_up(reader, writer):
    """Nothing at all."""


async def breaks_off(reader, writer):
    writer.write(http(body=completion())[:-20])


async def talks_nonsense(reader, writer):
    writer.write(b"\x00\xff SSH-2.0\r\n\r\n")


TRANSIENT = {
    "408": http(408),
    "409": http(409, error("conflict")),
    "425": http(425),
    "500": http(500, b"<html>Internal Server Error</html>"),
    "503": http(503, error("overloaded")),
    "529": http(529),
    "nothing": hangs_up,
    "half": breaks_off,
    "no HTTP": talks_nonsense,
    "empty": http(body=b""),
    "HTML": http(body=b"<html>Welcome</html>"),
    "cut JSON": http(body=json.dumps(completion()).encode()[:-9]),
    "deep JSON": http(body=b"[" * 100_000),
    "long number": http(body=b'{"choices": ' + b"9" * 5000 + b"}"),
    "no UTF-8": http(body=b'{"choices": "\xff"}'),
    "no gzip": http(body=b"no gzip", content_encoding="gzip"),
    "cut gzip": http(body=gzip.compress(json.dumps(completion()).encode())[:30])[:-1],
    "null": http(body=b"null"),
    "list": http(body=[]),
    "no choices": http(body={}),
    "empty choices": http(body=completion(choices=[])),
    "null choices": http(body=completion(choices=None)),
    "odd choices": http(body=completion(choices={"0": 1})),
    "no message": http(body=completion(choices=[{"index": 0}])),
    "odd content": http(body=completion(content=7)),
    "error in 200": http(body=error("try later")),
    "error text in 200": http(body={"error": "try later"}),
    "502 in 200": http(body=error("bad gateway", code=502)),
    "error in a choice": http(body=completion(choices=[{"error": {"code": 503}, "message": None}])),
}


@pytest.mark.parametrize("said", TRANSIENT.values(), ids=TRANSIENT)
def test_what_may_pass_is_tried_again(said):
    asked = Asked(said, said, http(body=completion("B")))
    assert asked.result.text == "B"
    assert asked.result.attempts == 3
    assert [attempt for attempt, problem in asked.attempts if problem] == [1, 2]
    first, second = asked.time.slept
    assert 0 < first <= 0.5
    assert 0 < second <= 1


@pytest.mark.parametrize("said", TRANSIENT.values(), ids=TRANSIENT)
def test_what_does_not_pass_fails_after_all_tries(said):
    asked = Asked(said, retries=2)
    assert isinstance(asked.failure, CallFailed)
    assert asked.failure.attempts == len(asked.server.heads) == 3
    assert "in 3 tries" in str(asked.failure)
    assert len(asked.time.slept) == 2  # not after the last one
    assert_nothing_holds_the_key(asked.failure)


def test_delays_double_up_to_a_minute():
    rng = Random(1)
    bounds = [min(60, 0.5 * 2**k) for k in range(9)]
    expected = [round(rng.uniform(0, bound), 3) for bound in bounds]
    assert Asked(http(500), retries=9).time.slept == expected
    assert max(expected) > 10


def test_a_server_that_is_not_there_is_named():
    asked = Asked(http(), base_url="http://127.0.0.1:9/v1", retries=1)
    assert isinstance(asked.failure, CallFailed)
    assert "no connection to http://127.0.0.1:9/v1: " in str(asked.failure)


async def is_silent(reader, writer):
    await reader.read()


async def drips(reader, writer):
    """A body without an end, of which each byte comes in time."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    while not writer.is_closing():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.001)


@pytest.mark.parametrize("answer", [is_silent, drips])
def test_the_time_is_for_a_try_as_a_whole(answer):
    asked = Asked(answer, http(body=completion()), timeout=0.2)
    assert asked.attempts[0] == (1, "no complete reply within 0.2 s")
    assert asked.result.text == "A"


def test_a_body_without_an_end_is_not_kept_in_memory(monkeypatch):
    async def floods(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not writer.is_closing():
            writer.write(b" " * 4096)
            await writer.drain()

    monkeypatch.setattr("hodgerank.judges.endpoint.connection.LARGEST_BODY", 100_000)
    asked = Asked(floods, http(body=completion()))
    assert asked.attempts == [(1, "it sent more than 100,000 bytes"), (2, None)]


def test_a_refusal_without_an_end_is_a_refusal(monkeypatch):
    async def floods(reader, writer):
        writer.write(b"HTTP/1.1 401 Unauthorized\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"no " * 4096)
            await writer.drain()

    monkeypatch.setattr("hodgerank.judges.endpoint.connection.LARGEST_BODY", 100_000)
    asked = Asked(floods)
    assert isinstance(asked.failure, EndpointRefuses)
    assert asked.failure.status == 401


def test_a_compressed_reply_is_read():
    body = gzip.compress(json.dumps(completion("B")).encode())
    assert Asked(http(body=body, content_encoding="gzip")).result.text == "B"


# what is on the way


def test_a_proxy_of_the_environment_is_used(monkeypatch):
    async def ask():
        proxy = Server(http(body=completion("B")))
        async with proxy.running() as url:
            monkeypatch.setenv("HTTP_PROXY", url.removesuffix("/v1"))
            endpoint = Endpoint("judge", base_url="http://model.invalid/v1", pace=Pace())
            reply = await endpoint.complete(MESSAGES, logprobs=False)
            await endpoint.close()
        return reply.text, proxy.heads[0]

    text, head = asyncio.run(ask())
    assert text == "B"
    assert head.startswith("post http://model.invalid/v1/chat/completions ")


def test_certificates_are_loaded_for_tls_only(monkeypatch):
    monkeypatch.setattr(httpx, "create_ssl_context", lambda: pytest.fail("it was loaded"))
    assert Asked(http(body=completion("B"))).result.text == "B"


def test_certificates_are_checked_and_come_from_the_environment(tmp_path, monkeypatch):
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost "
        "-addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem"
    )
    subprocess.run(command.split(), check=True, capture_output=True, cwd=tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    script = Server(http(body=completion("B")))

    async def ask():
        server = await asyncio.start_server(script.answer, "localhost", 0, ssl=tls)
        async with server:
            url = f"https://localhost:{server.sockets[0].getsockname()[1]}/v1"
            endpoint = Endpoint("judge", base_url=url, pace=Pace(), retries=0)
            try:
                return (await endpoint.complete(MESSAGES, logprobs=False)).text
            finally:
                await endpoint.close()

    with pytest.raises(CallFailed, match=r"no connection to https://localhost.*CERTIFICATE_VERIFY"):
        asyncio.run(ask())
    assert script.heads == []
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    assert asyncio.run(ask()) == "B"


# how long is waited


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry_After": "7"}, 7),
        ({"Retry_After": "1.5"}, 1.5),
        ({"retry_after_ms": "250", "Retry_After": "1"}, 0.25),
        ({"Retry_After": "120"}, 120),
        ({"Retry_After": formatdate(1e9 + 90, usegmt=True), "Date": formatdate(1e9)}, 90),
    ],
)
def test_retry_after_is_honoured(status, headers, seconds):
    asked = Asked(http(status, **headers), http(body=completion()))
    assert asked.result.attempts == 2
    assert asked.time.slept == [seconds]


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("value", ["601", "86400", "inf", "1e999"])
def test_an_endpoint_that_asks_for_more_than_ten_minutes_is_left(status, value):
    asked = Asked(http(status, Retry_After=value))
    assert isinstance(asked.failure, CallFailed)
    assert asked.failure.attempts == 1
    assert "asks to wait" in str(asked.failure)
    assert asked.time.slept == []
    assert not asked.pace.is_held


@pytest.mark.parametrize("value", ["0", "-5", "soon", "nan", "", formatdate(0)])
def test_a_retry_after_that_says_nothing_is_replaced_by_our_own_delay(value):
    asked = Asked(http(429, Retry_After=value), http(body=completion()))
    (slept,) = asked.time.slept
    assert 0 < slept <= 0.5


@pytest.mark.slow
def test_64_calls_in_flight_are_held_back_by_one_that_is_told_to_wait():
    scores = {"one text": 0.0, "another text": 1.0}
    messages = [{"role": "user", "content": "A: one text\n\nB: another text\n\nA or B?"}]
    time = Time()

    async def ask(url):
        pace = Pace(clock=time.clock, sleep=time.sleep)
        endpoint = Endpoint(
            "judge", base_url=url, pace=pace, sleep=time.sleep, rng=Random(1), retries=20
        )
        calls = (endpoint.complete(messages, logprobs=False) for _ in range(200))
        replies = await asyncio.gather(*calls)
        await endpoint.close()
        assert pace._n_out == 0
        assert not pace._waiting
        return replies

    faults = Faults(too_many=0.1, server_error=0.05, broken_json=0.05, closed=0.05, retry_after=30)
    with FakeLLM(scores, faults=faults, seed=1) as server:
        replies = asyncio.run(ask(server.base_url))
        assert len(server.calls) == len(replies) == 200
        n_faults = sum(server.faulted.values())
        assert sum(reply.attempts - 1 for reply in replies) == n_faults > 20
    assert time.slept.count(30.0) >= 1


def test_nobody_goes_out_while_one_call_is_told_to_wait():
    """The first of 64 calls is told to wait 9 s: whoever comes later goes out after that."""
    time, n_together = Time(), 64

    async def play():
        everybody = asyncio.Event()
        out = []

        async def answer(reader, writer):
            out.append(time.now)
            if len(out) == n_together:
                everybody.set()
            await everybody.wait()
            is_first = len(out) == n_together
            out.append(None) if is_first else None
            writer.write(http(429, Retry_After="9") if is_first else http(body=completion()))

        async with Server(answer).running() as url:
            pace = Pace(clock=time.clock, sleep=time.sleep)
            endpoint = Endpoint("judge", base_url=url, pace=pace, clock=time.clock)
            calls = [
                asyncio.create_task(endpoint.complete(MESSAGES, logprobs=False))
                for _ in range(n_together)
            ]
            await everybody.wait()
            while not pace.is_held:
                await asyncio.sleep(0)
            later = [endpoint.complete(MESSAGES, logprobs=False) for _ in range(5)]
            replies = await asyncio.gather(*calls, *later)
            await endpoint.close()
        return [at for at in out if at is not None], replies

    out, replies = asyncio.run(play())
    assert out == [1000.0] * n_together + [1009.0] * 6
    assert sorted(reply.attempts for reply in replies) == [1] * 68 + [2]


# what is not tried again


@pytest.mark.parametrize(
    ("said", "status", "advice"),
    [
        (http(400, error("no temperature", code="unsupported_parameter")), 400, "no temperature"),
        (http(401, error("Incorrect API key")), 401, "HODGERANK_API_KEY"),
        (http(402, error("pay first")), 402, "no credit"),
        (http(403, b"Forbidden"), 403, "may not use this model"),
        (http(404, error("no model judge", code="model_not_found")), 404, "name of the model"),
        (http(404, b"<html>nginx</html>"), 404, "/v1"),
        (http(405), 405, "HTTP 405"),
        (http(429, error("You exceeded", code="insufficient_quota")), 429, "no credit"),
        (http(429, error("You exceeded", type="insufficient_quota")), 429, "no credit"),
        (http(200, error("bad key", code=401)), 401, "HODGERANK_API_KEY"),
        (http(200, error("bad key", code="401")), 401, "HODGERANK_API_KEY"),
        (http(200, error("You exceeded", code="insufficient_quota")), 429, "no credit"),
    ],
)
def test_what_will_not_pass_is_said_at_once(said, status, advice):
    asked = Asked(said)
    assert isinstance(asked.failure, EndpointRefuses)
    assert asked.failure.status == status
    assert asked.failure.attempts == len(asked.server.heads) == 1
    assert advice in str(asked.failure)
    assert not asked.pace.is_held


VLLM = (
    "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 "
    "in the messages, 6048 in the completion)."
)
ANTHROPIC = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "prompt is too long: 208656 tokens > 200000 maximum",
    },
}
GEMINI = {
    "error": {
        "code": 400,
        "message": "The input token count (134123) exceeds the maximum number of tokens allowed "
        "(131072).",
        "status": "INVALID_ARGUMENT",
    }
}
LITELLM = (
    'litellm.BadRequestError: AnthropicException - b\'{"type":"error","error":{"message":'
    '"input length and `max_tokens` exceed context limit: 179413 + 32768 > 200000"}}\''
)
OPENROUTER = (
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 "
    "tokens (7884 of text input, 131072 in the output)."
)
AZURE = {
    "message": "This model's maximum context length is 4096 tokens. However, you requested 4201.",
    "type": "invalid_request_error",
    "param": "messages",
    "code": "context_length_exceeded",
}
LLAMA_CPP = {
    "code": 500,
    "message": "the request exceeds the available context size. try increasing the context size",
    "type": "exceed_context_size_error",
    "n_prompt_tokens": 1407,
    "n_ctx": 256,
}
UPSTREAM = {
    "message": "Provider returned error",
    "code": 400,
    "metadata": {"raw": '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}'},
}


@pytest.mark.parametrize(
    "said",
    [
        http(413),
        http(413, {"type": "error", "error": {"type": "request_too_large", "message": "too big"}}),
        http(400, error("too long", code="context_length_exceeded")),
        http(400, {"object": "error", "message": VLLM, "type": "BadRequestError", "code": 400}),
        http(400, error(VLLM, type="BadRequestError", code=400)),
        http(400, error("max_tokens must be at least 1, got -186.", code=400)),
        http(400, error("The decoder prompt (length 50) is longer than the maximum model length")),
        http(400, ANTHROPIC),
        http(400, GEMINI),
        http(400, [GEMINI]),
        http(400, error("The input token count exceeds the maximum number of tokens allowed (9).")),
        http(400, error(LITELLM, type=None, param=None, code="400")),
        http(400, error("litellm.ContextWindowExceededError: BedrockException - no", code="400")),
        http(500, error("litellm.ContextWindowExceededError: VertexAIException", code="500")),
        http(400, error(OPENROUTER, code=400, metadata={"provider_name": "Chutes"})),
        http(200, error(OPENROUTER, code=400, metadata={"provider_name": "Chutes"})),
        http(400, {"error": UPSTREAM}),
        http(400, {"error": AZURE}),
        http(500, {"error": LLAMA_CPP}),
        http(200, {"error": LLAMA_CPP}),
        http(429, error("Request too large for m on tokens per min (TPM): Limit 9, Requested 10")),
        http(400, error("Requested token count exceeds the model's maximum context length")),
        http(400, error("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000")),
        http(400, error("Input is too long for requested model.")),
    ],
)
def test_a_prompt_that_is_too_long_fails_alone(said):
    asked = Asked(said)
    assert isinstance(asked.failure, CallFailed)
    assert asked.failure.attempts == 1
    assert "rejected this prompt" in str(asked.failure)
    assert not asked.pace.is_held


@pytest.mark.parametrize(
    "said",
    [
        error("max_tokens: 21333 > 4096, which is the maximum allowed number of output tokens"),
        error("temperature must be below 2"),
        {"detail": [{"loc": ["body"], "msg": "no", "input": "maximum context length"}]},
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_ten_unclear_rejections_in_a_row_are_those_of_the_endpoint(status, said):
    """One may be that of its prompt, and a reply in between shows that calls can succeed."""
    script = [http(status, said)] * 9 + [http(body=completion())] + [http(status, said)]

    async def ask():
        async with Server(*script).running() as url:
            endpoint = Endpoint("judge", base_url=url, api_key=KEY, pace=Pace())
            results = []
            for _ in range(20):
                try:
                    results.append(await endpoint.complete(MESSAGES, logprobs=False))
                except HodgeRankError as failure:
                    results.append(failure)
            await endpoint.close()
            return results

    *calls, last = asyncio.run(ask())
    assert [type(call) for call in calls] == [CallFailed] * 9 + [Reply] + [CallFailed] * 9
    assert isinstance(last, EndpointRefuses)
    assert last.status == status
    assert "check the parameters" in str(last)


def test_tries_have_the_same_key_until_the_server_answers_with_an_error():
    async def hang_up(reader, writer):
        writer.close()

    script = [hang_up, http(500), http(500), http(body=completion())]
    time, server = Time(), Server(*script)

    async def ask():
        async with server.running() as url:
            endpoint = Endpoint("judge", base_url=url, pace=Pace(), sleep=time.sleep)
            await endpoint.complete(MESSAGES, logprobs=False, idempotency_key="abc")
            await endpoint.close()

    asyncio.run(ask())
    keys = [head.split("idempotency-key: ")[1].split("\r\n")[0] for head in server.heads]
    assert keys == ["abc", "abc", "abc-1", "abc-2"]


def test_the_key_may_go_into_another_header_and_calls_may_have_a_query():
    asked = Asked(
        http(401, error(f"wrong {KEY}")),
        key_header="api-key",
        headers={"x-team": "7"},
        query={"api-version": "2024-10-21"},
    )
    (head,) = asked.server.heads
    assert head.startswith("post /v1/chat/completions?api-version=2024-10-21 ")
    assert f"api-key: {KEY.lower()}\r\n" in head
    assert "x-team: 7\r\n" in head
    assert "authorization" not in head
    assert KEY not in str(asked.failure)


@pytest.mark.parametrize("content", ["half \ud83d of a character", float("nan")])
def test_a_prompt_that_cannot_be_sent_fails_alone(content):
    messages = [{"role": "user", "content": content}]
    asked = Asked(http(body=completion()), messages=messages)
    assert isinstance(asked.failure, CallFailed)
    assert "cannot be sent as JSON" in str(asked.failure)
    assert asked.server.heads == []


def test_a_prompt_that_a_filter_stops_is_refused_by_the_judge():
    asked = Asked(http(400, error("The prompt was filtered", code="content_filter")))
    assert asked.failure is None
    assert asked.result.finish_reason == "content_filter"
    assert "The prompt was filtered" in asked.result.refusal
    assert asked.result.text == ""


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirections_are_not_followed(status):
    other = Server(http(body=completion()))

    async def ask():
        async with (
            other.running() as elsewhere,
            Server(http(status, Location=f"{elsewhere}/chat/completions")).running() as url,
        ):
            endpoint = Endpoint("judge", base_url=url, api_key=KEY, pace=Pace())
            with pytest.raises(EndpointRefuses, match=f"redirects to {elsewhere}"):
                await endpoint.complete(MESSAGES, logprobs=False)
            await endpoint.close()

    asyncio.run(ask())
    assert other.heads == []


# what things cost


def test_tokens_of_tries_that_were_in_vain_are_counted():
    broken = http(body=completion(choices=[]))
    asked = Asked(broken, broken, http(body=completion()))
    assert (asked.result.prompt_tokens, asked.result.completion_tokens) == (33, 3)
    failed = Asked(broken, retries=1).failure
    assert (failed.prompt_tokens, failed.completion_tokens) == (22, 2)
    unknown = Asked(http(500), retries=1).failure
    assert (unknown.prompt_tokens, unknown.completion_tokens) == (None, None)


def test_the_pace_learns_what_a_call_took():
    async def ask():
        time = Time()
        pace = Pace(tokens_per_minute=60, clock=time.clock, sleep=time.sleep)
        async with Server(http(body=completion())).running() as url:
            endpoint = Endpoint("judge", base_url=url, pace=pace)
            for _ in range(2):
                await endpoint.complete(MESSAGES, logprobs=False, expected_tokens=3)
            await endpoint.close()
        return time.slept

    # 3 tokens were there and 12 were taken: 9 to make up for, and 3 for the next call
    assert asyncio.run(ask()) == [12.0]


@pytest.mark.parametrize("script", [(is_silent,), (http(500),), (http(429, Retry_After="5"),)])
def test_a_call_that_is_cancelled_leaves_nothing_behind(script):
    """Whether it is on the wire, waits for its next try, or is held back with all others."""

    async def play():
        ledger = Ledger(caps=Caps(calls=64))
        waiting = asyncio.Event()

        async def for_ever(seconds):
            waiting.set()
            await asyncio.Event().wait()

        async def call(endpoint):
            with ledger.reserve("judge", 10, 1) as reservation:
                reply = await endpoint.complete(MESSAGES, logprobs=False)
                reservation.settle(1, 1, status="answered")
                return reply

        server = Server(*script)
        async with server.running() as url:
            pace = Pace(sleep=for_ever)
            endpoint = Endpoint("judge", base_url=url, pace=pace, sleep=for_ever)
            calls = [asyncio.create_task(call(endpoint)) for _ in range(64)]
            while len(server.heads) < 64 and not waiting.is_set():
                await asyncio.sleep(0)
            for task in calls:
                task.cancel()
            ends = await asyncio.gather(*calls, return_exceptions=True)
            assert all(isinstance(end, asyncio.CancelledError) for end in ends)
            assert not ledger._out
            assert not pace._waiting
            assert pace._n_out == 0
            for _ in range(64):  # all that was set aside can be had again
                ledger.reserve("judge", 10, 1)
            await endpoint.close()

    asyncio.run(play())


# the key


def everything_about(failure):
    seen = [repr(failure), str(failure), repr(vars(failure)), repr(failure.args)]
    seen += traceback.TracebackException.from_exception(failure, capture_locals=True).format()
    return "\n".join(seen)


def assert_nothing_holds_the_key(failure):
    error = failure
    while error is not None:
        assert KEY not in everything_about(error)
        error = error.__cause__ or error.__context__
    assert KEY.encode() not in pickle.dumps(failure)


@pytest.mark.parametrize(
    "said",
    [
        http(401, error(f"Incorrect API key provided: {KEY}.")),
        http(401, error(f"Incorrect API key provided: {KEY[:12]}****{KEY[-4:]}.")),
        http(401, error(f"no such key: {KEY[3:17]}")),
        http(401, {"detail": f"Bearer {KEY}"}),
        http(400, f"Authorization: Bearer {KEY}".encode()),
        http(307, Location=f"http://elsewhere/?key={KEY}"),
        http(500, error(f"trace: {KEY}")),
        http(429, error(f"slow down, {KEY}"), Retry_After="1000"),
        http(200, error(f"trace: {KEY}")),
    ],
)
def test_the_key_is_in_no_error(said, caplog):
    caplog.set_level(logging.INFO)
    asked = Asked(said, retries=1)
    assert_nothing_holds_the_key(asked.failure)
    for part in (KEY, KEY[:12], KEY[3:17]):
        assert part not in str(asked.failure)
        assert part not in repr(asked.attempts)
    assert KEY not in caplog.text
    assert "[key]" in str(asked.failure) or "1,000 s" in str(asked.failure)


def test_a_server_that_sends_the_key_back_does_not_get_it_into_the_reply(caplog):
    caplog.set_level(logging.DEBUG)
    asked = Asked(http(body=completion(f"you said {KEY}", model=KEY)))
    assert asked.result.text == "you said [key]"
    assert asked.result.model == "[key]"
    assert KEY not in caplog.text


def test_the_key_is_not_shown_by_what_holds_it():
    endpoint = Endpoint("judge", base_url="http://localhost/v1", api_key=KEY, pace=Pace())
    for thing in (endpoint, endpoint._connection, endpoint._connection._key, vars(endpoint)):
        assert KEY not in repr(thing)
    assert repr(endpoint) == "Endpoint('judge', base_url='http://localhost/v1')"


def test_the_own_variable_goes_before_that_of_openai(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert "bearer theirs\r" in Asked(http(body=completion()), api_key=None).server.heads[0]
    monkeypatch.setenv("HODGERANK_API_KEY", " ours\n")
    assert "bearer ours\r" in Asked(http(body=completion()), api_key=None).server.heads[0]
    assert "bearer given\r" in Asked(http(body=completion()), api_key="given").server.heads[0]


def test_a_server_of_ones_own_needs_no_key_and_openai_does():
    assert "bearer no-key\r" in Asked(http(body=completion()), api_key=None).server.heads[0]
    with pytest.raises(InvalidArgument, match="HODGERANK_API_KEY or OPENAI_API_KEY"):
        Endpoint("judge", pace=Pace())
    assert Endpoint("judge", api_key=KEY, pace=Pace()).base_url == "https://api.openai.com/v1"


# what is wrong from the start


def test_the_address_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1/")
    assert Endpoint("judge", pace=Pace()).base_url == "http://localhost:1/v1"


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n"])
def test_parameters_do_not_change_what_a_call_is(name):
    with pytest.raises(InvalidArgument, match=f"{name} cannot be set"):
        Endpoint("judge", api_key=KEY, pace=Pace(), parameters={name: 2})


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"x"])
def test_parameters_can_be_sent_as_json(value):
    with pytest.raises(InvalidArgument, match="cannot be sent as JSON"):
        Endpoint("judge", api_key=KEY, pace=Pace(), parameters={"temperature": value})


@pytest.mark.parametrize("options", [{"timeout": 0}, {"timeout": float("nan")}, {"retries": -1}])
def test_times_and_tries_are_sensible(options):
    with pytest.raises(InvalidArgument, match="must be"):
        Endpoint("judge", api_key=KEY, pace=Pace(), **options)


def test_without_the_client_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingDependency, match=r'pip install "\.\[llm\]"'):
        Endpoint("judge", api_key=KEY, pace=Pace())


def test_one_endpoint_serves_several_loops():
    server, endpoints = Server(http(body=completion())), []

    async def ask():
        async with server.running() as url:
            if not endpoints:
                endpoints.append(Endpoint("judge", base_url=url, pace=Pace()))
            endpoints[0]._connection._base_url = url
            reply = await endpoints[0].complete(MESSAGES, logprobs=False)
            await endpoints[0].close()
            return reply.text

    assert [asyncio.run(ask()) for _ in range(3)] == ["A"] * 3


def test_the_client_is_not_loaded_before_it_is_needed():
    script = "import sys, hodgerank.judges.endpoint.endpoint as _; "
    script += "print({'httpx', 'polars'} & {*sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"
