"""Figure 1: algebraic connectivity of the growing comparison graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    Scheme,
    controls,
    incidence,
    random,
    sampler_seed,
    unsupervised,
)
from hodgerank.reproduce.verdict import Findings, Published

N_ITEMS, N_SAMPLES = 16, 120
SCHEMES = {"unsupervised": unsupervised(0.0), "random": random(0.0), **controls(0.0)}


def connectivity(run: int, seed: int) -> dict[str, list[float]]:
    """Return the second-smallest eigenvalue of the Laplacian after each sample."""
    return {name: _growth(scheme, sampler_seed(seed, run)) for name, scheme in SCHEMES.items()}


def _growth(scheme: Scheme, seed: int) -> list[float]:
    _, turns = scheme.play(range(N_ITEMS), lambda pair: 1, seed=seed)
    laplacian = np.zeros((N_ITEMS, N_ITEMS))
    values = []
    for pair, _ in islice(turns, N_SAMPLES):
        d = incidence(N_ITEMS, pair)
        laplacian += np.outer(d, d)
        values.append(abs(round(float(np.linalg.eigvalsh(laplacian)[1]), 9)))
    return values


def tasks(effort: Effort) -> list[Task]:
    """Return one task per run."""
    runs = effort.runs(quick=100, full=100)
    return [Task(connectivity, {"run": run, "seed": effort.seed}) for run in runs]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether the Fiedler value is above that of random graphs throughout."""
    curves = Curves.of(range(1, N_SAMPLES + 1), outcomes)
    chart = curves.chart(y="algebraic connectivity", y_domain=(0, None))
    return Findings(curves.rows(), chart, curves.verdicts(published, unit=""))


EXPERIMENT = Experiment("fiedler", tasks, findings)
