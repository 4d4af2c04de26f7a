"""Options that choose the model of a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import InvalidArgument

if TYPE_CHECKING:
    from hodgerank.graph.comparison_graph import ComparisonGraph

Link = Literal["uniform", "bradley-terry", "thurstone-mosteller", "angular"]
Model = Literal["bayes", "hodgerank", "bradley-terry", "thurstone-mosteller", "robust"]
PositionBias = Literal["common", "worker"]
Covariance = Literal["model", "worker", "ballot"]

ModelOption = Annotated[
    Model,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="bayes (Bayesian probit model), hodgerank (least squares, as in the paper), "
        "bradley-terry, thurstone-mosteller or robust.",
    ),
]
LinkOption = Annotated[
    Link,
    typer.Option(
        metavar="LINK",
        help="Scale of the scores (hodgerank only): uniform, bradley-terry, "
        "thurstone-mosteller or angular.",
    ),
]
RidgeOption = Annotated[
    float | None,
    typer.Option(
        help="Precision of the prior on the scores; by default bayes estimates it, and the other "
        "models use one only where they must."
    ),
]
ComponentsOption = Annotated[
    Literal["largest", "separate", "together"],
    typer.Option(
        metavar="KIND",
        help="If items are not all connected: rank the largest component if it holds at least 90% "
        "of the items (largest), rank each component (separate), or rank all by the prior of bayes "
        "(together).",
    ),
]
CovarianceOption = Annotated[
    Covariance | None,
    typer.Option(
        metavar="KIND",
        help="Allow for correlated votes of the same worker or ballot; model takes all votes as "
        "independent. Default: ballot for rankings of several items and with --unit; bayes also "
        "detects repeated votes of a worker.",
    ),
]
PositionBiasOption = Annotated[
    PositionBias | None,
    typer.Option(
        metavar="KIND",
        help="Model position bias: one term for all workers (common), or one per worker (worker).",
    ),
]
WorkerWeightsOption = Annotated[
    bool | None,
    typer.Option(
        "--worker-weights/--no-worker-weights",
        help="Weight votes by worker, or count all votes equally (bayes only; default: weighted "
        "where workers are known).",
        show_default=False,
    ),
]
ConfidenceOption = Annotated[float, typer.Option(help="Level of the intervals.")]


def require_single_votes(votes: Comparisons | ComparisonGraph) -> None:
    """Fail on votes that were summed by pair while reading many files."""
    if not isinstance(votes, Comparisons):
        raise InvalidArgument(
            "this needs single votes: name the worker column (--worker COLUMN), so that all files "
            "are read in full"
        )
