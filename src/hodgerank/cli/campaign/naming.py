"""How every command names a campaign: where it is, and which of several."""

import shlex
from typing import Annotated

import typer

DEFAULT_NAME = "campaign"
Where = Annotated[
    str,
    typer.Argument(
        metavar="CAMPAIGN",
        help="The file of the campaign, or a postgresql:// address.",
        show_default=False,
    ),
]
Name = Annotated[
    str | None, typer.Option("--name", metavar="ID", help="Which one, if there are several.")
]


def command_line(command: str, database: str, name: str, *more: str) -> str:
    """A command to go on with, ready for a shell."""
    which = [] if name == DEFAULT_NAME else ["--name", name]
    return shlex.join(["hodgerank", "campaign", command, database, *which, *more])
