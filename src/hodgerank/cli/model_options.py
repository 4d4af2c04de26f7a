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
        help="bayes (Bayesian probit), hodgerank (least squares, as in the paper), bradley-terry, "
        "thurstone-mosteller or robust.",
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
    typer.Option(help="Precision of the prior on the scores; by default bayes estimates it."),
]
ComponentsOption = Annotated[
    Literal["largest", "separate", "together"],
    typer.Option(
        metavar="KIND",
        help="Items that are not all connected: rank the largest component if it has 90% of the "
        "items (largest), each component (separate), or all by the prior of bayes (together).",
    ),
]
CovarianceOption = Annotated[
    Covariance | None,
    typer.Option(
        metavar="KIND",
        help="Cluster correlated votes by worker or ballot, or take all as independent (model). "
        "Default: by ballot or --unit, if there are any.",
    ),
]
PositionBiasOption = Annotated[
    PositionBias | None,
    typer.Option(
        metavar="KIND",
        help="Model position bias: one term for all workers (common), or one per worker (worker).",
    ),
]
EqualWeightsOption = Annotated[
    bool,
    typer.Option(
        "--equal-weights", help="Count all votes equally, not weighted by worker (bayes only)."
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
