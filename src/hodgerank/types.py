"""The few type names that every layer shares."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Item: TypeAlias = int | str
"""What is compared. Integers and strings go in and come out as they are."""

RngLike: TypeAlias = int | np.random.Generator | None
"""Anything `numpy.random.default_rng` understands."""

BoolArray: TypeAlias = NDArray[np.bool_]
CodeArray: TypeAlias = NDArray[np.int32]
IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]

ScoresLike: TypeAlias = ArrayLike | Mapping[Item, float]
"""Aligned numbers, or a score for each item."""


class Pair(NamedTuple):
    """Two items as they are shown."""

    left: Item
    right: Item


class Votes(Protocol):
    """Votes that have been read: `Comparisons`, or their `ComparisonGraph`."""

    @property
    def items(self) -> tuple[Item, ...]:
        """The items, by position."""

    @property
    def n_votes(self) -> int:
        """Number of answers."""


class Source(Protocol):
    """Votes that will be read: a `VoteSource`."""

    def answers(self) -> Any:
        """Read every answer."""


class DataFrame(Protocol):
    """A table of any dataframe library."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""


VotesLike: TypeAlias = (
    Votes
    | Source
    | DataFrame
    | str
    | os.PathLike[str]
    | IO[bytes]
    | Iterable[Sequence[Any]]
    | Iterable[Mapping[str, Any]]
)
"""What estimators take: votes that were read, or anything `read_comparisons` reads."""
