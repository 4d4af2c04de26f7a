"""hodgerank simulate: votes of simulated workers."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import polars as pl
import typer
from rich.console import Console

from hodgerank.cli.console import verbatim
from hodgerank.cli.files import write_table
from hodgerank.cli.model_options import Link
from hodgerank.cli.outputs import (
    AsJson,
    file_option,
    goes_to_standard_output,
    keep_apart,
    output_option,
    require_one_printed,
)
from hodgerank.cli.progress import doing, telling_progress
from hodgerank.cli.result import CommandResult
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.simulate import SimulatedCrowd, require_memory, simulate_comparisons
from hodgerank.errors import InvalidArgument

BYTES_OF_A_ROW = 125  # of the written table, measured


@dataclass(frozen=True)
class SimulateResult(CommandResult):
    """Simulated votes, and where they were written."""

    votes: Comparisons
    written: Path
    truth_written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "items": self.votes.n_items,
            "votes": len(self.votes),
            "workers": self.votes.n_workers,
            "written": str(self.written),
            "truth_written": None if self.truth_written is None else str(self.truth_written),
        }

    def to_table(self) -> pl.DataFrame:
        """Return a row per vote."""
        return cast("pl.DataFrame", self.votes.to_frame("polars"))

    def show(self, console: Console) -> None:
        """Print where the votes were written."""
        truth = "" if self.truth_written is None else f", {self.truth_written}"
        console.print(
            verbatim(
                f"{len(self.votes):,} votes on {self.votes.n_items:,} items by "
                f"{self.votes.n_workers:,} workers written to {self.written}{truth}"
            )
        )


def simulate(
    *,
    items: Annotated[int, typer.Option(help="Number of items.")] = 16,
    n_votes: Annotated[int, typer.Option("--votes", help="Number of votes.")] = 1000,
    spread: Annotated[float, typer.Option(help="Standard deviation of the true scores.")] = 1.0,
    link: Annotated[
        Link, typer.Option(help="Model that turns score differences into probabilities.")
    ] = "bradley-terry",
    workers: Annotated[
        str,
        typer.Option(
            help=(
                "Number of honest workers, or of workers of each kind: honest, random, "
                "adversarial, position-biased, tie-happy."
            ),
            metavar="N|KIND=N,...",
        ),
    ] = "honest=10",
    pairs: Annotated[
        Literal["random", "rounds", "auto"],
        typer.Option(
            help=("Choice of pairs: random, every pair once per round, or adaptive (AutoSampler).")
        ),
    ] = "random",
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the random choices.")] = None,
    truth: Annotated[
        Path | None, file_option("Write the true scores: .csv, .parquet, .json.")
    ] = None,
    output: Annotated[Path, output_option("Write the votes: .csv, .parquet, .json")],
    as_json: AsJson = False,
) -> SimulateResult:
    """Simulate votes of honest and careless workers on items with known scores.

    Examples:
      hodgerank simulate --items 20 --votes 2000 --seed 1 -o votes.csv --truth truth.csv

      hodgerank simulate --workers honest=8,random=2 --spread 3 -o votes.csv

      hodgerank simulate --pairs auto --votes 200 -o campaign.csv

      hodgerank simulate --seed 1 -o - | hodgerank rank -
    """
    require_one_printed(output, as_json)
    keep_apart([output, truth])
    require_memory("votes", n_votes, BYTES_OF_A_ROW)
    how: dict[str, Any] = {
        "spread": spread, "link": link, "workers": _crowd(workers), "rng": seed
    }  # fmt: skip
    with telling_progress():
        doing(f"simulating {n_votes:,} votes")
        if pairs == "auto":
            votes = _campaign(items, n_votes, how)
        else:
            votes = simulate_comparisons(items, n_votes, pairs=pairs, **how)
        result = SimulateResult(votes, output, truth, as_json)
        if truth is not None:
            write_table(pl.DataFrame({"item": list(votes.items), "score": votes.truth}), truth)
        if not goes_to_standard_output(output):
            result.write(output)
    return result


def _campaign(items: int, n_votes: int, how: dict[str, Any]) -> Comparisons:
    """Simulate votes on adaptively chosen pairs."""
    from hodgerank.collecting.run import run
    from hodgerank.sampling.samplers.auto import AutoSampler

    crowd = SimulatedCrowd(items, **how)
    sampler = AutoSampler(crowd.items, seed=how["rng"] or 0)
    run(sampler, crowd, n_votes)
    return replace(sampler.votes, truth=crowd.truth)


def _crowd(text: str) -> dict[str, int]:
    crowd: dict[str, int] = {}
    if text.strip().isdecimal():
        return {"honest": int(text)}
    for part in text.split(","):
        kind, _, count = part.partition("=")
        if not count.strip().isdecimal():
            raise InvalidArgument(
                f"--workers {text}: write a number, or KIND=N,..., e.g. honest=8,random=2"
            )
        crowd[kind.strip()] = int(count)
    return crowd
