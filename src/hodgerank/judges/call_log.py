"""CallLog: every call, saved before its reply is used, so that no saved reply is paid twice."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import FileIO
from math import isfinite
from pathlib import Path
from types import NoneType, TracebackType
from typing import Any

from hodgerank.atomic_write import append_line, write_file
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
SENT = ".sent"  # ending of the file of calls in progress
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


def judge_in(record: Mapping[str, Any]) -> str:
    """Return the judge of a logged call: its name, if that is not the name of its model."""
    return str(record.get("judge") or record["model"])


class CallLog:
    """One JSON object per line for every finished call, with the fields in `FIELDS`.

    Opening it reads and checks every line. An incomplete last line after a crash is dropped. While
    it is open, it is locked against other processes, if the system has such locks. Records are not
    kept in memory: `find` and iteration read them from the file.

    Calls are noted in a file beside it before they are sent. When the log is closed, it keeps only
    those that did not come back, and is removed if there are none.

    Attributes
    ----------
    n_cut_off
        Number of calls of earlier runs that were sent and did not come back.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._places: dict[tuple[str, int], int] = {}
        self._unread: set[tuple[str, int]] = set()  # replies that were unparsable
        self._n_lines: Counter[tuple[str, int]] = Counter()  # records of failed calls too
        self._sent: FileIO | None = None
        self._open_notes: set[tuple[str, int, int]] = set()
        self.n_cut_off = 0
        self._n_records, self._end = 0, 0
        self._unsaved: list[tuple[Mapping[str, Any], asyncio.Future[None]]] = []
        self._write: asyncio.Task[None] | None = None
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
            self._read_sent()
            self.n_cut_off = len(self._open_notes)
        except BaseException:
            self._unlock()
            raise

    def append(self, *records: Mapping[str, Any]) -> None:
        """Append calls, which are saved when this returns."""
        named = [{"time": record.get("time"), **record} for record in records]
        try:
            for record in named:
                _check(record)
            lines = [_line(record) for record in named]
        except (TypeError, ValueError) as error:
            raise InvalidArgument(f"a call cannot be logged: {error}") from None
        append_line(self.path, *lines)
        for record, line in zip(named, lines, strict=True):
            self._note(record, self._end)
            self._end += len(line) + 1

    async def save(self, record: Mapping[str, Any]) -> None:
        """Append a call, which is saved when this returns.

        Calls that come while others are being written share the next write to the disk.
        """
        saved = asyncio.get_running_loop().create_future()
        self._unsaved.append((record, saved))
        if self._write is None or self._write.done():
            self._write = asyncio.create_task(self._write_unsaved())
        await asyncio.shield(saved)

    async def finish(self) -> None:
        """Wait until everything is saved."""
        if self._write is not None and not self._write.done():
            await self._write

    async def _write_unsaved(self) -> None:
        while self._unsaved:
            waiting, self._unsaved = self._unsaved, []
            try:
                await asyncio.to_thread(self.append, *(record for record, _ in waiting))
            except Exception as error:
                for _, saved in waiting:
                    if not saved.done():
                        saved.set_exception(type(error)(*error.args))
                    saved.exception()  # a caller that has gone does not hear of it
            else:
                for _, saved in waiting:
                    if not saved.done():
                        saved.set_result(None)

    def id_of(self, key: str, repeat: int) -> str:
        """Return the id of the next call with that content, which a failed one did not have."""
        return f"hodgerank-{key[:32]}-{repeat}-{self._n_lines[key, repeat]}"

    @contextmanager
    def sending(self, key: str, repeat: int) -> Iterator[None]:
        """Note that a call is about to be sent.

        An error of the call is its end. The note survives the death of the process, but perhaps not
        that of the machine.
        """
        note = key, repeat, self._n_lines[key, repeat]
        if note not in self._open_notes:
            self._open_notes.add(note)
            try:
                if self._sent is None:
                    self._sent = self._sent_path.open("ab", buffering=0)
                self._sent.write(_note_line(note))
            except OSError as error:
                raise CannotWrite(
                    f"{self._sent_path} cannot be written: {error.strerror or error}"
                ) from error
        yield

    def settle(self, key: str, repeat: int) -> None:
        """Note that a call came back without a line for the log."""
        self._open_notes.discard((key, repeat, self._n_lines[key, repeat]))

    @property
    def _sent_path(self) -> Path:
        return Path(f"{self.path}{SENT}")

    def _read_sent(self) -> None:
        """Read which calls were sent by earlier runs and are not logged."""
        try:
            lines = self._sent_path.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise CannotWrite(f"{self._sent_path} cannot be read: {error.strerror}") from error
        for fields in map(str.split, lines):
            if len(fields) == 3 and fields[1].isdecimal() and fields[2].isdecimal():
                key, repeat, n_before = fields[0], int(fields[1]), int(fields[2])
                if self._n_lines[key, repeat] == n_before:
                    self._open_notes.add((key, repeat, n_before))

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
        if self._lock is not None and self._lock.closed:
            return
        if self._sent is not None:
            self._sent.close()
        with suppress(OSError, CannotWrite):  # the notes that are there only hold more
            if self._open_notes:
                write_file(self._sent_path, b"".join(map(_note_line, sorted(self._open_notes))))
            else:
                self._sent_path.unlink(missing_ok=True)
        self._unlock()

    def _unlock(self) -> None:
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
        same = record["key"], record["repeat"]
        self._open_notes.discard((*same, self._n_lines[same]))
        self._n_lines[same] += 1
        if record["status"] == "failed":
            return  # a call that got no reply is made again
        if same not in self._places or same in self._unread:
            self._places[same] = place
            self._unread.discard(same)
            if record["status"] == "unparsable":
                self._unread.add(same)


def _note_line(note: tuple[str, int, int]) -> bytes:
    return f"{note[0]} {note[1]} {note[2]}\n".encode()


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
    if not isinstance(record.get("judge", ""), str):
        raise ValueError(f"judge cannot be {record['judge']!r}")
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
    named = {} if turn.model == endpoint.model else {"judge": turn.model}
    return {
        "time": "",
        "key": content_key(endpoint.model, endpoint.address, messages, parameters),
        "repeat": turn.repeat,
        "left": turn.pair.left,
        "right": turn.pair.right,
        "context": turn.showing.key or None,
        "model": endpoint.model,
        **named,
        "base_url": endpoint.address,
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
