"""Layouts of the corpus, and what must happen to a file of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from corpus.crowd import IMAGES, Crowd
from corpus.files import File


class Expected(StrEnum):
    """What `hodgerank rank FILE` must do, without options."""

    RANKED = "ranked"  # rank rightly at once
    SUGGESTED = "ranked or suggested"  # or fail with a suggestion that ranks rightly
    NOT_WRONG = "not wrong"  # or fail without one: nobody can demand that it is understood
    ERROR = "error"  # fail, and suggest nothing that ranks wrongly: this cannot be ranked as it is


RANKED, SUGGESTED, NOT_WRONG, ERROR = Expected


@dataclass(frozen=True)
class Layout:
    """A layout that the field publishes.

    Attributes
    ----------
    options
        What somebody who knows the data gives; with it the file must be ranked rightly.
    """

    name: str
    make: Callable[[Crowd], File]
    names: tuple[str, ...]
    n_votes: int
    expected: Expected
    options: tuple[str, ...]

    def crowd(self, seed: int = 0) -> Crowd:
        """The crowd that voted in the file of a seed."""
        return Crowd(f"{self.name}-{seed}", self.names, self.n_votes)

    def file(self, seed: int = 0) -> File:
        """The file of a seed."""
        return self.make(self.crowd(seed))

    @cached_property
    def why(self) -> str:
        """What a file of this layout means."""
        return " ".join((self.make.__doc__ or "").split())


LAYOUTS: dict[str, Layout] = {}


def layout(
    expected: Expected,
    *options: str,
    names: tuple[str, ...] = IMAGES,
    n_votes: int = 240,
) -> Callable[[Callable[[Crowd], File]], Callable[[Crowd], File]]:
    """Register the layout that a function writes; its docstring says what the file means."""

    def register(make: Callable[[Crowd], File]) -> Callable[[Crowd], File]:
        name = make.__name__
        assert name not in LAYOUTS, f"two layouts are called {name}"
        LAYOUTS[name] = Layout(name, make, names, n_votes, expected, options)
        return make

    return register
