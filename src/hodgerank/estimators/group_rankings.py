"""rank_groups: one ranking per group, and how certain each is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hodgerank.data.groups import VoteGroups
from hodgerank.display import Charted, Displayed, Preview, Tabulated, TextTable, short
from hodgerank.errors import HodgeRankError, InvalidArgument, UnknownItem
from hodgerank.estimators.bayes import bayes_rank
from hodgerank.estimators.certainty import leader_is_certain
from hodgerank.estimators.rank import rank
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.score_scale import ScaleName
from hodgerank.types import Item


@dataclass(frozen=True)
class GroupSummary:
    """Certainty of the ranking of one group.

    Attributes
    ----------
    leader
        The best item; None if the group could not be ranked.
    leader_is_certain
        Whether the leader is first at the confidence level, by the rank intervals and by
        `Ranking.certainty`: least squares is overconfident about few votes that fit by chance.
    settled
        Share of pairs of items whose order is certain, by the ranking and by `bayes_rank`.
    problem
        Why the group could not be ranked.
    """

    group: Item
    items: int
    votes: int
    leader: Item | None = None
    leader_is_certain: bool = False
    settled: float = 0.0
    problem: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class GroupRankings(Displayed, Charted, Tabulated, Mapping[Item, Ranking]):
    """A mapping from the name of a group to its ranking.

    Attributes
    ----------
    column
        The grouping column, e.g. 'scene'.
    rankings, posteriors
        Rankings of the groups that could be ranked, by the chosen estimator and by `bayes_rank`.
    problems
        The error of every other group.
    """

    column: str
    rankings: Mapping[Item, Ranking]
    posteriors: Mapping[Item, Ranking]
    problems: Mapping[Item, HodgeRankError]
    sizes: Mapping[Item, tuple[int, int]]
    """Number of items and votes of each group."""

    def __getitem__(self, group: Item) -> Ranking:
        """Return the ranking of one group."""
        if group in self.problems:
            raise self.problems[group]
        if group not in self.rankings:
            known = ", ".join(map(str, list(self.rankings)[:8]))
            raise InvalidArgument(f"there is no {self.column} {group!r}; known: {known}")
        return self.rankings[group]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.rankings)

    def __len__(self) -> int:
        """Number of ranked groups."""
        return len(self.rankings)

    def __contains__(self, group: object) -> bool:
        return group in self.rankings

    def on_scale(
        self,
        scale: ScaleName,
        *,
        anchor: tuple[Item, float] | None = None,
        baseline: Item | None = None,
    ) -> GroupRankings:
        """Return the rankings with their scores on another scale: see `Ranking.on_scale`.

        Every group needs the anchor or baseline.
        """
        scaled = {}
        for group, ranking in self.rankings.items():
            try:
                scaled[group] = ranking.on_scale(scale, anchor=anchor, baseline=baseline)
            except (InvalidArgument, UnknownItem) as error:
                name = f"{short(self.column)} {short(str(group))}"
                raise InvalidArgument(f"{name}: {error}") from None
        return replace(self, rankings=scaled)

    @property
    def summary(self) -> list[GroupSummary]:
        """One line per group, including groups that could not be ranked."""
        return [self._summarised(group) for group in self.sizes]

    def _summarised(self, group: Item) -> GroupSummary:
        items, votes = self.sizes[group]
        if group in self.problems:
            return GroupSummary(group, items, votes, problem=str(self.problems[group]))
        ranking, posterior = self.rankings[group], self.posteriors[group]
        return GroupSummary(
            group,
            items,
            votes,
            leader=ranking.items[0],
            leader_is_certain=ranking.n_components == 1 and leader_is_certain(ranking),
            settled=min(ranking.settled, posterior.settled),
        )

    @property
    def common_notes(self) -> tuple[str, ...]:
        """Notes that all rankings share."""
        notes = [ranking.notes for ranking in self.rankings.values()]
        return tuple(note for note in (notes[0] if notes else ()) if all(note in n for n in notes))

    @property
    def verdict(self) -> str:
        """Number of groups with a certain leader and a certain order, in one sentence."""
        summary = self.summary
        certain = sum(line.leader_is_certain for line in summary)
        whole = sum(line.settled == 1.0 for line in summary)
        level = next((f"{100 * r.confidence:g}%" for r in self.rankings.values()), "no")
        text = (
            f"at {level} confidence the leader is certain in {certain:,} of {len(summary):,} "
            f"groups, the whole order in {whole:,}"
        )
        return f"{text}; {len(self.problems):,} could not be ranked" if self.problems else text

    def _headline(self) -> str:
        return f"{len(self.sizes):,} groups by {self.column}: {self.verdict}"

    def _preview(self) -> Preview:
        names = (self.column, "items", "votes", "leader", "leader certain", "order settled")
        rows = (
            (
                line.group,
                line.items,
                line.votes,
                line.problem if line.leader is None else line.leader,
                "yes" if line.leader_is_certain else "no",
                f"{line.settled:.0%}",
            )
            for line in self.summary
        )
        return Preview(names, rows, len(self.sizes))

    def _text_table(self) -> TextTable:
        """The leaderboards of all groups under each other, with the group in the first column."""
        if not self.rankings:
            raise InvalidArgument("no group could be ranked")
        if any(ranking.n_components > 1 for ranking in self.rankings.values()):
            raise InvalidArgument(
                "items of some groups are disconnected and ranked separately, which this table "
                "does not show: write a .csv"
            )
        tables = {group: ranking._text_table() for group, ranking in self.rankings.items()}
        first = next(iter(tables.values()))
        rows = ((str(group), *row) for group, table in tables.items() for row in table.rows)
        right = frozenset(k + 1 for k in first.right)
        return TextTable((self.column, *first.header), rows, right)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per group and item, best first, with the group in the first column."""
        from hodgerank.data.sources.frames import build_frame

        if not self.rankings:
            raise InvalidArgument("no group could be ranked")
        parts = []
        for group, ranking in self.rankings.items():
            columns = ranking.columns()
            columns.setdefault("component", ranking.components)
            parts.append({self.column: np.full(len(ranking), group, dtype=object), **columns})
        joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        if not joined["component"].any():
            del joined["component"]
        first = next(iter(self.rankings.values()))
        return build_frame(joined, backend or first.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "by": self.column,
            "verdict": self.verdict,
            "summary": [vars(line) for line in self.summary],
            "groups": [
                {self.column: group, **ranking.to_dict()}
                for group, ranking in self.rankings.items()
            ],
        }


