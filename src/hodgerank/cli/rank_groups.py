"""`hodgerank rank --by`: a ranking for each group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from hodgerank.cli.console import (
    add_names,
    add_numbers,
    cautions_of,
    n_shown,
    plain_table,
    show_covariates,
    show_position_bias,
    show_ranking,
    show_reading,
    show_rest,
    show_scale,
    show_table,
    show_warnings,
    show_written,
    verbatim,
)
from hodgerank.cli.files import write_result
from hodgerank.cli.groups import problem_lines, status_of
from hodgerank.cli.model_options import (
    using,
    wanted_covariates,
    wanted_groupings,
    wanted_scale,
    with_items,
)
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import selected_groups, workers_to_exclude
from hodgerank.data.comparisons import ReadReport
from hodgerank.data.groups import VoteGroups
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.group_rankings import GroupRankings, rank_groups
from hodgerank.estimators.ranking import Ranking

MOST_GROUPS = 12  # rankings that are shown
MODEL_OPTIONS = (
    "model", "link", "ridge", "components", "covariance", "confidence"
)  # fmt: skip


@dataclass(frozen=True)
class GroupRankResult(CommandResult):
    """The ranking of each group."""

    rankings: GroupRankings
    report: ReadReport
    top: int
    written: Path | None
    as_json: bool

    @property
    def exit_status(self) -> int:
        """Not 0 if a group could not be ranked."""
        return status_of(self.rankings.problems)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        content = self.rankings.to_dict()
        if self.top:
            for group in content["groups"]:
                group["items"] = group["items"][: self.top]
        return {**self.report.to_dict(), "notes": list(self.report.notes), **content}

    def show(self, console: Console) -> None:
        """Print a summary, a line for each group, and the rankings unless there are too many."""
        show_reading(self.report, console)
        show_warnings(self.rankings.common_notes, console)
        column = self.rankings.column
        console.print(f"\n[bold]{self.rankings.verdict.capitalize()}.[/]\n")
        table = plain_table()
        table.add_column(verbatim(column), overflow="fold")
        add_numbers(table, "items", "votes")
        add_names(table, "leader")
        table.add_column("certain")
        table.add_column("distinguishable", justify="right")
        for line in self.rankings.summary:
            is_ranked = line.leader is not None
            table.add_row(
                verbatim(line.group),
                f"{line.items:,}",
                f"{line.votes:,}",
                verbatim(line.leader) if is_ranked else "-",
                ("yes" if line.leader_is_certain else "no") if is_ranked else "not ranked",
                f"{line.settled:.0%}" if is_ranked else "-",
            )
        show_table(table, console, spare=("items", "votes", "distinguishable"))
        groups = list(self.rankings.items())
        if groups:
            show_scale(groups[0][1], console)
        for group, ranking in groups[:MOST_GROUPS]:
            console.print()
            console.print(verbatim(f"{column} {group}", "bold"))
            show_warnings(self._own_notes(ranking), console)
            shown = min(self.top or len(ranking), len(ranking))
            show_ranking(ranking, shown, console)
            show_rest(shown, len(ranking), console)
            show_position_bias(ranking, console, "--json lists all")
            show_covariates(ranking, shown, console)
        if len(groups) > MOST_GROUPS:
            console.print(
                f"... and the rankings of {len(groups) - MOST_GROUPS:,} more (-o writes all)",
                style="dim",
            )
        show_warnings(problem_lines(column, self.rankings.problems), console)
        show_written(self.written, console)

    def cautions(self) -> list[str]:
        """Return warnings about the reading and groups without a ranking."""
        column = self.rankings.column
        own = [
            f"{column} {group}: {note}"
            for group, ranking in list(self.rankings.items())[:MOST_GROUPS]
            for note in self._own_notes(ranking)
        ]
        problems = problem_lines(column, self.rankings.problems)
        return [*cautions_of(self.report), *self.rankings.common_notes, *own, *problems]

    def _own_notes(self, ranking: Ranking) -> list[str]:
        """Return the notes on the ranking of one group that not all groups share."""
        common = self.rankings.common_notes
        return [note for note in ranking.notes if note not in common]

    def write(self, path: Path) -> None:
        """Write all rankings, as one table or as one chart."""
        write_result(self.rankings, path)


def rank_each(command: Callable[..., CommandResult]) -> Callable[..., GroupRankResult]:
    """Make `rank` return one ranking for each group."""

    def on_groups(groups: VoteGroups, **arguments: Any) -> GroupRankResult:
        for name in ("truth", "state"):
            if arguments[name] is not None:
                raise InvalidArgument(f"--{name} is for one ranking: it cannot be used with --by")
        scale = wanted_scale(*(arguments[name] for name in ("score_scale", "anchor", "baseline")))
        workers = workers_to_exclude(arguments["exclude_workers"], groups.together)
        wanted = arguments["min_votes"], arguments["largest_component"]
        groups = selected_groups(groups, workers, *wanted)
        how = {name: arguments[name] for name in MODEL_OPTIONS}
        how["position_bias"] = groupings = wanted_groupings(arguments["position_bias"])
        covariates, controlled = wanted_covariates(arguments["covariate"], arguments["control"])
        how |= {"covariates": covariates, "control": controlled}
        how["shrink_position_bias"] = False if arguments["no_shrink_position_bias"] else None
        how["worker_weights"] = False if arguments["equal_weights"] else None
        rankings = rank_groups(groups, **how)
        scale = with_items(scale, {item for votes in groups.values() for item in votes.items})
        return GroupRankResult(
            rankings=rankings.on_scale(scale.name, anchor=scale.anchor, baseline=scale.baseline),
            report=using(groups.report, groupings, covariates),
            top=n_shown(arguments["top"], arguments["as_json"]),
            written=arguments["output"],
            as_json=arguments["as_json"],
        )

    return on_groups
