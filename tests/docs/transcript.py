"""Transcripts: commands after `$ `, and what a terminal shows of each."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

PROMPT = "$ "
ELISION = "..."  # alone in a line: any lines
COMPILING = "hodgerank: compiling for this machine, once ..."  # said once, of the machine


@dataclass(frozen=True)
class Step:
    """A command, as it stands in the page, and the lines expected of it."""

    written: tuple[str, ...]
    expected: tuple[str, ...]

    @property
    def command(self) -> str:
        """The command in one line."""
        joined = "\n".join(self.written)[len(PROMPT) :]
        return joined.replace("\\\n", " ")


def steps_of(block: str) -> list[Step]:
    """The steps of a transcript.

    >>> steps_of("$ echo a \\\\\\n  b\\na b\\n$ echo c\\nc\\n")[0].command
    'echo a    b'
    """
    steps: list[Step] = []
    lines = block.rstrip("\n").split("\n")
    if not lines[0].startswith(PROMPT):
        raise ValueError(f"a transcript begins with '{PROMPT}' and a command, not '{lines[0]}'")
    while lines:
        written = [lines.pop(0)]
        while written[-1].endswith("\\") and lines:
            written.append(lines.pop(0))
        expected = []
        while lines and not lines[0].startswith(PROMPT):
            expected.append(lines.pop(0))
        steps.append(Step(tuple(written), _without_blank_ends(expected)))
    return steps


def shown_lines(output: str) -> tuple[str, ...]:
    """The lines as a page shows them: no blanks at the ends, no news of the machine."""
    lines = [line.rstrip() for line in output.split("\n")]
    return _without_blank_ends([line for line in lines if line != COMPILING])


def _without_blank_ends(lines: list[str]) -> tuple[str, ...]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    while lines and not lines[0].strip():
        lines = lines[1:]
    return tuple(lines)


def matches(expected: tuple[str, ...], shown: tuple[str, ...]) -> bool:
    """Whether the lines are the same, `...` standing for any lines.

    >>> matches(("a", "...", "d"), ("a", "b", "c", "d")), matches(("a", "..."), ("b",))
    (True, False)
    """
    head, *rest = _chunks(expected)
    if shown[: len(head)] != head:
        return False
    if not rest:
        return len(shown) == len(head)
    at = len(head)
    *middle, tail = rest
    for chunk in middle:
        at = _found(chunk, shown, at)
        if at < 0:
            return False
        at += len(chunk)
    return len(shown) - len(tail) >= at and shown[len(shown) - len(tail) :] == tail


def renewed(expected: tuple[str, ...], shown: tuple[str, ...]) -> tuple[str, ...]:
    """What the page should show: the real lines, but for those it leaves out.

    >>> renewed(("rank 1", "...", "end"), ("rank 2", "x", "y", "the end"))
    ('rank 2', '...', 'the end')
    """
    if matches(expected, shown):
        return expected
    chunks = _chunks(expected)
    if len(chunks) == 1:
        return shown
    marks = [line for line in expected if line.strip() == ELISION]
    head, *middle, tail = chunks
    if len(head) + len(tail) + sum(map(len, middle)) >= len(shown):
        return shown
    lines = list(shown[: len(head)])
    at, end = len(head), len(shown) - len(tail)
    for chunk, mark in zip(middle, marks, strict=False):
        start = _nearest(chunk[0], shown, at, end) if chunk else at
        lines += [mark, *shown[start : start + len(chunk)]]
        at = start + len(chunk)
    return (*lines, marks[-1], *shown[end:])


def _chunks(expected: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The lines between elisions."""
    chunks: list[list[str]] = [[]]
    for line in expected:
        if line.strip() == ELISION:
            chunks.append([])
        else:
            chunks[-1].append(line)
    return [tuple(chunk) for chunk in chunks]


def _found(chunk: tuple[str, ...], shown: tuple[str, ...], start: int) -> int:
    for at in range(start, len(shown) - len(chunk) + 1):
        if shown[at : at + len(chunk)] == chunk:
            return at
    return -1


def _nearest(line: str, shown: tuple[str, ...], start: int, end: int) -> int:
    """Where the most similar line stands."""
    likeness = [SequenceMatcher(None, line, shown[at]).ratio() for at in range(start, end)]
    return start + likeness.index(max(likeness)) if likeness else start
