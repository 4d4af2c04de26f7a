"""Types that all packages share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Item: TypeAlias = int | str
"""Name of an item: an integer or a string, kept as given."""

RngLike: TypeAlias = int | np.random.Generator | None
"""Anything `numpy.random.default_rng` accepts."""

BoolArray: TypeAlias = NDArray[np.bool_]
CodeArray: TypeAlias = NDArray[np.int32]
IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]

ScoresLike: TypeAlias = ArrayLike | Mapping[Item, float]
"""Aligned scores, or a mapping from items to scores."""


class Pair(NamedTuple):
    """Two items in display order."""

    left: Item
    right: Item


class Votes(Protocol):
    """Votes in memory: `Comparisons`, or their `ComparisonGraph`."""

    @property
    def items(self) -> tuple[Item, ...]:
        """The items, by position."""

    @property
    def n_votes(self) -> int:
        """Number of votes."""


class Source(Protocol):
    """Votes to be read: a `VoteSource`."""

    def answers(self) -> Any:
        """Read all votes."""


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
"""Input of the estimators: votes in memory, or anything `read_comparisons` accepts."""
