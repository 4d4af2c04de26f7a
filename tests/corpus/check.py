"""Run the command on a file, follow what its messages suggest, and compare with the truth."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import combinations
from math import nan
from pathlib import Path
from typing import Any
from unittest import mock

import typer

from corpus.files import File
from corpus.layout import Expected, Layout
from corpus.suggested_options import (
    Options,
    Suggestion,
    arguments,
    as_options,
    is_question,
    merged,
    spelled,
    suggestions_in,
)
from hodgerank.cli import main

RIGHT_TAU, WRONG_TAU = 0.8, 0.5
LEAST_SHARE = 0.5  # of the items: a ranking of fewer is not one of this file
FAST = ("--model", "hodgerank")  # files are read in the same way for every model
MOST_STEPS = 4
UNNAMED = "baseline"  # an item that a file compares with, but does not name
MOST_ALTERNATIVES = 8
# A note that tells the reader to doubt how columns or values were understood.
WARNS = re.compile(
    r"taken as|(is|are|was|were) (read as|assumed)|check (that|whether)|"
    r"(lower|higher|smaller|larger) is better|if (this|that) is wrong|wrong way round|reverse|"
    r"no header found|may (mean|be|hold)|occurs? (only )?once|ambiguous",
    re.I,
)
# What the caller has decided by an option is no doubt of the program.
TOLD = re.compile(r"no header found")


class Status(StrEnum):
    """What became of a file."""

    RIGHT = "ranked right"
    WEAK = "ranked in part"
    WARNED = "wrong with a warning"
    WRONG = "ranked wrong"
    SUGGESTED = "suggestion right"
    MISLED = "suggestion wrong"
    DEAD_END = "suggestion fails"
    ERROR = "error"
    CRASH = "crash"


GOOD = (Status.RIGHT, Status.SUGGESTED)
BAD = (Status.WRONG, Status.MISLED, Status.CRASH)
PASSES = {
    Expected.RANKED: (Status.RIGHT,),
    Expected.SUGGESTED: GOOD,
    Expected.NOT_WRONG: (*GOOD, Status.ERROR, Status.DEAD_END, Status.WARNED),
    Expected.ERROR: (Status.ERROR, Status.SUGGESTED),
}


@dataclass(frozen=True)
class Verdict:
    """What became of a file, with which options, and what the command said."""

    status: Status
    options: Options = ()
    said: str = ""
    tau: float = nan

    def __str__(self) -> str:
        how = spelled(self.options) or "no options"
        return f"{self.status} ({how}; tau {self.tau:+.2f}): {self.said[:600]}"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


_command_made_once = cache(typer.main.get_command)


def run(path: Path, options: Options) -> Ended:
    """Run `hodgerank rank` in this process."""
    out, err = io.StringIO(), io.StringIO()
    patched = mock.patch.object(typer.main, "get_command", _command_made_once)
    words = ["rank", str(path), "--json", *FAST, *arguments(options)]
    with patched, redirect_stdout(out), redirect_stderr(err):
        try:
            main(words)
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(bool(end.code))
        except Exception as error:
            return Ended(1, out.getvalue(), f"{type(error).__name__}: {error}")
    return Ended(status, out.getvalue(), err.getvalue())


def check_layout(layout: Layout, folder: Path) -> list[str]:
    """What is wrong with how files of a layout are treated; nothing if all is well."""
    file = layout.file()
    path = lay_out(file, folder)
    verdict = judge(path, file)
    problems = []
    if verdict.status not in PASSES[layout.expected]:
        problems.append(f"must be {layout.expected}: {verdict}")
    if layout.options:
        verdict = judge_run(path, file, as_options(layout.options))
        if verdict.status != Status.RIGHT:
            problems.append(f"must be right with its options: {verdict}")
    return problems


def lay_out(file: File, folder: Path) -> Path:
    """Write a file and those beside it."""
    for name, content in {**file.others, file.name: file.content}.items():
        (folder / name).write_bytes(content)
    return folder / file.name


def judge(path: Path, file: File, given: Options = (), steps: int = MOST_STEPS) -> Verdict:
    """Run the command, and where it fails what it suggests."""
    verdict = judge_run(path, file, given)
    if verdict.status != Status.ERROR or not steps:
        return verdict
    followed = []
    for suggestion in suggestions_in(verdict.said)[:MOST_ALTERNATIVES]:
        options = merged(given, suggestion.options)
        if options != given:
            found = judge(path, file, options, steps - 1)
            if suggestion.is_claim or found.status not in (Status.ERROR, Status.DEAD_END):
                followed.append((suggestion, found))
    return _together(verdict, followed)


def _together(failed: Verdict, followed: list[tuple[Suggestion, Verdict]]) -> Verdict:
    """The verdict on a message by what its suggestions lead to."""
    if not followed:
        return failed
    good = [found for _, found in followed if found.status in GOOD]
    for suggestion, found in followed:
        if found.status in BAD and not _answers_a_question(suggestion, followed):
            return _because(Status.MISLED, failed, found)
    if good:
        return _because(Status.SUGGESTED, failed, good[0])
    doubtful = [found for _, found in followed if found.status in (Status.WEAK, Status.WARNED)]
    if doubtful:
        return _because(doubtful[0].status, failed, doubtful[0])
    return _because(Status.DEAD_END, failed, followed[0][1])


def _answers_a_question(suggestion: Suggestion, followed: list[tuple[Suggestion, Verdict]]) -> bool:
    """Whether the message offers a right alternative, and says in words how they differ."""
    answers = [(other, found) for other, found in followed if other.names & suggestion.names]
    is_offered = any(found.status in GOOD for _, found in answers)
    return is_offered and is_question([other for other, _ in answers])


def _because(status: Status, failed: Verdict, found: Verdict) -> Verdict:
    status = Status.CRASH if found.status == Status.CRASH else status
    said = f"{failed.said} => {found.said}" if found.said else failed.said
    return Verdict(status, found.options, said, found.tau)


def judge_run(path: Path, file: File, options: Options) -> Verdict:
    """Run the command once, and follow nothing."""
    ended = run(path, options)
    said = " ".join(ended.err.split(" ")).strip()
    if ended.status == 1 or "Traceback" in ended.err:
        return Verdict(Status.CRASH, options, said)
    if ended.status:
        return Verdict(Status.ERROR, options, said)
    content = json.loads(ended.out)
    rankings = [group["items"] for group in content.get("groups", [content])]
    found = _compare([[row["item"] for row in rows] for rows in rankings], file)
    used = 1 - content["rejected"] / max(1, content["rows"])
    notes = [note for note in content.get("notes", []) if not (options and TOLD.search(note))]
    said = f"{content.get('layout')}; {content['rejected']} rows rejected; notes: {notes}"
    status = _status(found, used, any(WARNS.search(note) for note in notes))
    return Verdict(status, options, said, found.tau)


@dataclass(frozen=True)
class Agreement:
    """Kendall's tau with the truth, the share of items ranked, and of strangers among them."""

    tau: float = nan
    ranked: float = 0.0
    strangers: float = 1.0


