"""TrackView: what the live page shows of a track beside its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hodgerank.campaign.standing import TrackStanding
from hodgerank.collecting.forecast import Forecast
from hodgerank.estimators.ranking import RankedItem
from hodgerank.estimators.trust.assess import assess_trust
from hodgerank.estimators.trust.statements import Statement
from hodgerank.plotting.certainty_curve import certainty_curve_chart
from hodgerank.plotting.decomposition import part_rows
from hodgerank.plotting.inline import figure_of
from hodgerank.plotting.ranking import who_leads
from hodgerank.server.analyses.certainty_curve import certainty_curve


@dataclass(frozen=True)
class TrackView:
    """A track, drawn.

    Attributes
    ----------
    n_workers
        Those whose answers count in the track.
    rows
        The ranking, best first; all items share a place where there is no answer.
    who_leads
        In words; empty where there is no answer.
    curve
        Expected tau over the answers, as HTML.
    statements, parts
        How far the ranking can be trusted, and what the answers are made of beside what noise
        alone gives: see `part_rows`.
    n_parts, n_loops
        Groups of items that answers do not join, and loops of answers that no triangles fill.
    """

    n_answers: int
    n_workers: int
    rows: tuple[RankedItem, ...]
    who_leads: str
    curve: str
    statements: tuple[Statement, ...]
    parts: tuple[dict[str, Any], ...]
    n_parts: int
    n_loops: int


def view_of(standing: TrackStanding, outlook: Forecast | None) -> TrackView:
    """Draw a track as its answers have it."""
    ranking = standing.ranking
    if not standing.n_answers:
        return TrackView(0, 0, tuple(ranking), "", "", (), (), len(ranking), 0)
    points = certainty_curve(standing)
    trust = assess_trust(standing.votes)
    betti = trust.decomposition.betti
    words = f"Expected tau {round(points[-1][1], 2) + 0.0:.2f} after {points[-1][0]:,} answers."
    return TrackView(
        n_answers=standing.n_answers,
        n_workers=standing.votes.n_workers,
        rows=tuple(ranking),
        who_leads=who_leads(ranking, betti.beta_0),
        curve=figure_of(certainty_curve_chart(points, outlook), "curve-", words),
        statements=tuple(trust.statements),
        parts=tuple(part_rows(trust.decomposition)) if trust.decomposition.total else (),
        n_parts=betti.beta_0,
        n_loops=betti.beta_1,
    )
