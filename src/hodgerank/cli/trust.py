"""hodgerank trust: how far the ranking can be trusted, on one screen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hodgerank.cli.result import CommandResult
from hodgerank.cli.votes import reads_votes

if TYPE_CHECKING:
    from rich.console import Console

    from hodgerank.data.comparisons import Comparisons
    from hodgerank.estimators.trust import TrustReport


@dataclass(frozen=True)
class TrustResult(CommandResult):
    """A trust report, as the command shows it."""

    report: "TrustReport"
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return self.report.to_dict()

    def show(self, console: "Console") -> None:
        """The whole story on one screen."""
        from hodgerank.cli.trust_screen import show_trust

        show_trust(self.report, console)


@reads_votes
def trust(
    votes: "Comparisons",
    top: Annotated[int, typer.Option(min=0, help="How many triangles, loops and workers.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> TrustResult:
    """Say how far a ranking of these votes can be trusted.

    Splits the votes into position bias, disagreement on the same pair, the ranking, cycles of three
    and longer loops, each beside what noise alone would give; names the worst triangles and
    loops, and counts outlying answers and workers to look at.

    Examples:
      hodgerank trust votes.csv

      hodgerank trust votes.csv --json | jq .verdict
    """
    from hodgerank.estimators.trust import assess_trust

    return TrustResult(assess_trust(votes, n_shown=top), as_json)
