"""Scenarios: who judges what."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.judging.judges import Judges, recorded, simulated

SPREAD = 1.5  # of scores, on the logit scale
BIASES = (0.0, 1.0, 2.0, 3.0)
PANEL = (-1.0, 1.0, 3.0)
SIZES = (20, 50)
RECORDED = {"VQA": ("pc-vqa", 10), "IQA": ("pc-iqa", 15)}


class Scenario(NamedTuple):
    """A name, what kind it is of, what it is in words, and the judges of a run."""

    name: str
    kind: str
    about: str
    judges: Callable[[np.random.Generator], Judges]


def all_scenarios() -> tuple[list[Scenario], list[str]]:
    """Return the scenarios that can be played here, and why others cannot."""
    found = [
        Scenario(
            f"one-{n}-bias-{bias:g}",
            "simulated",
            f"{n} items, one judge, bias {bias:g}",
            partial(simulated, n=n, spread=SPREAD, biases=(bias,)),
        )
        for n in SIZES
        for bias in BIASES
    ]
    words = ", ".join(f"{bias:g}" for bias in PANEL)
    found += [
        Scenario(
            f"panel-{n}",
            "simulated",
            f"{n} items, three judges, biases {words}",
            partial(simulated, n=n, spread=SPREAD, biases=PANEL),
        )
        for n in SIZES
    ]
    if "HODGERANK_DATA" not in os.environ:
        return found, ["Recorded votes were left out: HODGERANK_DATA does not name their folder."]
    for name, (data_set, n_references) in RECORDED.items():
        for n_judges, who in ((1, "one judge"), (3, "three judges")):
            judges = partial(recorded, name=data_set, n_references=n_references, n_judges=n_judges)
            about = f"{name}, 16 items, {who}"
            found.append(Scenario(f"{name}-{n_judges}", "recorded", about, judges))
    return found, []
