"""hodgerank rank: votes to a ranking."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from hodgerank.cli.console import (
    cautions_of,
    complaints,
    count,
    n_shown,
    show_covariates,
    show_position_bias,
    show_ranking,
    show_reading,
    show_rest,
    show_scale,
    show_warnings,
    show_written,
    verbatim,
)
from hodgerank.cli.files import read_scores, write_result, write_table
from hodgerank.cli.model_options import (
    AnchorOption,
    BaselineOption,
    ComponentsOption,
    ConfidenceOption,
    ControlOption,
    CovarianceOption,
    CovariateOption,
    EqualWeightsOption,
    LinkOption,
    ModelOption,
    NoShrinkOption,
    PositionBiasOption,
    RidgeOption,
    ScoreScaleOption,
    require_single_votes,
    using,
    wanted_covariates,
    wanted_groupings,
    wanted_scale,
    with_items,
)
from hodgerank.cli.outputs import (
    LEADERBOARDS,
    TABLES,
    AsJson,
    TopItems,
    file_option,
    goes_to_standard_output,
    output_option,
)
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import (
    ExcludeWorkers,
    LargestComponent,
    MinVotes,
    answers_or_edges,
    reads_votes,
    selected,
    workers_to_exclude,
)
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.data.groups import VoteGroups
from hodgerank.display import short
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.rank import rank as rank_votes
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.edge_file import EdgeFile, edge_file
from hodgerank.metrics import kendall_tau

PATIENCE = 1.0  # seconds before the user is told to wait
PAUSE = 0.02


@contextmanager
def taking_turns(path: Path) -> Iterator[None]:
    """Hold a state file for this process alone; others wait for their turn.

    The lock is on the folder: the file itself is replaced, and a lock file would be left behind.
    """
    try:
        import fcntl
    except ImportError:
        raise InvalidArgument(
            "--state needs the file locks of Linux or macOS, which are not there: leave it out"
        ) from None
    folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)
    try:
        patient_until = time.monotonic() + PATIENCE
        while time.monotonic() < patient_until:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(PAUSE)
        else:
            complaints().print(verbatim(f"waiting for another command that uses {path} ..."))
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def with_state(path: Path, votes: Comparisons | ComparisonGraph, again: bool) -> EdgeFile:
    """Add the votes to those of the file, if it exists."""
    return EdgeFile.read(path).add(votes, again=again) if path.exists() else edge_file(votes)


@dataclass(frozen=True)
class RankResult(CommandResult):
    """A ranking and how it came about."""

    ranking: Ranking
    report: ReadReport
    n_votes: int
    n_workers: int | None  # None where edges no longer tell
    top: int
    kendall_tau: float | None
    written: Path | None
    as_json: bool
    state: tuple[EdgeFile, Path] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        content: dict[str, Any] = {
            **self.report.to_dict(),
            "votes": self.n_votes,
            "workers": self.n_workers,
        }
        if self.kendall_tau is not None:
            content["kendall_tau"] = self.kendall_tau
        content |= self.ranking.to_dict()
        content["notes"] = [*self.report.notes, *self.ranking.notes]
        if self.top:
            content["items"] = content["items"][: self.top]
        return content

    def show(self, console: Console) -> None:
        """The ranking as a table."""
        ranking = self.ranking
        show_reading(self.report, console)
        console.print(
            f"{count(len(ranking), 'item')}, {count(self.n_votes, 'vote')}, {self._workers}; "
            f"{ranking.description}; {100 * ranking.confidence:g}% intervals",
            style="dim",
        )
        show_scale(ranking, console)
        show_warnings(self._about_the_ranking(), console)
        rows = min(self.top or len(ranking), len(ranking))
        show_ranking(ranking, rows, console)
        show_rest(rows, len(ranking), console)
        show_position_bias(ranking, console, "--json and -o list all")
        show_covariates(ranking, rows, console)
        if self.kendall_tau is not None:
            console.print(f"Kendall's tau against the truth: {self.kendall_tau:.3f}")
        show_written(self.written, console)
        if self.written is not None:
            show_written(self._terms_beside(self.written), console)

    @property
    def _workers(self) -> str:
        """Whether votes are weighted by worker, and if not, why."""
        if self.n_workers is None:
            return "workers not read (all votes count equally)"
        if not self.n_workers:
            return "no worker ids (all votes count equally)"
        weights = self.ranking.worker_weights
        return count(self.n_workers, "worker") + " (votes weighted by worker)" * bool(weights)

    def cautions(self) -> list[str]:
        """Return warnings about reading and ranking."""
        return [*cautions_of(self.report), *self._about_the_ranking()]

    def _about_the_ranking(self) -> list[str]:
        ranking = self.ranking
        warnings = [*ranking.notes]
        if ranking.n_components > 1:
            warnings.append(
                f"{ranking.n_components:,} groups were never compared with each other: "
                "each has its own ranking"
            )
        lists = {
            "no votes yet": ranking.no_votes,
            "not connected to the others, not ranked": ranking.not_connected,
            "never lost": ranking.undefeated,
            "never won": ranking.winless,
        }
        for what, names in lists.items():
            if names:
                more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
                shown = ", ".join(short(str(name)) for name in names[:8])
                warnings.append(f"{what}: {shown}{more}")
        return warnings

    def write(self, path: Path) -> None:
        """Write the ranking, as a table or as its chart."""
        write_result(self.ranking, path)
        beside, terms = self._terms_beside(path), self.ranking.position_bias
        if beside is not None and terms is not None:
            write_table(terms.to_frame("polars"), beside)

    def _terms_beside(self, path: Path) -> Path | None:
        """Return the file for the position biases, beside that of a table."""
        is_table = path.suffix.lower() in TABLES and not goes_to_standard_output(path)
        if self.ranking.position_bias is None or not is_table:
            return None
        return path.with_name(f"{path.stem}.position-bias{path.suffix}")

    def conclude(self) -> None:
        """Keep the votes, now that everything else has been done."""
        if self.state is not None:
            edges, path = self.state
            edges.write(path)


Compare = Annotated[
    str | None,
    typer.Option(
        help="Column of country, expertise, judge ...: whether these rank the same items "
        "differently.",
        metavar="COLUMN",
    ),
]
Truth = Annotated[
    Path | None, typer.Option(help="Table of item and score to compare with (Kendall's tau).")
]
Output = Annotated[
    Path | None,
    output_option(
        "Write the table: .csv, .parquet, .json, .md, .tex; or its chart: .html, .svg, .png, .pdf",
        charts=True,
        suffixes=(*TABLES, *LEADERBOARDS),
    ),
]
State = Annotated[
    Path | None,
    file_option(
        "Add the votes to the statistics in this .parquet file, made if there is none, and rank "
        "by all.",
        (".parquet",),
    ),
]
Again = Annotated[bool, typer.Option("--again", help="Add votes that the --state has already.")]


def _rank_groups(command: Callable[..., CommandResult]) -> Callable[..., CommandResult]:
    from hodgerank.cli.rank_groups import rank_each

    return rank_each(command)


@partial(reads_votes, reader=answers_or_edges, on_groups=_rank_groups)
def rank(
    votes: Comparisons | ComparisonGraph | VoteGroups,
    context: typer.Context,
    model: ModelOption = None,
    link: LinkOption = "uniform",
    ridge: RidgeOption = None,
    components: ComponentsOption = "largest",
    covariance: CovarianceOption = None,
    position_bias: PositionBiasOption = None,
    no_shrink_position_bias: NoShrinkOption = False,
    covariate: CovariateOption = None,
    control: ControlOption = None,
    equal_weights: EqualWeightsOption = False,
    confidence: ConfidenceOption = 0.95,
    score_scale: ScoreScaleOption = None,
    anchor: AnchorOption = None,
    baseline: BaselineOption = None,
    exclude_workers: ExcludeWorkers = None,
    min_votes: MinVotes = 0,
    largest_component: LargestComponent = False,
    compare: Compare = None,
    truth: Truth = None,
    top: TopItems = None,
    output: Output = None,
    state: State = None,
    again: Again = False,
    as_json: AsJson = False,
) -> CommandResult:
    """Rank the items of a file of votes.

    Prints rank, item, score with its interval, the ranks compatible with the
    votes, and the number of votes. The default is a Bayesian probit model that
    weights votes by worker where workers are known.

    Examples:
      hodgerank rank votes.csv

      hodgerank rank votes.csv --model hodgerank --top 10

      hodgerank rank today.csv --state votes.parquet

      hodgerank rank votes.csv --score-scale elo -o leaderboard.md

      hodgerank rank votes.csv --covariate length

      hodgerank rank votes.csv --by scene -o rankings.csv
    """
    shown, scale = n_shown(top, as_json), wanted_scale(score_scale, anchor, baseline)
    groupings = wanted_groupings(position_bias)
    covariates, controlled = wanted_covariates(covariate, control)
    shrinkage = False if no_shrink_position_bias else None
    if isinstance(votes, VoteGroups):  # populations to be compared
        from hodgerank.cli.rank_compare import compared

        _require_plain(
            truth=truth, state=state, model=None if model == "bayes" else model, ridge=ridge,
            covariance=covariance, position_bias=position_bias, covariate=covariates,
            no_shrink_position_bias=no_shrink_position_bias or None,
            equal_weights=equal_weights or None, min_votes=min_votes or None,
            largest_component=largest_component or None, score_scale=score_scale, anchor=anchor,
            baseline=baseline,
        )  # fmt: skip
        if output is not None and output.suffix.lower() in LEADERBOARDS:
            raise InvalidArgument(f"{output}: --compare writes {', '.join(TABLES)} or a chart")
        return compared(votes, exclude_workers, confidence, shown, output, as_json)
    true_scores = None if truth is None else read_scores(truth)
    if covariance in ("worker", "ballot") or position_bias or covariates:
        require_single_votes(votes)
    chosen = _chosen(votes, exclude_workers, min_votes, largest_component)
    edges = None
    if state is not None:
        context.with_resource(taking_turns(state))  # until the new state is written
        edges = with_state(state, chosen, again)
    ranked = chosen if edges is None else edges.graph
    ranking = rank_votes(
        ranked, model=model, link=link, ridge=ridge, components=components, covariance=covariance,
        position_bias=groupings, shrink_position_bias=shrinkage, covariates=covariates,
        control=controlled,
        worker_weights=False if equal_weights else None, confidence=confidence,
    )  # fmt: skip
    n_workers = getattr(chosen, "n_workers", None) if edges is None else None
    tau = None if true_scores is None else _tau(ranking, true_scores)
    kept = None if edges is None or state is None else (edges, state)
    scale = with_items(scale, ranked.items)
    ranking = ranking.on_scale(scale.name, anchor=scale.anchor, baseline=scale.baseline)
    return RankResult(
        ranking,
        using(chosen.report, groupings, covariates),
        ranked.n_votes,
        n_workers,
        shown,
        tau,
        output,
        as_json,
        kept,
    )


def _chosen(
    votes: Comparisons | ComparisonGraph, exclude: str | None, min_votes: int, largest: bool
) -> Comparisons | ComparisonGraph:
    """The votes without the workers and items that were not wanted."""
    if not (exclude or min_votes or largest):
        return votes
    if isinstance(votes, ComparisonGraph) and not (exclude or min_votes):
        return votes.largest_component()
    require_single_votes(votes)
    workers = workers_to_exclude(exclude, lambda: votes)
    found: Comparisons = selected(votes, workers, min_votes, largest)
    return found


def _require_plain(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise InvalidArgument(
                f"--{name.replace('_', '-')} is for one ranking: it cannot be used with --compare"
            )


def _tau(ranking: Ranking, truth: dict[str, float]) -> float:
    if ranking.n_components > 1:
        raise InvalidArgument("--truth needs one ranking, not one of each group")
    estimate = ranking.score_by_item
    missing = [str(item) for item in estimate if str(item) not in truth]
    if missing:
        raise InvalidArgument(
            f"--truth has no score for {len(missing):,} of {len(estimate):,} items, "
            f"among them {', '.join(map(short, missing[:3]))}"
        )
    return kendall_tau(estimate, {item: truth[str(item)] for item in estimate})
