"""hodgerank rank: votes to a ranking."""

from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hodgerank.cli.result import CommandResult
from hodgerank.cli.votes import answers_or_edges, reads_votes

if TYPE_CHECKING:
    from rich.console import Console

    from hodgerank.data.comparisons import Comparisons, ReadReport
    from hodgerank.estimators.ranking import Ranking
    from hodgerank.graph.comparison_graph import ComparisonGraph
    from hodgerank.graph.edge_file import EdgeFile


Link = Literal["uniform", "bradley-terry", "thurstone-mosteller", "angular"]
Model = Literal["least-squares", "bradley-terry", "thurstone-mosteller"]


@dataclass(frozen=True)
class RankResult(CommandResult):
    """A ranking and how it came about."""

    ranking: "Ranking"
    report: "ReadReport"
    n_answers: int
    n_workers: int
    top: int
    kendall_tau: float | None
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        content: dict[str, Any] = {
            "source": self.report.source,
            "layout": self.report.layout,
            "answers": self.n_answers,
            "workers": self.n_workers,
            "both_bad": self.report.both_bad,
            "skipped": self.report.skipped,
            "rejected": self.report.rejected,
        }
        if self.kendall_tau is not None:
            content["kendall_tau"] = self.kendall_tau
        content |= self.ranking.to_dict()
        content["notes"] = [*self.report.notes, *self.ranking.notes]
        if self.top:
            content["items"] = content["items"][: self.top]
        return content

    def show(self, console: "Console") -> None:
        """The ranking as a table."""
        from hodgerank.cli.console import show_reading, show_rest, show_warnings, show_written

        ranking = self.ranking
        show_reading(self.report, console)
        n_workers = f", {self.n_workers:,} workers" if self.n_workers else ""
        prior = f", ridge {ranking.ridge:g}" if ranking.ridge else ""
        console.print(
            f"{len(ranking):,} items, {self.n_answers:,} answers{n_workers}; "
            f"{ranking.model}, {ranking.link} link{prior}; "
            f"{100 * ranking.confidence:g}% intervals, {ranking.uncertainty}",
            style="dim",
        )
        warnings = [*ranking.notes]
        if ranking.n_components > 1:
            warnings.append(
                f"{ranking.n_components:,} groups were never compared with each other: "
                "each has its own ranking below"
            )
        for names, what in ((ranking.undefeated, "undefeated"), (ranking.winless, "winless")):
            if names:
                more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
                warnings.append(f"{what}: {', '.join(map(str, names[:8]))}{more}")
        show_warnings(warnings, console)
        shown = len(ranking) if not self.top else min(self.top, len(ranking))
        _show_table(ranking, shown, console)
        show_rest(shown, len(ranking), console)
        if self.kendall_tau is not None:
            console.print(f"Kendall's tau against the truth: {self.kendall_tau:.3f}")
        show_written(self.written, console)


def _show_table(ranking: "Ranking", shown: int, console: "Console") -> None:
    from rich.text import Text

    from hodgerank.cli.console import plain_table

    table = plain_table()
    several = ranking.n_components > 1
    if several:
        table.add_column("group", justify="right")
    table.add_column("rank", justify="right")
    table.add_column("item", overflow="fold")
    for name in ("score", f"{100 * ranking.confidence:g}% interval", "ranks", "comparisons"):
        table.add_column(name, justify="right", no_wrap=True)
    for k in range(shown):
        (low, high), (best, worst) = ranking.intervals[k], ranking.rank_intervals[k]
        if several and k and ranking.components[k] != ranking.components[k - 1]:
            table.add_section()
        table.add_row(
            *([str(ranking.components[k] + 1)] if several else []),
            str(ranking.ranks[k]),
            Text(str(ranking.items[k])),
            _signed(ranking.scores[k]),
            f"{_signed(low)} to {_signed(high)}",
            str(best) if best == worst else f"{best} to {worst}",
            f"{ranking.comparisons[k]:,}",
        )
    console.print()
    console.print(table)
    console.print()


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # -0.000 is 0


