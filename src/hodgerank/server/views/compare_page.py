"""The page on which workers compare pairs."""

from __future__ import annotations

from typing import Any

from jinja2.utils import htmlsafe_json_dumps
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hodgerank.campaign.commands.answers import NOT_SHOWN
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.workers import Worker
from hodgerank.server.auth import key_of
from hodgerank.server.context import campaign_of, read
from hodgerank.server.item_view import ItemStyle, Shown, html_of, may_be_cut, style_of
from hodgerank.server.rendering import render, url
from hodgerank.server.texts import Texts
from hodgerank.server.views.tasks import plain_turn, shown_in
from hodgerank.server.views.worker_request import (
    N_TASKS,
    joined,
    tag_of,
    turn_of,
)

MOST_BUTTONS = 3  # on a side: finer grades are chosen on a scale
SCALE_STEPS = 100  # on a side, where an answer may be any number
Practice = tuple[CampaignItem, CampaignItem, dict[str, Any]]


async def compare_page(request: Request) -> Response:
    """The page of pairs. The first ones are in it."""
    campaign, name = await campaign_of(request), key_of(request).holder

    def see(snapshot: CampaignSnapshot, now: float) -> tuple[list[Practice], ItemStyle]:
        return _practice(snapshot, joined(snapshot, name)), style_of(snapshot.items, now)

    practice, look = await read(campaign, see)
    # Who practises gets tasks when that is over: they would grow old meanwhile.
    turn = await turn_of(campaign, name, 0 if practice else N_TASKS)
    if turn.step == "questions":
        return RedirectResponse(url(request, "w", campaign.id, "questions"), 303)
    settings, texts = turn.settings, Texts(turn.settings.pages.language)
    base = url(request, "media", campaign.id)
    words = texts.section("worker.script")
    data = {
        "at": url(request, "w", campaign.id),
        "door": url(request, "j", campaign.id),
        "who": tag_of(campaign.id, name),
        "turn": plain_turn(turn, base, ()),
        "practice": [
            {
                "left": shown_in(left, base, settings),
                "right": shown_in(right, base, settings),
                **why,
            }
            for left, right, why in practice
        ],
        "not_shown": NOT_SHOWN,
        "say": words | texts.section("worker.practice") if practice else words,
    }
    return render(
        request,
        "worker/compare.html",
        language=settings.pages.language,
        origins=look.origins,
        settings=settings,
        instructions=prose(settings.instructions, settings),
        scripts=_scripts(settings, look),
        scale_steps=settings.grades or SCALE_STEPS,
        is_small=look.is_small,
        reasons=[(reason, _reason_words(reason, texts)) for reason in settings.skip_reasons],
        has_practice=bool(practice),
        data=htmlsafe_json_dumps(data, ensure_ascii=False, separators=(",", ":")),
    )


def _scripts(settings: CampaignSettings, look: ItemStyle) -> list[str]:
    """List the scripts that a campaign needs; the last shows pairs, the others watch for them."""
    needed = {
        "zoom": "image" in look.kinds,
        "sounds": bool(look.kinds & {"video", "audio"}),
        "scale": not 1 <= settings.grades <= MOST_BUTTONS,
        "reading": look.is_cut or may_be_cut(settings.question),
        "compare": True,
    }
    return [name for name, is_needed in needed.items() if is_needed]


def prose(text: str, settings: CampaignSettings) -> Shown:
    """Return a text by the owner as HTML from Markdown, or as plain text."""
    return {"html": html_of(text)} if settings.pages.markdown else {"text": text}


def _reason_words(reason: str, texts: Texts) -> str:
    """A reason to skip, as the owner wrote it; the usual one in the language of the page."""
    usual = CampaignSettings.skip_reasons
    return texts.say("worker.skip") if (reason,) == usual else reason


def _practice(state: CampaignSnapshot, worker: Worker) -> list[Practice]:
    """The pairs that a new worker tries, the better item now on one side, now on the other."""
    book, found = state.items, []
    if worker.n_issued or worker.has_left or worker.is_banned or state.status != "open":
        return []
    for number, pair in enumerate(state.settings.joining.practice):
        better, worse = book.items[book.code(pair.better)], book.items[book.code(pair.worse)]
        is_left = number % 3 != 1
        left, right = (better, worse) if is_left else (worse, better)
        found.append((left, right, {"better": 1 if is_left else -1, "because": pair.because}))
    return found
