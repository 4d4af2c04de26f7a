"""Options for reading votes, made from the fields of `ReadOptions`.

Every command that takes votes has them. They would fill a screen of each help, so `VoteCommand`
leaves them out and points to `hodgerank help reading`, which prints `reading_page`.
"""

from __future__ import annotations

from dataclasses import fields
from inspect import Parameter, Signature
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from hodgerank.cli.conversion import simply_converted
from hodgerank.data.reading.options import ReadOptions

PANEL = "Reading the file"
POINTER = "Options for columns, formats and rows: hodgerank help reading"


class VoteCommand(TyperCommand):
    """A command whose help leaves out the options for reading."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        if any(map(_is_about_reading, self.params)):
            self.epilog = POINTER

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, converted without pydantic where possible."""
        return simply_converted(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Hide the options while help is printed; shells still complete them."""
        options: list[Any] = [option for option in self.params if _is_about_reading(option)]
        for option in options:
            option.hidden = True
        try:
            super().format_help(ctx, formatter)
        finally:
            for option in options:
                option.hidden = False


def _is_about_reading(option: Any) -> bool:
    return getattr(option, "rich_help_panel", None) == PANEL


def reading_parameters() -> list[Parameter]:
    """Return the options as parameters of a command."""
    kinds = get_type_hints(ReadOptions)
    found = []
    for field in fields(ReadOptions):
        option = typer.Option(
            _flag(field),
            help=field.metadata["help"],
            metavar=field.metadata["metavar"],
            rich_help_panel=PANEL,
            show_default=False,
        )
        found.append(
            Parameter(
                _name(_flag(field)), Parameter.KEYWORD_ONLY, default=None,
                annotation=Annotated[_kind(field, kinds), option],
            )
        )  # fmt: skip
    return found


def take_read_options(arguments: dict[str, Any]) -> ReadOptions:
    """Take the reading options out of the arguments."""
    return ReadOptions(
        **{field.name: arguments.pop(_name(_flag(field))) for field in fields(ReadOptions)}
    )


def _kind(field: Any, kinds: dict[str, Any]) -> Any:
    return list[str] | None if field.metadata["is_repeatable"] else kinds[field.name]


def _flag(field: Any) -> str:
    return field.metadata["flag"] or f"--{field.name.replace('_', '-')}"


def _name(flag: str) -> str:
    """Return the name of a parameter: keep_na for --keep-na and --no-keep-na."""
    return flag.partition("/")[0].removeprefix("--").replace("-", "_")


def reading_page(rich_markup_mode: Any) -> Any:
    """Return a command that exists only for its help."""

    def reading(**_: Any) -> None:
        """Options for reading votes, accepted by every command that takes votes.

        Most files need none. Columns are recognised by their names (left, right, outcome; winner,
        loser; model_a, model_b, winner ...), and the first line of the output names them. If they
        are not recognised, name them with these options. Keep the options of votes.csv in
        votes.toml beside it, one per line, such as scale = [1, 7].

        Examples:
          hodgerank rank matches.csv --winner victor --loser opponent

          hodgerank rank survey.csv --left A --right B --outcome grade --scale 1 7

          hodgerank workers votes.csv --worker annotator --where "seconds > 2"

          hodgerank rank scenes.csv --by scene

          hodgerank rank quality.csv --left type1+level1 --right type2+level2

          hodgerank rank games.csv --outcome points_a-points_b

          hodgerank rank games.csv --margin points_a-points_b

          hodgerank rank trials.csv --map f=left --map j=right --skip timeout

          hodgerank rank votes.txt --no-header --left 1 --right 2 --outcome 3
        """

    parameters = reading_parameters()
    reading.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    reading.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    single = typer.Typer(add_completion=False, rich_markup_mode=rich_markup_mode)
    single.command("reading", add_help_option=False, options_metavar="FILE... [OPTIONS]")(reading)
    return typer.main.get_command(single)
