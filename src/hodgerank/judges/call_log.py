"""CallLog: every call, saved at once, so that none is paid for twice."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import FileIO
from math import isfinite
from pathlib import Path
from types import NoneType, TracebackType
from typing import Any

from hodgerank.atomic_write import append_line
from hodgerank.display import short
from hodgerank.errors import CannotWrite, InvalidArgument, InvalidComparisons, JudgeFailed
from hodgerank.judges.endpoint.completion import Reply
from hodgerank.judges.endpoint.endpoint import CallFailed, Endpoint
from hodgerank.judges.panel import Assignment
from hodgerank.judges.replies import Verdict
from hodgerank.private_files import create_private

OUR_LINES = b'{"time": '
LONG_REPLY = 1 << 14  # bytes
MANY_LINES = 64  # as many as may be in progress at once
STATUSES = ("answered", "abstained", "refused", "unparsable", "failed")
REMEDY = "remove that line, or start again with another folder"
FIELDS: Mapping[str, tuple[type, ...]] = {
    "time": (str,),
    "key": (str,),
    "repeat": (int,),
    "left": (str,),
    "right": (str,),
    "context": (str, NoneType),
    "model": (str,),
    "base_url": (str, NoneType),
    "parameters": (dict,),
    "messages": (list,),
    "status": (str,),
    "outcome": (int, float, NoneType),
    "probabilities": (dict, NoneType),
    "reply": (str, NoneType),
    "refusal": (str, NoneType),
    "finish_reason": (str, NoneType),
    "prompt_tokens": (int, NoneType),
    "completion_tokens": (int, NoneType),
    "cost": (int, float, NoneType),
    "seconds": (int, float),
    "attempts": (int,),
    "detail": (str,),
}
NOT_NEGATIVE = ("repeat", "prompt_tokens", "completion_tokens", "cost", "seconds", "attempts")


def content_key(
    model: str,
    base_url: str | None,
    messages: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, Any],
) -> str:
    """Return the key of a call: calls with the same key ask the same model the same question.

    The SHA-256 of model, address, messages and parameters as JSON with sorted names.
    """
    content = {
        "model": model,
        "base_url": base_url,
        "messages": list(messages),
        "parameters": dict(parameters),
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


class CallLog:
    """One JSON object per line for every finished call, with the fields in `FIELDS`.

    Opening it reads and checks every line. An incomplete last line after a crash is dropped. While
    it is open, it is locked against other processes, if the system has such locks. Records are not
    kept in memory: `find` and iteration read them from the file.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._places: dict[tuple[str, int], int] = {}
        self._n_records, self._end = 0, 0
        try:
            self._lock = _locked(self.path)
        except CannotWrite:
            raise
        except OSError as error:
            raise CannotWrite(
                f"{self.path} cannot be written: {error.strerror or error}"
            ) from error
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def append(self, record: Mapping[str, Any]) -> None:
        """Append a call, which is saved when this returns."""
        record = {"time": record.get("time"), **record}
        try:
            _check(record)
            line = _line(record)
        except (TypeError, ValueError) as error:
            raise InvalidArgument(f"a call cannot be logged: {error}") from None
        append_line(self.path, line)
        self._note(record, self._end)
        self._end += len(line) + 1

    def require_room(self, size: int) -> None:
        """Refuse a call before it is paid for if the disk may have no room for its line."""
        if shutil.disk_usage(self.path).free < MANY_LINES * (size + LONG_REPLY):
            raise JudgeFailed(
                f"{self.path}: the disk is nearly full, so no call is made that could not be "
                "saved: free some space"
            )

    def find(self, key: str, repeat: int) -> dict[str, Any] | None:
        """Return the call with that content that got a reply, if any; `repeat` counts from 0."""
        place = self._places.get((key, repeat))
        if place is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            return _parsed(file.readline())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield all calls in the order of their replies, including failed ones."""
        with self.path.open("rb") as file:
            for line in file:
                if line.strip():
                    yield _parsed(line)

    def __len__(self) -> int:
        return self._n_records

    def close(self) -> None:
        """Close and unlock the log."""
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> CallLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self) -> None:
        line = b"\n"
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        record = _parsed(line)
                    except (ValueError, RecursionError) as error:
                        if _is_cut(line, error):
                            os.truncate(self.path, self._end)
                            return
                        what = "not JSON" if _is_no_json(error) else short(error)
                        message = f"{self.path}, line {number}: {what}; {REMEDY}"
                        raise InvalidComparisons(message) from None
                    self._note(record, self._end)
                self._end += len(line)
        if not line.endswith(b"\n"):
            append_line(self.path, b"")
            self._end += 1

    def _note(self, record: Mapping[str, Any], place: int) -> None:
        self._n_records += 1
        if record["status"] != "failed":  # a call that got no reply is made again
            self._places.setdefault((record["key"], record["repeat"]), place)


def _locked(path: Path) -> FileIO | None:
    """Open and lock the file, creating it if necessary."""
    create_private(path)
    file = path.open("ab", buffering=0)
    try:
        import fcntl
    except ImportError:
        file.close()
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise CannotWrite(
            f"{path} is in use by another run: wait for it, stop it, or use another folder"
        ) from None
    except OSError:  # a file system without locks
        file.close()
        return None
    return file


def _line(record: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:  # half a character: JSON can spell it, UTF-8 cannot
        return json.dumps(record, allow_nan=False).encode()


def _parsed(line: bytes) -> dict[str, Any]:
    record = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    _check(record)
    return dict(record)


def _is_cut(line: bytes, error: Exception) -> bool:
    """Return whether a crash cut this line short; only such lines are dropped."""
    is_ours = line[: len(OUR_LINES)] == OUR_LINES[: len(line)]
    return is_ours and _is_no_json(error) and not line.endswith(b"\n")


def _is_no_json(error: Exception) -> bool:
    return isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)


def _check(record: object) -> None:
    if not isinstance(record, dict):
        raise ValueError("not a call")
    for name, kinds in FIELDS.items():
        if name not in record:
            raise ValueError(f"{name} is missing")
        value = record[name]
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise ValueError(f"{name} cannot be {value!r}")
        if isinstance(value, float) and not isfinite(value):
            raise ValueError(f"{name} cannot be {value!r}")
    for name in NOT_NEGATIVE:
        if record[name] is not None and record[name] < 0:
            raise ValueError(f"{name} cannot be {record[name]!r}")
    if record["status"] not in STATUSES:
        raise ValueError(f"status cannot be {record['status']!r}")
    if (record["outcome"] is not None) != (record["status"] == "answered"):
        raise ValueError(f"outcome cannot be {record['outcome']!r} of a call {record['status']}")
    if record["outcome"] is not None and not -1 <= record["outcome"] <= 1:
        raise ValueError(f"outcome cannot be {record['outcome']!r}")


LONGEST_REPLY = 100_000  # letters that are kept
SAID = ("reply", "refusal", "finish_reason")


def question_of(
    turn: Assignment, endpoint: Endpoint, messages: list[Any], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the fields known before a call; `messages` are as logged."""
    return {
        "time": "",
        "key": content_key(turn.model, endpoint.base_url, messages, parameters),
        "repeat": turn.repeat,
        "left": turn.pair.left,
        "right": turn.pair.right,
        "context": turn.showing.key or None,
        "model": turn.model,
        "base_url": endpoint.base_url,
        "parameters": dict(parameters),
        "messages": messages,
        **dict.fromkeys((*SAID, "prompt_tokens", "completion_tokens", "cost")),
        "seconds": 0.0,
        "attempts": 0,
    }


def answered_by(reply: Reply, cost: float | None) -> dict[str, Any]:
    """Return the fields of a reply."""
    return {
        "model_used": reply.model,
        "reply": reply.text[:LONGEST_REPLY],
        "refusal": reply.refusal,
        "finish_reason": reply.finish_reason,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost": cost,
        "seconds": round(reply.seconds, 3),
        "attempts": reply.attempts,
    }


def failed_by(error: CallFailed, cost: float | None) -> dict[str, Any]:
    """Return the fields of a call without a reply."""
    return {
        "prompt_tokens": error.prompt_tokens,
        "completion_tokens": error.completion_tokens,
        "cost": cost,
        "attempts": error.attempts,
    }


def judged_as(verdict: Verdict) -> dict[str, Any]:
    """Return the fields of the verdict."""
    probabilities = verdict.probabilities
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "status": verdict.status,
        "outcome": verdict.outcome,
        "probabilities": None if probabilities is None else dict(probabilities),
        "detail": verdict.detail,
    }


def verdict_in(record: Mapping[str, Any]) -> Verdict:
    """Return the verdict of a logged call."""
    names = ("status", "outcome", "probabilities", "detail")
    return Verdict(*(record[name] for name in names))
