from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import exp

import pytest

from chat_calls import Client
from hodgerank.judges.fake_llm.__main__ import arguments, main

COMMAND = [sys.executable, "-m", "hodgerank.judges.fake_llm"]
ITEMS = "id,text,score\na,good text,1\nb,bad text,0\n"


@contextmanager
def running(*words: object) -> Iterator[subprocess.Popen[str]]:
    command = [*COMMAND, *map(str, words), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_until_it_is_interrupted(write, tmp_path, number):
    log = tmp_path / "answers.jsonl"
    with running(write(ITEMS), "--position-bias", 2, "--answer-log", log) as process:
        base_url = process.stdout.readline().strip()
        with Client(base_url) as client:
            answer = client.ask("good text", "bad text", logprobs=True, top_logprobs=5)
        process.send_signal(number)
        said, complaints = process.communicate(timeout=30)
    assert exp(answer.chances["A"]) == pytest.approx(1 / (1 + exp(-3)))
    assert (process.returncode, said, complaints) == (0, "", "")
    (line,) = map(json.loads, log.read_text().splitlines())
    assert (line["left"], line["right"], line["reply"]) == ("good text", "bad text", answer.text)
    assert line["body"]["model"] == "m"


def test_scores_that_are_drawn_are_printed_best_first(write):
    with running(write("id,text\na,one\nb,two\n"), "--seed", 4) as process:
        process.stdout.readline()
        lines = [process.stdout.readline().split() for _ in range(2)]
    scores = [float(score) for score, _ in lines]
    assert scores == sorted(scores, reverse=True)
    assert {item for _, item in lines} == {"a", "b"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--score-column", "quality"], "no column quality"),
        (["--lapse", "2"], "lapse must be between 0 and 1"),
        (["--closed", "2"], "shares"),
        (["--template", "choise"], "no template choise"),
        (["--port", "70000"], "between 0 and 65535"),
        (["--latency", "soon"], "--latency"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(write, capsys, words, message):
    with pytest.raises(SystemExit, match="2"):
        main([str(write(ITEMS)), *words])
    assert message in capsys.readouterr().err


def test_a_port_in_use_is_said(write, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(SystemExit, match="2"):
        main([str(write(ITEMS)), "--port", str(taken.getsockname()[1])])
    assert "in use" in capsys.readouterr().err


def test_latency_is_a_number_or_a_range():
    parse = arguments().parse_args
    assert parse(["items.csv", "--latency", "0.2"]).latency == 0.2
    assert parse(["items.csv", "--latency", "0.1-0.5"]).latency == (0.1, 0.5)


def test_the_help_has_an_example():
    assert "--base-url http://127.0.0.1:8808/v1" in arguments().format_help()
