"""What a careful reader should know before believing a comparison."""

from __future__ import annotations

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.estimators.comparing.exchange import Exchange
from hodgerank.estimators.comparing.populations import Populations
from hodgerank.estimators.comparing.shared_scores import LEAST_BELIEVABLE
from hodgerank.notebook import short
from hodgerank.types import FloatArray

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
