"""What must hold after every command."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from fuzz.cases import Case
from fuzz.running import Outcome
from fuzz.tally import LEFT_OUT

STATUSES = (0, 2, 3, 4)
INTERRUPTED = (130, -2)  # by itself, or by Python where it was about to end anyway
# Control characters but newline and tab, and those that turn the direction of writing.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
CRASHES = (b"Traceback", b"panicked", b"Exception ignored", b"Warning:", b"Fatal Python error")
MAGIC = {".png": b"\x89PNG", ".pdf": b"%PDF", ".parquet": b"PAR1", ".html": b"<!doctype html>"}
INJECTED = b"</script><img src=x"
# Commands whose JSON counts items by this name, not how many there are.
NO_COUNTS = ("replay",)


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """The files in the folders `in` and `out`; None for what is no file."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for part in ("in", "out")
        for path in sorted((folder / part).rglob("*"))
    }


def problems(
    case: Case, outcome: Outcome, before: dict[str, bytes | None], after: dict[str, bytes | None]
) -> list[str]:
    """Everything that is not as it should be."""
    if b"KeyboardInterrupt" in outcome.stderr and b"hodgerank/cli" not in outcome.stderr:
        return []  # Python was still starting
    if outcome.status is None:
        return [f"it was still running after {outcome.seconds:.0f} s"]
    found = [
        *_about_the_end(case, outcome),
        *_about_messages(case, outcome),
        *_about_files(case, outcome, before, after),
    ]
    is_heard = case.mode not in ("stdout closed", "stdout full", "read no further")
    if outcome.status == 0 and is_heard and "--help" not in case.arguments:
        found += _about_results(case, outcome)
        found += [
            problem
            for name in case.outputs
            for problem in _about_written(name, after.get(f"out/{name}"))
        ]
    return found


def _about_the_end(case: Case, outcome: Outcome) -> list[str]:
    status = outcome.status
    if status in INTERRUPTED and case.mode == "interrupted":
        return []
    if status not in STATUSES:
        return [f"exit status {status}"]
    if case.mode in ("interrupted", "stdin closed"):
        return []
    if case.is_refused and status == 0:
        return ["votes that cannot is invalid, or rows that cannot be used, were accepted"]
    must_be_read = case.is_readable and case.command in ("describe", "rank")
    if must_be_read and status == 3 and case.mode != "stdout full" and case.times == 1:
        return ["votes that are in order were refused"]
    return []


def _about_messages(case: Case, outcome: Outcome) -> list[str]:
    found = [f"{crash.decode()} on standard error" for crash in CRASHES if crash in outcome.stderr]
    for name in ("stdout", "stderr"):
        content: bytes = getattr(outcome, name)
        text = content.decode("utf-8", "replace")
        if obeyed := OBEYED.search(text):
            start = max(0, obeyed.start() - 30)
            found.append(f"{name} has what a terminal obeys: {text[start : obeyed.end() + 30]!r}")
        if text.encode() != content:
            found.append(f"{name} is not UTF-8")
    failed = outcome.status in (3, 4)
    # groups that could be ranked, and reports of items that are not joined, are shown all the same
    is_partial = "--by" in case.arguments or (case.command == "report" and outcome.status == 4)
    if failed and case.mode not in ("stderr closed", "interrupted"):
        says_why = re.search(rb"(?m)^error: \S", outcome.stderr)
        if not says_why and not (is_partial and outcome.stdout):
            found.append("it failed without an error in words")
    if failed and outcome.stdout and not is_partial and case.mode != "stdout full":
        found.append("it failed, and yet printed a result")
    return found


def _about_files(
    case: Case, outcome: Outcome, before: dict[str, bytes | None], after: dict[str, bytes | None]
) -> list[str]:
    named = {f"out/{name}" for name in case.outputs}
    found = [f"{name} was changed" for name in before if name not in named
             and after.get(name, b"gone") != before[name]]  # fmt: skip
    found += [
        f"{name} was left behind" for name in after if name not in before and name not in named
    ]
    may_have_written = case.mode in ("interrupted", "stdout full") or "--by" in case.arguments
    if outcome.status != 0 and not may_have_written:
        found += [
            f"{name} was changed by a command that failed"
            for name in sorted(named)
            if before.get(name) != after.get(name)
        ]
    return found


def _about_results(case: Case, outcome: Outcome) -> list[str]:
    if "as_json" not in case.options:
        has_nan = re.search(rb"[+-]nan\b", outcome.stdout)
        return ["numbers that are not numbers were printed"] if has_nan else []
    try:
        content = json.loads(outcome.stdout, parse_constant=_refuse)
    except ValueError as error:
        return [f"the JSON is not valid: {error}"]
    if case.tally is None or case.command in NO_COUNTS or case.times > 1:
        return []
    return [
        f"{name} should be {expected:,}, not {content[name]}"
        for name, expected in case.tally.counts().items()
        if "by" not in case.options or name in (*LEFT_OUT.values(), "rejected")
        if isinstance(content.get(name), int) and content[name] != expected
    ] + _about_items(case, content)


def _about_items(case: Case, content: dict[str, Any]) -> list[str]:
    """Names come out as they went in."""
    rows = content.get("items")
    if case.tally is None or not isinstance(rows, list) or {"top", "by"} & case.options:
        return []
    names = {str(row["item"]) for row in rows if "item" in row}
    missing, surplus = case.tally.items - names, names - case.tally.items
    if not missing and not surplus:
        return []
    return [f"items {sorted(missing)[:3]!r} are missing, {sorted(surplus)[:3]!r} are new"]


def _about_written(name: str, content: bytes | None) -> list[str]:
    """Whether a result that was written can be read by others."""
    if not content:
        return [f"out/{name} was not written"]
    suffix = Path(name).suffix
    found = []
    if INJECTED in content and suffix == ".html":
        found.append(f"out/{name} runs the name of an item as a script")
    beginning = content[:20].lower() if suffix == ".html" else content
    if not beginning.startswith(MAGIC.get(suffix, b"")):
        found.append(f"out/{name} is no {suffix}: it starts with {content[:20]!r}")
    try:
        if suffix == ".svg":
            ElementTree.fromstring(content)
        elif suffix == ".json":
            json.loads(content, parse_constant=_refuse)
        elif suffix == ".csv":
            pl.read_csv(content, infer_schema=False)
            if content.startswith(b"item,score") and b",NaN" in content:
                found.append(f"out/{name} holds numbers that are not numbers")
        elif suffix == ".parquet":
            pl.read_parquet(content)
    except (ValueError, ElementTree.ParseError, pl.exceptions.PolarsError) as error:
        found.append(f"out/{name} cannot be read: {error}")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
