"""Samplers by name, for commands and services."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hodgerank.errors import require_one_of
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.auto import AutoSampler
from hodgerank.sampling.samplers.bayesian import BayesianSampler
from hodgerank.sampling.samplers.crowd_bt import CrowdBTSampler
from hodgerank.sampling.samplers.fisher import FisherSampler
from hodgerank.sampling.samplers.random import RandomSampler
from hodgerank.sampling.samplers.rank import RankSampler
from hodgerank.types import Item

STRATEGIES: Mapping[str, Callable[..., Sampler]] = {
    "auto": AutoSampler,
    "rank": RankSampler,
    "bayesian": BayesianSampler,
    "d-optimal": FisherSampler,
    "fiedler": lambda items, **options: FisherSampler(items, criterion="fiedler", **options),
    "crowd-bt": CrowdBTSampler,
    "rounds": RandomSampler,
    "random": lambda items, **options: RandomSampler(items, order="independent", **options),
}


def build_sampler(strategy: str, items: Iterable[Item], *, seed: int = 0) -> Sampler:
    """The sampler of that name with its defaults."""
    return STRATEGIES[require_one_of(strategy, STRATEGIES, "strategy")](items, seed=seed)
