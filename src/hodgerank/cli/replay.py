"""hodgerank replay: how fast strategies find the ranking of recorded votes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import polars as pl
import typer
from rich.console import Console
from rich.text import Text

from hodgerank.cli.console import (
    add_numbers,
    cautions_of,
    count,
    plain_table,
    show_reading,
    show_table,
    show_written,
)
from hodgerank.cli.files import read_scores, write_result
from hodgerank.cli.outputs import AsJson, output_option
from hodgerank.cli.progress import doing
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import reads_votes
from hodgerank.collecting.replay import LearningCurves
from hodgerank.collecting.replay import replay as play
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.display import short
from hodgerank.errors import InvalidArgument

HEIGHT, WIDTH = 14, 60
MARGIN = 7  # left of the chart
MARKS = "●○▲△■□◆◇"


@dataclass(frozen=True)
class ReplayResult(CommandResult):
    """Learning curves, and where they were written."""

    curves: LearningCurves
    report: ReadReport
    written: Path | None
    as_json: bool

    def to_table(self) -> pl.DataFrame:
        """Return a row per strategy and number of votes."""
        return cast("pl.DataFrame", self.curves.to_frame("polars"))

    def write(self, path: Path) -> None:
        """Write the curves, as a table or as their chart."""
        write_result(self.curves, path)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        curves = self.curves
        stderr = curves.stderr
        return {
            **self.report.to_dict(),
            "notes": list(self.report.notes),
            "truth": curves.truth,
            "runs": int(curves.taus.shape[1]),
            "votes": curves.votes.tolist(),
            "strategies": {
                name: {
                    "tau": curves.mean[k].tolist(),
                    "stderr": [None if e != e else e for e in stderr[k].tolist()],
                }
                for k, name in enumerate(curves.strategies)
            },
        }

    def cautions(self) -> list[str]:
        """Return warnings about the reading."""
        return cautions_of(self.report)

    def show(self, console: Console) -> None:
        """Print a text chart and the numbers."""
        curves = self.curves
        show_reading(self.report, console)
        n_runs = curves.taus.shape[1]
        runs = count(n_runs, "run")
        console.print(f"Kendall's tau against {curves.truth}, mean of {runs}", style="dim")
        console.print()
        for line in _chart(curves, min(WIDTH, console.width - MARGIN)):
            console.print(line)
        console.print()
        table = plain_table()
        add_numbers(table, "votes")
        for name in curves.strategies:
            table.add_column(name, justify="right")
        mean, stderr = curves.mean, curves.stderr
        looks = range(len(curves.votes) - 1, -1, -max(1, len(curves.votes) // 5))
        for look in reversed(looks):
            cells = [
                f"{mean[s, look]:.3f}" + (f" ±{stderr[s, look]:.3f}" if n_runs > 1 else "")
                for s in range(len(curves.strategies))
            ]
            table.add_row(f"{curves.votes[look]:,}", *cells)
        show_table(table, console)
        show_written(self.written, console)


@reads_votes
def replay(
    votes: Comparisons,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="auto, sort, rank, bayesian, d-optimal, a-optimal, fiedler, crowd-bt, rounds, "
            "random or top-5; may be repeated. Default: auto and random.",
            show_default=False,
        ),
    ] = None,
    n_votes: Annotated[
        int | None,
        typer.Option("--votes", min=1, help="Votes per run. Default: half of the recorded votes."),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Number of runs to average.")] = 20,
    replacement: Annotated[
        bool, typer.Option("--replacement", help="Draw votes with replacement.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random choices.")] = 0,
    truth: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Table with the columns item and score to compare with. Default: HodgeRank on "
                "all votes."
            )
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_option(
            "Write the table: .csv, .parquet, .json; or its chart: .html, .svg, .png, .pdf",
            charts=True,
        ),
    ] = None,
    as_json: AsJson = False,
) -> ReplayResult:
    """Replay recorded votes: how fast each strategy finds the ranking.

    Each strategy chooses pairs, and each answer is a recorded vote on that pair, drawn at random
    without replacement. The result is Kendall's tau against the number of votes, which shows how
    many votes a better choice of pairs would have saved.

    Examples:
      hodgerank replay votes.csv

      hodgerank replay votes.csv --strategy auto --strategy rounds --runs 50 -o curves.svg
    """
    strategies = strategy or ["auto", "random"]
    scores: Any = None if truth is None else _matched(read_scores(truth), votes)
    curves = play(
        votes,
        strategies,
        n_votes=n_votes,
        runs=runs,
        truth=scores,
        replacement=replacement,
        seed=seed,
        on_run=doing("replaying", runs * len(strategies)),
    )
    return ReplayResult(curves, votes.report, output, as_json)


def _matched(scores: dict[str, float], votes: Comparisons) -> Any:
    missing = [str(item) for item in votes.items if str(item) not in scores]
    if missing:
        among = ", ".join(map(short, missing[:3]))
        raise InvalidArgument(
            f"--truth has no score for {len(missing):,} items, among them {among}"
        )
    return {item: scores[str(item)] for item in votes.items}


def _chart(curves: LearningCurves, width: int) -> list[Text]:
    """Return a text chart: tau upwards, votes to the right, one mark per strategy."""
    mean = curves.mean
    low = min(0.0, float(mean.min()))
    width = max(width, 10)
    rows = [[" "] * width for _ in range(HEIGHT)]
    last = int(curves.votes[-1])
    for s in range(len(curves.strategies) - 1, -1, -1):
        for look, votes in enumerate(curves.votes.tolist()):
            x = min(width - 1, round((width - 1) * votes / last))
            y = round((HEIGHT - 1) * (float(mean[s, look]) - low) / (1 - low))
            rows[HEIGHT - 1 - y][x] = MARKS[s % len(MARKS)]
    lines = []
    for k, row in enumerate(rows):
        value = 1 - (1 - low) * k / (HEIGHT - 1)
        label = f"{value:5.2f}" if k % 3 == 0 or k == HEIGHT - 1 else "     "
        lines.append(Text(f"{label} │{''.join(row)}"))
    lines.append(Text("      └" + "─" * width))
    lines.append(Text(f"       0{'votes':^{width - len(str(last)) - 1}}{last}"))
    legend = "   ".join(
        f"{MARKS[s % len(MARKS)]} {name}" for s, name in enumerate(curves.strategies)
    )
    lines.append(Text(f"       {legend}"))
    return lines
