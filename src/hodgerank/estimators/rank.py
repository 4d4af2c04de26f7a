"""rank: a ranking from votes, by the default model or a named one.

Every command, the report, campaigns and the server rank by this function, so that the same votes
give the same scores, order and intervals everywhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, InvalidComparisons, require_one_of
from hodgerank.graph.build import build_graph, source_of
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg import laplacian
from hodgerank.types import BoolArray, Item, VotesLike

if TYPE_CHECKING:
    from hodgerank.estimators.covariance import CovarianceKind
    from hodgerank.estimators.covariates.columns import Covariates
    from hodgerank.estimators.least_squares import LinkName
    from hodgerank.estimators.position_bias.groupings import Groupings
    from hodgerank.estimators.position_bias.shrinkage import Shrinkage
    from hodgerank.estimators.ranking import Ranking

Model = Literal["bayes", "hodgerank", "bradley-terry", "thurstone-mosteller", "robust"]
Parts = Literal["largest", "separate", "together"]
OPTIONS = {"position_bias": "position-bias", "covariates": "covariate"}  # named otherwise
FEWEST_VOTES = 3  # of the leader; with fewer a note says so
MOSTLY = 0.9  # share of the items that the largest component must hold to be ranked alone


def rank(
    votes: VotesLike,
    *,
    model: Model | None = None,
    link: LinkName = "uniform",
    ridge: float | None = None,
    position_bias: Groupings | None = None,
    shrink_position_bias: Shrinkage = None,
    covariates: Covariates | None = None,
    control: Covariates | None = None,
    worker_weights: bool | None = None,
    covariance: CovarianceKind | None = None,
    components: Parts = "largest",
    confidence: float = 0.95,
) -> Ranking:
    """Rank the items that votes compare.

    The default model is `bayes_rank`: posterior means under the probit model, with votes weighted
    by worker if workers are known. It was chosen by measurement
    (docs/explanations/default-model.md).

    Parameters
    ----------
    votes
        Comparisons, a ComparisonGraph, or anything `read_comparisons` accepts.
    model
        'bayes'; 'hodgerank', the least squares of the paper (`hodge_rank`); 'bradley-terry',
        'thurstone-mosteller' or 'robust' (`robust_rank`). Default: 'bayes', or 'hodgerank' for
        margins, which have no model of choices.
    link
        Scale of the scores, for 'hodgerank' only.
    ridge
        Precision of a Gaussian prior on the scores.
    position_bias
        Model position bias: 'common' for one term shared by all votes, 'worker' for one term per
        worker, 'unit', or the name of a column carried with the votes. The terms of several
        groupings add up. `Ranking.position_bias` holds them.
    shrink_position_bias
        How far the terms are shrunk towards 0: True by the variance between groups that the votes
        show, the default of 'hodgerank'; a number by a prior of this precision. The default of
        other models is a weak prior. False gives the intercepts of the paper, by 'hodgerank' only.
    covariates, control
        Numeric columns, such as 'length', whose effect on the votes is estimated, and those of them
        to control for. Without `control` items are ranked as written. `Ranking.covariates` holds
        the effects, and `Ranking.as_written` and `Ranking.controlled` both orders.
    worker_weights
        Whether votes are weighted by worker. Default: yes, for 'bayes' only.
    covariance
        What votes are clustered by: 'worker', 'ballot', or 'model' for nothing. Default: ballots or
        units if there are any; 'bayes' also detects repeated votes of a worker.
    components
        'largest' ranks the largest connected component, if it holds at least 90% of the items with
        votes, and lists the others in `not_connected`; 'separate' ranks each component; 'together'
        ranks all items by the prior of 'bayes'.
    confidence
        Confidence level of the intervals.

    Examples
    --------
    >>> ranking = rank([("tea", "milk", 1), ("milk", "cola", 1), ("tea", "cola", 1)] * 9)
    >>> ranking.items
    ('tea', 'milk', 'cola')
    """
    if model is None:
        votes = votes if isinstance(votes, ComparisonGraph) else source_of(votes)
        model = "hodgerank" if _are_margins(votes) else "bayes"
    require_one_of(model, get_args(Model), "model")
    require_one_of(components, get_args(Parts), "components")
    if model != "hodgerank" and link not in ("uniform", model):
        raise InvalidArgument(
            f"link= (--link) is for model='hodgerank', not {model!r}: leave it out"
        )
    if components == "together" and model != "bayes":
        raise InvalidArgument(
            f"components='together' needs a prior: use model='bayes', not {model}"
        )
    if worker_weights is not None and model != "bayes":
        raise InvalidArgument(
            f"worker_weights= (--equal-weights) is for model='bayes', not {model!r}: leave it out"
        )
    if position_bias is None and shrink_position_bias is not None:
        raise InvalidArgument(
            "shrink_position_bias= (--no-shrink-position-bias) needs "
            "position_bias= (--position-bias)"
        )
    no_votes: tuple[Item, ...] = ()
    not_connected: tuple[Item, ...] = ()
    if components == "largest":
        votes, no_votes, not_connected = _largest_component(votes)
    how: dict[str, Any] = {"ridge": ridge, "covariance": covariance, "confidence": confidence}
    bias: dict[str, Any] = {
        "position_bias": position_bias,
        "shrink_position_bias": shrink_position_bias,
        "covariates": covariates,
        "control": control,
    }
    if components == "separate":
        how["components"] = "separate"
    if model == "robust":
        from hodgerank.estimators.robust import robust_rank

        for name, value in (
            ("ridge", ridge),
            ("position_bias", position_bias),
            ("covariates", covariates),
            ("control", control),
        ):
            if value is not None:
                option = OPTIONS.get(name, name)
                raise InvalidArgument(
                    f"{name}= (--{option}) cannot be used with model='robust': leave it out"
                )
        del how["ridge"]
        ranking: Ranking = robust_rank(votes, **how)
    elif model == "bayes":
        from hodgerank.estimators.bayes import bayes_rank

        ranking = bayes_rank(votes, worker_weights=worker_weights is not False, **bias, **how)
    elif model == "hodgerank":
        from hodgerank.estimators.least_squares import hodge_rank

        ranking = hodge_rank(votes, link=link, **bias, **how)
    else:
        from hodgerank.estimators.likelihood import bradley_terry, thurstone_mosteller

        fit = bradley_terry if model == "bradley-terry" else thurstone_mosteller
        ranking = fit(votes, **bias, **how)
    # single votes are needed to leave items out
    is_single = not isinstance(votes, ComparisonGraph) and not source_of(votes).is_lazy
    notes = (*ranking.notes, *on_few_votes(ranking, is_single))
    return replace(ranking, no_votes=no_votes, not_connected=not_connected, notes=notes)


def leaders_with_few_votes(ranking: Ranking) -> tuple[Item, ...]:
    """Return the items that rank first with fewer than 3 votes; none if all items rank first."""
    is_first = ranking.ranks == 1
    if is_first.all():
        return ()
    rows = np.flatnonzero(is_first & (ranking.votes < FEWEST_VOTES))
    return tuple(ranking.items[k] for k in rows.tolist())


def can_leave_out(ranking: Ranking) -> bool:
    """Return whether items are left to rank without those that have fewer than 3 votes."""
    return int(np.sum(ranking.votes >= FEWEST_VOTES)) > 1


def on_few_votes(ranking: Ranking, is_single: bool) -> tuple[str, ...]:
    """Return a note if so few votes put an item first that one more could change it.

    `is_single` says that there are single votes, of which some can be left out.
    """
    leaders = leaders_with_few_votes(ranking)
    if not leaders:
        return ()
    if len(leaders) == 1:
        n = ranking[leaders[0]].votes
        name = short(str(leaders[0]))
        who = f"the leader, {name}, has only {n} vote{'' if n == 1 else 's'}"
    else:
        who = f"{len(leaders):,} items that rank first have fewer than {FEWEST_VOTES} votes each"
    remedy = "collect more votes"
    if is_single and can_leave_out(ranking):
        remedy += f", or leave out items with few votes (--min-votes {FEWEST_VOTES})"
    return (f"{who}: {remedy}",)


def _largest_component(
    votes: VotesLike,
) -> tuple[Comparisons | ComparisonGraph, tuple[Item, ...], tuple[Item, ...]]:
    """Return the votes on the largest component, items without votes, and all other items."""
    read = _read(votes)
    ends = (read.i, read.j) if isinstance(read, ComparisonGraph) else (read.left, read.right)
    if not len(ends[0]):
        raise InvalidComparisons("there are no votes to rank")
    component = laplacian.components(*ends, len(read.items))
    if not component.any():
        return read, (), ()
    has_votes = np.zeros(len(read.items), np.bool_)
    has_votes[ends[0]] = has_votes[ends[1]] = True
    is_main = component == 0
    if is_main.sum() < MOSTLY * has_votes.sum():
        graph = read if isinstance(read, ComparisonGraph) else build_graph(read)
        graph.among(has_votes).require_connected()
    part = read.among(is_main) if isinstance(read, ComparisonGraph) else _among(read, is_main)
    return part, _named(read, ~has_votes), _named(read, has_votes & ~is_main)


def _are_margins(votes: ComparisonGraph | VoteSource) -> bool:
    """Return whether outcomes are margins, without reading all votes."""
    if isinstance(votes, ComparisonGraph):
        return votes.report.margin_unit is not None
    return votes.has_margins


def _read(votes: VotesLike) -> Comparisons | ComparisonGraph:
    """Return single votes, or the graph of votes that are read in pieces."""
    if isinstance(votes, ComparisonGraph):
        return votes
    source = source_of(votes)
    return build_graph(source) if source.is_lazy else source.distinct_answers()


def _among(votes: Comparisons, is_kept: BoolArray) -> Comparisons:
    return votes.select(is_kept[votes.left] & is_kept[votes.right]).compacted()


def _named(votes: Comparisons | ComparisonGraph, which: BoolArray) -> tuple[Item, ...]:
    return tuple(votes.items[k] for k in np.flatnonzero(which))
