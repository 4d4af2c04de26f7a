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
    ("every answer given 4 times", Crowd(repeats=4, n_items=30, per_pair=8, design="unbalanced")),
    *(
        (UNEVEN[2], Crowd(n_items=n, per_pair=20, pair_noise=noise))
        for n, noise in product(SIZES, (0.5, 1.0))
    ),
]
NEIGHBOURS = Crowd(pattern="near", per_pair=10)
RING = Crowd(pattern="near", clear=0.7, design="ring", n_items=8, per_pair=20)
HARD = {
    **{f"ring, closing pair {faint:.2f}": replace(RING, faint=faint) for faint in (0.5, 0.55, 0.6)},
    "ring, closing pair 0.50, 80 votes": replace(RING, per_pair=80),
    "neighbours .97, others .5": NEIGHBOURS,
    "neighbours .97, others .5, twice as many": replace(NEIGHBOURS, n_items=20),
    "neighbours .8, others .52": replace(NEIGHBOURS, clear=0.8, faint=0.52),
    "neighbours .8, others .52, twice as many": replace(
        NEIGHBOURS, clear=0.8, faint=0.52, n_items=20
    ),
    "up to two places .8, others .5": replace(NEIGHBOURS, clear=0.8, reach=2),
    "up to three places .9, others .5": replace(NEIGHBOURS, clear=0.9, reach=3, n_items=12),
    "up to five places .9, others .5": replace(NEIGHBOURS, clear=0.9, reach=5, n_items=20),
    "up to three places .9, others .5, bipartite": replace(
        NEIGHBOURS, clear=0.9, reach=3, design="bipartite", n_items=20
    ),
    "strengths of their own": replace(NEIGHBOURS, pattern="own"),
    "strengths of their own, twice as many": replace(NEIGHBOURS, pattern="own", n_items=20),
}
"""Crowds with one ranking whose strengths are not those of any scores."""
VARIED = {
    "ties": {"answer": "tie"},
    "every vote twice": {"repeats": 2},
    "unequal counts": {"design": "unbalanced"},
    "sparse": {"design": "sparse"},
    "every vote four times, unequal counts": {"repeats": 4, "design": "unbalanced"},
    "sparse, ties": {"design": "sparse", "answer": "tie"},
    "bipartite": {"design": "bipartite", "n_items": 20},
    "bipartite, ties": {"design": "bipartite", "n_items": 20, "answer": "tie"},
    "adaptive": {"design": "adaptive", "per_pair": 5},
}
COMBINED = [
    *(
        (f"{name}, {how}", replace(HARD[name], **change))
        for name, (how, change) in product(
            ("neighbours .97, others .5", "neighbours .8, others .52", "strengths of their own"),
            VARIED.items(),
        )
    ),
    *(
        (f"ring, closing pair 0.50, {how}", replace(RING, **VARIED[how]))
        for how in ("ties", "every vote twice")
    ),
]
PLANTED = [
    *(("rotation", Crowd(cycles="rotation", per_pair=per_pair)) for per_pair in PER_PAIR),
    *(
        ("rotation at .7", Crowd(cycles="rotation", clear=0.7, per_pair=per_pair))
        for per_pair in (5, 10, 20)
    ),
    *(("one triangle", Crowd(cycles="triangle", n_items=n, per_pair=20)) for n in SIZES),
    *(
        ("one triangle at .8", Crowd(cycles="triangle", clear=0.8, per_pair=per_pair))
        for per_pair in (10, 20, 40)
    ),
    *(("loop at .7", replace(RING, faint=1 - 0.7, per_pair=per_pair)) for per_pair in (20, 40, 80)),
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
    for name, crowd in [*HARD.items(), *COMBINED]:
        yield from measured(name, crowd, (ANY, FALSE, FALSE), runs, seed)
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
