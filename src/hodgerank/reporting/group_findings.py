"""Findings in votes that fall into groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.data.groups import VoteGroups
from hodgerank.estimators.group_rankings import GroupRankings, rank_groups
from hodgerank.estimators.workers.assess import assess_workers
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.reporting.findings import Findings, Tell, find, with_warning
from hodgerank.reporting.options import ReportOptions
from hodgerank.types import Item


@dataclass(frozen=True)
class GroupFindings:
    """The findings in each group, and the workers over all of them."""

    votes: Comparisons
    rankings: GroupRankings
    each: Mapping[Item, Findings]
    workers: WorkerAssessment | None
    settings: ReportOptions

    @cached_property
    def open_groups(self) -> list[Item]:
        """Groups in which the best item is not settled."""
        return [group for group, found in self.each.items() if not found.verdict.is_settled]

    @cached_property
    def doubtful(self) -> list[Item]:
        """Groups with something to look at first."""
        return [group for group, found in self.each.items() if found.concerns]

    @cached_property
    def warned(self) -> tuple[Item, ...]:
        """Workers with a warning that the model does not account for."""
        return () if self.workers is None else with_warning(self.workers, self.settings)

    @property
    def pairs_in_order(self) -> float | None:
        """Mean share of the pairs in the right order over groups that have an order."""
        verdicts = [found.verdict for found in self.each.values() if found.verdict.has_order]
        return (
            float(np.mean([verdict.pairs_in_order for verdict in verdicts])) if verdicts else None
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "reading": self.votes.report.to_dict(),
            "column": self.rankings.column,
            "problems": {str(group): str(why) for group, why in self.rankings.problems.items()},
            "findings": [
                {self.rankings.column: group, **found.to_dict()}
                for group, found in self.each.items()
            ],
            "workers": None if self.workers is None else self.workers.to_dict(),
        }


def find_in_groups(groups: VoteGroups, settings: ReportOptions, tell: Tell) -> GroupFindings:
    """Assess each group by itself, and the workers over all together."""
    require_choices(groups.report, "a report on groups (--by)")
    tell("ranking the groups")
    rankings = settings.scaled(rank_groups(groups, **settings.options))
    quiet = replace(settings, with_forecast=False, with_workers=False, with_votes_to_win=False)
    tell("assessing the groups")
    each = {group: find(groups[group], quiet, lambda step: None) for group in rankings}
    together = groups.together()
    workers = None
    if together.n_workers:
        tell("assessing workers")
        workers = assess_workers(together)
    return GroupFindings(together, rankings, each, workers, settings)
