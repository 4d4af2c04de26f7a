"""VoteGroups: votes on several sets of items, each ranked separately."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.data.subsets import join_comparisons
from hodgerank.display import Displayed, Preview
from hodgerank.errors import InvalidArgument
from hodgerank.types import CodeArray, Item


@dataclass(frozen=True, eq=False, repr=False)
class VoteGroups(Displayed, Mapping[Item, Comparisons]):
    """A mapping from the name of a group to its votes.

    Items are compared within a group only, so equal names in two groups are two items. Workers are
    the same people in all groups.

    Attributes
    ----------
    column
        Name of the grouping column, e.g. 'scene'.
    parts
        The votes of each group.
    report
        How the votes were read.
    """

    column: str
    parts: Mapping[Item, Comparisons]
    report: ReadReport

    @classmethod
    def split(
        cls, votes: Comparisons, names: Sequence[Item], codes: CodeArray, column: str
    ) -> VoteGroups:
        """Split votes by group."""
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(names)))[:-1]
        parts = {}
        for name, rows in zip(names, np.split(order, ends), strict=True):
            if len(rows):
                part = votes.select(rows).compacted()
                parts[name] = replace(part, report=_report(part, f"{column} {name}"))
        return cls(column, parts, votes.report)

    def __getitem__(self, name: Item) -> Comparisons:
        """Return the votes of one group."""
        if name not in self.parts:
            known = ", ".join(map(str, list(self.parts)[:8]))
            raise InvalidArgument(f"there is no {self.column} {name!r}; there are {known}")
        return self.parts[name]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.parts)

    def __len__(self) -> int:
        """Number of groups."""
        return len(self.parts)

    def __contains__(self, name: object) -> bool:
        return name in self.parts

    @property
    def n_votes(self) -> int:
        """Number of votes in all groups."""
        return sum(votes.n_votes for votes in self.parts.values())

    def together(self) -> Comparisons:
        """Return all votes, with the group in the names of the items: 'street / codec 1'.

        Workers are assessed from these.
        """
        parts = [
            replace(votes, items=tuple(f"{name} / {item}" for item in votes.items))
            for name, votes in self.parts.items()
        ]
        names = [item for part in parts for item in part.items]
        if len(set(names)) < len(
            names
        ):  # 'a / b' and 'c' would give the same name as 'a' and 'b / c'
            parts = [
                replace(votes, items=tuple(repr((name, item)) for item in votes.items))
                for name, votes in self.parts.items()
            ]
        return replace(join_comparisons(parts), report=self.report)

    def _headline(self) -> str:
        return f"{self.n_votes:,} votes in {len(self):,} groups by {self.column}"

    def _preview(self) -> Preview:
        rows = (
            (name, votes.n_items, votes.n_votes, votes.n_workers)
            for name, votes in self.parts.items()
        )
        return Preview((self.column, "items", "votes", "workers"), rows, len(self))


def _report(votes: Comparisons, name: str) -> ReadReport:
    """Report of one group; rows left out are in the report of all groups."""
    return ReadReport(
        source=name,
        layout="",
        rows=len(votes),
        ballots=0 if votes.units else votes.n_ballots,
        units=votes.n_ballots if votes.units else 0,
        adaptive=votes.report.adaptive,
        margin_unit=votes.report.margin_unit,
    )