def rank_groups(
    votes: VoteGroups, fit: Callable[..., Ranking] | None = None, **options: Any
) -> GroupRankings:
    """Rank the items of each group separately.

    Parameters
    ----------
    votes
        The result of `read_comparisons(..., group=...)`.
    fit
        The estimator, e.g. `bradley_terry`. Default: `rank`.
    options
        Arguments of `fit`.

    Examples
    --------
    >>> import hodgerank as hr
    >>> rows = [("street", "a", "b", 1), ("street", "a", "b", 1), ("beach", "b", "a", 1)]
    >>> names = ("scene", "left", "right", "outcome")
    >>> votes = hr.read_comparisons([dict(zip(names, row)) for row in rows], group="scene")
    >>> {scene: ranking.items[0] for scene, ranking in rank_groups(votes).items()}
    {'beach': 'b', 'street': 'a'}
    """
    if not isinstance(votes, VoteGroups):
        raise InvalidArgument("groups are needed: read_comparisons(source, group='column')")
    rankings: dict[Item, Ranking] = {}
    posteriors: dict[Item, Ranking] = {}
    problems: dict[Item, HodgeRankError] = {}
    is_default = fit is None and options.get("model") in (None, "bayes")
    for group, answers in votes.items():
        try:
            ranking = (fit or rank)(answers, **options)
            ranking.rank_intervals  # noqa: B018 - errors of rank intervals count as problems too
        except HodgeRankError as problem:
            problems[group] = problem
            continue
        rankings[group] = ranking
        posteriors[group] = (
            ranking
            if is_default or ranking.margin_unit is not None
            else bayes_rank(answers, confidence=ranking.confidence)
        )
    sizes = {group: (answers.n_items, answers.n_votes) for group, answers in votes.items()}
    return GroupRankings(votes.column, rankings, posteriors, problems, sizes)
