"""hodgerank describe: what a file of votes covers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hodgerank.cli.reading import reads_votes

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons, ReadReport
    from hodgerank.graph.description import Description


@dataclass(frozen=True)
class DescribeResult:
    """A description and how the votes were read."""

    description: "Description"
    report: "ReadReport"
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        return {"layout": self.report.layout, **self.description.to_dict()}


@reads_votes
def describe(
    votes: "Comparisons",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> DescribeResult:
    """Describe a file of votes: items, workers, coverage, balance, display order.

    Examples:
      hodgerank describe votes.csv

      hodgerank describe votes.csv.gz --skip-invalid --json
    """
    from hodgerank.graph.description import describe as describe_votes

    return DescribeResult(describe_votes(votes), votes.report, as_json)
