"""The end for a worker: thanks, the code for the panel, and the way back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Literal
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import workers
from hodgerank.campaign.page_settings import Outcome
from hodgerank.campaign.results import TrackStanding, standing_of
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.workers import Worker
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.server.auth import key_of
from hodgerank.server.context import ServerContext, campaign_of, context_of, read, transact
from hodgerank.server.item_view import Shown, origins_of, shown
from hodgerank.server.rendering import render, url
from hodgerank.server.views.worker_request import (
    Step,
    WorkerRequest,
    joined,
    next_step,
    speaker,
    turn_of,
)

FRESH_SECONDS = 15.0
"""For which a ranking is shown to all who finish: it is not computed for each of them."""
MOST_ITEMS = 100


@dataclass(frozen=True)
class TrackResults:
    """One track, or why it has no ranking.

    Attributes
    ----------
    why_not
        'not_joined' if the items are disconnected, 'no_ranking' if there is no significant ranking,
        and '' if there is a ranking.
    best
        Ranks and items from the best on; items that share a rank are as good as each other.
    """

    track: str
    why_not: str = ""
    best: tuple[tuple[int, Shown], ...] = ()
    n_more: int = 0


@dataclass(frozen=True)
class Results:
    """Results so far, as shown to workers.

    Attributes
    ----------
    origins
        The other places that media come from.
    """

    n_votes: int
    origins: list[str]
    tracks: list[TrackResults]


_latest: WeakKeyDictionary[Campaign, tuple[float, asyncio.Future[Results]]] = WeakKeyDictionary()


async def results_of(context: ServerContext, campaign: Campaign, media: str) -> Results:
    """The ranking of some seconds ago, or a new one."""
    since, found = _latest.get(campaign, (-inf, None))
    is_failed = found is not None and found.done() and found.exception() is not None
    if found is None or is_failed or monotonic() - since > FRESH_SECONDS:
        found = asyncio.ensure_future(context.analysis.ask(rank_for_workers, campaign.id, media))
        _latest[campaign] = monotonic(), found
    return await asyncio.shield(found)


def rank_for_workers(campaign: Campaign, media: str) -> Results:
    """Computed where nobody waits for a pair."""
    items, is_markdown = (
        {item.id: item for item in campaign.items},
        campaign.settings.pages.markdown,
    )
    n_votes, standings = campaign.log.read(
        lambda state, now: (
            sum(state.n_counted),
            [standing_of(state, track) for track in state.items.tracks],
        )
    )

    def of_track(standing: TrackStanding) -> TrackResults:
        why_not = _why_not(standing)
        if why_not:
            return TrackResults(standing.track, why_not)
        ranking = standing.ranking
        best = tuple(
            (int(rank), shown(items[item], media, is_markdown))
            for rank, item in zip(ranking.ranks, ranking.items[:MOST_ITEMS], strict=False)
        )
        return TrackResults(standing.track, "", best, len(ranking) - len(best))

    tracks = [of_track(standing) for standing in standings] if n_votes else []
    return Results(n_votes, origins_of(items.values()), tracks)


def _why_not(standing: TrackStanding) -> str:
    """Why there is no ranking to show, if so; one item alone has nothing to be compared with."""
    if not ComparisonGraph.from_comparisons(standing.votes).is_connected:
        return "not_joined"
    return "no_ranking" if standing.is_doubtful else ""


class Goodbye(WorkerRequest):
    """Message of a script after its last answer: the worker stops, or has no more tasks."""

    wants: Literal["stop", "done"]


async def leave(request: Request, goodbye: Goodbye) -> Response:
    """Note how it ended. Who is done where there is more again goes on."""
    campaign, name = await speaker(request, goodbye)

    def settle(state: CampaignState, now: float) -> Step:
        worker = joined(state, name)
        if worker.has_left or worker.is_banned:
            return "done"
        # One task is enough to know that there is one; others get it in a moment.
        step = next_step(state, now, campaign.new_id, name, 1).step
        if goodbye.wants == "done" and step != "done":
            return step
        if goodbye.wants == "stop" or has_way_back(state.settings):
            workers.finish(state, now, name, outcome_of(worker, state.settings, step))
        return "done"

    return JSONResponse({"step": await transact(campaign, settle)})


def has_way_back(settings: CampaignSettings) -> bool:
    """Whether somebody waits for the worker, so that the end is the end.

    Elsewhere a worker can go on when there is more to do.
    """
    panel = settings.panel
    return panel.kind != "none" or bool(panel.return_to or panel.completed)


def outcome_of(worker: Worker, settings: CampaignSettings, step: Step) -> Outcome:
    """How it ended: who stops before what they came for is done withdraws."""
    if step == "open":
        is_free = settings.answers_per_worker is None and worker.answers
        return "completed" if is_free else "withdrawn"
    if step == "questions":
        return "withdrawn"
    return "completed" if worker.n_issued else "screened_out"


async def done_page(request: Request) -> Response:
    """Thanks, and the way back."""
    campaign, name = await campaign_of(request), key_of(request).holder

    turn = await turn_of(campaign, name, 1)

    def look(state: CampaignSnapshot, now: float) -> End | None:
        worker, settings = joined(state, name), state.settings
        n_refused = _number(request.query_params.get("refused", ""))
        is_told = worker.has_left or worker.is_banned or not has_way_back(settings)
        is_end = turn.step == "done" and is_told
        return _end(state, worker, turn.why, n_refused) if is_end else None

    end = await read(campaign, look)
    if end is None:
        return RedirectResponse(url(request, "w", campaign.id), 303)
    media = url(request, "media", campaign.id)
    results = await results_of(context_of(request), campaign, media) if end.sees_results else None
    return render(
        request,
        "worker/done.html",
        language=end.language,
        origins=results.origins if results else (),
        end=end,
        results=results,
    )


@dataclass(frozen=True)
class End:
    """How it ended for a worker.

    Attributes
    ----------
    key
        Of the words that say so.
    n_refused
        How many of their answers were not taken in the end, as their page says.
    is_closed
        Whether that was because the campaign is.
    code, way_back
        What the panel waits for, and its address; empty where there is none.
    is_sent_back
        Whether they are taken there without being asked.
    """

    language: str
    key: str
    n_answers: int
    n_refused: int
    is_closed: bool
    code: str
    way_back: str
    is_sent_back: bool
    sees_results: bool


def _end(state: CampaignSnapshot, worker: Worker, why: str, n_refused: int) -> End:
    settings = state.settings
    panel, outcome = settings.panel, None if worker.is_banned else worker.outcome
    arrival = {"worker": worker.name, **worker.panel}
    way_back = panel.way_back(outcome, arrival) if outcome else ""
    is_out = worker.is_banned or outcome == "screened_out"
    return End(
        language=settings.pages.language,
        key=_words(state, worker, why, n_refused),
        n_answers=len(worker.answers),
        n_refused=0 if worker.is_banned else n_refused,
        is_closed=state.status == "closed",
        code=panel.code(outcome) if outcome else "",
        way_back=way_back,
        is_sent_back=bool(way_back and panel.return_to),
        sees_results=settings.workers_see_results and not is_out,
    )


def _words(state: CampaignSnapshot, worker: Worker, why: str, n_refused: int) -> str:
    """The key of what is said of the end."""
    if worker.is_banned:
        return "banned"
    if n_refused:
        return "not_all"
    has_failed = worker.n_failed_tries >= state.settings.joining.tries
    is_out = worker.outcome == "screened_out" and not has_failed
    if worker.answers or not (is_out or why in ("enough", "budget", "pairs", "closed")):
        has_pairs = why != "pairs" or any(n > 1 for n in state.items.n_active)
        return worker.outcome or (why if has_pairs else "no_pairs")
    if state.status == "closed":
        return "over"
    if not any(n > 1 for n in state.items.n_active):
        return "nothing"
    return why if worker.n_issued and why == "pairs" else "too_late"


def _number(text: str) -> int:
    """Read a number of answers that a page sent; anything else counts as 0."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0
