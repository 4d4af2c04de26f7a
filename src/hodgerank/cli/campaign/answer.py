"""hodgerank campaign answer: a person compares pairs in a terminal."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hodgerank.cli.campaign.naming import Name, Where
from hodgerank.cli.exit_status import INTERRUPTED
from hodgerank.cli.interrupts import heed_interrupts
from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import CommandResult
from hodgerank.errors import InvalidArgument

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class AnswerResult(CommandResult):
    """What one worker did, and why it ended."""

    campaign: str
    worker: str
    n_saved: int
    n_undone: int
    n_skipped: int
    ended_by: str
    words: str
    as_json: bool
    written = None

    @property
    def exit_status(self) -> int:
        """Not 0 where Ctrl-C ended it."""
        return INTERRUPTED if self.ended_by == "interrupted" else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "campaign": self.campaign,
            "worker": self.worker,
            "n_saved": self.n_saved,
            "n_undone": self.n_undone,
            "n_skipped": self.n_skipped,
            "ended_by": self.ended_by,
            "words": self.words,
        }

    def show(self, console: "Console") -> None:
        """How many were saved, and how to go on."""
        from hodgerank.cli.console import count, verbatim

        console.print()
        also = {"taken back": self.n_undone, "skipped": self.n_skipped}
        more = "".join(f", {n:,} {what}" for what, n in also.items() if n)
        console.print(verbatim(f"{count(self.n_saved, 'answer')} of {self.worker} saved{more}"))
        words = self.words or "the same command goes on with the pair that was open"
        console.print(verbatim(words))


def answer(
    where: Where,
    worker: Annotated[
        str | None,
        typer.Option(help="Who answers; your login name if not given."),
    ] = None,
    name: Name = None,
    as_json: AsJson = False,
) -> AnswerResult:
    """Compare pairs in the terminal, with two keys; every answer is on disk before the next pair.

    Keys: 1 or left arrow, 2 or right arrow, 0 for a tie where that is an answer, then how much
    better where that is asked, s to skip, u to take back the last answer, q to quit. Where
    standard input is no terminal, each line is a key. Leave at any time: the open pair comes back.

    A file is written by one process at a time: while this runs, status, list and export can look
    on, and anything else is refused. For several people at once keep the campaign in PostgreSQL.

    Examples:
      hodgerank campaign answer campaign.db --worker ann

      hodgerank campaign answer postgresql://localhost/votes --worker bob

      hodgerank campaign answer campaign.db --worker script < keys.txt
    """
    from hodgerank.campaign.campaign import Campaign
    from hodgerank.cli.campaign.conversation import Conversation
    from hodgerank.cli.campaign.keys import keys_of_standard_input
    from hodgerank.cli.console import complaints, results
    from hodgerank.cli.standard_output import printing

    heed_interrupts()
    who = _login_name() if worker is None else worker
    with Campaign.open(where, name) as campaign:
        console = complaints() if as_json else results()
        talk = Conversation(campaign, who, keys_of_standard_input(), console)
        with printing():
            talk.hold()
        return AnswerResult(
            campaign=campaign.id,
            worker=who,
            n_saved=talk.n_saved,
            n_undone=talk.n_undone,
            n_skipped=talk.n_skipped,
            ended_by=talk.ended_by,
            words=talk.words,
            as_json=as_json,
        )


def _login_name() -> str:
    from getpass import getuser

    try:
        return getuser()
    except (KeyError, OSError, ImportError):
        raise InvalidArgument("say who answers: --worker NAME") from None
