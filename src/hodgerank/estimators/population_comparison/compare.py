"""compare_rankings: do experts and novices, two dates, or two judges rank differently?

`Populations` matches items and workers. `fit_apart` and `share_scores` fit the alternative and the
null model. `Exchange` permutes workers or votes between the populations, `evidence` computes the
test statistics of each permutation, and `result` holds the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.estimators.population_comparison.evidence import evidence_for
from hodgerank.estimators.population_comparison.populations import (
    Exchange,
    Populations,
    exchange_of,
)
from hodgerank.estimators.population_comparison.result import RankingComparison, agreements, taus
from hodgerank.estimators.population_comparison.separate_scores import fit_apart, separate_scores
from hodgerank.estimators.population_comparison.shared_scores import LEAST_BELIEVABLE, share_scores
from hodgerank.kernels.linalg.normal_equations import DENSE_ITEMS
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import FloatArray, Item, RngLike, VotesLike

MOST_NAMED = 5
SHARP = 1.25  # ratio of acuities worth a note
FEW_SHARED = 0.5
UNEVEN = 4.0  # ratio of votes per worker between populations


def notes_on(
    crowds: Populations, acuity: FloatArray, exchange: Exchange, n_permutations: int
) -> tuple[str, ...]:
    """Return the notes on limits of the comparison."""
    notes = [
        *_on_items(crowds),
        *_on_acuity(crowds, acuity),
        *(_on_workers(crowds) if exchange.by_worker else _on_votes(crowds)),
        *_on_pairs(crowds, exchange),
        *_on_permutations(exchange, n_permutations),
    ]
    return tuple(notes)


def _on_items(crowds: Populations) -> list[str]:
    if not crowds.left_out:
        return []
    named = ", ".join(short(item) for item in crowds.left_out[:MOST_NAMED])
    n = len(crowds.left_out)
    more = ", ..." if n > MOST_NAMED else ""
    return [
        f"{n:,} item{' is' if n == 1 else 's are'} left out because the votes of some population "
        f"do not connect {'it' if n == 1 else 'them'} to the others: {named}{more}"
    ]


def _on_acuity(crowds: Populations, acuity: FloatArray) -> list[str]:
    if crowds.n_items == 2:
        return ["with two items, differences in taste and in acuity cannot be separated"]
    sharpest, dullest = int(acuity.argmax()), int(acuity.argmin())
    if acuity[sharpest] < SHARP * acuity[dullest]:
        return []
    if acuity[dullest] < LEAST_BELIEVABLE:
        return [
            f"{short(crowds.names[dullest])} hardly follow the common ranking, which is therefore "
            "mostly that of the other populations"
        ]
    return [
        f"{short(crowds.names[sharpest])} follow the common ranking more consistently than "
        f"{short(crowds.names[dullest])} (acuity {acuity[sharpest]:.2f} and "
        f"{acuity[dullest]:.2f}); reported differences are beyond that"
    ]


def _on_workers(crowds: Populations) -> list[str]:
    notes = []
    unknown = int((crowds.worker == NO_WORKER).sum())
    if unknown:
        notes.append(f"{unknown:,} votes without a worker are not exchanged")
    rates = [
        float((mask := crowds.population == g).sum() / len(np.unique(crowds.worker[mask])))
        for g in range(len(crowds.names))
    ]
    if max(rates) > UNEVEN * min(rates):
        notes.append(
            f"workers of one population gave {max(rates):,.0f} votes each, those of another "
            f"{min(rates):,.0f}: the test allows for that, but has less power"
        )
    return notes


def _on_votes(crowds: Populations) -> list[str]:
    notes = []
    if (crowds.worker == NO_WORKER).any():
        notes.append(
            "not all workers are known: votes are treated as independent, so p-values are too "
            "small if workers differ in taste and gave many votes each"
        )
    else:
        alone = [
            short(name)
            for g, name in enumerate(crowds.names)
            if len(np.unique(crowds.worker[crowds.population == g])) == 1
        ]
        notes.append(
            f"{', '.join(alone)}: a single worker, so the result may not hold for others of the "
            "same population"
        )
    if crowds.counts.max() == 1:
        notes.append(
            "one vote per pair and population: agreement within a population cannot be estimated, "
            "only differences between items"
        )
    return notes


def _on_pairs(crowds: Populations, exchange: Exchange) -> list[str]:
    share = float((crowds.counts * crowds.is_shared).sum() / crowds.counts.sum())
    if share >= FEW_SHARED:
        return []
    rest = (
        "the others count only through Bradley-Terry scores"
        if exchange.by_worker
        else "the others cannot be exchanged and are not used"
    )
    return [f"{share:.0%} of the votes are on pairs that several populations compared; {rest}"]


def _on_permutations(exchange: Exchange, n_permutations: int) -> list[str]:
    if exchange.n_possible > n_permutations:
        return []
    if exchange.n_possible == 1:
        return ["no permutation is possible, so no difference can be detected"]
    return [
        f"{exchange.what} can be exchanged in only {exchange.n_possible:,} ways: "
        f"the smallest possible p-value is about {1 / exchange.n_possible:.2g}"
    ]


# Permutations whose statistic is equal up to rounding count as equally extreme.
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
    """Test whether populations rank the same items differently, and find the items that moved.

    Scores are Bradley-Terry with a weak prior. Population g has scores s_g c + d_g: c is the common
    ranking, s_g the acuity (how consistently the population follows it), and d_g its difference. A
    permutation test checks whether any d_g differs from zero. It exchanges whole workers who voted
    for one population, and the populations within workers who voted for several. Without known
    workers, or if a population is a single worker, it exchanges votes on the same pair. Item
    p-values are adjusted by the maximum over all items (max-T) and are at least the overall
    p-value.

    Parameters
    ----------
    votes
        Votes by name of the population: Comparisons, or anything `read_comparisons` accepts. Items
        and workers are matched by name.
    acuity
        'own' gives each population its own acuity, which then does not count as a difference in
        ranking; 'shared' counts it as one.
    n_permutations
        Number of permutations; the smallest possible p-value is 1 / (n_permutations + 1).
    confidence
        Confidence level of all intervals; the significance level is one minus it.
    rng
        Seed or generator of the permutations.
    on_permutation
        Called after each permutation.

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
            f"{n_permutations:,} permutations are too few for confidence {confidence}: "
            "with n of them the smallest p-value is 1/(n+1)"
        )
    crowds = Populations.of(votes)
    if crowds.n_items > DENSE_ITEMS:
        raise InvalidArgument(
            f"{crowds.n_items:,} items are too many to compare rankings: at most {DENSE_ITEMS:,}"
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
    # With two items, acuity and taste cannot be separated.
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
        # No item can have moved if the rankings do not differ significantly.
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
    """Return the p-value of the more significant of two statistics; the observed value comes first.

    Many small moves show in the overall statistic, one large move in the largest item statistic.
    Each permutation is rated by the rarer of the two, which corrects for testing twice.
    """
    rarity = np.minimum(_shares(statistics), _shares(largest))
    return float(np.mean(rarity <= rarity[0] + ROUNDING))


def _shares(values: FloatArray) -> FloatArray:
    """Return, for each value, the share of values at least as large."""
    n_less = np.searchsorted(np.sort(values), _rounded_down(values))
    return np.asarray(1 - n_less / len(values))


def _p_values(found: FloatArray, drawn: FloatArray) -> FloatArray:
    """Return permutation p-values, counting the observed value as one permutation."""
    n_less = np.searchsorted(np.sort(drawn), _rounded_down(found))
    return np.asarray((1 + len(drawn) - n_less) / (1 + len(drawn)))


def _rounded_down(values: FloatArray) -> FloatArray:
    """Subtract the rounding error; infinite values (no variation between workers) stay."""
    margin = ROUNDING * np.abs(np.where(np.isfinite(values), values, 0.0))
    return np.asarray(values - margin)
