"""What a command says that changed something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hodgerank.cli.result import CommandResult

if TYPE_CHECKING:
    from rich.console import Console

    from hodgerank.campaign.campaign import Campaign


@dataclass(frozen=True)
class Done(CommandResult):
    """A sentence, and the same as plain values."""

    words: str
    content: dict[str, Any]
    as_json: bool
    written = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return self.content

    def show(self, console: Console) -> None:
        """The sentence."""
        from hodgerank.cli.console import verbatim

        console.print(verbatim(self.words))


def done(campaign: Campaign, words: str, as_json: bool, **more: Any) -> Done:
    """What was done to a campaign."""
    name, database = campaign.id, campaign.database.name
    content = {"campaign": name, "database": database, "status": campaign.counts.status, **more}
    return Done(words, content, as_json)
