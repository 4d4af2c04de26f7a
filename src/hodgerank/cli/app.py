"""The table of commands; only the command that is called is imported.

`Commands` is a Typer group that lists its commands from the table with their summaries. When a
command is called, or a shell completes its options, the group imports its module and replaces the
placeholder with the real command.
"""

from __future__ import annotations

import gc
from importlib import import_module
from shutil import get_terminal_size
from typing import Annotated, Any, ClassVar, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from hodgerank import __version__
from hodgerank.cli.conversion import simply_converted
from hodgerank.cli.outputs import printing
from hodgerank.cli.reading_options import VoteCommand, reading_page
from hodgerank.cli.result import CommandResult

ROOM_FOR_PANELS = 80  # columns; a narrower terminal would cut the names of options
HELP, READING = "help", "reading"
ABOUT_HELP = "Show the help of a command; `help reading` explains how files are read."


class Row(NamedTuple):
    """One command: its module, its summary in the list, and its function.

    Attributes
    ----------
    function
        Name of the function, if it differs from the name of the command.
    help_if_bare
        Whether the command shows its help when it is called without arguments.
    """

    module: str
    summary: str
    function: str = ""
    help_if_bare: bool = True


class Commands(TyperGroup):
    """A group whose commands are imported one at a time."""

    table: ClassVar[dict[str, Row]]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        listed = {
            name: TyperCommand(name, help=row.summary, rich_markup_mode=self.rich_markup_mode)
            for name, row in self.table.items()
        }
        self.commands = {**listed, **self.commands}
        self._loaded: set[str] = set()

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, converted without pydantic."""
        return simply_converted(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find and import the command that is called."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, None if command is None or name is None else self.load(name), rest

    def load(self, name: str) -> Any:
        """Import a command."""
        if name in self.table and name not in self._loaded:
            row = self.table[name]
            module = _imported(f"hodgerank.cli.{row.module}")
            single = typer.Typer(
                add_completion=False,
                pretty_exceptions_enable=False,
                rich_markup_mode=self.rich_markup_mode,
            )
            function = getattr(module, row.function or name)
            single.command(name, cls=VoteCommand, no_args_is_help=row.help_if_bare)(function)
            self.commands[name] = typer.main.get_command(single)
            self._loaded.add(name)
        return self.commands[name]


def _imported(name: str) -> Any:
    """Import a module with garbage collection off, which would only cost time here."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return import_module(name)
    finally:
        if is_collecting:
            gc.enable()


