"""The options by which every command that takes votes reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import Parameter, signature
from io import BytesIO
from pathlib import Path
from typing import IO, Annotated, Any, Literal, cast

import typer

from hodgerank.cli.console import complaints, show_warnings
from hodgerank.cli.files import (
    STANDARD_INPUT,
    file_or_input,
    read_items,
    read_workers,
    require_one_reader,
)
from hodgerank.cli.groups import each_group
from hodgerank.cli.interrupts import heed_interrupts
from hodgerank.cli.outputs import goes_to_standard_output, keep_apart, require_one_printed
from hodgerank.cli.progress import doing, telling_progress
from hodgerank.cli.result import CommandResult
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.data.subsets import exclude_workers, keep_items_with, largest_component
from hodgerank.errors import DisconnectedGraph, InvalidArgument
from hodgerank.graph.build import build_graph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import Item

PANEL = "Reading the file"
READ = ("truth", "items", "pending", "exclude_workers")  # options that name a file to read
VOTES = (
    "Votes: CSV or TSV, also gzipped; Excel; JSON lines; Parquet, also as 'votes/*.parquet'; - is "
    "standard input. Several files are read as one."
)


def _option(help_text: str, *names: str, **settings: Any) -> Any:
    return typer.Option(
        *names, help=help_text, rich_help_panel=PANEL, show_default=False, **settings
    )


def read_options(
    left: Annotated[str | None, _option("Column of the item shown left.")] = None,
    right: Annotated[str | None, _option("Column of the item shown right.")] = None,
    outcome: Annotated[str | None, _option("Column of the answer.")] = None,
    winner: Annotated[str | None, _option("Column of the preferred item.")] = None,
    loser: Annotated[str | None, _option("Column of the other item.")] = None,
    worker: Annotated[str | None, _option("Column of who answered.")] = None,
    weight: Annotated[str | None, _option("Column of the answers' weights.")] = None,
    count: Annotated[str | None, _option("Column of how many answers a row stands for.")] = None,
    time: Annotated[str | None, _option("Column of when it was answered.")] = None,
    unit: Annotated[
        str | None, _option("Column of prompt, page ...: answers of one unit hang together.")
    ] = None,
    ballot: Annotated[
        str | None, _option("Column of which ranking of several items a row is of.")
    ] = None,
    item: Annotated[str | None, _option("Column of the item in such a ranking.")] = None,
    place: Annotated[str | None, _option("Column of its place there; 1 is the best.")] = None,
    by: Annotated[
        str | None,
        _option("Column of scene, topic, prompt ...: items are compared within a group only."),
    ] = None,
    where: Annotated[
        str | None, _option("Rows to read, e.g. --where \"worker != 'bot' and seconds > 2\".")
    ] = None,
    outcome_as: Annotated[
        Literal["number", "word", "item"] | None, _option("What the outcome column holds.")
    ] = None,
    scale: Annotated[
        tuple[float, float] | None,
        _option(
            "Numbers for 'right is best' and 'left is best', e.g. --scale 1 7.", metavar="LOW HIGH"
        ),
    ] = None,
    display_known: Annotated[
        bool | None,
        _option(
            "Whether left and right are where they were shown; found out if not given.",
            "--display-known/--display-unknown",
        ),
    ] = None,
    keep_na: Annotated[
        bool, _option("NA, N/A, nan, null, - and ? are names of items.", "--keep-na")
    ] = False,
    skip_invalid: Annotated[
        bool, _option("Drop and count rows that cannot be used.", "--skip-invalid")
    ] = False,
    no_header: Annotated[
        bool, _option("The first line is data; columns are called 1, 2, 3 ...", "--no-header")
    ] = False,
    sheet: Annotated[str | None, _option("Sheet of a workbook, if not the first.")] = None,
    encoding: Annotated[str | None, _option("Text encoding, if not UTF-8.")] = None,
    separator: Annotated[str | None, _option("Column separator, if not found out.")] = None,
) -> ReadOptions:
    """What the command line says about reading."""
    return ReadOptions(
        left=left, right=right, outcome=outcome, winner=winner, loser=loser, worker=worker,
        weight=weight, time=time, count=count, group=by, unit=unit, ballot=ballot, item=item,
        place=place, where=where, outcome_as=outcome_as, scale=scale,
        display_known=display_known, keep_na=keep_na,
        skip_invalid=skip_invalid, header=False if no_header else None, sheet=sheet,
        encoding=encoding, separator=separator,
    )  # fmt: skip


def answers(source: VoteSource) -> Comparisons:
    """Read every answer."""
    return source.answers()


def answers_or_edges(source: VoteSource) -> Comparisons | ComparisonGraph:
    """Answers; those of many files reduced to edges, unless more than edges is asked for."""
    if not source.is_lazy:
        return source.distinct_answers()
    how = source.options
    asks_for_answers = any(name is not None for name in (how.worker, how.time, how.unit))
    return source.answers() if asks_for_answers else build_graph(source)


def distinct_answers(source: VoteSource) -> Comparisons:
    """Answers; those of many files reduced to distinct answers of each worker."""
    return source.distinct_answers()


def answers_or_items(source: VoteSource) -> Comparisons:
    """Answers, or no answers on the items of a list."""
    if source.options != ReadOptions():
        return source.answers()  # who says how to read votes has votes
    items, name = None, str(source.source)
    if isinstance(source.source, Path):
        if source.source.is_file():
            items = read_items(source.source)
    elif not isinstance(source.source, list):  # standard input, which can be read only once
        content, name = cast("IO[bytes]", source.source).read(), "standard input"
        source = replace(source, source=BytesIO(content))
        items = read_items(BytesIO(content))
    if items is None:
        return source.answers()
    report = ReadReport(source=name, layout="a list of items", rows=len(items))
    nothing: Any = []
    return Comparisons(tuple(items), nothing, nothing, nothing, report=report)


def reads_votes(
    command: Callable[..., CommandResult],
    reader: Callable[[VoteSource], Comparisons | ComparisonGraph] = answers,
    on_groups: Callable[..., Callable[..., CommandResult]] = each_group,
    about_files: str = VOTES,
) -> Callable[..., CommandResult]:
    """Give a command whose first parameter is `votes` the file argument and reading options.

    `on_groups` makes the command one on groups, for `--by`. What the result has to write is
    written here.
    """
    options = _parameters(read_options)
    own = _parameters(command)[1:]
    argument = typer.Argument(metavar="FILE", help=about_files, show_default=False)
    files = Parameter("files", Parameter.KEYWORD_ONLY, annotation=Annotated[list[Path], argument])

    @wraps(command)
    def run(**arguments: Any) -> CommandResult:
        paths = arguments.pop("files")
        output = arguments.get("output")
        require_one_printed(output, arguments["as_json"])
        require_one_reader((*paths, *(arguments.get(name) for name in READ)))
        keep_apart(*_files(paths, arguments))
        heed_interrupts()
        reading = read_options(**{p.name: arguments.pop(p.name) for p in options})
        with telling_progress():
            doing(f"reading {', '.join(map(str, paths))}")
            work = command if reading.group is None else on_groups(command)
            source = _source(paths, reading, arguments)
            votes = source.groups() if source.options.group is not None else reader(source)
            del source  # and with it the table, which may be large
            doing(f"computing with {votes.n_answers:,} answers")
            try:
                result = work(votes, **arguments)
            except DisconnectedGraph:
                show_warnings(votes.report.notes, complaints())
                raise
            if output is not None and not goes_to_standard_output(output):
                result.write(output)
            return result  # which is printed when nothing moves on the screen any more

    parameters = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in [files, *own, *options]]
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _parameters(function: Callable[..., Any]) -> list[Parameter]:
    """Its parameters, with annotations that mean the same in another module."""
    return list(signature(function, eval_str=True).parameters.values())


def _source(paths: list[Path], reading: ReadOptions, arguments: dict[str, Any]) -> VoteSource:
    """The votes, not yet read; populations are sorted like groups."""
    real = [path.resolve() for path in paths if path != STANDARD_INPUT]
    twice = next((path for path in real if real.count(path) > 1), None)
    if twice is not None:
        raise InvalidArgument(f"{twice} is named twice: its votes would count twice")
    compare = arguments.get("compare")
    if compare is not None:
        if reading.group is not None:
            raise InvalidArgument("--by and --compare cannot be combined: choose one")
        reading = replace(reading, group=compare)
    files: Any = [file_or_input(path) for path in paths]
    source = VoteSource(files[0] if len(files) == 1 else files, reading)
    if arguments.get("state") is not None and source.n_tables > 1:
        raise InvalidArgument(
            "--state knows votes again by their file: add one file after the other"
        )
    return source


def _files(
    votes: list[Path], arguments: dict[str, Any]
) -> tuple[list[Path | None], list[Path | None]]:
    """Files that a command writes, and those that it reads."""
    written = [arguments.get(name) for name in ("output", "state")]
    named = [*votes, *(arguments.get(name) for name in READ)]
    names = arguments.get("exclude") or ()
    listed = [Path(name) for name in names if name and Path(name).is_file()]
    read = [None if path is None else Path(path) for path in named]
    return written, [Path("/dev/stdin") if p == STANDARD_INPUT else p for p in read] + listed


ExcludeWorkers = Annotated[
    str | None,
    typer.Option(
        help="Leave out workers: 'flagged' by hodgerank workers, or those listed in a FILE.",
        metavar="flagged|FILE",
    ),
]


def workers_to_exclude(which: str | None, votes: Callable[[], Any]) -> list[Item]:
    """The workers to leave out: those flagged among the votes, or those of a list."""
    if which is None:
        return []
    if which != "flagged":
        return read_workers(Path(which))
    from hodgerank.estimators.workers.assess import assess_workers

    return list(assess_workers(votes()).flagged)


def selected(votes: Any, workers: list[Item], min_answers: int, largest: bool) -> Any:
    """The votes without what was not wanted."""
    votes = exclude_workers(votes, workers) if workers else votes
    votes = keep_items_with(votes, min_answers) if min_answers else votes
    return largest_component(votes) if largest else votes
