"""The options by which every command that takes votes reads them."""

import sys
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons
    from hodgerank.graph.comparison_graph import ComparisonGraph

Result = TypeVar("Result")
PANEL = "Reading the file"


class OutcomeAs(StrEnum):
    """What the outcome column holds."""

    number = "number"
    word = "word"
    item = "item"


VOTES = (
    "Votes: CSV or TSV, also gzipped; Parquet, also as 'votes/*.parquet'; JSON lines; - is CSV on "
    "standard input."
)


def _option(help_text: str, *names: str, **settings: Any) -> Any:
    return typer.Option(
        *names, help=help_text, rich_help_panel=PANEL, show_default=False, **settings
    )


def read(
    file: Path,
    left: Annotated[str | None, _option("Column of the item shown left.")] = None,
    right: Annotated[str | None, _option("Column of the item shown right.")] = None,
    outcome: Annotated[str | None, _option("Column of the answer.")] = None,
    winner: Annotated[str | None, _option("Column of the preferred item.")] = None,
    loser: Annotated[str | None, _option("Column of the other item.")] = None,
    worker: Annotated[str | None, _option("Column of who answered.")] = None,
    weight: Annotated[str | None, _option("Column of the answers' weights.")] = None,
    time: Annotated[str | None, _option("Column of when it was answered.")] = None,
    outcome_as: Annotated[OutcomeAs | None, _option("What the outcome column holds.")] = None,
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
) -> "Comparisons":
    """Read votes as the options say."""
    from hodgerank.data.read import read_comparisons

    source = sys.stdin.buffer if str(file) == "-" else file
    names = {"left": left, "right": right, "outcome": outcome, "winner": winner, "loser": loser,
             "worker": worker, "weight": weight, "time": time}  # fmt: skip
    return read_comparisons(
        source,
        **names,
        outcome_as=None if outcome_as is None else outcome_as.value,
        scale=scale,
        display_known=False if display_unknown else None,
        skip_invalid=skip_invalid,
        encoding=encoding,
        separator=separator,
    )


def votes_or_edges(**reading: Any) -> "Comparisons | ComparisonGraph":
    """Votes; those in many files reduced to edges, unless a worker or a time is asked for."""
    from hodgerank.data.files import File
    from hodgerank.data.read import read_pieces
    from hodgerank.graph.tally import graph_of_pieces

    wants_answers = reading["worker"] is not None or reading["time"] is not None
    if wants_answers or not _is_many(reading["file"]):
        return read(**reading)
    file = File(reading["file"])
    return graph_of_pieces(read_pieces(file, **_of_tables(reading)), file.name)


def distinct_votes(**reading: Any) -> "Comparisons":
    """Votes; those in many files reduced to distinct answers of each worker."""
    from hodgerank.data.files import File
    from hodgerank.data.read import reduce_frame

    if not _is_many(reading["file"]):
        return read(**reading)
    file = File(reading["file"])
    return reduce_frame(file.open().lazy, by_worker=True, name=file.name, **_of_tables(reading))


def _is_many(file: Path) -> bool:
    from hodgerank.data.files import File

    return str(file) != "-" and File(file).is_many


def _of_tables(reading: dict[str, Any]) -> dict[str, Any]:
    """The options that tables with typed columns have."""
    of_text = {"file", "time", "encoding", "separator", "display_unknown"}
    outcome_as = reading["outcome_as"]
    return {name: value for name, value in reading.items() if name not in of_text} | {
        "outcome_as": None if outcome_as is None else outcome_as.value,
        "display_known": False if reading["display_unknown"] else None,
    }


def count_answers(votes: "Comparisons | ComparisonGraph") -> int:
    """How many there are."""
    return votes.n_answers


def votes_or_items(**reading: Any) -> "Comparisons":
    """Votes, or no votes on the items of a list."""
    from hodgerank.cli.items import read_items
    from hodgerank.data.comparisons import Comparisons, ReadReport

    items = read_items(reading["file"])
    if items is None:
        return read(**reading)
    report = ReadReport(source=str(reading["file"]), layout="a list of items", rows=len(items))
    nothing: Any = []
    return Comparisons(tuple(items), nothing, nothing, nothing, report=report)


def reads_votes(
    command: Callable[..., Result],
    reader: Callable[..., "Comparisons | ComparisonGraph"] = read,
    about_file: str = VOTES,
) -> Callable[..., Result]:
    """Give a command whose first parameter is `votes` the file argument and reading options."""
    options = [p for p in signature(read).parameters.values() if p.name != "file"]
    own = list(signature(command).parameters.values())[1:]
    argument = typer.Argument(metavar="FILE", help=about_file, show_default=False)
    file = Parameter("file", Parameter.KEYWORD_ONLY, annotation=Annotated[Path, argument])

    @wraps(command)
    def run(**arguments: Any) -> Result:
        from rich.console import Console

        reading = {p.name: arguments.pop(p.name) for p in [file, *options]}
        with Console(stderr=True).status(f"reading {reading['file']}") as status:
            votes = reader(**reading)
            status.update(f"computing with {count_answers(votes):,} answers")
            return command(votes, **arguments)

    parameters = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in [file, *own, *options]]
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run
