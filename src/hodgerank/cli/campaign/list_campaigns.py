"""hodgerank campaign list: the campaigns in a file or database."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rich.console import Console

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.database import Database
from hodgerank.campaign.summaries import Counts
from hodgerank.cli.campaign.arguments import Where
from hodgerank.cli.campaign.output import when
from hodgerank.cli.console import add_names, add_numbers, plain_table, show_table, verbatim
from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import CommandResult


@dataclass(frozen=True)
class ListResult(CommandResult):
    """Campaigns with their counts, oldest first."""

    database: str
    campaigns: dict[str, Counts]
    as_json: bool
    written = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        rows = [
            {
                "campaign": name,
                "status": counts.status,
                "n_items": counts.n_items,
                "n_votes": counts.n_votes,
                "budget": counts.budget,
                "n_workers": counts.n_workers,
                "last_activity": datetime.fromtimestamp(counts.at, UTC).isoformat(),
            }
            for name, counts in self.campaigns.items()
        ]
        return {"database": self.database, "campaigns": rows}

    def show(self, console: Console) -> None:
        """Print a line for each campaign."""
        if not self.campaigns:
            console.print(verbatim(f"no campaigns in {self.database}"))
            return
        table = plain_table()
        add_names(table, "campaign")
        table.add_column("status")
        add_numbers(table, "items", "votes", "budget", "workers", "last activity")
        for name, counts in self.campaigns.items():
            table.add_row(
                verbatim(name),
                counts.status,
                f"{counts.n_items:,}",
                f"{counts.n_votes:,}",
                "-" if counts.budget is None else f"{counts.budget:,}",
                f"{counts.n_workers:,}",
                when(counts.at),
            )
        show_table(table, console, spare=("workers", "items", "budget", "last activity"))


def list_campaigns(where: Where, as_json: AsJson = False) -> ListResult:
    """List the campaigns in a file or database.

    Examples:
      hodgerank campaign list campaign.db
    """
    with Database(where, read_only=True) as database:
        campaigns = {name: Campaign(database, name).counts for name in database.campaigns()}
        return ListResult(database.name, campaigns, as_json)
