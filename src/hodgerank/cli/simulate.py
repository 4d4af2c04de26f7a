"""hodgerank simulate: votes of an imaginary crowd."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hodgerank.cli.models import Link
from hodgerank.cli.outputs import TABLES, keep_apart, output_option
from hodgerank.cli.result import CommandResult
from hodgerank.cli.standard_output import printing

if TYPE_CHECKING:
    from rich.console import Console

    from hodgerank.data.comparisons import Comparisons

BYTES_OF_A_ROW = 125  # of the table that is written, measured


@dataclass(frozen=True)
class SimulateResult(CommandResult):
    """What was simulated and where it went."""

    votes: "Comparisons"
    written: tuple[Path, ...]
    as_json = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {"items": self.votes.n_items, "answers": len(self.votes)}

    def show(self, console: "Console") -> None:
        """Where the votes went; nothing where they went to standard output."""
        from hodgerank.cli.console import verbatim

        where = ", ".join(str(path) for path in self.written)
        if where:
            console.print(
                verbatim(
                    f"{len(self.votes):,} answers on {self.votes.n_items:,} items by "
                    f"{self.votes.n_workers:,} workers written to {where}"
                )
            )


def simulate(
    output: Annotated[
        Path,
        output_option(
            "Where the votes go: .csv or .parquet; - is standard output.",
            "--output",
            "-o",
            suffixes=(*TABLES, "-"),
        ),
    ],
    items: Annotated[int, typer.Option(help="Number of items.")] = 16,
    answers: Annotated[int, typer.Option(help="Number of votes.")] = 1000,
    spread: Annotated[float, typer.Option(help="Standard deviation of the true scores.")] = 1.0,
    link: Annotated[
        Link, typer.Option(help="How score differences become preferences.")
    ] = "bradley-terry",
    workers: Annotated[
        str,
        typer.Option(
            help="How many of each kind: honest, random, adversarial, position-biased, tie-happy.",
            metavar="KIND=N,...",
        ),
    ] = "honest=10",
    pairs: Annotated[
        Literal["random", "rounds", "auto"],
        typer.Option(help="At random, every pair once per round, or chosen by AutoSampler."),
    ] = "random",
    seed: Annotated[int | None, typer.Option(help="Makes the votes repeatable.")] = None,
    truth: Annotated[
        Path | None, output_option("Write the true scores here: .csv or .parquet.")
    ] = None,
) -> SimulateResult:
    """Simulate votes of a crowd, honest or not, on items whose true scores are known.

    Examples:
      hodgerank simulate --items 20 --answers 2000 --seed 1 -o votes.csv --truth truth.csv

      hodgerank simulate --workers honest=8,random=2 --spread 3 -o votes.csv

      hodgerank simulate --pairs auto --answers 200 -o campaign.csv
    """
    import polars as pl

    from hodgerank.cli.tables import write_table
    from hodgerank.data.simulate import require_memory, simulate_comparisons

    keep_apart([output, truth])
    require_memory("answers", answers, BYTES_OF_A_ROW)
    how: dict[str, Any] = {
        "spread": spread, "link": link, "workers": _crowd(workers), "rng": seed
    }  # fmt: skip
    if pairs == "auto":
        votes = _campaign(items, answers, how)
    else:
        votes = simulate_comparisons(items, answers, pairs=pairs, **how)
    frame = votes.to_frame("polars")
    if truth is not None:
        write_table(pl.DataFrame({"item": list(votes.items), "score": votes.truth}), truth)
    if str(output) == "-":
        with printing():
            sys.stdout.write(frame.write_csv())
    else:
        write_table(frame, output)
    written = (None if str(output) == "-" else output, truth)
    return SimulateResult(votes, tuple(path for path in written if path is not None))


def _campaign(items: int, answers: int, how: dict[str, Any]) -> "Comparisons":
    """The answers of an active campaign."""
    from dataclasses import replace

    from hodgerank.collecting.run import run
    from hodgerank.data.simulate import SimulatedCrowd
    from hodgerank.sampling.samplers.auto import AutoSampler

    crowd = SimulatedCrowd(items, **how)
    sampler = AutoSampler(crowd.items, seed=how["rng"] or 0)
    run(sampler, crowd, answers)
    return replace(sampler.answers, truth=crowd.truth)


def _crowd(text: str) -> dict[str, int]:
    from hodgerank.errors import InvalidArgument

    crowd: dict[str, int] = {}
    for part in text.split(","):
        kind, _, count = part.partition("=")
        if not count.strip().isdecimal():
            raise InvalidArgument(f"--workers {text}: write KIND=N,..., e.g. honest=8,random=2")
        crowd[kind.strip()] = int(count)
    return crowd
