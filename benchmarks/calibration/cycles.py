"""Misfit and cycles: rates of false positives in crowds with one ranking, and power in others.

Crowds whose items, pairs or workers differ have one ranking but no single link: misfit is true for
them, and only cycles are false positives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from benchmarks.calibration.crowds import CONSISTENT, Crowd
from benchmarks.calibration.table import Row
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.consistency import Consistency, assess_consistency
from hodgerank.graph.decomposition import decompose_votes

LEVEL = 0.05
FALSE, TRUE, ANY = "at most 8 %", "at least 85 %", "any"
SIZES = (10, 30)
PER_PAIR = (2, 5, 20)
DESIGNS = ("dense", "sparse", "unbalanced")
STATEMENTS = ("misfit", "cycles", "a triangle named")
SHARES = ("bias", "curl", "harmonic")
UNEVEN = ("varied tastes", "item-specific noise", "pairs of their own strength")

OTHERS = [
    *(
        (name, replace(CONSISTENT[name], design="adaptive", per_pair=per_pair))
        for name, per_pair in product(("Bradley-Terry", "10 % lapses, spread 3"), (2, 5))
    ),
    *(
        (f"every answer given {repeats} times", Crowd(repeats=repeats, per_pair=per_pair))
        for repeats, per_pair in ((4, 5), (4, 20), (2, 20))
    ),
    *(
        (UNEVEN[2], Crowd(n_items=n, per_pair=20, pair_noise=noise))
        for n, noise in product(SIZES, (0.5, 1.0))
    ),
]
PLANTED = [
    *(("rotation", Crowd(cycles="rotation", per_pair=per_pair)) for per_pair in PER_PAIR),
    *(("one triangle", Crowd(cycles="triangle", n_items=n, per_pair=20)) for n in SIZES),
    ("diffuse", Crowd(cycles="diffuse", n_items=30, per_pair=20)),
]


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield false positive rates of consistent crowds, then power for planted cycles."""
    cells = product(SIZES, DESIGNS, PER_PAIR, CONSISTENT.items())
    consistent = [
        (name, replace(crowd, n_items=n, design=design, per_pair=per_pair))
        for n, design, per_pair, (name, crowd) in cells
    ]
    for name, crowd in consistent + OTHERS:
        nominal = (ANY if name in UNEVEN else FALSE, FALSE, FALSE)
        yield from measured(name, crowd, nominal, runs, seed)
    for name, crowd in consistent:
        if crowd.n_items == 10 and crowd.design != "unbalanced":
            yield from shares_measured(name, crowd, runs, seed)
    for name, crowd in PLANTED:
        is_strong = name == "rotation" and crowd.per_pair == 20
        yield from measured(name, crowd, (TRUE if is_strong else ANY,) * 3, runs, seed)


def measured(
    name: str, crowd: Crowd, nominal: tuple[str, str, str], runs: int, seed: int
) -> Iterator[Row]:
    """Yield the share of runs in which each statement is made."""
    n = runs if crowd.n_items < 30 else max(runs // 2, 1)
    made = np.array([_made(found_in(crowd, seed + run)) for run in range(n)])
    for statement, wanted, share in zip(STATEMENTS, nominal, made.mean(axis=0), strict=True):
        yield Row(statement, _words(name, crowd), wanted, float(share), n)


def shares_measured(name: str, crowd: Crowd, runs: int, seed: int) -> Iterator[Row]:
    """Yield the share of runs in which a component is significant."""
    p_values = np.array([_p_values(crowd, seed + run) for run in range(runs)])
    for part, share in zip(SHARES, (p_values < LEVEL).mean(axis=0), strict=True):
        yield Row(f"share of {part}", _words(name, crowd), FALSE, float(share), runs)


def found_in(crowd: Crowd, seed: int) -> Consistency:
    """Assess the votes of one such crowd."""
    return assess_consistency(AnsweredGraph.of(crowd.votes(np.random.default_rng(seed))))


def _made(found: Consistency) -> tuple[bool, bool, bool]:
    misfit, cycles = (
        test is not None and test.p_value < LEVEL for test in (found.misfit, found.cycles)
    )
    return misfit, cycles, found.n_named > 0


def _p_values(crowd: Crowd, seed: int) -> list[float]:
    answered = AnsweredGraph.of(crowd.votes(np.random.default_rng(seed)))
    parts = decompose_votes(answered)
    return [getattr(parts.expected, part).p_value(parts.energy[part]) for part in SHARES]


def _words(name: str, crowd: Crowd) -> str:
    noise = f" ({crowd.pair_noise:g} logits)" if crowd.pair_noise else ""
    return f"{name}{noise}; {crowd.n_items} items, {crowd.design}, {crowd.per_pair} per pair"
