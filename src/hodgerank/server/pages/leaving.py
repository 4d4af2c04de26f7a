"""Leaving: how it ends for a worker, what they take back to their panel, and thanks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from hodgerank.campaign import attending
from hodgerank.campaign.panel import Outcome
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.workers import Worker
from hodgerank.server.access import key_of
from hodgerank.server.house import campaign_of, decide, house_of
from hodgerank.server.pages.results import results_of
from hodgerank.server.pages.speaking import Said, speaker
from hodgerank.server.pages.turns import Step, joined, next_turn
from hodgerank.server.rendering import render, url


class Goodbye(Said):
    """What a script says when all answers are here: the worker stops, or has no more tasks."""

    wants: Literal["stop", "done"]


async def leave(request: Request, goodbye: Goodbye) -> Response:
    """Note how it ended. Who is done where there is more again goes on."""
    campaign, name = await speaker(request, goodbye)

    def settle(state: CampaignState, now: float) -> Step:
        worker = joined(state, name)
        if worker.has_left or worker.is_banned:
            return "done"
        # One task is enough to know that there is one; others get it in a moment.
        step = next_turn(state, now, campaign.new_id, name, 1).step
        if goodbye.wants == "done" and step != "done":
            return step
        if goodbye.wants == "stop" or has_way_back(state.settings):
            attending.finish(state, now, name, outcome_of(worker, state.settings, step))
        return "done"

    return JSONResponse({"step": await decide(campaign, settle)})


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

    def look(state: CampaignState, now: float) -> End | None:
        worker, settings = joined(state, name), state.settings
        turn = next_turn(state, now, campaign.new_id, name, 1)
        n_refused = _number(request.query_params.get("refused", ""))
        is_told = worker.has_left or worker.is_banned or not has_way_back(settings)
        is_end = turn.step == "done" and is_told
        return _end(state, worker, turn.why, n_refused) if is_end else None

    end = await decide(campaign, look)
    if end is None:
        return RedirectResponse(url(request, "w", campaign.id), 303)
    media = url(request, "media", campaign.id)
    results = await results_of(house_of(request), campaign, media) if end.sees_results else None
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


def _end(state: CampaignState, worker: Worker, why: str, n_refused: int) -> End:
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


def _words(state: CampaignState, worker: Worker, why: str, n_refused: int) -> str:
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
    """What a page says of itself; what is no number of answers is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0
