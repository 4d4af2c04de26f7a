"""Files of votes, whole or damaged, and what is in them."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from random import Random

from fuzz.formats import draw_format
from fuzz.layouts import draw_sheet
from fuzz.mutations import mutate
from fuzz.sheets import Sheet
from fuzz.tally import Tally
from fuzz.votes import Crowd

STEMS = (
    "votes", "votes", "votes", "votes", "[red]votes[", ":cat:", "two words", "ünïcode",
    "\x1b[31mred", "line\nbreak", "-dash", "'quote\"", "\u202edne", "50%",
)  # fmt: skip
OFTEN_DAMAGED = 0.25


@dataclass
class VoteFile:
    """A file of votes.

    Attributes
    ----------
    tally
        What is in it, where that is certain.
    options
        What the command must be told to read it.
    is_refused
        Whether it must not be read without further options.
    """

    name: str
    content: bytes
    format: str
    layout: str
    sheet: Sheet
    tally: Tally | None
    options: list[str] = field(default_factory=list)
    is_refused: bool = False
    is_damaged: bool = False


def draw_file(rng: Random, crowd: Crowd, place: int = 0) -> VoteFile:
    """The votes of a crowd in a file."""
    sheet = draw_sheet(rng, crowd)
    written = draw_format(rng, sheet)
    content, is_damaged = written.content, rng.random() < OFTEN_DAMAGED
    if is_damaged:
        content = _damaged(rng, content)
    is_certain = written.is_certain and not is_damaged and bool(sheet.rows)
    return VoteFile(
        name=f"{rng.choice(STEMS)}{place or ''}{written.suffix}",
        content=content,
        format=written.format,
        layout=sheet.layout,
        sheet=sheet,
        tally=sheet.tally if is_certain else None,
        options=[*sheet.options, *written.options],
        is_refused=sheet.is_refused,
        is_damaged=is_damaged,
    )


def _damaged(rng: Random, content: bytes) -> bytes:
    """With accidents, which may have happened before it was packed."""
    if content.startswith(b"\x1f\x8b") and rng.random() < 0.5:
        return gzip.compress(mutate(rng, gzip.decompress(content)), mtime=0)
    return mutate(rng, content)
