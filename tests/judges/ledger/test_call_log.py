"""Calls are on disk at once, and found by what they asked."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hodgerank.errors import CannotWrite, InvalidArgument, InvalidComparisons
from hodgerank.judges.call_log import FIELDS, CallLog, content_key

MESSAGES = [{"role": "user", "content": "Which? \u00e9"}]


def record(**more):
    return {
        "time": "2026-01-01T00:00:00+00:00",
        "key": "k",
        "repeat": 0,
        "left": "a",
        "right": "b",
        "context": None,
        "model": "judge",
        "base_url": "http://localhost/v1",
        "parameters": {"temperature": 0},
        "messages": MESSAGES,
        "status": "answered",
        "outcome": 1,
        "probabilities": None,
        "reply": "A",
        "refusal": None,
        "finish_reason": "stop",
        "prompt_tokens": 12,
        "completion_tokens": 1,
        "cost": 0.001,
        "seconds": 0.25,
        "attempts": 1,
        "detail": "",
    } | more


@pytest.fixture
def path(tmp_path):
    return tmp_path / "calls.jsonl"


def filled(path, *records):
    with CallLog(path) as log:
        for each in records:
            log.append(each)
    return path.read_bytes()


def test_a_call_is_found_by_its_content_at_once_and_after_a_restart(path):
    with CallLog(path) as log:
        for key in "abc":
            for repeat in (0, 1):
                log.append(record(key=key, repeat=repeat, reply=f"{key}{repeat} \u00e9"))
        assert log.find("b", 1) == record(key="b", repeat=1, reply="b1 \u00e9")
    with CallLog(path) as log:
        assert log.find("b", 1)["reply"] == "b1 \u00e9"
        assert log.find("c", 0)["reply"] == "c0 \u00e9"
        assert log.find("c", 2) is None
        log.append(record(key="d"))
        assert log.find("d", 0)["key"] == "d"
        assert [each["key"] for each in log] == [*"aabbccd"]
        assert len(log) == 7


def test_a_call_that_failed_is_made_again(path):
    with CallLog(path) as log:
        log.append(record(status="failed", outcome=None, reply=None))
        assert log.find("k", 0) is None
        log.append(record())
        assert log.find("k", 0)["status"] == "answered"
        assert len(log) == 2


def test_the_first_reply_counts(path):
    filled(path, record(reply="first"), record(reply="second"))
    with CallLog(path) as log:
        assert log.find("k", 0)["reply"] == "first"


def test_lines_begin_with_the_time_and_are_readable(path):
    shuffled = dict(sorted(record(reply="\u65e5\u672c").items()))
    content = filled(path, shuffled)
    assert content.startswith(b'{"time": "2026')
    assert "\u65e5\u672c".encode() in content
    assert json.loads(content) == shuffled


def test_half_a_character_is_kept_as_it_is(path):
    filled(path, record(reply="\ud83d"))
    with CallLog(path) as log:
        assert log.find("k", 0)["reply"] == "\ud83d"


def test_a_last_line_that_a_crash_cut_short_is_dropped_wherever_it_was_cut(path):
    first = filled(path, record(key="1"))
    second = filled(path, record(key="2"))[len(first) :]
    for end in range(1, len(second) - 1):
        path.write_bytes(first + second[:end])
        with CallLog(path) as log:
            assert len(log) == 1
            assert path.read_bytes() == first
            log.append(record(key="3"))
            assert log.find("3", 0)["key"] == "3"


def test_a_last_line_without_its_end_is_kept(path):
    content = filled(path, record())
    path.write_bytes(content[:-1])
    with CallLog(path) as log:
        log.append(record(key="next"))
        assert [each["key"] for each in log] == ["k", "next"]
        assert log.find("next", 0)["key"] == "next"


def test_a_mark_at_the_beginning_and_empty_lines_do_no_harm(path):
    content = filled(path, record())
    path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n") + b"\n\n")
    with CallLog(path) as log:
        log.append(record(key="next"))
        assert log.find("k", 0) == record()
        assert log.find("next", 0) == record(key="next")
        assert len(list(log)) == len(log) == 2


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (b"{}", "time is missing"),
        (b"[]", "not a call"),
        (b"null", "not a call"),
        (b'{"time": "2026', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"left": "a", "right": "b", "outcome": 1}', "time is missing"),
    ],
)
def test_other_damage_is_an_error_with_its_line_and_nothing_is_lost(path, damage, what):
    content = filled(path, record(), record(key="2"))
    first, second = content.splitlines(keepends=True)
    path.write_bytes(first + damage + b"\n" + second)
    with pytest.raises(InvalidComparisons, match=r"line 2: .*remove that line") as caught:
        CallLog(path)
    assert what in str(caught.value)
    assert path.read_bytes() == first + damage + b"\n" + second
    path.write_bytes(content)
    CallLog(path).close()  # the lock was given back


def test_the_last_line_of_a_file_that_is_no_log_stays(path):
    path.write_bytes(b"left,right\na,b")
    with pytest.raises(InvalidComparisons, match="line 1"):
        CallLog(path)
    path.write_bytes(b"my notes")
    with pytest.raises(InvalidComparisons, match="line 1"):
        CallLog(path)
    assert path.read_bytes() == b"my notes"


WRONG = {
    "time": [None, 3],
    "key": [None],
    "repeat": [None, -1, True, 0.5],
    "left": [1],
    "parameters": [None, []],
    "messages": [None, {}],
    "status": [None],
    "outcome": [2, -1.5, float("nan"), "1", True],
    "prompt_tokens": [-1, "12", 1.5],
    "cost": [-0.1, float("inf"), "1"],
    "seconds": [None, -1],
    "attempts": [None, -1],
    "detail": [None],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_a_record_that_could_not_be_read_again_is_not_written(path, name, value):
    with CallLog(path) as log:
        with pytest.raises(InvalidArgument, match=f"cannot be logged: {name} cannot be"):
            log.append(record(**{name: value}))
        assert len(log) == 0
    assert path.read_bytes() == b""
    path.write_text(json.dumps(record(**{name: value})) + "\n")
    with pytest.raises(InvalidComparisons, match=f"line 1: {name} cannot be"):
        CallLog(path)


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_there(path, name):
    partial = record()
    del partial[name]
    with CallLog(path) as log, pytest.raises(InvalidArgument, match=name):
        log.append(partial)


def test_what_json_cannot_hold_is_not_written(path):
    with CallLog(path) as log:
        for odd in ({"x": float("nan")}, {"x": {1}}):
            with pytest.raises(InvalidArgument, match="cannot be logged"):
                log.append(record(parameters=odd))
    assert path.read_bytes() == b""


def test_two_runs_do_not_share_a_log(path):
    script = "import sys; from hodgerank.judges.call_log import CallLog as Log"
    script += "; Log(sys.argv[1])"
    with CallLog(path):
        with pytest.raises(CannotWrite, match="in use by another run"):
            CallLog(path)
        done = subprocess.run(
            [sys.executable, "-c", script, path], capture_output=True, text=True, check=False
        )
        assert "in use by another run" in done.stderr
    CallLog(path).close()


@pytest.mark.parametrize("lock", [None, OSError(37, "No locks available")])
def test_a_system_without_locks_goes_without(path, monkeypatch, lock):
    if lock is None:
        monkeypatch.setitem(sys.modules, "fcntl", None)
    else:

        def fail(*arguments):
            raise lock

        monkeypatch.setattr("fcntl.flock", fail)
    with CallLog(path) as first, CallLog(path):
        first.append(record())


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CannotWrite, match="No such file or directory"):
        CallLog(tmp_path / "absent" / "calls.jsonl")


def test_a_line_that_does_not_fit_on_the_disk_leaves_the_log_whole(path, monkeypatch):
    def fail(*arguments):
        raise OSError(28, "No space left on device")

    with CallLog(path) as log:
        log.append(record())
        with monkeypatch.context() as patch:
            patch.setattr("os.fsync", fail)
            with pytest.raises(CannotWrite, match="No space left"):
                log.append(record(key="2"))
        assert log.find("2", 0) is None
        log.append(record(key="3"))
        assert log.find("3", 0)["key"] == "3"
        assert len(list(log)) == 2


def test_the_same_call_has_the_same_key_and_no_other():
    def key(model="m", base_url="u", messages=MESSAGES, **parameters):
        return content_key(model, base_url, messages, parameters)

    assert key(a=1, b={"c": 2, "d": 3}) == key(b={"d": 3, "c": 2}, a=1)
    assert key(messages=tuple(MESSAGES)) == key()
    others = [
        key(),
        key(model="m2"),
        key(base_url="u2"),
        key(base_url=None),
        key(messages=[]),
        key(messages=[*MESSAGES, *MESSAGES]),
        key(temperature=0),
        key(temperature=1),
        key(logprobs=True),
    ]
    assert len(set(others)) == len(others)
    assert len(key()) == 64


def test_the_key_of_a_call_stays_what_it_was():
    """Logs of earlier versions are found by it."""
    assert content_key("m", "u", [{"role": "user", "content": "\u00e9"}], {"t": 0.5}) == (
        "3ad295c803414c1e81489b9c4bd81f82c6acba2139700869215fc1aeebae7f0e"
    )
