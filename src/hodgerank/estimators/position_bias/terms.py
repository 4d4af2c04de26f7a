"""PositionBiasTerms: the position biases that a ranking models, with their uncertainty."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from hodgerank.display import Displayed, Preview, short
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray, IntArray, Item


class Variances(Protocol):
    """Where the variances of the biases come from; computed on first use."""

    @property
    def bias_variances(self) -> FloatArray:
        """Variance of each bias of the fit."""


@dataclass(frozen=True, eq=False, repr=False)
class PositionBiasTerms(Displayed):
    """Position bias of each group: what being shown left adds on the scale of the model.

    All arrays have one entry per group with votes whose display order is known.

    Attributes
    ----------
    grouping
        Grouping of each group: 'common', 'worker', 'unit' or the name of a column.
    groups
        Names of the groups; None for votes without one, such as those without a worker.
    values
        The biases, positive towards the left. Those of several groupings add up: they deviate from
        the common one, or from the grouping with most groups if they are not shrunk.
    votes
        Number of votes of each group whose display order is known.
    link
        The scale of the values: that of the scores.
    spread
        Standard deviation of the biases of each grouping, by which they are shrunk towards 0. Empty
        if they are not shrunk.
    confidence
        Confidence level of the intervals.
    margin_unit
        Unit of the values if the votes are margins; else None.

    Examples
    --------
    >>> import hodgerank as hr
    >>> votes = [("a", "b", 1), ("b", "a", 1), ("b", "c", 1), ("a", "c", 1), ("c", "a", -1)]
    >>> bias = hr.hodge_rank(votes, position_bias="common").position_bias
    >>> bias.groups, bias.votes.tolist(), bias.values.round(2).tolist()
    (('all',), [5], [0.23])
    """

    grouping: tuple[str, ...]
    groups: tuple[Item | None, ...]
    values: FloatArray
    votes: IntArray
    link: str
    spread: Mapping[str, float]
    confidence: float
    margin_unit: str | None
    backend: str
    _source: Variances
    _rows: IntArray
    _z: float

    def __len__(self) -> int:
        """Number of groups."""
        return len(self.groups)

    def __getitem__(self, group: Item | None) -> float:
        """Return the bias of a group; of the first one of this name, if there are several."""
        return float(self.values[self.groups.index(group)])

    @cached_property
    def standard_errors(self) -> FloatArray:
        """Standard error of each value, given the strength of shrinkage."""
        found = np.sqrt(np.maximum(self._source.bias_variances[self._rows], 0.0))
        found.flags.writeable = False
        return found

    @property
    def intervals(self) -> FloatArray:
        """Confidence interval of each value, one row (lower, upper) each."""
        half = self._z * self.standard_errors
        return np.column_stack((self.values - half, self.values + half))

    @property
    def rows(self) -> IntArray:
        """Column of the fit that each group belongs to."""
        return self._rows

    @property
    def is_shrunk(self) -> bool:
        """Whether a prior shrinks the values towards 0."""
        return bool(self.spread)

    @property
    def left_rates(self) -> FloatArray:
        """Share of the votes that each group gives the left one of two equally good items.

        With the mean bias of the other groupings. A tie is half a vote for each side. NaN for
        margins.
        """
        if self.margin_unit is not None:
            return np.full(len(self), np.nan)
        kinds = np.array(self.grouping)
        level = (
            "common"
            if "common" in self.grouping
            else max(self.grouping, key=self.grouping.count, default="")
        )
        has_level = kinds == level
        mean = self.votes[has_level] @ self.values[has_level] / max(self.votes[has_level].sum(), 1)
        values = self.values + np.where(has_level, 0.0, mean)
        return np.clip(LINKS[self.link].cdf(values), 0.0, 1.0)

    @property
    def largest_first(self) -> IntArray:
        """Positions of the groups: the common one, then the largest absolute values first."""
        is_common = np.array(self.grouping) == "common"
        return np.lexsort((-np.abs(self.values), ~is_common))

    def with_reversed(self, workers: Collection[Item]) -> Self:
        """Return the terms with those of some workers reversed, whose votes had been reversed."""
        is_reversed = [
            name == "worker" and group in workers
            for name, group in zip(self.grouping, self.groups, strict=True)
        ]
        return replace(self, values=np.where(is_reversed, -self.values, self.values))

    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`."""
        lower, upper = self.intervals.T
        columns = {
            "grouping": list(self.grouping),
            "group": [None if group is None else str(group) for group in self.groups],
            "bias": self.values,
            "stderr": self.standard_errors,
            "lower": lower,
            "upper": upper,
            "left_rate": self.left_rates,
            "votes": self.votes,
        }
        if self.margin_unit is not None:
            del columns["left_rate"]
        return columns

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per group, in the order of the groupings and their groups."""
        from hodgerank.data.sources.frames import build_frame

        return build_frame(self.columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        columns = {
            name: values.tolist() if isinstance(values, np.ndarray) else values
            for name, values in self.columns().items()
        }
        rows = zip(*columns.values(), strict=True)
        return {
            "confidence": self.confidence,
            "spread": dict(self.spread),
            "groups": [dict(zip(columns, row, strict=True)) for row in rows],
        }

    def _headline(self) -> str:
        if len(self) == 1:
            return f"{self.values[0]:+.3g} ± {self.standard_errors[0]:.2g}"
        names = " and ".join(dict.fromkeys(self.grouping))
        return f"by {short(names)}: {len(self):,} groups"

    def _preview(self) -> Preview:
        columns = self.columns()
        names = ("grouping", "group", "bias", "stderr", "votes")
        rows = zip(*(columns[name] for name in names), strict=True)
        return Preview(names, ((*row[:1], row[1] or "", *row[2:]) for row in rows), len(self))
