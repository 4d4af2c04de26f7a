"""hodgerank report: the answer on one page, then everything it rests on."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from hodgerank.atomic_write import write_file
from hodgerank.cli.console import show_reading, show_warnings, show_written, verbatim
from hodgerank.cli.groups import status_of
from hodgerank.cli.model_options import (
    AnchorOption,
    BaselineOption,
    ConfidenceOption,
    ControlOption,
    CovarianceOption,
    CovariateOption,
    EqualWeightsOption,
    ModelOption,
    PositionBiasOption,
    ScoreScaleOption,
    wanted_covariates,
    wanted_groupings,
    wanted_scale,
    with_items,
)
from hodgerank.cli.outputs import check_output_name, goes_to_standard_output, print_bytes
from hodgerank.cli.progress import report_step
from hodgerank.cli.result import NOT_UNIQUE, CommandResult
from hodgerank.cli.vote_options import (
    ExcludeWorkers,
    LargestComponent,
    MinVotes,
    reads_votes,
    selected,
    selected_groups,
    workers_to_exclude,
)
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
    """A report and the file it was written to."""

    report: Report
    form: str
    written: Path | None
    as_json: bool

    @property
    def exit_status(self) -> int:
        """Not 0 where items are disconnected."""
        found = self.report.findings
        if not isinstance(found, GroupFindings):
            return NOT_UNIQUE if found.n_parts > 1 else 0
        apart = any(part.n_parts > 1 for part in found.each.values())
        return status_of(found.rankings.problems) or (NOT_UNIQUE if apart else 0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return self.report.to_dict()

    def show(self, console: Console) -> None:
        """The answer, warnings, and the file with everything else."""
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
    """The file to write; its name and --format have to agree."""
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
    """The format to write, if its library is installed."""
    named = None if path is None or goes_to_standard_output(path) else path.suffix.lower()[1:]
    form = form or named or "html"
    if form == "html" and path is not None:
        from hodgerank.plotting.charts import require_charts

        require_charts()
    return form


def _with_groups(command: Callable[..., ReportResult]) -> Callable[..., ReportResult]:
    """Pass groups on: a report handles them itself."""
    return command


Title = Annotated[str | None, typer.Option(help="Title of the page.")]
Question = Annotated[str | None, typer.Option(help="Question below the title.")]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        is_eager=True,
        metavar="FORMAT",
        help="html, md or json, if the file name does not tell it.",
    ),
]
ForecastOption = Annotated[
    bool,
    typer.Option(
        "--forecast/--no-forecast",
        help="Forecast how many more votes are needed (up to 60 items).",
        show_default=False,
    ),
]
GroupsOption = Annotated[
    bool,
    typer.Option("--groups", help="Find preference groups."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of pairs and forecasts.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        callback=_place,
        help="File to write: .html, .md or .json; - for standard output. report.html if not given.",
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", is_eager=True, help="Print JSON; a page only with --output."),
]


@partial(reads_votes, on_groups=_with_groups)
def report(
    votes: Comparisons | VoteGroups,
    context: typer.Context,
    title: Title = None,
    question: Question = None,
    form: FormatOption = None,
    model: ModelOption = None,
    position_bias: PositionBiasOption = None,
    covariate: CovariateOption = None,
    control: ControlOption = None,
    equal_weights: EqualWeightsOption = False,
    covariance: CovarianceOption = None,
    exclude_workers: ExcludeWorkers = None,
    min_votes: MinVotes = 0,
    largest_component: LargestComponent = False,
    confidence: ConfidenceOption = 0.95,
    score_scale: ScoreScaleOption = None,
    anchor: AnchorOption = None,
    baseline: BaselineOption = None,
    forecast: ForecastOption = True,
    groups: GroupsOption = False,
    seed: Seed = 0,
    output: Output = None,
    as_json: JsonOption = False,
) -> ReportResult:
    """Write a report: the answer on one page, then everything it rests on.

    One HTML file that works offline and prints well. The first page has the
    answer and a verdict each on order, workers and consistency. Folded sections
    hold the details. With --by the groups are reported side by side.

    Examples:
      hodgerank report votes.csv

      hodgerank report votes.csv -o report.html --title "Codecs, autumn test"

      hodgerank report votes.csv --by scene -o scenes.html
    """
    form_written, scale = _form(output, form), wanted_scale(score_scale, anchor, baseline)
    covariates, controlled = wanted_covariates(covariate, control)
    if covariates is not None and isinstance(votes, VoteGroups):
        raise InvalidArgument(
            "--covariate and --control are for one report, without --by: rank the groups with "
            "hodgerank rank --by"
        )
    chosen: Any
    if isinstance(votes, VoteGroups):
        workers = workers_to_exclude(exclude_workers, votes.together)
        chosen = selected_groups(votes, workers, min_votes, largest_component)
        scale = with_items(scale, {item for part in chosen.values() for item in part.items})
    else:
        workers = workers_to_exclude(exclude_workers, lambda: votes)
        chosen = selected(votes, workers, min_votes, largest_component)
        scale = with_items(scale, chosen.items)
    page = report_on(
        chosen,
        title=title,
        question=question,
        model=model,
        confidence=confidence,
        score_scale=scale.name,
        anchor=scale.anchor,
        baseline=scale.baseline,
        with_forecast=forecast,
        with_groups=groups,
        seed=seed,
        command=shlex.join(["hodgerank", *context.find_root().obj]),
        on_step=report_step,
        covariance=covariance,
        position_bias=wanted_groupings(position_bias),
        covariates=covariates,
        control=controlled,
        worker_weights=False if equal_weights else None,
    )
    return ReportResult(page, form_written, output, as_json)