MAIN_TABLE = {
    "rank": Row("rank", "Rank the items of a file of votes."),
    "trust": Row("trust", "Assess how far the ranking can be trusted."),
    "report": Row("report", "Write a report: the answer on one page, then everything it rests on."),
    "plan": Row(
        "plan",
        "Choose the next pairs to compare, most informative first.",
    ),
    "judge": Row("judge", "Rank texts, images or model outputs with language models as judges."),
    "agree": Row(
        "agree",
        "Compare the votes of a judge with those of people on the same questions.",
    ),
    "replay": Row(
        "replay",
        "Replay recorded votes: how fast each strategy finds the ranking.",
    ),
    "workers": Row(
        "workers",
        "Assess the workers: position bias, agreement, outliers, reliability.",
    ),
    "groups": Row(
        "preference_groups",
        "Find groups of workers with different tastes.",
        "groups",
    ),
    "outliers": Row("outliers", "List the votes that the common ranking does not explain."),
    "winners": Row("winners", "Show what would have to change for another item to be first."),
    "describe": Row(
        "describe", "Describe a file of votes: items, workers, coverage, display order."
    ),
    "convert": Row("convert", "Convert a file of votes to another format or layout."),
    "simulate": Row(
        "simulate",
        "Simulate votes of honest and careless workers on items with known scores.",
    ),
    "demo": Row(
        "demo",
        "Show the whole of it on a simulated crowd: votes, ranking, workers, report.",
        help_if_bare=False,
    ),
    "serve": Row(
        "serve",
        "Run voting campaigns in the browser.",
        help_if_bare=False,
    ),
    "reproduce": Row(
        "reproduce",
        "Reproduce the figures and tables of the HodgeRank paper.",
        help_if_bare=False,
    ),
    "doctor": Row(
        "doctor",
        "Check this installation: versions, compiler, data sets, extras, terminal.",
        help_if_bare=False,
    ),
}
CAMPAIGN_TABLE = {
    "new": Row(
        "campaign.new",
        "Create a campaign from items and a question.",
    ),
    "answer": Row(
        "campaign.answer",
        "Compare pairs in the terminal.",
    ),
    "judge": Row(
        "campaign.judge",
        "Let language models answer as workers of a campaign.",
    ),
    "status": Row(
        "campaign.status",
        "Show the progress and the ranking of a campaign.",
    ),
    "list": Row(
        "campaign.list_campaigns",
        "List the campaigns in a file or database.",
        "list_campaigns",
    ),
    "export": Row(
        "campaign.import_export",
        "Export the votes or the complete log.",
    ),
    "import": Row(
        "campaign.import_export",
        "Create a campaign from an exported log, or import votes into one.",
        "import_file",
    ),
    "settings": Row("campaign.settings", "Show or change the settings of a campaign."),
    "add": Row(
        "campaign.manage",
        "Add items from a file or folder.",
    ),
    "retire": Row(
        "campaign.manage", "Retire items: they are not asked about any more, and their votes stay."
    ),
    "unretire": Row("campaign.manage", "Ask about retired items again."),
    "ban": Row(
        "campaign.manage",
        "Ban a worker: no more tasks, and their votes do not count.",
    ),
    "restore": Row("campaign.manage", "Lift a ban: the votes of the worker count again."),
    "pause": Row(
        "campaign.manage",
        "Pause a campaign: no new tasks; answers to tasks in progress are accepted.",
    ),
    "resume": Row("campaign.manage", "Resume a paused campaign."),
    "reset": Row(
        "campaign.manage",
        "Discard all votes and start again; items, settings, bans and the log stay.",
    ),
    "close": Row(
        "campaign.manage",
        "Close a campaign permanently; it can still be read and exported.",
    ),
}


class MainCommands(Commands):
    """The commands `hodgerank ...`, and `hodgerank help ...`, which prints what --help prints."""

    table = MAIN_TABLE

    def list_commands(self, ctx: Any) -> list[str]:
        """List the commands and `help`."""
        return [*super().list_commands(ctx), HELP]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command as listed."""
        if cmd_name == HELP:
            return TyperCommand(HELP, help=ABOUT_HELP, rich_markup_mode=self.rich_markup_mode)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is called; for `help`, print a page or call it with --help."""
        if args[0] != HELP:
            return super().resolve_command(ctx, args)
        if ctx.resilient_parsing:  # a shell completes the arguments of help
            return HELP, self, args[1:]
        if args[1:] not in ([], [READING]):
            return super().resolve_command(ctx, [*args[1:], "--help"])
        page = ctx
        if args[1:]:
            page = reading_page(self.rich_markup_mode).make_context("COMMAND", [], parent=ctx)
        typer.echo(page.get_help())
        return ctx.exit()


class CampaignCommands(Commands):
    """The commands `hodgerank campaign ...`."""

    table = CAMPAIGN_TABLE


def _print_result(result: CommandResult, **_: Any) -> None:
    with printing():
        result.print()
    result.conclude()
    if result.exit_status:
        raise typer.Exit(result.exit_status)


app = typer.Typer(
    name="hodgerank",
    cls=MainCommands,
    help="Ranking by pairwise comparison: rank items, assess how far the ranking can be trusted, "
    "and choose the next pair to ask.",
    epilog="Exit status: 0 success, 2 usage error, 3 invalid input or output cannot be written, "
    "4 the ranking is not unique, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if get_terminal_size().columns >= ROOM_FOR_PANELS else None,
    result_callback=_print_result,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(
    typer.Typer(
        name="campaign",
        cls=CampaignCommands,
        help="Create and manage voting campaigns.",
        no_args_is_help=True,
    )
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
