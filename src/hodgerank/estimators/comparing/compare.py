"""compare_rankings: do experts and novices, before and after, or two judges rank differently?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.estimators.comparing.agreement import agreements, taus
from hodgerank.estimators.comparing.evidence import evidence_for
from hodgerank.estimators.comparing.exchange import exchange_of
from hodgerank.estimators.comparing.notes import notes_on
from hodgerank.estimators.comparing.populations import Populations
from hodgerank.estimators.comparing.result import RankingComparison
from hodgerank.estimators.comparing.separate_scores import fit_apart, separate_scores
from hodgerank.estimators.comparing.shared_scores import share_scores
from hodgerank.kernels.linalg.normal_equations import DENSE_ITEMS
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import FloatArray, Item, RngLike, VotesLike

# Exchanges that give the same evidence up to rounding count as giving as much.
ROUNDING = 1e-9


def compare_rankings(
    votes: Mapping[Item, VotesLike],
    *,
    acuity: Literal["own", "shared"] = "own",
    n_permutations: int = 999,
    confidence: float = 0.95,
    rng: RngLike = 0,
    on_permutation: Callable[[], None] | None = None,
) -> RankingComparison:
    """Whether populations rank the same items differently, and which items moved.

    Scores are Bradley-Terry's with a weak prior. Population g has scores s_g c + d_g: c is what all
    share, s_g how decidedly it answers, d_g where it differs. Whether any d_g is there is a
    permutation test: what could as well have come from another population if they did not differ is
    exchanged many times. Workers who answered for one population are exchanged with each other, and
    the answers of a worker who answered for several between them; without workers, or where a
    population is one worker, answers to the same pair are exchanged. An item's p-value is that of
    the largest difference of any item (max-T), and never less than that of the whole.

    Parameters
    ----------
    votes
        By the name of the population: Comparisons, or anything `read_comparisons` takes. Items and
        workers are matched by name.
    acuity
        'own' lets a population answer more decidedly than another without calling that a
        difference of ranking; 'shared' calls it one.
    n_permutations
        The smallest p-value is one over this plus 1.
    confidence
        Level of all intervals; p-values up to one minus it are called differences.
    rng
        Seed or generator of the exchanges.
    on_permutation
        Called after each of them.

    Examples
    --------
    >>> import hodgerank as hr
    >>> experts = hr.simulate_comparisons(["a", "b", "c", "d"], 300, scores=[3, 1, 0, 0], rng=1)
    >>> novices = hr.simulate_comparisons(["a", "b", "c", "d"], 300, scores=[0, 1, 0, 3], rng=2)
    >>> found = compare_rankings({"experts": experts, "novices": novices}, n_permutations=99)
    >>> found.differ, found.exchanged
    (True, 'the populations within each worker')
    """
    require_one_of(acuity, ("own", "shared"), "acuity")
    if not 0 < confidence < 1 or (n_permutations + 1) * (1 - confidence) < 1:
        raise InvalidArgument(
            f"{n_permutations:,} permutations cannot show anything at confidence {confidence}: "
            "with n of them the smallest p-value is 1/(n+1)"
        )
    crowds = Populations.of(votes)
    if crowds.n_items > DENSE_ITEMS:
        raise InvalidArgument(
            f"{crowds.n_items:,} items are too many to compare rankings of: at most {DENSE_ITEMS:,}"
        )
    with few_threads(crowds.n_items):
        return _compare(crowds, acuity == "own", n_permutations, confidence, rng, on_permutation)


def _compare(
    crowds: Populations,
    own_acuity: bool,
    n_permutations: int,
    confidence: float,
    rng: RngLike,
    on_permutation: Callable[[], None] | None,
) -> RankingComparison:
    fits = fit_apart(crowds)
    # With two items, acuity and taste are the same thing.
    shared = share_scores(crowds, fits, own_acuity=own_acuity and crowds.n_items > 2)
    pooled = share_scores(crowds, fits, own_acuity=False)
    exchange = exchange_of(crowds)
    weigh = evidence_for(crowds, shared, pooled, exchange)
    random = np.random.default_rng(rng)
    found = weigh(exchange.population)
    statistics, largest, agreeing = [], [], []
    for _ in range(n_permutations):
        drawn = weigh(exchange.draw(random))
        statistics.append(drawn.statistic)
        largest.append(np.abs(drawn.t).max())
        agreeing.append(taus(drawn.scores))
        if on_permutation is not None:
            on_permutation()
    apart = separate_scores(
        crowds, fits, shared, by_worker=exchange.by_worker, confidence=confidence
    )
    place = {item: k for k, item in enumerate(crowds.items)}
    codes = np.array([place[item] for item in apart.common.items])
    p_value = _rarer(
        np.array([found.statistic, *statistics]), np.array([np.abs(found.t).max(), *largest])
    )
    return RankingComparison(
        populations=crowds.names,
        rankings=dict(zip(crowds.names, apart.rankings, strict=True)),
        common=apart.common,
        acuity=dict(zip(crowds.names, apart.acuity.tolist(), strict=True)),
        left_out=crowds.left_out,
        differences=apart.differences[:, codes],
        difference_errors=apart.errors[:, codes],
        # No item is said to have moved in a ranking that is not said to differ.
        item_p_values=np.maximum(_p_values(np.abs(found.t[:, codes]), np.array(largest)), p_value),
        agreement=agreements(crowds.names, taus(apart.scores), np.array(agreeing)),
        statistic=found.statistic,
        p_value=p_value,
        exchanged=exchange.what,
        n_permutations=n_permutations,
        confidence=confidence,
        notes=notes_on(crowds, apart.acuity, exchange, n_permutations),
        backend=crowds.graphs[0].backend,
    )


def _rarer(statistics: FloatArray, largest: FloatArray) -> float:
    """How often an exchange gives as much in either of two ways; what was found comes first.

    Many small moves show in the whole, one large move in its item. Each exchange is rated by the
    rarer of the two, as what was found is, so that looking twice costs nothing but power.
    """
    rarity = np.minimum(_shares(statistics), _shares(largest))
    return float(np.mean(rarity <= rarity[0] + ROUNDING))


def _shares(values: FloatArray) -> FloatArray:
    """The share of the values that are at least as large, for each."""
    n_less = np.searchsorted(np.sort(values), _rounded_down(values))
    return np.asarray(1 - n_less / len(values))


def _p_values(found: FloatArray, drawn: FloatArray) -> FloatArray:
    """How often an exchange gives as much, what was found being one of them."""
    n_less = np.searchsorted(np.sort(drawn), _rounded_down(found))
    return np.asarray((1 + len(drawn) - n_less) / (1 + len(drawn)))


def _rounded_down(values: FloatArray) -> FloatArray:
    """Less by rounding; where no worker differs from another the evidence is infinite."""
    margin = ROUNDING * np.abs(np.where(np.isfinite(values), values, 0.0))
    return np.asarray(values - margin)
