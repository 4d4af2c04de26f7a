"""compare_rankings: do experts and novices, before and after, or two judges rank differently?"""

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
SHARP = 1.25  # ratio of acuities that is worth a word
FEW_SHARED = 0.5
UNEVEN = 4.0  # ratio of answers per worker between populations


def notes_on(
    crowds: Populations, acuity: FloatArray, exchange: Exchange, n_permutations: int
) -> tuple[str, ...]:
    """Everything that limits what was found."""
    notes = [
        *_on_items(crowds),
        *_on_acuity(crowds, acuity),
        *(_on_workers(crowds) if exchange.by_worker else _on_answers(crowds)),
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
        f"{n:,} item{' is' if n == 1 else 's are'} left out, not being joined to the others by the "
        f"answers of every population: {named}{more}"
    ]


def _on_acuity(crowds: Populations, acuity: FloatArray) -> list[str]:
    if crowds.n_items == 2:
        return ["two items: a difference of taste and one of acuity cannot be told apart"]
    sharpest, dullest = int(acuity.argmax()), int(acuity.argmin())
    if acuity[sharpest] < SHARP * acuity[dullest]:
        return []
    if acuity[dullest] < LEAST_BELIEVABLE:
        return [
            f"{short(crowds.names[dullest])} hardly follow the ranking that is common to all: what "
            "is called common is mostly that of the others"
        ]
    return [
        f"{short(crowds.names[sharpest])} follow the common ranking more decidedly than "
        f"{short(crowds.names[dullest])} (acuity {acuity[sharpest]:.2f} and "
        f"{acuity[dullest]:.2f}); differences are what that does not explain"
    ]


def _on_workers(crowds: Populations) -> list[str]:
    notes = []
    unknown = int((crowds.worker == NO_WORKER).sum())
    if unknown:
        notes.append(f"{unknown:,} answers without a worker stay in their population")
    rates = [
        float((mask := crowds.population == g).sum() / len(np.unique(crowds.worker[mask])))
        for g in range(len(crowds.names))
    ]
    if max(rates) > UNEVEN * min(rates):
        notes.append(
            f"workers of one population gave {max(rates):,.0f} answers each, those of another "
            f"{min(rates):,.0f}: the test allows for that, and misses more"
        )
    return notes


def _on_answers(crowds: Populations) -> list[str]:
    notes = []
    if (crowds.worker == NO_WORKER).any():
        notes.append(
            "not all workers are known: answers are taken as independent, and if workers differ in "
            "taste and answered many questions each, p-values are too small"
        )
    else:
        alone = [
            short(name)
            for g, name in enumerate(crowds.names)
            if len(np.unique(crowds.worker[crowds.population == g])) == 1
        ]
        notes.append(
            f"{', '.join(alone)}: a single worker, of whom it cannot be known whether others of "
            "his kind would answer likewise"
        )
    if crowds.counts.max() == 1:
        notes.append(
            "one answer per pair and population: how well a population agrees with itself cannot "
            "be known, only whether differences gather on items"
        )
    return notes


def _on_pairs(crowds: Populations, exchange: Exchange) -> list[str]:
    share = float((crowds.counts * crowds.is_shared).sum() / crowds.counts.sum())
    if share >= FEW_SHARED:
        return []
    rest = (
        "the others count as far as Bradley-Terry scores explain them"
        if exchange.by_worker
        else "the others cannot be exchanged and do not count"
    )
    return [f"{share:.0%} of the answers are to pairs that several populations were asked; {rest}"]


def _on_permutations(exchange: Exchange, n_permutations: int) -> list[str]:
    if exchange.n_possible > n_permutations:
        return []
    if exchange.n_possible == 1:
        return ["nothing can be exchanged, so that no difference can be shown"]
    return [
        f"{exchange.what} can be exchanged in {exchange.n_possible:,} ways only: "
        f"no p-value below about {1 / exchange.n_possible:.2g} can be reached"
    ]


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
