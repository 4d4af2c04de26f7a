"""The live view of a track: ranking, learning curve and trust."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.results import TrackProgress, TrackStanding, standing_of
from hodgerank.campaign.summaries import CampaignProgress, counts, not_counted
from hodgerank.collecting.forecast import Forecast
from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.ranking import RankedItem
from hodgerank.estimators.score_scale import ScoreScale
from hodgerank.estimators.trust import assess_trust
from hodgerank.estimators.trust_statements import Statement
from hodgerank.plotting.charts import figure_of
from hodgerank.plotting.curves import certainty_curve_chart
from hodgerank.plotting.decomposition import part_rows
from hodgerank.plotting.ranking import who_leads

RATIO = 2**0.5
FURTHEST_BACK = 64  # the curve begins at this fraction of the votes
MOST_SECONDS = 3.0
"""For places that were not looked at before; what is missing then comes with a later look."""
MOST_REMEMBERED = 1000

Points = list[tuple[int, float]]
_remembered: dict[tuple[bytes, int], float] = {}


def certainty_curve(standing: TrackStanding) -> Points:
    """Expected tau at some numbers of answers, the last of them being all."""
    votes, n = standing.votes, standing.n_votes
    begin, found = monotonic(), [(n, standing.expected_tau)]
    _remember(_fingerprint(standing, n), found[0])
    for place in _places(n):
        key = _fingerprint(standing, place)
        tau = _remembered.get((key, place))
        if tau is None:
            if monotonic() - begin > MOST_SECONDS:
                break
            earlier = replace(standing, votes=_first(votes, place))
            tau = earlier.expected_tau
            _remember(key, (place, tau))
        found.append((place, tau))
    return found[::-1]


def _places(n: int) -> list[int]:
    """Return numbers of votes below n at which to evaluate the curve, the latest first.

    They do not depend on n otherwise, so that most values are remembered from earlier calls.
    """
    steps = np.unique(np.round(RATIO ** np.arange(0, 60)).astype(np.int64))
    return [k for k in steps[::-1].tolist() if n / FURTHEST_BACK <= k < n]


def _first(votes: Comparisons, n: int) -> Comparisons:
    return votes.select(np.arange(n))


def _fingerprint(standing: TrackStanding, n: int) -> bytes:
    """Return a digest of everything that determines the expected tau after n votes."""
    votes, settings = standing.votes, standing.settings
    told = repr((standing.active, settings.ranking, settings.position_bias, votes.workers))
    found = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16)
    for column in (votes.left, votes.right, votes.outcome, votes.worker, votes.total_weight):
        found.update(np.ascontiguousarray(column[:n]).data)
    return found.digest()


def _remember(key: bytes, point: tuple[int, float]) -> None:
    while len(_remembered) >= MOST_REMEMBERED:
        del _remembered[next(iter(_remembered))]
    _remembered[key, point[0]] = point[1]


@dataclass(frozen=True)
class TrackView:
    """A track, drawn.

    Attributes
    ----------
    n_workers
        Those whose answers count in the track.
    rows, scale
        The ranking, best first, and the scale of its scores; all items share a place where there is
        no answer.
    who_leads
        In words; empty where there is no answer.
    curve
        Expected tau over the answers, as HTML.
    statements, parts
        How far the ranking can be trusted, and the decomposition of the votes compared with what is
        expected by chance: see `part_rows`.
    n_parts, n_loops
        Groups of items that answers do not join, and loops of answers that no triangles fill.
    """

    n_votes: int
    n_workers: int
    rows: tuple[RankedItem, ...]
    scale: ScoreScale
    who_leads: str
    curve: str
    statements: tuple[Statement, ...]
    parts: tuple[dict[str, Any], ...]
    n_parts: int
    n_loops: int


def view_of(standing: TrackStanding, outlook: Forecast | None) -> TrackView:
    """Draw a track as its answers have it."""
    ranking = standing.ranking
    if not standing.n_votes:
        return TrackView(0, 0, tuple(ranking), ranking.scale, "", "", (), (), len(ranking), 0)
    points = certainty_curve(standing)
    trust = assess_trust(standing.votes)
    betti = trust.decomposition.betti
    words = f"Expected tau {round(points[-1][1], 2) + 0.0:.2f} after {points[-1][0]:,} votes."
    return TrackView(
        n_votes=standing.n_votes,
        n_workers=standing.votes.n_workers,
        rows=tuple(ranking),
        scale=ranking.scale,
        who_leads=who_leads(ranking, betti.beta_0),
        curve=figure_of(certainty_curve_chart(points, outlook), "curve-", words),
        statements=tuple(trust.statements),
        parts=tuple(part_rows(trust.decomposition)) if trust.decomposition.total else (),
        n_parts=betti.beta_0,
        n_loops=betti.beta_1,
    )


GROWN = 0.1
"""Relative growth in votes after which the forecast of a track is computed again."""


@dataclass(frozen=True)
class AnswersForecast:
    """Forecast of a track, with the number of votes, the items and the rule it was made for.

    Attributes
    ----------
    forecast
        None where the rule is reached, or is not one about a ranking.
    is_doubtful
        Whether the ranking was not significant when the forecast was made.
    """

    n_votes: int
    n_items: int
    rule: str | None
    forecast: Forecast | None
    is_doubtful: bool

    def holds_for(self, track: TrackProgress, rule: str | None) -> bool:
        """Whether it is still about the same, and nearly the same number of answers."""
        is_same = (self.n_items, self.rule) == (track.n_items, rule)
        return is_same and 0 <= track.n_votes - self.n_votes <= GROWN * self.n_votes

    def from_here(self, standing: TrackStanding) -> Forecast | None:
        """The forecast counted from the answers that are there now.

        None where it was about something else, or said that it would be reached by now.
        """
        earlier, grown = self.forecast, standing.n_votes - self.n_votes
        is_same = (self.n_items, self.rule) == (len(standing.active), standing.settings.stop)
        if earlier is None or not is_same or grown < 0 or earlier.upper <= grown:
            return None
        return replace(
            earlier,
            now=earlier.rule.value(standing.ranking, standing.active),
            votes=max(earlier.votes - grown, 0.0),
            lower=max(earlier.lower - grown, 0.0),
            upper=earlier.upper - grown,
        )


def forecast_answers(
    campaign: Campaign, known: Mapping[str, AnswersForecast]
) -> dict[str, AnswersForecast]:
    """Return the forecast of each track; known ones that still hold are not simulated again."""
    standings = campaign.log.read(
        lambda state, now: [standing_of(state, track) for track in state.items.tracks]
    )
    return {
        standing.track: _forecast_of(standing, known.get(standing.track)) for standing in standings
    }


def _forecast_of(standing: TrackStanding, known: AnswersForecast | None) -> AnswersForecast:
    rule = standing.settings.stop
    if known is not None and known.holds_for(standing.progress(with_forecast=False), rule):
        return known
    wanted = rule is not None and not standing.is_enough
    outlook = standing.forecast() if wanted else None
    is_doubtful = outlook is not None and standing.is_doubtful
    return AnswersForecast(standing.n_votes, len(standing.active), rule, outlook, is_doubtful)


@dataclass(frozen=True)
class LiveSnapshot:
    """A campaign as of one place in its log.

    Attributes
    ----------
    not_counted
        Answers that are no votes: how many, by why not.
    views
        Of the tracks that somebody watches.
    """

    progress: CampaignProgress
    not_counted: Mapping[str, int]
    views: Mapping[str, TrackView]


def take_snapshot(
    campaign: Campaign, watched: Collection[str], forecasts: Mapping[str, AnswersForecast]
) -> LiveSnapshot:
    """Rank every track; draw those that are watched."""
    number, others, standings = campaign.log.read(
        lambda state, now: (
            counts(state),
            not_counted(state),
            [standing_of(state, track) for track in state.items.tracks],
        )
    )
    tracks = [_with_outlook(one, forecasts.get(one.track)) for one in standings]
    shown: list[TrackStanding] = [one for one in standings if one.track in watched]
    outlooks = {track.track: track.forecast for track in tracks}
    views = {one.track: view_of(one, outlooks[one.track]) for one in shown}
    return LiveSnapshot(CampaignProgress(number, tuple(tracks)), others, views)


def _with_outlook(standing: TrackStanding, known: AnswersForecast | None) -> TrackProgress:
    """Return the progress of a track, with its known forecast if that still holds."""
    progress = standing.progress(with_forecast=False)
    if known is None or standing.is_enough or (outlook := known.from_here(standing)) is None:
        return progress
    return replace(progress, forecast=outlook, is_doubtful=known.is_doubtful)
