"""Results of a campaign: the ranking, its certainty, and whether the target is reached."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hodgerank.campaign.sampler_feed import TrackAnswers
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.collecting.forecast import Forecast, forecast
from hodgerank.collecting.stopping import RankingRule, read_rule
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.decode import follows_labels
from hodgerank.estimators.certainty import expected_tau
from hodgerank.estimators.position_bias.bias_test import ranking_chance
from hodgerank.estimators.rank import rank
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.trust_statements import LEVEL, chance_of_ranking
from hodgerank.graph.decomposition import decompose
from hodgerank.sampling.established import is_established
from hodgerank.types import Item


def rank_options(settings: CampaignSettings, *votes: Comparisons) -> dict[str, Any]:
    """Options of `rank` that the settings of a campaign ask for."""
    is_order_known = any(bool(part.display_known.any()) for part in votes)
    return {
        "position_bias": settings.position_bias if is_order_known else None,
        "worker_weights": settings.ranking == "robust",
    }


def rank_votes(votes: Comparisons, settings: CampaignSettings) -> Ranking:
    """Rank all items of a campaign, also those that have no votes yet or are not connected."""
    ranking = rank(votes, components="together", **rank_options(settings, votes))
    return ranking.on_scale(settings.score_scale)


@dataclass(frozen=True)
class TrackStanding:
    """A track as its votes have it; stopping rules look at it.

    Attributes
    ----------
    votes
        The answers that count.
    active
        Items that are asked about.
    """

    track: str
    votes: Comparisons
    active: tuple[Item, ...]
    settings: CampaignSettings

    @property
    def n_votes(self) -> int:
        """Number of votes that count."""
        return self.votes.n_votes

    @cached_property
    def ranking(self) -> Ranking:
        """Ranking of all items of the track."""
        return rank_votes(self.votes, self.settings)

    @cached_property
    def expected_tau(self) -> float:
        """Expected tau of the active items; 1 if there are fewer than two."""
        return expected_tau(self.ranking, self.active) if len(self.active) > 1 else 1.0

    @cached_property
    def is_doubtful(self) -> bool:
        """Whether the votes contain no significant ranking; False while there are none."""
        if not self.n_votes:
            return False
        found, position_bias = decompose(self.votes), self.settings.position_bias
        if chance_of_ranking(found) < LEVEL:
            return False
        with_sides = (
            None if position_bias is None else ranking_chance(found.answered, position_bias)
        )
        return with_sides is None or with_sides >= LEVEL

    @cached_property
    def is_established(self) -> bool:
        """Whether the order of the active items is established, if answers are consistent."""
        return is_established(self.votes, self.active)

    def finds(self, rule: RankingRule) -> bool:
        """Whether the ranking satisfies a rule."""
        return rule.holds(self.ranking, self.active)

    @cached_property
    def is_enough(self) -> bool:
        """Whether the stopping rule is reached; never without a rule or an answer."""
        if self.settings.stop is None or not self.n_votes or len(self.active) < 2:
            return False
        return read_rule(self.settings.stop).is_reached(self)

    def forecast(self) -> Forecast | None:
        """How many answers it still takes; None where the rule is not one about a ranking."""
        rule = None if self.settings.stop is None else read_rule(self.settings.stop)
        if not isinstance(rule, RankingRule) or len(self.active) < 2:
            return None
        sampler = self.settings.build_sampler(self.votes.items)
        sampler.tell_many(self.votes)
        for item in set(self.votes.items) - set(self.active):
            sampler.retire_item(item)
        return forecast(sampler, rule, self.ranking)

    def progress(self, *, with_forecast: bool) -> TrackProgress:
        """How far the track is."""
        outlook = self.forecast() if with_forecast else None
        return TrackProgress(
            track=self.track,
            n_items=len(self.active),
            n_votes=self.n_votes,
            expected_tau=self.expected_tau,
            is_enough=self.is_enough,
            forecast=outlook,
            is_doubtful=outlook is not None and self.is_doubtful,
        )


def standing_of(snapshot: CampaignSnapshot, track: str | None) -> TrackStanding:
    """A track as it is now, with everybody's names; nothing that happens later changes it."""
    items, settings = snapshot.items, snapshot.settings
    number = items.track_number(track)
    answers = TrackAnswers(snapshot.tasks, items, number)
    names = [worker.name for worker in snapshot.workers]
    votes = answers.comparisons(answers.counted(), items.names(number), names)
    is_adaptive = any(follows_labels(sampler) for _, sampler in snapshot.askers)
    votes = replace(votes, report=replace(votes.report, adaptive=is_adaptive))
    active = tuple(items.name(code) for code in items.active(number))
    return TrackStanding(items.tracks[number], votes, active, settings)


@dataclass(frozen=True)
class TrackProgress:
    """How far one track is.

    Attributes
    ----------
    is_doubtful
        Whether the votes contain no significant ranking, so that more votes may not help; only
        determined with the forecast.
    """

    track: str
    n_items: int
    n_votes: int
    expected_tau: float
    is_enough: bool
    forecast: Forecast | None
    is_doubtful: bool

    @property
    def outlook(self) -> str:
        """The forecast in words, and what it takes for granted."""
        caveat = "no significant ranking yet; if there is one, " * self.is_doubtful
        return f"{caveat}{self.forecast}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the names of the HTTP API."""
        forecast = None if self.forecast is None else self.forecast.to_dict()
        if forecast is not None:
            forecast["answers"] = forecast.pop("votes")
        return {
            "track": self.track,
            "items": self.n_items,
            "answers": self.n_votes,
            "expected_tau": self.expected_tau,
            "is_enough": self.is_enough,
            "forecast": forecast,
            "is_doubtful": self.is_doubtful,
        }


def ranking_command(snapshot: CampaignSnapshot, file: str = "votes.csv") -> str:
    """Return the command that ranks a file of the exported votes."""
    settings, tasks = snapshot.settings, snapshot.tasks
    words = ["hodgerank rank", file]
    if settings.ranking != "robust":
        words.append("--equal-weights")
    is_order_known = any(row not in tasks.display_unknown for row in tasks.counted.tolist())
    if settings.position_bias is not None and is_order_known:
        words.append(f"--position-bias {settings.position_bias}")
    if settings.score_scale != "model":
        words.append(f"--score-scale {settings.score_scale}")
    if len(snapshot.items.tracks) > 1:
        words.append("--by track")
    return " ".join(words)
