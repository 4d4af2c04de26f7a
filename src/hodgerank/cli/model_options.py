"""Options that choose the model of a ranking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from hodgerank.cli.files import by_name
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.covariates.columns import columns_of
from hodgerank.estimators.position_bias.groupings import Groupings, names_of
from hodgerank.estimators.score_scale import ScaleName, ScoreScale
from hodgerank.types import Item

if TYPE_CHECKING:
    from hodgerank.graph.comparison_graph import ComparisonGraph

Link = Literal["uniform", "bradley-terry", "thurstone-mosteller", "angular"]
Model = Literal["bayes", "hodgerank", "bradley-terry", "thurstone-mosteller", "robust"]
Covariance = Literal["model", "worker", "ballot"]

ModelOption = Annotated[
    Model | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="bayes (Bayesian probit; default), hodgerank (least squares; default of margins), "
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
    list[str] | None,
    typer.Option(
        metavar="GROUPING",
        help="Model position bias: common, by worker or unit, or by columns (device,worker).",
    ),
]
CovariateOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Estimate the effect of numeric columns (length,markdown).",
    ),
]
ControlOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Rank at equal values of it."),
]
NoShrinkOption = Annotated[
    bool,
    typer.Option(
        "--no-shrink-position-bias",
        rich_help_panel="Position bias",
        help="Least-squares intercepts (hodgerank only).",
    ),
]
EqualWeightsOption = Annotated[
    bool,
    typer.Option(
        "--equal-weights", help="Count all votes equally, not weighted by worker (bayes only)."
    ),
]
ScoreScaleOption = Annotated[
    str | None,
    typer.Option(
        metavar="SCALE",
        help="Scores as model, elo, jod, logit, win-rate or win-probability.",
    ),
]
AnchorOption = Annotated[
    str | None,
    typer.Option(
        metavar="ITEM=SCORE",
        help="Fix the score of one item.",
    ),
]
BaselineOption = Annotated[
    str | None,
    typer.Option(
        metavar="ITEM",
        help="Probability of beating this item.",
    ),
]
ConfidenceOption = Annotated[float, typer.Option(help="Level of the intervals.")]


def wanted_groupings(named: list[str] | None) -> Groupings | None:
    """Return the groupings of --position-bias."""
    names = [name.strip() for part in named or () for name in part.split(",")]
    if named is not None and not all(names):
        raise InvalidArgument(
            "--position-bias: name common, worker, unit or columns, such as worker or device,worker"
        )
    return None if named is None else names[0] if len(names) == 1 else names


def wanted_covariates(
    named: list[str] | None, control: list[str] | None
) -> tuple[list[str] | None, list[str] | None]:
    """Return the columns of --covariate and --control; the latter are covariates too."""
    columns, controlled = _listed(named), _listed(control)
    if columns is None and controlled is None:
        return None, None
    return list(dict.fromkeys([*(columns or ()), *(controlled or ())])), controlled


def _listed(named: list[str] | None) -> list[str] | None:
    if named is None:
        return None
    return [name.strip() for part in named for name in part.split(",") if name.strip()]


def using(
    report: ReadReport, groupings: Groupings | None, covariates: Sequence[str] | None = None
) -> ReadReport:
    """Return the report without the columns that the model uses among those that were not used."""
    if groupings is None and covariates is None:
        return report
    used = {*(() if groupings is None else names_of(groupings))}
    for covariate in covariates or ():
        used |= columns_of(covariate)
    return replace(report, unused=tuple(name for name in report.unused if name not in used))


def wanted_scale(scale: str | None, anchor: str | None, baseline: str | None) -> ScoreScale:
    """Return the scale that the options ask for, with items by their names as text."""
    name = cast(ScaleName, scale or ("model" if baseline is None else "win-probability"))
    if anchor is None:
        return ScoreScale(name, None, baseline)
    item, _, value = anchor.rpartition("=")  # names of items may contain the sign
    try:
        score = float(value)
    except ValueError:
        item = ""
    if not item:
        raise InvalidArgument(f"--anchor {anchor}: write ITEM=SCORE, such as gpt-4=1000")
    return ScoreScale(name, (item, score), baseline)


def with_items(scale: ScoreScale, items: Iterable[Item]) -> ScoreScale:
    """Return the scale with the items that have these names, which may be integers."""
    if scale.anchor is None and scale.baseline is None:
        return scale
    named = by_name(tuple(items))
    if scale.anchor is not None:
        item, score = scale.anchor
        return replace(scale, anchor=(named.get(str(item), item), score))
    return replace(scale, baseline=named.get(str(scale.baseline), scale.baseline))


def require_single_votes(votes: Comparisons | ComparisonGraph) -> None:
    """Fail on votes that were summed by pair while reading many files."""
    if not isinstance(votes, Comparisons):
        raise InvalidArgument(
            "this needs single votes: name the worker column (--worker COLUMN), so that all files "
            "are read in full"
        )
