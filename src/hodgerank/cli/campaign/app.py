"""The list of the commands of campaigns."""

from __future__ import annotations

from collections.abc import Callable

import typer

from hodgerank.cli.campaign.answer import answer
from hodgerank.cli.campaign.import_export import export, import_file
from hodgerank.cli.campaign.judge import judge
from hodgerank.cli.campaign.list_campaigns import list_campaigns
from hodgerank.cli.campaign.manage import (
    add,
    ban,
    close,
    pause,
    reset,
    restore,
    resume,
    retire,
    unretire,
)
from hodgerank.cli.campaign.new import new
from hodgerank.cli.campaign.settings import settings
from hodgerank.cli.campaign.status import status
from hodgerank.cli.result import CommandResult

campaign = typer.Typer(
    name="campaign",
    help="Collect votes that nothing can lose: begin a campaign, answer, look on, export.",
    no_args_is_help=True,
)
COMMANDS: dict[str, Callable[..., CommandResult]] = {
    "new": new,
    "answer": answer,
    "judge": judge,
    "status": status,
    "list": list_campaigns,
    "export": export,
    "import": import_file,
    "settings": settings,
    "add": add,
    "retire": retire,
    "unretire": unretire,
    "ban": ban,
    "restore": restore,
    "pause": pause,
    "resume": resume,
    "reset": reset,
    "close": close,
}
for name, command in COMMANDS.items():
    campaign.command(name, no_args_is_help=True)(command)
