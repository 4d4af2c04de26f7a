"""Samplers by name, for commands and services."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.auto import AutoSampler
from hodgerank.sampling.samplers.bayesian import BayesianSampler
from hodgerank.sampling.samplers.crowd_bt import CrowdBTSampler
from hodgerank.sampling.samplers.fisher import FisherSampler
from hodgerank.sampling.samplers.random import RandomSampler
from hodgerank.sampling.samplers.rank import RankSampler
from hodgerank.sampling.samplers.sort import SortSampler
from hodgerank.sampling.samplers.top_k import TopKSampler
from hodgerank.types import Item

STRATEGIES: Mapping[str, Callable[..., Sampler]] = {
    "auto": AutoSampler,
    "sort": SortSampler,
    "rank": RankSampler,
    "bayesian": BayesianSampler,
    "d-optimal": FisherSampler,
    "a-optimal": lambda items, **options: FisherSampler(items, criterion="a-optimal", **options),
    "fiedler": lambda items, **options: FisherSampler(items, criterion="fiedler", **options),
    "crowd-bt": CrowdBTSampler,
    "rounds": RandomSampler,
    "random": lambda items, **options: RandomSampler(items, order="independent", **options),
}
LABEL_FREE = ("d-optimal", "a-optimal", "fiedler", "rounds", "random")


def build_sampler(
    strategy: str,
    items: Iterable[Item],
    *,
    seed: int = 0,
    candidates: Candidates = None,
    position_bias: Position | None = None,
    display: Display = "balanced",
    vetting: int = 0,
    easy_share: float = 0.0,
    budget: int | None = None,
) -> Sampler:
    """Build the sampler of that name with its defaults; 'top-5' targets the five best.

    Samplers that ignore the votes need no vetting: all their pairs are chosen without labels.
    `budget` is the number of votes planned in all, if it is known.
    """
    options: dict[str, Any] = {"seed": seed, "candidates": candidates, "display": display}
    if position_bias is not None:
        if strategy == "crowd-bt":
            raise InvalidArgument("crowd-bt does not model position bias: choose another strategy")
        options["position_bias"] = position_bias
    wanted = re.fullmatch(r"top-([1-9]\d*)", strategy)
    for name, value in (("vetting", vetting), ("easy_share", easy_share)):
        if value and (wanted or strategy == "auto"):
            options[name] = value
        elif value and not (name == "vetting" and strategy in LABEL_FREE):
            raise InvalidArgument(
                f"{name} needs the sampler auto or one such as top-5, not {strategy}: choose one "
                f"of these, or set {name} to 0"
            )
    if wanted:
        return TopKSampler(items, int(wanted[1]), budget=budget, **options)
    build = STRATEGIES[require_one_of(strategy, (*STRATEGIES, "top-5"), "strategy")]
    return build(items, **options)
