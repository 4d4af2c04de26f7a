"""Shared by commands that take votes: file arguments, reading, and leaving out votes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import Parameter, signature
from io import BytesIO
from pathlib import Path
from shlex import quote
from typing import IO, Annotated, Any, cast

import typer

from hodgerank.cli.console import complaints, count, show_warnings
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
from hodgerank.cli.reading_options import reading_parameters, take_read_options
from hodgerank.cli.result import CommandResult
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.data.groups import VoteGroups
from hodgerank.data.reading.options import FILE_OPTIONS, ReadOptions
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.data.subsets import exclude_workers, keep_items_with, largest_component
from hodgerank.errors import DisconnectedGraph, InvalidArgument, InvalidComparisons
from hodgerank.graph.build import build_graph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import Item

READ = ("truth", "items", "pending", "exclude_workers")  # options that name an input file
VOTES = (
    "Votes: CSV or TSV (also gzipped), Excel, JSON lines or Parquet; patterns such as "
    "'votes/*.parquet'; - is standard input. Several files are read as one."
)


def answers(source: VoteSource) -> Comparisons:
    """Read every vote."""
    return source.answers()


def answers_or_edges(source: VoteSource) -> Comparisons | ComparisonGraph:
    """Read votes; reduce those of many files to edges unless more is needed."""
    if not source.is_lazy:
        return source.distinct_answers()
    return source.answers() if source.is_set("worker", "time", "unit") else build_graph(source)


def distinct_answers(source: VoteSource) -> Comparisons:
    """Read votes; reduce those of many files to the distinct votes of each worker."""
    return source.distinct_answers()


def answers_or_items(source: VoteSource) -> Comparisons:
    """Read votes, or a list of items without votes."""
    if source.is_set(*FILE_OPTIONS):
        return source.answers()  # reading options are only given for votes
    items, name = None, str(source.source)
    if isinstance(source.source, Path):
        if source.source.is_file():
            items = read_items(source.source)
    elif not isinstance(source.source, list):  # standard input can be read only once
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
    """Give a command whose first parameter is `votes` the file argument and the reading options.

    `on_groups` makes it a command on groups, for `--by`. The result is written here.
    """
    options = reading_parameters()
    own = list(signature(command, eval_str=True).parameters.values())[1:]
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
        reading = take_read_options(arguments)
        with telling_progress():
            doing(f"reading {', '.join(map(str, paths))}")
            source = _source(paths, reading, arguments)
            is_grouped = source.group is not None
            work = command if not is_grouped or arguments.get("compare") else on_groups(command)
            votes = source.groups() if is_grouped else reader(source)
            del source  # also releases the table, which may be large
            doing(f"analysing {count(votes.n_votes, 'vote')}")
            try:
                result = work(votes, **arguments)
            except DisconnectedGraph as error:
                by = None if error.split_by is None else f"--by {quote(error.split_by)} "
                notes = votes.report.notes  # the error says the same about that column
                show_warnings((n for n in notes if by is None or by not in n), complaints())
                raise
            if output is not None and not goes_to_standard_output(output):
                result.write(output)
            return result  # printed once the progress line is gone

    parameters = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in [files, *own, *options]]
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _source(paths: list[Path], reading: ReadOptions, arguments: dict[str, Any]) -> VoteSource:
    """Return the votes, not yet read; populations are read like groups."""
    real = [path.resolve() for path in paths if path != STANDARD_INPUT]
    twice = next((path for path in real if real.count(path) > 1), None)
    if twice is not None:
        raise InvalidArgument(f"{twice} is named twice: name each file once")
    files: Any = [file_or_input(path) for path in paths]
    source = VoteSource(files[0] if len(files) == 1 else files, reading)
    compare = arguments.get("compare")
    if compare is not None:
        if source.group is not None:
            raise InvalidArgument("--by and --compare cannot be combined: choose one")
        source = replace(source, options=replace(reading, group=compare))
    if arguments.get("state") is not None and source.n_tables > 1:
        raise InvalidArgument("--state recognises votes by their file: add one file at a time")
    return source


def _files(
    votes: list[Path], arguments: dict[str, Any]
) -> tuple[list[Path | None], list[Path | None]]:
    """Return the files that a command writes, and those that it reads."""
    written = [arguments.get(name) for name in ("output", "state")]
    named = [*votes, *(arguments.get(name) for name in READ)]
    names = arguments.get("exclude") or ()
    listed = [Path(name) for name in names if name and Path(name).is_file()]
    read = [None if path is None else Path(path) for path in named]
    return written, [Path("/dev/stdin") if p == STANDARD_INPUT else p for p in read] + listed


ExcludeWorkers = Annotated[
    str | None,
    typer.Option(
        help="Leave out workers with a warning (flagged), or those that a file lists.",
        metavar="flagged|FILE",
    ),
]


MinVotes = Annotated[
    int,
    typer.Option(min=0, metavar="N", show_default=False, help="Leave out items with fewer votes."),
]
LargestComponent = Annotated[
    bool,
    typer.Option("--largest-component", help="Keep the largest connected group."),
]


def workers_to_exclude(which: str | None, votes: Callable[[], Any]) -> list[Item]:
    """Return the workers to leave out: those flagged, or those of a list."""
    if which is None:
        return []
    if which != "flagged":
        return read_workers(Path(which))
    from hodgerank.estimators.workers.assess import assess_workers

    return list(assess_workers(votes()).flagged)


def selected(votes: Any, workers: list[Item], min_votes: int, largest: bool) -> Any:
    """Return the votes without the workers and items to leave out."""
    votes = exclude_workers(votes, workers) if workers else votes
    votes = keep_items_with(votes, min_votes) if min_votes else votes
    return largest_component(votes) if largest else votes


MOST_NOTES = 5  # on groups


def selected_groups(
    groups: VoteGroups, workers: list[Item], min_votes: int, largest: bool
) -> VoteGroups:
    """Return the groups without the workers and items to leave out, with notes on each.

    A group in which no votes are left stays, without votes, so that it is listed as not ranked.
    """
    parts, notes = {}, []
    for group, votes in groups.items():
        try:
            parts[group] = selected(votes, workers, min_votes, largest)
            said = parts[group].report.notes[len(votes.report.notes) :]
        except InvalidComparisons as problem:
            parts[group], said = votes.select([]), (str(problem),)
        notes += [f"{groups.column} {group}: {note}" for note in said]
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"... and {len(notes) - MOST_NOTES:,} more notes on groups"]
    report = replace(groups.report, notes=(*groups.report.notes, *notes))
    return replace(groups, parts=parts, report=report)
