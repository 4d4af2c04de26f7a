"""Joining: the start page of workers, and the comprehension questions."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import workers
from hodgerank.campaign.items import require_name
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.errors import HodgeRankError
from hodgerank.server.api_keys import ApiKeys
from hodgerank.server.auth import WORKER_SECONDS, keep, key_of, token_in_browser
from hodgerank.server.context import campaign_of, context_of, read, transact
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render, url
from hodgerank.server.texts import ENGLISH, Texts
from hodgerank.server.views.compare_page import prose
from hodgerank.server.views.permissions import is_name_of_token
from hodgerank.server.views.worker_request import has_questions_before, joined, tag_of

LETTERS = "abcdefghijkmnpqrstuvwxyz"  # without those that are taken for others


class JoinRequest(NamedTuple):
    """A person who opened the link to a campaign.

    Attributes
    ----------
    name
        As the link has it; empty where it has none.
    panel
        What else the link says.
    is_same_session
        Whether they came by the same session of the panel before.
    is_person
        Whether the name belongs to a person, who has joined before.
    refusal
        Why they cannot come in, by the key of its words; empty if they can.
    """

    campaign: Campaign
    settings: CampaignSettings
    status: str
    name: str
    panel: Mapping[str, str]
    is_same_session: bool
    is_person: bool
    refusal: str


async def join_page(request: Request) -> Response:
    """Show what the campaign is about, and the button to begin."""
    visit = await _visit(request)
    if await _is_inside(request, visit):
        return RedirectResponse(url(request, "w", visit.campaign.id), 303)
    if visit.refusal:
        return say_words(request, visit.settings, visit.refusal)
    return _welcome(request, visit)


async def join(request: Request) -> Response:
    """Come in: a name, a session, and on to the pairs."""
    visit = await _visit(request)
    campaign = visit.campaign
    go_on = RedirectResponse(url(request, "w", campaign.id), 303)
    if await _is_inside(request, visit):
        return go_on
    if visit.refusal:
        return say_words(request, visit.settings, visit.refusal)
    async with request.form(max_files=0, max_fields=10) as form:
        if visit.settings.joining.consent and not form.get("consent"):
            return _welcome(request, visit, is_consent_missing=True)
    name = visit.name or await read(campaign, lambda state, now: _new_name(state))
    keys = context_of(request).keys
    token = await _session(keys, visit, name)
    if token is None:
        return say_words(request, visit.settings, "taken")
    try:
        await transact(
            campaign, lambda state, now: workers.join(state, now, name, visit.panel, is_person=True)
        )
    except HodgeRankError:
        await _end_session(keys, token)
        raise
    keep(request, go_on, token, campaign.id)
    _remember(request, go_on, campaign.id, name)
    return go_on


async def questions_page(request: Request) -> Response:
    """The comprehension questions."""
    campaign = await campaign_of(request)
    settings, n_left = await _questions(request, campaign)
    if n_left is None:
        return RedirectResponse(url(request, "w", campaign.id), 303)
    return _ask(request, settings, n_left)


async def answer_questions(request: Request) -> Response:
    """Check the comprehension questions; without tries left, a worker is screened out."""
    campaign, name = await campaign_of(request), key_of(request).holder
    settings, n_left = await _questions(request, campaign)
    go_on = RedirectResponse(url(request, "w", campaign.id), 303)
    if n_left is None:
        return go_on
    questions = settings.joining.questions
    async with request.form(max_files=0, max_fields=len(questions) + 10) as form:
        given = [form.get(f"question-{number}") for number in range(len(questions))]
    if None in given:
        return _ask(request, settings, n_left, wrong="missing")
    passed = all(one.right == said for one, said in zip(questions, given, strict=True))
    n_left = await transact(campaign, lambda state, now: workers.quiz(state, now, name, passed))
    if passed or not n_left:
        return go_on
    return _ask(request, settings, n_left, wrong="wrong")


def say_words(
    request: Request, settings: CampaignSettings, key: str, status_code: int = 403
) -> Response:
    """A page that has nothing but words."""
    return render(
        request,
        "worker/words.html",
        language=settings.pages.language,
        title=settings.title,
        key=key,
        status_code=status_code,
    )


async def _visit(request: Request) -> JoinRequest:
    campaign = await context_of(request).campaign(request.path_params["campaign"])
    given = request.path_params.get("entrance", "")
    if campaign is None:
        raise _no_such_door(request)

    def look(state: CampaignSnapshot, now: float) -> JoinRequest:
        settings = state.settings
        panel = settings.panel.arrival(request.query_params)
        name, refusal, is_same_session = panel.get("worker", ""), "", False
        worker = state.worker(name) if name else None
        if name and not _is_name(name):
            refusal = "link"
        elif worker is not None and worker.is_banned:
            refusal = "banned"
        elif worker is not None and worker.joined_at is None and worker.n_issued:
            refusal = "taken"  # by a program, or at a terminal
        elif not name and _was_banned(request, state, campaign.id):
            refusal = "banned"
        elif not name and settings.panel.kind in ("prolific", "connect"):
            refusal = "panel"
        elif state.status == "closed" and (worker is None or worker.joined_at is None):
            refusal = "closed"
        if worker is not None and (session := panel.get("session")):
            is_same_session = worker.panel.get("session") == session
        is_person = worker is not None and worker.is_person
        return JoinRequest(
            campaign, settings, state.status, name, panel, is_same_session, is_person, refusal
        )

    visit = await read(campaign, look)
    entrance = visit.settings.pages.entrance
    is_open = secrets.compare_digest(entrance.encode(), given.encode())
    if not is_open and not (visit.refusal == "banned" and not visit.name):
        raise _no_such_door(request)
    if not visit.name or visit.refusal:
        return visit
    is_taken = await run_in_threadpool(_is_taken, context_of(request).keys, visit)
    return visit._replace(refusal="taken") if is_taken else visit


def _no_such_door(request: Request) -> Problem:
    """Whether there is such a campaign is not said; the language is that of the browser."""
    first = request.headers.get("accept-language", ENGLISH)[:2].lower()
    return Problem(404, Texts(first if first == "de" else ENGLISH).say("worker.join.no_door"))


def _is_name(name: str) -> bool:
    try:
        require_name(name, "the worker")
    except HodgeRankError:
        return False
    return True


def _is_taken(keys: ApiKeys, visit: JoinRequest) -> bool:
    """Whether somebody is here by this name, who has not come by the same session of the panel."""
    if visit.is_same_session:
        return False
    if _live(keys, visit, visit.name):
        return True
    return not visit.is_person and is_name_of_token(keys, visit.campaign.id, visit.name)


async def _session(keys: ApiKeys, visit: JoinRequest, name: str) -> str | None:
    """A token for a browser; None if another one was faster to take the name."""
    token = await run_in_threadpool(
        keys.issue, "session", "worker", name, campaign=visit.campaign.id, seconds=WORKER_SECONDS
    )
    mine, live = await keys.find(token), await run_in_threadpool(_live, keys, visit, name)
    if visit.is_same_session or mine in live[:1]:
        return token
    await _end_session(keys, token)
    return None


async def _end_session(keys: ApiKeys, token: str) -> None:
    if (key := await keys.find(token)) is not None:
        await run_in_threadpool(keys.revoke, digest=key.digest)


def _live(keys: ApiKeys, visit: JoinRequest, name: str) -> list[AccessKey]:
    """The sessions of a worker, oldest first."""
    return keys.all(kind="session", role="worker", campaign=visit.campaign.id, holder=name)


async def _is_inside(request: Request, visit: JoinRequest) -> bool:
    """Whether this browser has come in before, by the same name if the link has one."""
    campaign, token = visit.campaign, token_in_browser(request, visit.campaign.id)
    key = await context_of(request).keys.find(token) if token else None
    if key is None or (key.kind, key.role, key.campaign) != ("session", "worker", campaign.id):
        return False
    if visit.name not in ("", key.holder):
        return False
    return await read(campaign, lambda state, now: state.worker(key.holder) is not None)


def _remember(request: Request, response: Response, campaign: str, name: str) -> None:
    """Let the browser keep who it was at this door: a ban takes the session away."""
    response.set_cookie(
        _who_was(campaign),
        tag_of(campaign, name),
        max_age=WORKER_SECONDS,
        path=url(request, "j", campaign),
        secure=request.scope["scheme"] == "https",
        httponly=True,
        samesite="lax",
    )


def _was_banned(request: Request, state: CampaignSnapshot, campaign: str) -> bool:
    """Whether who came in last by this browser is banned. Nobody gains by saying so of oneself."""
    tag = request.cookies.get(_who_was(campaign))
    return tag is not None and any(
        worker.is_banned and tag_of(campaign, worker.name) == tag for worker in state.workers
    )


def _who_was(campaign: str) -> str:
    return f"hodgerank-was-{hashlib.sha256(campaign.encode()).hexdigest()[:12]}"


def _new_name(state: CampaignSnapshot) -> str:
    """A name that nobody has, for who brings none."""
    while True:
        name = "w-" + "".join(secrets.choice(LETTERS) for _ in range(8))
        if state.worker(name) is None:
            return name


def _welcome(request: Request, visit: JoinRequest, *, is_consent_missing: bool = False) -> Response:
    settings = visit.settings
    return render(
        request,
        "worker/join.html",
        language=settings.pages.language,
        settings=settings,
        instructions=prose(settings.instructions, settings),
        is_paused=visit.status == "paused",
        is_consent_missing=is_consent_missing,
        status_code=422 if is_consent_missing else 200,
    )


async def _questions(request: Request, campaign: Campaign) -> tuple[CampaignSettings, int | None]:
    """The settings, and how many tries are left; None where nothing is to be answered."""
    name = key_of(request).holder

    def look(state: CampaignSnapshot, now: float) -> tuple[CampaignSettings, int | None]:
        worker, settings = joined(state, name), state.settings
        n_left = settings.joining.tries - worker.n_failed_tries
        return settings, n_left if has_questions_before(worker, settings) else None

    return await read(campaign, look)


def _ask(request: Request, settings: CampaignSettings, n_left: int, wrong: str = "") -> Response:
    return render(
        request,
        "worker/questions.html",
        language=settings.pages.language,
        settings=settings,
        instructions=prose(settings.instructions, settings),
        n_left=n_left,
        wrong=wrong,
        status_code=422 if wrong else 200,
    )
