"""Names under which a program may act, and tasks that it may know."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.campaign.workers import Worker
from hodgerank.display import short
from hodgerank.server.api_keys import ApiKeys
from hodgerank.server.auth import key_of
from hodgerank.server.context import context_of, read
from hodgerank.server.problem import Problem


def may_act_as(key: AccessKey, worker: str) -> bool:
    """Owners may as anybody; others under their own name, or that with a colon behind it.

    So one token serves a program that asks several models: 'gpt:small', 'gpt:large'.
    """
    return key.role == "owner" or worker == key.holder or worker.startswith(f"{key.holder}:")


def is_name_of_token(keys: ApiKeys, campaign: str, worker: str) -> bool:
    """Whether programs with a token for a campaign may use this name."""
    tokens = keys.all(kind="token")
    return any(
        worker == key.holder or (key.role == "judge" and may_act_as(key, worker))
        for key in tokens
        if key.campaign in (None, campaign)
    )


async def acting_as(request: Request, campaign: Campaign, worker: str | None) -> str:
    """The worker of a request, the holder of the token if none is named.

    Only owners act as persons, whose participation they may have to end.
    """
    name = named_by(request, worker)
    found = campaign.log.state.worker(name)
    if found is not None and await _is_forbidden_person(request, campaign, found):
        raise Problem(
            403,
            f"a person has joined as {short(name)}, and judges never act as persons: use another "
            "worker name, or a token of another name",
        )
    return name


def named_by(request: Request, worker: str | None) -> str:
    """The name that a request acts under, which its token must allow."""
    key = key_of(request)
    name = key.holder if worker is None else worker
    if not may_act_as(key, name):
        holder = short(key.holder)
        raise Problem(403, f"this token may act as {holder}, or as {holder}:NAME")
    return name


async def _is_forbidden_person(request: Request, campaign: Campaign, worker: Worker) -> bool:
    """Whether a worker is a person that the key may not act as; owners may.

    In older logs a person is who has a session in a browser.
    """
    if key_of(request).role == "owner":
        return False
    if worker.is_person or worker.joined_at is None:
        return worker.is_person
    sessions = await run_in_threadpool(
        context_of(request).keys.all,
        kind="session",
        role="worker",
        campaign=campaign.id,
        holder=worker.name,
    )
    return bool(sessions)


async def campaign_with(request: Request, task: str) -> Campaign:
    """The campaign of a task that is one of the program's; of others nothing is told."""
    found = await _campaign_with(request, task)
    state = found.log.state
    worker = state.workers[state.tasks.worker[state.tasks.row_of[task]]]
    if await _is_forbidden_person(request, found, worker):
        raise _no_task(task)
    return found


async def _campaign_with(request: Request, task: str) -> Campaign:
    key, context = key_of(request), context_of(request)
    for campaign in context.opened():
        if key.campaign in (None, campaign.id) and _is_theirs(campaign, task, key):
            return campaign
    # Nobody has asked for its campaign since the start, or another process has given it out.
    known = [key.campaign] if key.campaign else await run_in_threadpool(context.database.campaigns)
    for id in known:
        found = await context.campaign(id)
        if found is not None:
            await read(found, lambda state, now: None)  # which reads what others have written
            if _is_theirs(found, task, key):
                return found
    raise _no_task(task)


def _no_task(task: str) -> Problem:
    return Problem(404, f"there is no task {short(task)}: lease one")


def _is_theirs(campaign: Campaign, task: str, key: AccessKey) -> bool:
    """Looked up beside the thread that decides, which may be at adding it."""
    state = campaign.log.state
    row = state.tasks.row_of.get(task)
    if row is None or row >= len(state.tasks.worker):
        return False
    return may_act_as(key, state.workers[state.tasks.worker[row]].name)
