"""bayes_rank: scores with a prior that the answers choose, so that few answers are enough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np

from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem, require_positive
from hodgerank.estimators.belief import FoundBelief, GivenBelief
from hodgerank.estimators.covariance import ModelCovariance
from hodgerank.estimators.dispersion import USUAL_VARIANCE, tempered
from hodgerank.estimators.empirical_bayes import MarginalLikelihood, PosteriorFit
from hodgerank.estimators.likelihood import weight_notes
from hodgerank.estimators.position_bias.position_cells import require_display_order
from hodgerank.estimators.priors import IndependentScores, Scope
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.worker_weights import trust_in_workers, trusted_answers
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.build import build_graph, single_answers
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray, Item, VotesLike

if TYPE_CHECKING:
    from hodgerank.estimators.position_bias.position_cells import Position

LINK = "thurstone-mosteller"
LEAST_RIDGE = 1e-4  # scores of standard deviation 100: any wider, and no probit tells them apart


def bayes_rank(
    votes: VotesLike,
    *,
    ridge: float | None = None,
    position_bias: Position | None = None,
    candidates: Iterable[tuple[Item, Item]] | Literal["all"] | None = None,
    robust: bool = False,
    confidence: float = 0.95,
) -> Ranking:
    """Scores under the probit model with a Gaussian prior, for few answers or many.

    P(i beats j) is the standard normal distribution function of x_i - x_j, and the scores have
    prior N(0, v). Finds their mean and covariance given the answers by expectation propagation
    [Minka01]. v is the one the answers make most probable, so weak opinions are shrunk much and
    strong ones little; where they leave it open, it is a mean. Thanks to the prior all items are
    ranked together, also those that no chain of comparisons joins yet: their uncertainty says so.
    Ties and grades vary less than choices; by their `dispersion` they count for more.

    Where only some pairs can be asked, such as neighbours, and items far apart hang on long chains
    of them, small differences of neighbours do not mean small differences of all. There the
    prior may also be that of items that are like those they are compared with (a Gaussian Markov
    field), if the answers speak for it.

    Parameters
    ----------
    votes
        Comparisons, a ComparisonGraph, or anything `read_comparisons` takes. Items without any
        answer are ranked too.
    ridge
        1/v, the precision of the scores, if it is known; they are independent then.
    position_bias
        As in `bradley_terry`; scores are independent beforehand then.
    candidates
        Pairs that could be asked: a list, or 'all'. Default: those that were. It matters where
        answers led to the pairs that were asked.
    robust
        Weigh the answers of each worker by how far they can be trusted, as `robust_rank` finds it:
        those of coin-tossers are left out, those of adversaries turned round. Answers without a
        worker are trusted.
    confidence
        Level of the intervals.

    Examples
    --------
    >>> ranking = bayes_rank([("a", "b", 1), ("a", "b", 1), ("c", "d", 1)])
    >>> ranking.items, ranking.n_components
    (('a', 'c', 'd', 'b'), 1)
    """
    if ridge is not None:
        require_positive(ridge, "ridge")
        if not LEAST_RIDGE <= ridge <= 1 / LEAST_RIDGE:
            raise InvalidArgument(
                f"ridge is the precision of the scores, from {LEAST_RIDGE:g} to "
                f"{1 / LEAST_RIDGE:g}, not {ridge:g}"
            )
    if robust:
        answers = single_answers(votes, "robust=True (--robust)")
        trusted = answers
        if answers.n_workers:
            trusted = trusted_answers(answers, trust_in_workers(answers))
        if answers.display_known.any() and not trusted.display_known.any():
            position_bias = None  # nobody who is trusted has seen sides that are known
        ranking = bayes_rank(
            trusted,
            ridge=ridge,
            position_bias=position_bias,
            candidates=candidates,
            confidence=confidence,
        )
        return ranking.counting(ComparisonGraph.from_comparisons(answers))
    graph = build_graph(votes)
    scope = _read_scope(candidates, graph.items)
    if position_bias is None:
        return believed_ranking(graph, scope, ridge=ridge, confidence=confidence)
    if candidates is not None:
        raise InvalidArgument("candidates= and position_bias= do not go together: leave out one")
    answers = single_answers(
        votes, f"position_bias={position_bias!r} (--position-bias {position_bias})"
    )
    require_display_order(answers, position_bias)
    return position_adjusted_ranking(
        AnsweredGraph.of(answers), position_bias, ridge=ridge, confidence=confidence
    )


def believed_ranking(
    graph: ComparisonGraph,
    scope: Scope | None = None,
    *,
    ridge: float | None = None,
    confidence: float = 0.95,
    notes: tuple[str, ...] = (),
) -> Ranking:
    """The ranking of a graph; see `bayes_rank`."""
    if not graph.n_items:
        raise InvalidComparisons("there are no items to rank")
    found = FoundBelief(graph, LINK, scope=scope)
    fit = found.evidence.best if ridge is None else _given(graph, found.dispersion, ridge)
    return _ranking(found, fit, ridge, confidence, (*weight_notes(graph), *notes))


def position_adjusted_ranking(
    answered: AnsweredGraph,
    position_bias: Position,
    *,
    ridge: float | None = None,
    confidence: float = 0.95,
    notes: tuple[str, ...] = (),
    held: FloatArray | None = None,
) -> Ranking:
    """The ranking of answers that may lean to a side; see `bayes_rank`.

    `held` are leans that are known already.
    """
    from hodgerank.estimators.position_bias.adjustment import position_bias_note
    from hodgerank.estimators.position_bias.posterior import position_bias_posterior

    found = position_bias_posterior(answered, position_bias, LINK, held)
    place = found.evidence.best_place if ridge is None else _place(ridge)
    note = position_bias_note(found.evidence.lean(place), position_bias)
    notes = (*weight_notes(answered.graph), *notes, note)
    return _ranking(found, found.evidence.fit(place), ridge, confidence, notes)


def _given(graph: ComparisonGraph, dispersion: float, ridge: float) -> PosteriorFit:
    """Where the prior is known."""
    evidence = MarginalLikelihood(
        tempered(graph, dispersion), LINK, IndependentScores(graph.n_items)
    )
    return evidence.fit(_place(ridge))


def _place(ridge: float) -> float:
    """Where a precision stands in the list of an `MarginalLikelihood`."""
    return -float(np.log2(ridge * USUAL_VARIANCE[LINK]))


def _ranking(
    found: FoundBelief,
    fit: PosteriorFit,
    ridge: float | None,
    confidence: float,
    notes: tuple[str, ...],
) -> Ranking:
    graph, covariance, sites = found.graph, ModelCovariance(fit.equations, 1.0), fit.sites
    if ridge is None and found.evidence.prior.note is not None:
        notes = (*notes, found.evidence.prior.note)
    if not fit.converged:
        notes = (
            *notes,
            f"not converged after {sites.sweeps} sweeps (last change {sites.change:.1e})",
        )
    return Ranking.from_scores(
        graph,
        fit.scores,
        covariance,
        belief=found if ridge is None else GivenBelief(fit.scores, covariance),
        dispersion=found.dispersion,
        joined=True,
        model="posterior mean",
        link=LINK,
        confidence=confidence,
        ridge=fit.equations.ridge,
        iterations=sites.sweeps,
        residual=sites.change,
        solver=fit.solver,
        converged=fit.converged,
        notes=notes,
    )


def _read_scope(
    candidates: Iterable[tuple[Item, Item]] | Literal["all"] | None, items: tuple[Item, ...]
) -> Scope | None:
    if candidates is None:
        return None
    if isinstance(candidates, str):
        if candidates != "all":
            raise InvalidArgument(f"candidates are a list of pairs or 'all', not {candidates!r}")
        return Scope(len(items))
    places = {item: place for place, item in enumerate(items)}
    try:
        pairs = {(places[left], places[right]) for left, right in candidates}
    except KeyError as error:
        raise UnknownItem(error.args[0], items) from None
    except (TypeError, ValueError):
        raise InvalidArgument("candidates are a list of pairs of items, or 'all'") from None
    for a, b in pairs:
        if a == b:
            raise InvalidArgument(f"{items[a]!r} cannot be compared with itself")
    ends = sorted({(min(pair), max(pair)) for pair in pairs})
    i, j = np.array(ends, np.int32).reshape(-1, 2).T
    return Scope(len(items), (i, j))
