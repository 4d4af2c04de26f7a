"""hodgerank winners: what would have to change for another item to be first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer
from rich.console import Console

from hodgerank.cli.console import (
    add_names,
    add_numbers,
    cautions_of,
    count,
    plain_table,
    show_reading,
    show_rest,
    show_table,
    show_warnings,
    show_written,
    verbatim,
)
from hodgerank.cli.files import by_name, write_table
from hodgerank.cli.model_options import (
    EqualWeightsOption,
    ModelOption,
    PositionBiasOption,
    using,
    wanted_groupings,
)
from hodgerank.cli.outputs import TABLES, AsJson, goes_to_standard_output, output_option
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import (
    ExcludeWorkers,
    LargestComponent,
    MinVotes,
    reads_votes,
    selected,
    workers_to_exclude,
)
from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.possible_winners import (
    MOST_ITEMS,
    PossibleWinners,
    possible_winners,
)
from hodgerank.estimators.rank import rank
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.votes_to_win import MOST_REMOVED, Search, VotesToWin
from hodgerank.types import Item

ABOUT = (
    "z: lead of the first item in standard errors. votes, workers: the smallest number found whose "
    "removal puts the item first, each checked by ranking without them; - if none was found. "
    "factor: by least squares, the item is first if numbers of votes of pairs change by at most "
    "this factor and their means stay."
)
MOST_CELLS = 10  # kinds of removed votes that are printed


@dataclass(frozen=True)
class WinnersResult(CommandResult):
    """Rivals of the leader: what would put each first."""

    ranking: Ranking
    votes: Comparisons
    to_win: list[VotesToWin]
    by_worker: dict[Item, VotesToWin]
    possible: PossibleWinners | None
    named: Item | None
    written: Path | None
    as_json: bool

    def to_table(self) -> pl.DataFrame:
        """Return a row per item."""
        rows = [self._row(found) for found in self.to_win]
        names = ("item", "z", "votes", "of_votes", "workers", "of_workers", "factor")
        kinds = (None, pl.Float64, pl.Int64, pl.Int64, pl.Int64, pl.Int64, pl.Float64)
        schema = dict(zip(names, kinds, strict=True))
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _row(self, found: VotesToWin) -> tuple[Any, ...]:
        by_worker, factor = self.by_worker.get(found.item), self._factor(found.item)
        workers = (None, None) if by_worker is None else (by_worker.n, by_worker.of)
        z = found.z if np.isfinite(found.z) else None
        return found.item, z, found.n, found.of, *workers, factor

    def _factor(self, item: Item) -> float | None:
        if self.possible is None or item not in self.possible.items:
            return None
        factor = float(self.possible.factors[self.possible.items.index(item)])
        return factor if np.isfinite(factor) else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        report, possible = self.votes.report, self.possible
        return {
            **report.to_dict(),
            "notes": [*report.notes, *self._notes()],
            "leader": self.ranking.items[0],
            "model": self.ranking.description,
            "votes_to_win": [found.to_dict() for found in self.to_win],
            "workers_to_win": [found.to_dict() for found in self.by_worker.values()],
            "possible_winners": None
            if possible is None
            else {
                "model": "least squares",
                "factor": possible.factor,
                "cyclic": possible.cyclic,
                "items": [{"item": item, "factor": self._factor(item)} for item in possible.items],
            },
        }

    def show(self, console: Console) -> None:
        """Print a table of the items that could be first."""
        show_reading(self.votes.report, console)
        console.print()
        leader = self.ranking.items[0]
        console.print(verbatim(f"{leader} is first ({self.ranking.description})", "bold"))
        console.print()
        table = plain_table()
        has_workers = bool(self.by_worker)
        add_names(table, "item")
        add_numbers(table, "z", "votes", "share", *(["workers"] if has_workers else []), "factor")
        for found in self.to_win:
            _, z, n, of, workers, of_workers, factor = self._row(found)
            table.add_row(
                verbatim(found.item),
                "-" if z is None else f"{z:.1f}",
                "-" if n is None else f"{n:,} of {of:,}",
                "-" if n is None else f"{n / of:.1%}",
                *(["-" if workers is None else f"{workers:,} of {of_workers:,}"] * has_workers),
                "-" if factor is None else f"{factor:.2f}",
            )
        show_table(table, console, spare=("share", "factor", "workers"))
        console.print()
        if self.named is None:
            show_rest(len(self.to_win), len(self.ranking) - 1, console)
        console.print(ABOUT, style="dim")
        if self.possible is not None:
            console.print(verbatim(f"By least squares, {self.possible}."))
        show_warnings(self._notes(), console)
        if self.named is not None:
            self._show_removed(console)
        show_written(self.written, console)

    def _show_removed(self, console: Console) -> None:
        for found in (*self.to_win, *self.by_worker.values()):
            if not found.n:
                continue
            console.print()
            console.print(verbatim(f"{str(found)[:1].upper()}{str(found)[1:]}", "bold"))
            for cell in found.removed[:MOST_CELLS] if found.by == "vote" else ():
                of = f"{count(cell.n, 'vote')} of {cell.outcome:+g}"
                console.print(verbatim(f"  {of} for {cell.item} against {cell.other}"))
            if found.by == "vote" and len(found.removed) > MOST_CELLS:
                console.print(f"  and {len(found.removed) - MOST_CELLS:,} more kinds", style="dim")
            if found.by == "worker":
                console.print(verbatim(f"  {', '.join(map(str, found.workers))}"))
            console.print("--json lists their rows in the file.", style="dim")

    def _notes(self) -> list[str]:
        notes = []
        possible = self.possible
        if possible is None:
            notes.append(
                f"factors are computed for up to {MOST_ITEMS} items, not {len(self.ranking):,}"
            )
        elif possible.items[0] != self.ranking.items[0]:
            notes.append(f"by least squares, on which factors rest, {possible.items[0]} is first")
        return notes

    def cautions(self) -> list[str]:
        """Return warnings about the reading and the models."""
        return [*cautions_of(self.votes.report), *self._notes()]

    def write(self, path: Path) -> None:
        """Write the table, or the chart of possible winners."""
        if path.suffix.lower() in TABLES or goes_to_standard_output(path):
            write_table(self.to_table(), path)
            return
        if self.possible is None:
            raise InvalidArgument(f"{path}: the chart is for up to {MOST_ITEMS} items")
        from hodgerank.plotting.charts import save_chart

        save_chart(self.possible.plot(), path)


@reads_votes
def winners(
    votes: Comparisons,
    rival: Annotated[
        str | None,
        typer.Option(metavar="ITEM", help="Only this item, with the votes to remove."),
    ] = None,
    factor: Annotated[
        float, typer.Option(help="Let the number of votes of each pair change by this factor.")
    ] = 2.0,
    most: Annotated[
        int, typer.Option(min=1, metavar="N", help="Remove at most N votes or workers.")
    ] = MOST_REMOVED,
    model: ModelOption = None,
    position_bias: PositionBiasOption = None,
    equal_weights: EqualWeightsOption = False,
    exclude_workers: ExcludeWorkers = None,
    min_votes: MinVotes = 0,
    largest_component: LargestComponent = False,
    top: Annotated[int, typer.Option(min=0, help="The N items after the first; 0 takes all.")] = 5,
    output: Annotated[
        Path | None,
        output_option(
            "Write the table: .csv, .parquet, .json; or the chart of possible winners: .html, "
            ".svg, .png, .pdf",
            charts=True,
        ),
    ] = None,
    as_json: AsJson = False,
) -> WinnersResult:
    """Show what would have to change for another item to be first.

    Two questions about the items after the first. How few votes, or workers, would have to be
    removed? Such votes are chosen for their effect, so even a clear lead may depend on few of them;
    the lead in standard errors stands beside. And which items could be first if pairs had been
    compared more or less often? Where preferences are not cyclic, none.

    Examples:
      hodgerank winners votes.csv

      hodgerank winners votes.csv --rival tea

      hodgerank winners votes.csv --factor 3 -o winners.svg
    """
    chosen: Comparisons = selected(
        votes, workers_to_exclude(exclude_workers, lambda: votes), min_votes, largest_component
    )
    groupings = wanted_groupings(position_bias)
    options: dict[str, Any] = {
        "model": model,
        "position_bias": groupings,
        "worker_weights": False if equal_weights else None,
    }
    ranking = rank(chosen, **options)
    chosen = replace(chosen, report=using(chosen.report, groupings))
    if ranking.no_votes or ranking.not_connected:
        chosen = selected(chosen, [], 0, True)
    search = Search(chosen.repeated(), ranking, options)
    named = None if rival is None else by_name(ranking.items).get(rival, rival)
    rivals = ranking.items[1 : top + 1 if top else None] if named is None else (named,)
    has_workers = bool((chosen.worker != NO_WORKER).any())
    return WinnersResult(
        ranking=ranking,
        votes=chosen,
        to_win=[search.to_win(each, "vote", most) for each in rivals],
        by_worker={each: search.to_win(each, "worker", most) for each in rivals}
        if has_workers
        else {},
        possible=possible_winners(chosen, factor) if chosen.n_items <= MOST_ITEMS else None,
        named=named,
        written=output,
        as_json=as_json,
    )