def _status(found: Agreement, used: float, is_warned: bool) -> Status:
    """Right, wrong or in between, by the ranking and by the share of rows that it rests on."""
    if found.tau >= RIGHT_TAU and not found.strangers and min(used, found.ranked) > 0.8:
        return Status.RIGHT
    if found.tau >= WRONG_TAU and found.strangers <= 0.2 and found.ranked >= LEAST_SHARE:
        return Status.WEAK
    return Status.WARNED if is_warned else Status.WRONG


def _compare(rankings: list[list[Any]], file: File) -> Agreement:
    """Compare the rankings of all groups with the truth."""
    if file.truth is None:
        return Agreement()
    place = {name: (k, row) for k, chain in enumerate(file.truth) for row, name in enumerate(chain)}
    by_words = {_words_of(name): name for name in place}
    agreeing = pairs = known = items = 0
    seen: set[str] = set()
    for ranking in rankings:
        names = [_true_name(str(item), file, place, by_words) for item in ranking]
        names = [name for name in names if name != UNNAMED]
        places = [place[name] for name in names if name in place]
        items, known = items + len(names), known + len(places)
        seen.update(name for name in names if name in place)
        for (chain, row), (other_chain, other_row) in combinations(places, 2):
            if chain == other_chain:
                pairs += 1
                agreeing += row < other_row
    if not pairs or not items:
        return Agreement()
    return Agreement(2 * agreeing / pairs - 1, len(seen) / len(place), 1 - known / items)


def _true_name(name: str, file: File, place: Any, by_words: dict[str, str]) -> str:
    """The name that the truth uses; parts of a name may be joined in another way."""
    name = file.aliases.get(name, name)
    return name if name in place else by_words.get(_words_of(name), name)


def _words_of(name: str) -> str:
    return " ".join(re.findall(r"\w+", name))
