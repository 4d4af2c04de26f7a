"""How a report is to be made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hodgerank.estimators.group_rankings import GroupRankings
from hodgerank.estimators.position_bias.groupings import Groupings
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.score_scale import MODEL_SCALE, ScoreScale
from hodgerank.types import Pair

Scaled = TypeVar("Scaled", Ranking, GroupRankings)


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
    with_votes_to_win
        Whether to search for votes without which another item is first.
    candidates
        Pairs that can be asked; None: all.
    max_votes
        How many more votes can be had; None: no limit.
    scale
        Scale of the scores.
    with_groups
        Whether preference groups are looked for.
    """

    options: Mapping[str, Any]
    with_forecast: bool
    seed: int
    with_workers: bool = True
    with_votes_to_win: bool = True
    candidates: Sequence[Pair] | None = None
    max_votes: int | None = None
    scale: ScoreScale = MODEL_SCALE
    with_groups: bool = False

    def scaled(self, ranking: Scaled) -> Scaled:
        """Return a ranking, or the rankings of groups, on the scale of the report."""
        scale = self.scale
        return ranking.on_scale(scale.name, anchor=scale.anchor, baseline=scale.baseline)

    @property
    def model(self) -> str:
        """The model of `rank`."""
        return str(self.options.get("model") or "bayes")

    @property
    def position_bias(self) -> Groupings | None:
        """Terms for position bias in the model."""
        return self.options.get("position_bias")


@dataclass(frozen=True)
class Provenance:
    """The command line or call, the seed, and the day."""

    command: str
    seed: int
    date: str
