"""hodgerank rank: votes to a ranking."""

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hodgerank.cli.reading import count_answers, reads_votes, votes_or_edges

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons, ReadReport
    from hodgerank.estimators.ranking import Ranking
    from hodgerank.graph.comparison_graph import ComparisonGraph
    from hodgerank.graph.edge_file import EdgeFile


class Model(StrEnum):
    """How scores are found."""

    least_squares = "least-squares"
    bradley_terry = "bradley-terry"
    thurstone_mosteller = "thurstone-mosteller"


class LinkName(StrEnum):
    """Scale of least-squares scores."""

    uniform = "uniform"
    bradley_terry = "bradley-terry"
    thurstone_mosteller = "thurstone-mosteller"
    angular = "angular"


class ComponentChoice(StrEnum):
    """What to do with groups that were never compared with each other."""

    joined = "joined"
    separate = "separate"


class CovarianceChoice(StrEnum):
    """Where standard errors come from."""

    model = "model"
    worker = "worker"


@dataclass(frozen=True)
class RankResult:
    """A ranking and how it came about."""

    ranking: "Ranking"
    report: "ReadReport"
    n_answers: int
    n_workers: int
    top: int
    kendall_tau: float | None
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        content: dict[str, Any] = {
            "source": self.report.source,
            "layout": self.report.layout,
            "answers": self.n_answers,
            "workers": self.n_workers,
            "both_bad": self.report.both_bad,
            "skipped": self.report.skipped,
            "rejected": self.report.rejected,
        }
        if self.kendall_tau is not None:
            content["kendall_tau"] = self.kendall_tau
        content |= self.ranking.to_dict()
        content["notes"] = [*self.report.notes, *self.ranking.notes]
        if self.top:
            content["items"] = content["items"][: self.top]
        return content


@partial(reads_votes, reader=votes_or_edges)
def rank(
    votes: "Comparisons | ComparisonGraph",
    model: Annotated[
        Model, typer.Option("--model", "-m", help="How scores are found.")
    ] = Model.least_squares,
    link: Annotated[
        LinkName, typer.Option(help="Scale of the scores (least squares only).")
    ] = LinkName.uniform,
    ridge: Annotated[
        float | None,
        typer.Option(help="Precision of a prior around 0; by default only where one is needed."),
    ] = None,
    components: Annotated[
        ComponentChoice,
        typer.Option(help="Groups never compared with each other: fail, or rank each."),
    ] = ComponentChoice.joined,
    covariance: Annotated[
        CovarianceChoice,
        typer.Option(help="Standard errors from the model, or clustered by worker."),
    ] = CovarianceChoice.model,
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    top: Annotated[
        int | None,
        typer.Option(
            min=0, help="Show the best N only, 0 shows all; 50 if not given, all with --json."
        ),
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="CSV of item,score to compare with (Kendall's tau).")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Table: .csv, .parquet, .json; chart: .html, .svg, .png, .pdf."
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            help="Add the votes to the statistics in this .parquet file, which is made if there is "
            "none, and rank by all of them."
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Add votes that the --state has already.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> RankResult:
    """Rank the items of a file of votes.

    Prints rank, item, score with its confidence interval, the ranks it may have, and the number
    of comparisons behind it.

    Examples:
      hodgerank rank votes.csv

      hodgerank rank votes.csv --model bradley-terry --top 10

      hodgerank rank arena.parquet --json > ranking.json

      hodgerank rank survey.csv --left A --right B --outcome grade --scale 1 7 -o ranking.csv

      hodgerank rank 'votes/*.parquet'

      hodgerank rank today.csv --state votes.parquet
    """
    from hodgerank.cli.tables import read_scores, result_writer
    from hodgerank.errors import InvalidArgument
    from hodgerank.plotting.ranking import ranking_chart

    write = (
        None if output is None else result_writer(output, ranking_chart, votes.report.source, truth)
    )
    true_scores = None if truth is None else read_scores(truth)
    if covariance is CovarianceChoice.worker and not hasattr(votes, "workers"):
        raise InvalidArgument(
            "--covariance worker needs single answers: name the column with --worker, so that "
            "all files are read in full"
        )
    edges = None if state is None else _with_state(state, votes, again)
    ranking = _fit(
        votes if edges is None else edges.graph,
        model,
        link.value,
        ridge=ridge,
        components=components.value,
        covariance=covariance.value,
        confidence=confidence,
    )
    if edges is not None and state is not None:
        edges.write(state)
    if write is not None:
        write(ranking)
    return RankResult(
        ranking=ranking,
        report=votes.report,
        n_answers=count_answers(votes if edges is None else edges.graph),
        n_workers=getattr(votes, "n_workers", 0) if edges is None else 0,
        top=top if top is not None else (0 if as_json else 50),
        kendall_tau=None if true_scores is None else _tau(ranking, true_scores),
        written=output,
        as_json=as_json,
    )


def _with_state(state: Path, votes: "Comparisons | ComparisonGraph", again: bool) -> "EdgeFile":
    """What the file holds, and the votes."""
    from hodgerank.errors import InvalidArgument
    from hodgerank.graph.edge_file import EdgeFile, edge_file

    if state.suffix.lower() != ".parquet":
        raise InvalidArgument(f"--state {state}: the name must end in .parquet")
    if not state.absolute().parent.is_dir():
        raise InvalidArgument(f"--state {state}: the folder {state.parent} does not exist")
    if fnmatch(str(state.absolute()), str(Path(votes.report.source).absolute())):
        raise InvalidArgument(f"--state {state} is among the votes: keep it elsewhere")
    if not state.exists():
        return edge_file(votes)
    return EdgeFile.read(state).add(votes, again=again)


def _fit(
    votes: "Comparisons | ComparisonGraph",
    model: Model,
    link: Any,
    *,
    ridge: float | None,
    **options: Any,
) -> "Ranking":
    from hodgerank.errors import InvalidArgument
    from hodgerank.estimators.least_squares import hodge_rank
    from hodgerank.estimators.likelihood import bradley_terry, thurstone_mosteller

    if model is Model.least_squares:
        return hodge_rank(votes, link=link, ridge=ridge or 0.0, **options)
    if link not in ("uniform", model.value):
        raise InvalidArgument(
            f"--link {link} belongs to least squares; --model {model} has its own"
        )
    fit = bradley_terry if model is Model.bradley_terry else thurstone_mosteller
    return fit(votes, ridge=ridge, **options)


def _tau(ranking: "Ranking", truth: dict[str, float]) -> float:
    from hodgerank.errors import InvalidArgument
    from hodgerank.metrics import kendall_tau

    if ranking.n_components > 1:
        raise InvalidArgument("--truth needs one ranking, not one of each group")
    estimate = dict(zip(ranking.items, ranking.scores.tolist(), strict=True))
    missing = [str(item) for item in estimate if str(item) not in truth]
    if missing:
        raise InvalidArgument(
            f"--truth has no score for {len(missing):,} of {len(estimate):,} items, "
            f"among them {', '.join(missing[:3])}"
        )
    return kendall_tau(estimate, {item: truth[str(item)] for item in estimate})
