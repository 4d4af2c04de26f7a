"""Live: is it enough yet, and if not, how many more?"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hodgerank.campaign.facts import CampaignFacts
from hodgerank.campaign.items import CampaignItem
from hodgerank.collecting.rule_text import read_rule
from hodgerank.estimators.ranking import RankedItem
from hodgerank.server.analyses.track_view import TrackView
from hodgerank.server.house import campaign_of, decide, house_of
from hodgerank.server.live import Live, pulse
from hodgerank.server.pages.answering import NOT_SHOWN
from hodgerank.server.pages.framing import Frame, frame_of, framed, go_back
from hodgerank.server.pages.interval_scale import IntervalScale
from hodgerank.server.pages.missing_media import missing_media
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render, url
from hodgerank.server.showing import Shown, origins_of, shown
from hodgerank.server.standings import Standing, Standings

MOST_ROWS = 30
"""Of a ranking that are all shown; of longer ones the best and the last."""
TOP, BOTTOM = 20, 5
MOST_FOUND = 200


class Row(NamedTuple):
    """An item in the ranking."""

    number: int
    place: RankedItem
    shown: Shown
    is_retired: bool


class Ranked(NamedTuple):
    """The part of a ranking that is shown.

    Attributes
    ----------
    above, below
        Rows before and after those that are left out.
    n_left_out
        Rows between them.
    n_all
        Items of the track.
    """

    above: list[Row]
    n_left_out: int
    below: list[Row]
    n_all: int


async def live_page(request: Request) -> Response:
    """The campaign as it is."""
    campaign = await campaign_of(request)
    frame = await frame_of(campaign)
    track = frame.track(request.query_params.get("track"))
    address = url(request, "c", campaign.id)
    return framed(
        request,
        "owner/live.html",
        frame,
        "live",
        track=track,
        pulse=await decide(campaign, pulse),
        n_unseen=await decide(campaign, _n_unseen),
        data={
            "stream": f"{address}/stream",
            "standing": f"{address}/standing",
            "track": track,
        },
        **await _standing(request, frame, track),
    )


def _n_unseen(state: CampaignFacts, now: float) -> int:
    """Pairs that were skipped because browsers could not show them."""
    return list(state.tasks.skip_reasons.values()).count(NOT_SHOWN)


async def standing_part(request: Request) -> Response:
    """What the page shows of the latest standing; its script puts it in place."""
    frame = await frame_of(await campaign_of(request))
    track = frame.track(request.query_params.get("track"))
    return render(
        request,
        "owner/standing_part.html",
        origins=origins_of(frame.items),
        frame=frame,
        track=track,
        **await _standing(request, frame, track),
    )


async def stream(request: Request) -> Response:
    """What happens, as it happens."""
    campaign = await campaign_of(request)
    frame = await frame_of(campaign)
    live: Live = request.app.state.live
    events = live.stream(campaign, frame.track(request.query_params.get("track")))
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def set_status(request: Request) -> Response:
    """Pause, go on, or close for good."""
    campaign = await campaign_of(request)
    async with request.form(max_files=0, max_fields=10) as form:
        what, back = form.get("do"), form.get("back")
    acts = {"pause": campaign.pause, "resume": campaign.resume, "close": campaign.close}
    if not isinstance(what, str) or what not in acts:
        raise Problem(422, "This is none of pause, resume and close.")
    await run_in_threadpool(acts[what])
    tab = ["settings"] if back == "settings" else []
    return go_back(request, "c", campaign.id, *tab, done=what)


async def _standing(request: Request, frame: Frame, track: str) -> dict[str, Any]:
    standings: Standings = request.app.state.standings
    standing = standings.latest(frame.id)
    view = None if standing is None else standing.views.get(track)
    query = request.query_params.get("q", "").strip()
    is_whole = request.query_params.get("all") == "1"
    found: dict[str, Any] = {
        "standing": standing,
        "view": view,
        "query": query,
        "is_whole": is_whole,
        "missing": await run_in_threadpool(missing_media, house_of(request).media, frame.items),
        "is_askable": _is_askable(frame),
        "rule": "" if frame.settings.stop is None else str(read_rule(frame.settings.stop)),
    }
    if standing is not None:
        found |= _outlook(standing)
        found["progress"] = next(
            (one for one in standing.progress.tracks if one.track == track), None
        )
    if view is not None:
        found["ranked"] = _ranked(request, frame, view, query)
        found["scale"] = IntervalScale.of(view.rows)
    return found


def _is_askable(frame: Frame) -> bool:
    """Whether any track has two items that workers may be asked about."""
    active = (item.track for n, item in enumerate(frame.items) if n not in frame.retired)
    return max(Counter(active).values(), default=0) > 1


def _outlook(standing: Standing) -> dict[str, Any]:
    """What is foreseen, beside what is left of the budget."""
    counts = standing.progress.counts
    needed = [one.forecast.answers for one in standing.progress.tracks if one.forecast is not None]
    left = None if counts.budget is None else max(counts.budget - counts.n_answers, 0)
    ends_before = left is not None and sum(needed) > left
    return {"is_foreseen": bool(needed), "ends_before": ends_before, "left": left}


def _ranked(request: Request, frame: Frame, view: TrackView, query: str) -> Ranked:
    """The rows that are asked for."""
    is_whole = request.query_params.get("all") == "1"
    numbers = {item.id: number for number, item in enumerate(frame.items)}
    media = url(request, "media", frame.id)
    rows = []
    for place in view.rows:
        number = numbers[place.item]
        item = frame.items[number]
        if not query or _mentions(item, query):
            rows.append((number, place, item))

    def drawn(part: list[tuple[int, RankedItem, CampaignItem]]) -> list[Row]:
        return [Row(n, place, shown(item, media), n in frame.retired) for n, place, item in part]

    n_all = len(view.rows)
    if query:
        return Ranked(drawn(rows[:MOST_FOUND]), max(0, len(rows) - MOST_FOUND), [], n_all)
    if is_whole or len(rows) <= MOST_ROWS:
        return Ranked(drawn(rows), 0, [], n_all)
    return Ranked(drawn(rows[:TOP]), len(rows) - TOP - BOTTOM, drawn(rows[-BOTTOM:]), n_all)


def _mentions(item: CampaignItem, query: str) -> bool:
    return query.casefold() in f"{item.id}\n{item.text}".casefold()
