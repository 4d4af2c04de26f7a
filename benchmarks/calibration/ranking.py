"""The test of a ranking: false positives with random votes, and power."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import Crowd, fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.estimators.trust_statements import chance_of_ranking

LEVELS = (0.05, 0.01)
TOSSED = {
    "dense": Crowd(),
    "sparse": Crowd(design="sparse", n_items=30, per_pair=1),
    "unbalanced": Crowd(design="unbalanced"),
    "ties": Crowd(answer="tie"),
    "everybody leans left by 1.5 logits": Crowd(lean=1.5),
    "adaptive": Crowd(design="adaptive", per_pair=1),
    "adaptive, 4 per pair": Crowd(design="adaptive", per_pair=4),
    "adaptive, 30 items": Crowd(design="adaptive", n_items=30, per_pair=1),
    "adaptive, ties": Crowd(design="adaptive", per_pair=3, answer="tie"),
    "adaptive, everybody leans left by 1.5 logits": Crowd(design="adaptive", per_pair=3, lean=1.5),
}


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield all statements, measured on new crowds."""
    for name, crowd in TOSSED.items():
        for spread, nominals in ((0.0, [f"{level:.0%}" for level in LEVELS]), (1.0, ["power"] * 2)):
            what = "coin tosses" if not spread else "scores of standard deviation 1"
            rng = fresh_rng(seed, f"{name} {spread}")
            asked = replace(crowd, spread=spread)
            chances = np.array(
                [chance_of_ranking(hr.decompose(asked.votes(rng))) for _ in range(runs)]
            )
            for level, nominal in zip(LEVELS, nominals, strict=True):
                of, said = f"{what}, {name}", float(np.mean(chances < level))
                yield Row(f"significant ranking (p < {level:g})", of, nominal, said, runs)
