"""The options by which every command that takes votes reads them."""

import sys
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons
    from hodgerank.data.reading.options import ReadOptions
    from hodgerank.data.reading.source import VoteSource
    from hodgerank.graph.comparison_graph import ComparisonGraph

Result = TypeVar("Result")
PANEL = "Reading the file"
VOTES = (
    "Votes: CSV or TSV, also gzipped; Parquet, also as 'votes/*.parquet'; JSON lines; - is CSV on "
    "standard input."
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
    time: Annotated[str | None, _option("Column of when it was answered.")] = None,
    outcome_as: Annotated[
        Literal["number", "word", "item"] | None, _option("What the outcome column holds.")
    ] = None,
    scale: Annotated[
        tuple[float, float],
        _option(
            "Numbers for 'right is best' and 'left is best', e.g. --scale 1 7.", metavar="LOW HIGH"
        ),
    ] = (-1.0, 1.0),
    display_unknown: Annotated[
        bool, _option("Left and right are not where they were shown.", "--display-unknown")
    ] = False,
    skip_invalid: Annotated[
        bool, _option("Drop and count rows that cannot be used.", "--skip-invalid")
    ] = False,
    encoding: Annotated[str | None, _option("Text encoding, if not UTF-8.")] = None,
    separator: Annotated[str | None, _option("Column separator, if not found out.")] = None,
) -> "ReadOptions":
    """What the command line says about reading."""
    from hodgerank.data.reading.options import ReadOptions

    return ReadOptions(
        left, right, outcome, winner, loser, worker, weight, time, outcome_as, scale,
        False if display_unknown else None, skip_invalid, encoding, separator,
    )  # fmt: skip


def answers(source: "VoteSource") -> "Comparisons":
    """Read every answer."""
    return source.answers()


def answers_or_edges(source: "VoteSource") -> "Comparisons | ComparisonGraph":
    """Answers; those of many files reduced to edges, unless a worker or a time is asked for."""
    from hodgerank.graph.building import build_graph

    asks_for_answers = source.options.worker is not None or source.options.time is not None
    return source.answers() if asks_for_answers or not source.is_lazy else build_graph(source)


def distinct_answers(source: "VoteSource") -> "Comparisons":
    """Answers; those of many files reduced to distinct answers of each worker."""
    return source.distinct_answers()


def answers_or_items(source: "VoteSource") -> "Comparisons":
    """Answers, or no answers on the items of a list."""
    from hodgerank.cli.lists import read_items
    from hodgerank.data.comparisons import Comparisons, ReadReport

    path = source.source
    items = read_items(path) if isinstance(path, Path) else None
    if items is None:
        return source.answers()
    report = ReadReport(source=str(path), layout="a list of items", rows=len(items))
    nothing: Any = []
    return Comparisons(tuple(items), nothing, nothing, nothing, report=report)


def reads_votes(
    command: Callable[..., Result],
    reader: "Callable[[VoteSource], Comparisons | ComparisonGraph]" = answers,
    about_file: str = VOTES,
) -> Callable[..., Result]:
    """Give a command whose first parameter is `votes` the file argument and reading options."""
    options = list(signature(read_options).parameters.values())
    own = list(signature(command).parameters.values())[1:]
    argument = typer.Argument(metavar="FILE", help=about_file, show_default=False)
    file = Parameter("file", Parameter.KEYWORD_ONLY, annotation=Annotated[Path, argument])

    @wraps(command)
    def run(**arguments: Any) -> Result:
        from rich.console import Console

        from hodgerank.data.reading.source import VoteSource

        path = arguments.pop("file")
        reading = read_options(**{p.name: arguments.pop(p.name) for p in options})
        source = VoteSource(sys.stdin.buffer if str(path) == "-" else path, reading)
        with Console(stderr=True).status(f"reading {path}") as status:
            votes = reader(source)
            status.update(f"computing with {votes.n_answers:,} answers")
            return command(votes, **arguments)

    parameters = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in [file, *own, *options]]
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run
