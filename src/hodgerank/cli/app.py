"""The commands: a table of them, of which only the one that is called is imported.

`Commands` is a group of Typer that lists its commands from the table, with the first sentence of
their help. When one is called, or a shell completes its options, the group imports its module and
puts the command made of its function in place of the line.
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

ROOM_FOR_PANELS = 80  # columns; in fewer, panels cut the names of options
HELP, READING = "help", "reading"
ABOUT_HELP = "Show the help of a command; help reading: how files of votes are read."


class Row(NamedTuple):
    """A command: the module and function that run it, and what the list of commands says of it.

    Attributes
    ----------
    function
        Its name, if that is not the name of the command.
    help_if_bare
        Whether the command shows its help where it is called without a word.
    """

    module: str
    summary: str
    function: str = ""
    help_if_bare: bool = True


class Commands(TyperGroup):
    """Commands of a table, imported one at a time."""

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
        """Give the parameters, which do without pydantic."""
        return simply_converted(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is called, and import it."""
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
    """Import a module without looking for garbage meanwhile: there is none, and much to look at."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return import_module(name)
    finally:
        if is_collecting:
            gc.enable()


MAIN_TABLE = {
    "rank": Row("rank", "Rank the items of a file of votes."),
    "trust": Row("trust", "Say how far a ranking of these votes can be trusted."),
    "report": Row(
        "report", "Write a report: the answer in three sentences, then everything behind it."
    ),
    "plan": Row(
        "plan",
        "Plan the next pairs to ask, best first, from the votes so far or from a list of items.",
    ),
    "judge": Row(
        "judge", "Rank anything with language models as judges: a few hundred calls, and a report."
    ),
    "replay": Row(
        "replay",
        "Replay a campaign on recorded votes: Kendall's tau against the number of answers.",
    ),
    "workers": Row(
        "workers",
        "Assess each worker: position bias, agreement with the others, outliers, ties, "
        "reliability.",
    ),
    "outliers": Row(
        "outliers", "List the answers that a common ranking cannot explain, most outlying first."
    ),
    "describe": Row(
        "describe", "Describe a file of votes: items, workers, coverage, balance, display order."
    ),
    "simulate": Row(
        "simulate",
        "Simulate votes of a crowd, honest or not, on items whose true scores are known.",
    ),
    "demo": Row(
        "demo",
        "Show the whole of it on a simulated crowd: votes, ranking, workers, report.",
        help_if_bare=False,
    ),
    "serve": Row(
        "serve",
        "Show campaigns in a browser: create them, share a link, watch the ranking settle.",
        help_if_bare=False,
    ),
    "reproduce": Row(
        "reproduce",
        "Regenerate the figures and tables of HodgeRank with Information Maximization.",
        help_if_bare=False,
    ),
    "doctor": Row(
        "doctor",
        "Look at this installation: versions, compiler, its cache, data sets, extras, terminal.",
        help_if_bare=False,
    ),
}
CAMPAIGN_TABLE = {
    "new": Row(
        "campaign.new",
        "Begin a campaign: items, a question, and a place where every answer is kept.",
    ),
    "answer": Row(
        "campaign.answer",
        "Compare pairs in the terminal, with two keys; every answer is on disk before the "
        "next pair.",
    ),
    "judge": Row(
        "campaign.judge",
        "Let language models answer, each as a worker of its own name, until there is no "
        "task for it.",
    ),
    "status": Row(
        "campaign.status",
        "Say whether the answers are enough yet, and show the ranking with its intervals.",
    ),
    "list": Row(
        "campaign.list_campaigns",
        "List the campaigns of a file or a database, also while another process collects.",
        "list_campaigns",
    ),
    "export": Row(
        "campaign.import_export",
        "Write the votes that count, for any other command, or the log, which holds everything.",
    ),
    "import": Row(
        "campaign.import_export",
        "Make a campaign of a log that was exported, or count votes that were collected elsewhere.",
        "import_file",
    ),
    "settings": Row(
        "campaign.settings", "Show the settings of a campaign, or change some of them from now on."
    ),
    "add": Row(
        "campaign.manage",
        "Let items join: all of a file or folder, or none where one of them is there already.",
    ),
    "retire": Row(
        "campaign.manage", "Ask no more about items; their answers stay, and unretire undoes it."
    ),
    "unretire": Row("campaign.manage", "Ask about retired items again."),
    "ban": Row(
        "campaign.manage",
        "Give a worker no more tasks, and count none of their answers; restore undoes it.",
    ),
    "restore": Row("campaign.manage", "Lift a ban: the answers of the worker count again."),
    "pause": Row(
        "campaign.manage",
        "Give out no more tasks for now; answers to those that are out are still taken.",
    ),
    "resume": Row("campaign.manage", "Give out tasks again, after a pause."),
    "reset": Row(
        "campaign.manage",
        "Begin anew: votes go; items, settings and bans stay, and so does the log.",
    ),
    "close": Row(
        "campaign.manage",
        "End a campaign for good: it takes no more answers; what it has can be looked at "
        "and exported.",
    ),
}


class MainCommands(Commands):
    """The commands `hodgerank ...`, and `hodgerank help ...`, which shows what --help shows."""

    table = MAIN_TABLE

    def list_commands(self, ctx: Any) -> list[str]:
        """List the commands, and what explains them."""
        return [*super().list_commands(ctx), HELP]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command as the list shows it."""
        if cmd_name == HELP:
            return TyperCommand(HELP, help=ABOUT_HELP, rich_markup_mode=self.rich_markup_mode)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is called; for help, print a page or call the command for it."""
        if args[0] != HELP:
            return super().resolve_command(ctx, args)
        if ctx.resilient_parsing:  # a shell completes what help is about
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
app.add_typer(
    typer.Typer(
        name="campaign",
        cls=CampaignCommands,
        help="Collect votes that nothing can lose: begin a campaign, answer, look on, export.",
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
