"""How many more answers the stopping rule takes, which is played through and takes long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.standing import TrackProgress, TrackStanding, standing_of
from hodgerank.collecting.forecast import Forecast

GROWN = 0.1
"""By this share of the answers a track grows before it is foreseen again."""


@dataclass(frozen=True)
class Foreseen:
    """What was foreseen of a track, and of how many answers, items and by which rule.

    Attributes
    ----------
    forecast
        None where the rule is reached, or is not one about a ranking.
    is_doubtful
        Whether coin tosses would have given as much of a ranking.
    """

    n_answers: int
    n_items: int
    rule: str | None
    forecast: Forecast | None
    is_doubtful: bool

    def holds_for(self, track: TrackProgress, rule: str | None) -> bool:
        """Whether it is still about the same, and nearly the same number of answers."""
        is_same = (self.n_items, self.rule) == (track.n_items, rule)
        return is_same and 0 <= track.n_answers - self.n_answers <= GROWN * self.n_answers

    def from_here(self, standing: TrackStanding) -> Forecast | None:
        """The forecast counted from the answers that are there now.

        None where it was about something else, or said that it would be reached by now.
        """
        foreseen, grown = self.forecast, standing.n_answers - self.n_answers
        is_same = (self.n_items, self.rule) == (len(standing.active), standing.settings.stop)
        if foreseen is None or not is_same or grown < 0 or foreseen.answers <= grown:
            return None
        return replace(
            foreseen,
            now=foreseen.rule.value(standing.ranking, standing.active),
            answers=foreseen.answers - grown,
            lower=max(foreseen.lower - grown, 0.0),
            upper=foreseen.upper - grown,
        )


def foresee(campaign: Campaign, known: Mapping[str, Foreseen]) -> dict[str, Foreseen]:
    """What is to be foreseen of each track; what is known and still holds is not played again."""
    standings = campaign.desk.decide(
        lambda state, now: [standing_of(state, track) for track in state.items.tracks]
    )
    return {
        standing.track: _foreseen(standing, known.get(standing.track)) for standing in standings
    }


def _foreseen(standing: TrackStanding, known: Foreseen | None) -> Foreseen:
    rule = standing.settings.stop
    if known is not None and known.holds_for(standing.progress(with_forecast=False), rule):
        return known
    wanted = rule is not None and not standing.is_enough
    outlook = standing.forecast() if wanted else None
    is_doubtful = outlook is not None and standing.is_doubtful
    return Foreseen(standing.n_answers, len(standing.active), rule, outlook, is_doubtful)
