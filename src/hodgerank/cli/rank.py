"""hodgerank rank: votes to a ranking."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hodgerank.cli.console import n_shown, show_ranking
from hodgerank.cli.model_options import Link, Model, fit, require_answers
from hodgerank.cli.outputs import AsJson, file_option, output_option
from hodgerank.cli.rank_compare import CompareResult, compared
from hodgerank.cli.rank_groups import rank_each
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import (
    ExcludeWorkers,
    answers_or_edges,
    reads_votes,
    selected,
    workers_to_exclude,
)
from hodgerank.errors import InvalidArgument

if TYPE_CHECKING:
    from rich.console import Console

    from hodgerank.data.comparisons import Comparisons, ReadReport
    from hodgerank.data.groups import VoteGroups
    from hodgerank.estimators.ranking import Ranking
    from hodgerank.graph.comparison_graph import ComparisonGraph
    from hodgerank.graph.edge_file import EdgeFile


PATIENCE = 1.0  # seconds before a word about waiting
PAUSE = 0.02


@contextmanager
def taking_turns(path: Path) -> Iterator[None]:
    """Hold a state file for this process alone; others wait for their turn.

    The lock is on the folder: the file itself is replaced, and a lock file would be left behind.
    """
    try:
        import fcntl
    except ImportError:
        raise InvalidArgument(
            "--state needs the file locks of Linux or macOS, which are not there: leave it out"
        ) from None
    folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)
    try:
        patient_until = time.monotonic() + PATIENCE
        while time.monotonic() < patient_until:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(PAUSE)
        else:
            from hodgerank.cli.console import complaints, verbatim

            complaints().print(verbatim(f"waiting for another command that uses {path} ..."))
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def with_state(path: Path, votes: Comparisons | ComparisonGraph, again: bool) -> EdgeFile:
    """What the file holds, and the votes."""
    from hodgerank.graph.edge_file import EdgeFile, edge_file

    return EdgeFile.read(path).add(votes, again=again) if path.exists() else edge_file(votes)


@dataclass(frozen=True)
class RankResult(CommandResult):
    """A ranking and how it came about."""

    ranking: Ranking
    report: ReadReport
    n_answers: int
    n_workers: int | None  # None where edges no longer tell
    top: int
    kendall_tau: float | None
    written: Path | None
    as_json: bool
    state: tuple[EdgeFile, Path] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        content: dict[str, Any] = {
            **self.report.to_dict(),
            "answers": self.n_answers,
            "workers": self.n_workers,
        }
        if self.kendall_tau is not None:
            content["kendall_tau"] = self.kendall_tau
        content |= self.ranking.to_dict()
        content["notes"] = [*self.report.notes, *self.ranking.notes]
        if self.top:
            content["items"] = content["items"][: self.top]
        return content

    def show(self, console: Console) -> None:
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
        show_warnings(self._about_the_ranking(), console)
        rows = min(self.top or len(ranking), len(ranking))
        show_ranking(ranking, rows, console)
        show_rest(rows, len(ranking), console)
        if self.kendall_tau is not None:
            console.print(f"Kendall's tau against the truth: {self.kendall_tau:.3f}")
        show_written(self.written, console)

    def cautions(self) -> list[str]:
        """What was dropped or doubtful in the reading, and what the ranking does not know."""
        from hodgerank.cli.console import cautions_of

        return [*cautions_of(self.report), *self._about_the_ranking()]

    def _about_the_ranking(self) -> list[str]:
        from hodgerank.display import short

        ranking = self.ranking
        warnings = [*ranking.notes]
        if ranking.n_components > 1:
            warnings.append(
                f"{ranking.n_components:,} groups were never compared with each other: "
                "each has its own ranking"
            )
        for names, what in ((ranking.undefeated, "undefeated"), (ranking.winless, "winless")):
            if names:
                more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
                shown = ", ".join(short(str(name)) for name in names[:8])
                warnings.append(f"{what}: {shown}{more}")
        return warnings

    def write(self, path: Path) -> None:
        """Write the ranking, as a table or as its chart."""
        from hodgerank.cli.files import write_result

        write_result(self.ranking, path)

    def conclude(self) -> None:
        """Keep the votes, now that everything else has been done."""
        if self.state is not None:
            edges, path = self.state
            edges.write(path)


@partial(reads_votes, reader=answers_or_edges, on_groups=rank_each)
def rank(
    votes: Comparisons | ComparisonGraph | VoteGroups,
    context: typer.Context,
    model: Annotated[
        Model | None,
        typer.Option(
            "--model",
            "-m",
            help="How scores are found; by least squares, or by bayes where the pairs were chosen "
            "in the light of earlier answers.",
        ),
    ] = None,
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
        Literal["model", "worker", "ballot"] | None,
        typer.Option(
            help="Standard errors from the model, or clustered by worker or ballot; by ballot if "
            "the votes are rankings of several items, or have a --unit."
        ),
    ] = None,
    position_bias: Annotated[
        Literal["common", "worker"] | None,
        typer.Option(
            help="Put the pull of the left side into the model: one common to all workers, or one "
            "of each worker."
        ),
    ] = None,
    robust: Annotated[
        bool,
        typer.Option(
            "--robust",
            help="Weigh the answers of each worker by how far they can be trusted (bayes only), as "
            "campaigns do.",
        ),
    ] = False,
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    exclude_workers: ExcludeWorkers = None,
    min_answers: Annotated[
        int, typer.Option(min=0, help="Leave out items with fewer answers.")
    ] = 0,
    largest_component: Annotated[
        bool,
        typer.Option(
            "--largest-component", help="Leave out items never compared with most others."
        ),
    ] = False,
    compare: Annotated[
        str | None,
        typer.Option(
            help="Column of country, expertise, judge, before and after ...: whether these "
            "populations rank the same items differently.",
            metavar="COLUMN",
        ),
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="Table of item and score to compare with (Kendall's tau).")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=0, help="Show the best N only, 0 shows all; 50 if not given, all with --json."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_option(
            "Write the table: .csv, .parquet, .json; or its chart: .html, .svg, .png, .pdf",
            charts=True,
        ),
    ] = None,
    state: Annotated[
        Path | None,
        file_option(
            "Add the votes to the statistics in this .parquet file, which is made if there is "
            "none, and rank by all of them.",
            (".parquet",),
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Add votes that the --state has already.")
    ] = False,
    as_json: AsJson = False,
) -> RankResult | CompareResult:
    """Rank the items of a file of votes.

    Prints rank, item, score with its confidence interval, the ranks it may have, and the number
    of comparisons behind it.

    Examples:
      hodgerank rank votes.csv

      hodgerank rank votes.csv --model bradley-terry --top 10

      hodgerank rank arena.parquet --json > ranking.json

      cat votes.csv | hodgerank rank - -o - > ranking.csv

      hodgerank rank survey.csv --left A --right B --outcome grade --scale 1 7 -o ranking.csv

      hodgerank rank 'votes/*.parquet'

      hodgerank rank today.csv --state votes.parquet

      hodgerank rank votes.csv --by scene -o rankings.csv

      hodgerank rank votes.csv --compare expertise

      hodgerank rank votes.csv --exclude-workers flagged --model bayes
    """
    from hodgerank.cli.files import read_scores
    from hodgerank.data.groups import VoteGroups

    if isinstance(votes, VoteGroups):  # populations to be compared
        _require_plain(
            truth=truth, state=state, model=model, ridge=ridge, covariance=covariance,
            position_bias=position_bias,
            robust=robust or None,
        )  # fmt: skip
        return compared(votes, exclude_workers, confidence, n_shown(top, as_json), output, as_json)
    true_scores = None if truth is None else read_scores(truth)
    clustered = covariance in ("worker", "ballot")
    if clustered or position_bias or robust or exclude_workers or min_answers or largest_component:
        require_answers(votes)
    workers = workers_to_exclude(exclude_workers, lambda: votes)
    answers = selected(votes, workers, min_answers, largest_component)
    edges = None
    if state is not None:
        context.with_resource(taking_turns(state))  # until the new state is written
        edges = with_state(state, answers, again)
    ranking = fit(
        answers if edges is None else edges.graph,
        model=model,
        link=link,
        ridge=ridge,
        components=components,
        covariance=covariance,
        position_bias=position_bias,
        robust=robust,
        confidence=confidence,
    )
    return RankResult(
        ranking=ranking,
        report=answers.report,
        n_answers=(answers if edges is None else edges.graph).n_answers,
        n_workers=getattr(answers, "n_workers", None) if edges is None else None,
        top=n_shown(top, as_json),
        kendall_tau=None if true_scores is None else _tau(ranking, true_scores),
        written=output,
        as_json=as_json,
        state=None if edges is None or state is None else (edges, state),
    )


def _require_plain(**options: Any) -> None:
    from hodgerank.errors import InvalidArgument

    for name, value in options.items():
        if value is not None:
            raise InvalidArgument(
                f"--{name.replace('_', '-')} is for one ranking: it cannot be used with --compare"
            )


def _tau(ranking: Ranking, truth: dict[str, float]) -> float:
    from hodgerank.display import short
    from hodgerank.errors import InvalidArgument
    from hodgerank.metrics import kendall_tau

    if ranking.n_components > 1:
        raise InvalidArgument("--truth needs one ranking, not one of each group")
    estimate = ranking.score_by_item
    missing = [str(item) for item in estimate if str(item) not in truth]
    if missing:
        raise InvalidArgument(
            f"--truth has no score for {len(missing):,} of {len(estimate):,} items, "
            f"among them {', '.join(map(short, missing[:3]))}"
        )
    return kendall_tau(estimate, {item: truth[str(item)] for item in estimate})
