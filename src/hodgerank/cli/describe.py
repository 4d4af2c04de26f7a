"""hodgerank describe: items, workers, coverage and display order of a file of votes."""

from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from hodgerank.cli.console import count, show_reading
from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import reads_votes
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.graph.description import Description, Spread
from hodgerank.graph.description import describe as describe_votes


@dataclass(frozen=True)
class DescribeResult(CommandResult):
    """A description, and how the votes were read."""

    description: Description
    report: ReadReport
    as_json: bool
    written = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        notes = list(self.report.notes)
        return {**self.report.to_dict(), "notes": notes, **self.description.to_dict()}

    def show(self, console: Console) -> None:
        """Print one fact per line."""
        show_reading(self.report, console)
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(style="bold")
        table.add_column()
        for name, value in _facts(self.description, self.report.margin_unit):
            table.add_row(name, value)
        console.print()
        console.print(table)


@reads_votes
def describe(
    votes: Comparisons,
    as_json: AsJson = False,
) -> DescribeResult:
    """Describe a file of votes: items, workers, coverage, display order.

    Examples:
      hodgerank describe votes.csv

      hodgerank describe votes.csv.gz --skip-invalid --json
    """
    return DescribeResult(describe_votes(votes), votes.report, as_json)


def _facts(d: Description, unit: str | None) -> list[tuple[str, str]]:
    anonymous = (
        (f", {count(d.anonymous_votes, 'vote')} without a worker") if d.anonymous_votes else ""
    )
    groups = "connected" if d.components == 1 else f"{d.components:,} disconnected groups"
    graded = f", {d.graded:,} graded" if d.margins is None else ""
    facts = [
        ("items", f"{d.items:,} ({groups})"),
        ("workers", f"{d.workers:,}{anonymous}" if d.workers else "not recorded"),
        ("votes", f"{d.votes:,} ({count(d.ties, 'tie')}{graded})"),
        (
            "pairs compared",
            f"{d.pairs_asked:,} of {d.pairs_possible:,} ({d.coverage:.1%} coverage)",
        ),
        ("votes per pair", f"{_spread(d.votes_per_pair)}; {d.unanimous_pairs:,} unanimous"),
        ("votes per item", _spread(d.votes_per_item)),
    ]
    if d.margins is not None:
        least, most, middle = d.margins.least, d.margins.most, d.margins.median
        facts.insert(3, ("margins", f"{least:,.6g} to {most:,.6g}, median {middle:,.6g} ({unit})"))
    if d.votes_per_worker is not None:
        facts.append(("votes per worker", _spread(d.votes_per_worker)))
    order = d.display_order
    if order is None:
        facts.append(("display order", "not recorded: position bias cannot be estimated"))
        return facts
    if order.left_preferred is not None:
        left = f"{order.left_preferred:.1%} ± {order.left_preferred_stderr:.1%}"
        facts.append(("left preferred", f"{left} of votes without ties"))
    if order.both_orders is not None:
        both = f"{order.both_orders:.1%} of the pairs with several votes"
        facts.append(("shown in both orders", both))
    if order.most_one_sided is not None:
        side = f"{order.most_one_sided:.1%} of its appearances on one side"
        facts.append(("most one-sided item", side))
    return facts


def _spread(spread: Spread) -> str:
    return f"{spread.least:,.0f} to {spread.most:,.0f}, median {spread.median:,.1f}"
