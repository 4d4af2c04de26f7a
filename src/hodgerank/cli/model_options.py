"""The models that `rank` knows by name, and the options about them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import InvalidArgument

if TYPE_CHECKING:
    from hodgerank.estimators.ranking import Ranking
    from hodgerank.graph.comparison_graph import ComparisonGraph

Link = Literal["uniform", "bradley-terry", "thurstone-mosteller", "angular"]
Model = Literal["least-squares", "bradley-terry", "thurstone-mosteller", "robust", "bayes"]
Sides = Literal["common", "worker"]
Covariance = Literal["model", "worker", "ballot"]

ModelOption = Annotated[
    Model | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="How scores are found: least-squares, bradley-terry, thurstone-mosteller, robust or "
        "bayes. By least squares if not given, or by bayes where the pairs were chosen in the "
        "light of earlier answers.",
    ),
]
LinkOption = Annotated[
    Link,
    typer.Option(
        metavar="LINK",
        help="Scale of the scores (least squares only): uniform, bradley-terry, "
        "thurstone-mosteller or angular.",
    ),
]
RidgeOption = Annotated[
    float | None,
    typer.Option(help="Precision of a prior around 0; by default only where one is needed."),
]
ComponentsOption = Annotated[
    Literal["joined", "separate"],
    typer.Option(
        metavar="KIND",
        help="Groups never compared with each other: fail (joined), or rank each (separate).",
    ),
]
CovarianceOption = Annotated[
    Covariance | None,
    typer.Option(
        metavar="KIND",
        help="Standard errors from the model, or clustered by worker or ballot; by ballot if the "
        "votes are rankings of several items, or have a --unit.",
    ),
]
SidesOption = Annotated[
    Sides | None,
    typer.Option(
        metavar="KIND",
        help="Put the pull of the left side into the model: one for all workers (common), or one "
        "of each (worker).",
    ),
]
RobustOption = Annotated[
    bool,
    typer.Option(
        "--robust",
        help="Weigh the answers of each worker by how far they can be trusted (bayes only), as "
        "campaigns do.",
    ),
]
ConfidenceOption = Annotated[float, typer.Option(help="Level of the intervals.")]
FOR_ADAPTIVE = (
    "pairs were chosen in the light of earlier answers (column asked_by): ranked by --model bayes, "
    "which allows for most of that; --model least-squares takes them as chosen at random"
)


def fit(
    votes: Comparisons | ComparisonGraph,
    *,
    model: Model | None,
    link: Any,
    ridge: float | None,
    covariance: Any,
    components: Any,
    position_bias: Any,
    robust: bool = False,
    confidence: float,
) -> Ranking:
    """The ranking by the model that was asked for; options of other models are refused.

    Unless one was: least squares; bayes where pairs were chosen in the light of earlier answers, if
    no option of least squares was given.
    """
    if robust:
        require_answers(votes)
        model = model or "bayes"
        if model != "bayes":
            raise InvalidArgument(f"--robust goes with --model bayes, not with --model {model}")
    if model is None:
        is_for_least_squares = (link, covariance, components) != ("uniform", None, "joined")
        if votes.report.adaptive and not is_for_least_squares:
            from hodgerank.graph.build import graph_to_rank

            graph_to_rank(votes, components)  # who wants unjoined items ranked asks for bayes
            return _by_bayes(votes, ridge, position_bias, confidence)
        model = "least-squares"
    if link not in ("uniform", model) and model != "least-squares":
        raise InvalidArgument(
            f"--link {link} belongs to least squares; --model {model} has its own"
        )
    if model == "bayes" and covariance is not None:
        raise InvalidArgument(f"--covariance does not go with --model {model}")
    if model == "robust":
        from hodgerank.estimators.robust import robust_rank

        for name, value in (("--ridge", ridge), ("--position-bias", position_bias)):
            if value is not None:
                raise InvalidArgument(f"{name} does not go with --model robust")
        require_answers(votes)
        return robust_rank(
            votes, components=components, covariance=covariance, confidence=confidence
        )
    if model == "bayes":
        from hodgerank.estimators.bayes import bayes_rank

        return bayes_rank(
            votes, ridge=ridge, position_bias=position_bias, robust=robust, confidence=confidence
        )
    how: dict[str, Any] = {
        "ridge": ridge, "components": components, "covariance": covariance,
        "position_bias": position_bias, "confidence": confidence,
    }  # fmt: skip
    if model == "least-squares":
        from hodgerank.estimators.least_squares import hodge_rank

        return hodge_rank(votes, link=link, **how)
    from hodgerank.estimators.likelihood import bradley_terry, thurstone_mosteller

    likelihood = bradley_terry if model == "bradley-terry" else thurstone_mosteller
    return likelihood(votes, **how)


def _by_bayes(
    votes: Comparisons | ComparisonGraph, ridge: float | None, position_bias: Any, confidence: float
) -> Ranking:
    from hodgerank.estimators.bayes import bayes_rank

    ranking = bayes_rank(votes, ridge=ridge, position_bias=position_bias, confidence=confidence)
    return replace(ranking, notes=(FOR_ADAPTIVE, *ranking.notes))


def require_answers(votes: Comparisons | ComparisonGraph) -> None:
    """Edges of many files do not know who answered."""
    if not isinstance(votes, Comparisons):
        raise InvalidArgument(
            "this needs single answers: name the column with --worker, so that all files are read "
            "in full"
        )