@partial(reads_votes, reader=answers_or_edges)
def rank(
    votes: "Comparisons | ComparisonGraph",
    model: Annotated[
        Model, typer.Option("--model", "-m", help="How scores are found.")
    ] = "least-squares",
    link: Annotated[
        Link, typer.Option(help="Scale of the scores (least squares only).")
    ] = "uniform",
    ridge: Annotated[
        float | None,
        typer.Option(help="Precision of a prior around 0; by default only where one is needed."),
    ] = None,
    components: Annotated[
        Literal["joined", "separate"],
        typer.Option(help="Groups never compared with each other: fail, or rank each."),
    ] = "joined",
    covariance: Annotated[
        Literal["model", "worker"],
        typer.Option(help="Standard errors from the model, or clustered by worker."),
    ] = "model",
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    top: Annotated[
        int | None,
        typer.Option(
            min=0, help="Show the best N only, 0 shows all; 50 if not given, all with --json."
        ),
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="CSV of item,score to compare with (Kendall's tau).")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Table: .csv, .parquet, .json; chart: .html, .svg, .png, .pdf."
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            help="Add the votes to the statistics in this .parquet file, which is made if there is "
            "none, and rank by all of them."
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Add votes that the --state has already.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> RankResult:
    """Rank the items of a file of votes.

    Prints rank, item, score with its confidence interval, the ranks it may have, and the number
    of comparisons behind it.

    Examples:
      hodgerank rank votes.csv

      hodgerank rank votes.csv --model bradley-terry --top 10

      hodgerank rank arena.parquet --json > ranking.json

      hodgerank rank survey.csv --left A --right B --outcome grade --scale 1 7 -o ranking.csv

      hodgerank rank 'votes/*.parquet'

      hodgerank rank today.csv --state votes.parquet
    """
    from hodgerank.cli.tables import read_scores, result_writer
    from hodgerank.errors import InvalidArgument

    write = None if output is None else result_writer(output, votes.report.source, truth)
    true_scores = None if truth is None else read_scores(truth)
    if covariance == "worker" and not hasattr(votes, "workers"):
        raise InvalidArgument(
            "--covariance worker needs single answers: name the column with --worker, so that "
            "all files are read in full"
        )
    edges = None if state is None else _with_state(state, votes, again)
    ranking = _fit(
        votes if edges is None else edges.graph,
        model,
        link,
        ridge=ridge,
        components=components,
        covariance=covariance,
        confidence=confidence,
    )
    if edges is not None and state is not None:
        edges.write(state)
    if write is not None:
        write(ranking)
    return RankResult(
        ranking=ranking,
        report=votes.report,
        n_answers=(votes if edges is None else edges.graph).n_answers,
        n_workers=getattr(votes, "n_workers", 0) if edges is None else 0,
        top=top if top is not None else (0 if as_json else 50),
        kendall_tau=None if true_scores is None else _tau(ranking, true_scores),
        written=output,
        as_json=as_json,
    )


def _with_state(state: Path, votes: "Comparisons | ComparisonGraph", again: bool) -> "EdgeFile":
    """What the file holds, and the votes."""
    from hodgerank.errors import InvalidArgument
    from hodgerank.graph.edge_file import EdgeFile, edge_file

    if state.suffix.lower() != ".parquet":
        raise InvalidArgument(f"--state {state}: the name must end in .parquet")
    if not state.absolute().parent.is_dir():
        raise InvalidArgument(f"--state {state}: the folder {state.parent} does not exist")
    if fnmatch(str(state.absolute()), str(Path(votes.report.source).absolute())):
        raise InvalidArgument(f"--state {state} is among the votes: keep it elsewhere")
    if not state.exists():
        return edge_file(votes)
    return EdgeFile.read(state).add(votes, again=again)


def _fit(
    votes: "Comparisons | ComparisonGraph",
    model: Model,
    link: Any,
    *,
    ridge: float | None,
    **options: Any,
) -> "Ranking":
    from hodgerank.errors import InvalidArgument

    if model == "least-squares":
        from hodgerank.estimators.least_squares import hodge_rank

        return hodge_rank(votes, link=link, ridge=ridge or 0.0, **options)
    if link not in ("uniform", model):
        raise InvalidArgument(
            f"--link {link} belongs to least squares; --model {model} has its own"
        )
    from hodgerank.estimators.likelihood import bradley_terry, thurstone_mosteller

    fit = bradley_terry if model == "bradley-terry" else thurstone_mosteller
    return fit(votes, ridge=ridge, **options)


def _tau(ranking: "Ranking", truth: dict[str, float]) -> float:
    from hodgerank.errors import InvalidArgument
    from hodgerank.metrics import kendall_tau

    if ranking.n_components > 1:
        raise InvalidArgument("--truth needs one ranking, not one of each group")
    estimate = ranking.score_by_item
    missing = [str(item) for item in estimate if str(item) not in truth]
    if missing:
        raise InvalidArgument(
            f"--truth has no score for {len(missing):,} of {len(estimate):,} items, "
            f"among them {', '.join(missing[:3])}"
        )
    return kendall_tau(estimate, {item: truth[str(item)] for item in estimate})
