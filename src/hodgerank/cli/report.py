"""hodgerank report: everything about votes on one page."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from hodgerank.atomic_write import write_file
from hodgerank.cli.console import show_reading, show_warnings, show_written, verbatim
from hodgerank.cli.groups import status_of
from hodgerank.cli.model_options import (
    ConfidenceOption,
    CovarianceOption,
    ModelOption,
    PositionBiasOption,
    WorkerWeightsOption,
)
from hodgerank.cli.outputs import check_output_name, goes_to_standard_output, print_bytes
from hodgerank.cli.progress import doing
from hodgerank.cli.result import NOT_UNIQUE, CommandResult
from hodgerank.cli.vote_options import ExcludeWorkers, reads_votes, selected, workers_to_exclude
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.groups import VoteGroups
from hodgerank.errors import InvalidArgument
from hodgerank.reporting.group_findings import GroupFindings
from hodgerank.reporting.report import Report
from hodgerank.reporting.report import report as report_on

Format = Literal["html", "md", "json"]
FORMATS = ("html", "md", "json")


@dataclass(frozen=True)
class ReportResult(CommandResult):
    """A report and where it went."""

    report: Report
    form: str
    written: Path | None
    as_json: bool

    @property
    def exit_status(self) -> int:
        """Not 0 where there is no one ranking."""
        found = self.report.findings
        if not isinstance(found, GroupFindings):
            return NOT_UNIQUE if found.n_parts > 1 else 0
        apart = any(part.n_parts > 1 for part in found.each.values())
        return status_of(found.rankings.problems) or (NOT_UNIQUE if apart else 0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return self.report.to_dict()

    def show(self, console: Console) -> None:
        """The answer, and where the rest of it is."""
        show_reading(self.report.findings.votes.report, console)
        console.print()
        for text in self.report.answer:
            console.print(verbatim(text, "bold"))
        show_warnings(map(str, self.report.concerns), console)
        console.print()
        show_written(self.written, console)

    def write(self, path: Path) -> None:
        """Write the page."""
        content = self.report.written(self.form).encode()
        if goes_to_standard_output(path):
            print_bytes(content)
        else:
            write_file(path, content)


def _place(context: typer.Context, path: Path | None) -> Path | None:
    """Where the page goes, which its name and --format have to agree about."""
    form, as_json = context.params.get("form"), context.params.get("as_json")
    if path is None:
        return None if as_json else Path(f"report.{form or 'html'}")
    if not goes_to_standard_output(path):
        check_output_name(path, tuple(f".{name}" for name in FORMATS))
        suffix = path.suffix.lower()[1:]
        if form not in (None, suffix):
            raise InvalidArgument(f"{path}: --format {form} goes into a file that ends in .{form}")
    return path


def _form(path: Path | None, form: str | None) -> str:
    """The format that is written, if its library is there."""
    named = None if path is None or goes_to_standard_output(path) else path.suffix.lower()[1:]
    form = form or named or "html"
    if form == "html" and path is not None:
        from hodgerank.plotting.charts import require_charts

        require_charts()
    return form


def _with_groups(command: Callable[..., ReportResult]) -> Callable[..., ReportResult]:
    """A report knows about groups."""
    return command


Title = Annotated[str | None, typer.Option(help="Title of the page.")]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", is_eager=True, help="If the name of the file does not tell."),
]
ForecastOption = Annotated[
    bool,
    typer.Option(
        "--forecast/--no-forecast",
        help="Foresee what more answers would buy, which takes seconds; up to 60 items.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Breaks ties in what to ask next.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        callback=_place,
        help="Where it goes: .html, .md or .json; - for standard output. report.html if not given.",
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", is_eager=True, help="Print JSON; a page is written only with --output."),
]


@partial(reads_votes, on_groups=_with_groups)
def report(
    votes: Comparisons | VoteGroups,
    context: typer.Context,
    title: Title = None,
    form: FormatOption = None,
    model: ModelOption = "bayes",
    position_bias: PositionBiasOption = None,
    worker_weights: WorkerWeightsOption = None,
    covariance: CovarianceOption = None,
    exclude_workers: ExcludeWorkers = None,
    confidence: ConfidenceOption = 0.95,
    forecast: ForecastOption = True,
    seed: Seed = 0,
    output: Output = None,
    as_json: JsonOption = False,
) -> ReportResult:
    """Write a report: the answer in three sentences, then everything behind it.

    One HTML file that works offline and prints well: the ranking with intervals and which
    neighbours cannot be told apart, how certain it is and what more answers would buy, consistency
    beside what noise gives, workers and the ranking without the flagged, outliers, position bias,
    what to ask next, and how to repeat it. With --by the groups are reported side by side.

    Examples:
      hodgerank report votes.csv

      hodgerank report votes.csv -o report.html --title "Codecs, autumn test"

      hodgerank report votes.csv --by scene -o scenes.html

      hodgerank report votes.csv --format md -o - | less
    """
    form_written = _form(output, form)
    chosen: Any
    if isinstance(votes, VoteGroups):
        workers = workers_to_exclude(exclude_workers, votes.together)
        parts = {group: selected(part, workers, 0, False) for group, part in votes.items()}
        chosen = replace(votes, parts=parts)
    else:
        workers = workers_to_exclude(exclude_workers, lambda: votes)
        chosen = selected(votes, workers, 0, False)
    page = report_on(
        chosen,
        title=title,
        model=model,
        confidence=confidence,
        with_forecast=forecast,
        seed=seed,
        command=shlex.join(["hodgerank", *context.find_root().obj]),
        on_step=doing,
        covariance=covariance,
        position_bias=position_bias,
        worker_weights=worker_weights,
    )
    return ReportResult(page, form_written, output, as_json)
