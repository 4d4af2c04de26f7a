"""The list of commands."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import Annotated, Any

import typer

from hodgerank import __version__
from hodgerank.cli.campaign.app import campaign
from hodgerank.cli.describe import describe
from hodgerank.cli.doctor import doctor
from hodgerank.cli.judge import judge
from hodgerank.cli.outliers import outliers
from hodgerank.cli.outputs import printing
from hodgerank.cli.plan import plan
from hodgerank.cli.rank import rank
from hodgerank.cli.replay import replay
from hodgerank.cli.report import report
from hodgerank.cli.reproduce import reproduce
from hodgerank.cli.result import CommandResult
from hodgerank.cli.serve import serve
from hodgerank.cli.simulate import simulate
from hodgerank.cli.trust import trust
from hodgerank.cli.workers import workers

ROOM_FOR_PANELS = 80  # columns; in fewer, panels cut the names of options


def _print_result(result: CommandResult, **_: Any) -> None:
    with printing():
        result.print()
    result.conclude()
    if result.exit_status:
        raise typer.Exit(result.exit_status)


app = typer.Typer(
    name="hodgerank",
    help="Ranking by pairwise comparison: find the ranking, say how far it can be trusted, and "
    "choose the next pair to ask.",
    epilog="Exit status: 0 success, 2 wrong usage, 3 bad input or no room for the output, "
    "4 the ranking is not unique, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if get_terminal_size().columns >= ROOM_FOR_PANELS else None,
    result_callback=_print_result,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hodgerank {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


for command in (rank, trust, report, plan, judge, replay, workers, outliers, describe, simulate):
    app.command(no_args_is_help=True)(command)
for command in (serve, reproduce, doctor):
    app.command()(command)
app.add_typer(campaign)
