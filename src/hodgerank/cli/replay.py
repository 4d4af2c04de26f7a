"""hodgerank replay: how fast strategies would have found the ranking of recorded votes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hodgerank.cli.reading import reads_votes

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons
    from hodgerank.sampling.replay import Replay


@dataclass(frozen=True)
class ReplayResult:
    """Learning curves."""

    curves: "Replay"
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        curves = self.curves
        stderr = curves.stderr
        return {
            "truth": curves.truth,
            "runs": int(curves.taus.shape[1]),
            "answers": curves.answers.tolist(),
            "strategies": {
                name: {
                    "tau": curves.mean[k].tolist(),
                    "stderr": [None if e != e else e for e in stderr[k].tolist()],
                }
                for k, name in enumerate(curves.strategies)
            },
        }


@reads_votes
def replay(
    votes: "Comparisons",
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="auto, rank, bayesian, d-optimal, fiedler, crowd-bt, rounds or random; "
            "may be repeated. Default: auto and random.",
            show_default=False,
        ),
    ] = None,
    answers: Annotated[
        int | None, typer.Option(min=1, help="Length of a run; default: half of the votes.")
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Runs to average over.")] = 20,
    truth: Annotated[
        Path | None, typer.Option(help="CSV of item,score; default: HodgeRank on all votes.")
    ] = None,
    replacement: Annotated[
        bool, typer.Option("--replacement", help="Put each vote back after it was drawn.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Makes it repeatable.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Chart: .html, .svg, .png, .pdf; table: .csv, .parquet, .json."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> ReplayResult:
    """Replay a campaign on recorded votes: Kendall's tau against the number of answers.

    Each strategy asks the pairs it would have asked; the answer is one of the votes the pair got,
    drawn at random and used up. Shows how many answers a better choice of pairs would have saved.

    Examples:
      hodgerank replay votes.csv

      hodgerank replay votes.csv --strategy auto --strategy rounds --runs 50 -o curves.svg
    """
    from rich.console import Console
    from rich.progress import Progress

    from hodgerank.cli.tables import read_scores, result_writer
    from hodgerank.plotting.learning_curve import learning_curve
    from hodgerank.sampling.replay import replay as play

    strategies = strategy or ["auto", "random"]
    write = (
        None
        if output is None
        else result_writer(output, learning_curve, votes.report.source, truth)
    )
    scores: Any = None if truth is None else _matched(read_scores(truth), votes)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("replaying", total=runs * len(strategies))
        curves = play(
            votes,
            strategies,
            n_answers=answers,
            runs=runs,
            truth=scores,
            replacement=replacement,
            seed=seed,
            on_run=lambda: bar.advance(task),
        )
    if write is not None:
        write(curves)
    return ReplayResult(curves, output, as_json)


def _matched(scores: dict[str, float], votes: "Comparisons") -> Any:
    from hodgerank.errors import InvalidArgument

    missing = [str(item) for item in votes.items if str(item) not in scores]
    if missing:
        raise InvalidArgument(f"--truth has no score for {len(missing):,} items: {missing[:3]}")
    return {item: scores[str(item)] for item in votes.items}
