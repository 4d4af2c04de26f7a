"""The experiments, in the order of the paper and then beyond it."""

from __future__ import annotations

from collections.abc import Mapping

from hodgerank.reproduce.experiment import Experiment
from hodgerank.reproduce.figures import (
    betti,
    budget,
    careless,
    cost_real,
    cost_simulated,
    fiedler,
    judges,
    larger,
    reading_level,
    recorded,
    samplers,
    simulated,
)

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        fiedler.EXPERIMENT,
        betti.EXPERIMENT,
        simulated.EXPERIMENT,
        cost_simulated.EXPERIMENT,
        budget.EXPERIMENT,
        recorded.VQA,
        recorded.IQA,
        reading_level.EXPERIMENT,
        cost_real.EXPERIMENT,
        samplers.EXPERIMENT,
        careless.EXPERIMENT,
        judges.EXPERIMENT,
        larger.EXPERIMENT,
    )
}
