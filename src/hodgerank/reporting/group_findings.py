"""What was found in votes that fall into groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.groups import VoteGroups
from hodgerank.estimators.group_rankings import GroupRankings, rank_groups
from hodgerank.estimators.workers.assess import assess_workers
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.reporting.blocks import Text
from hodgerank.reporting.findings import Findings, Tell, find
from hodgerank.reporting.messages import level, percent, say
from hodgerank.reporting.options import ReportOptions
from hodgerank.types import Item


@dataclass(frozen=True)
class GroupFindings:
    """The ranking of each group, and the workers over all of them."""

    votes: Comparisons
    rankings: GroupRankings
    each: Mapping[Item, Findings]
    workers: WorkerAssessment | None

    def answer(self) -> tuple[Text, ...]:
        """Where the leader is certain, how sure the order is, and what to do."""
        n = len(self.rankings.sizes)
        if not self.each:
            return (say("group_answer.none", n=n),)
        level_ = level(next(iter(self.rankings.values())).confidence)
        unsettled = sum(not found.leader_is_certain for found in self.each.values())
        first = say("group_answer.certain", n=n, k=len(self.each) - unsettled, level=level_)
        taus = [found.tau for found in self.each.values()]
        sure = say("group_answer.sure", pairs=percent((1 + sum(taus) / len(taus)) / 2))
        doubtful = sum(bool(found.concerns) for found in self.each.values())
        if doubtful:
            return first, sure, say("group_answer.concerns", n=doubtful)
        ask = say("group_answer.ask", n=unsettled) if unsettled else say("group_answer.fine")
        return first, sure, ask

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "reading": self.votes.report.to_dict(),
            **self.rankings.to_dict(),
            "problems": {str(group): str(why) for group, why in self.rankings.problems.items()},
            "findings": [
                {self.rankings.column: group, **found.to_dict()}
                for group, found in self.each.items()
            ],
            "workers": None if self.workers is None else self.workers.to_dict(),
        }


def find_in_groups(groups: VoteGroups, settings: ReportOptions, tell: Tell) -> GroupFindings:
    """The same questions to each group; workers are assessed over all together."""
    tell("ranking the groups")
    rankings = rank_groups(groups, **settings.options)
    quiet = replace(settings, with_forecast=False, with_workers=False)
    each = {}
    for group in rankings:
        tell(f"looking at {groups.column} {group}")
        each[group] = find(groups[group], quiet, lambda step: None)
    together = groups.together()
    tell("assessing workers")
    workers = assess_workers(together) if together.n_workers else None
    return GroupFindings(together, rankings, each, workers)
