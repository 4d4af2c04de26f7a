"""How a report is to be made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hodgerank.estimators.position_bias.position_cells import Position
from hodgerank.types import Pair


@dataclass(frozen=True)
class ReportOptions:
    """How a report is made.

    Attributes
    ----------
    options
        Of `rank`: model, position bias, confidence ...
    with_forecast
        Whether to forecast how many more votes are needed.
    seed
        Of the sampler that proposes pairs, and of forecasts.
    with_workers
        Whether workers are assessed.
    candidates
        Pairs that can be asked; None: all.
    max_votes
        How many more votes can be had; None: no limit.
    """

    options: Mapping[str, Any]
    with_forecast: bool
    seed: int
    with_workers: bool = True
    candidates: Sequence[Pair] | None = None
    max_votes: int | None = None

    @property
    def model(self) -> str:
        """The model of `rank`."""
        return str(self.options.get("model", "bayes"))

    @property
    def position_bias(self) -> Position | None:
        """Terms for position bias in the model."""
        return self.options.get("position_bias")


@dataclass(frozen=True)
class Provenance:
    """The command line or call, the seed, and the day."""

    command: str
    seed: int
    date: str
