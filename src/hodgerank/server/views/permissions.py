"""Names under which a program may act, and tasks that it may know."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.display import short
from hodgerank.server.auth import key_of
from hodgerank.server.context import context_of, read
from hodgerank.server.problem import Problem


def may_act_as(key: AccessKey, worker: str) -> bool:
    """Owners may as anybody; others under their own name, or that with a colon behind it.

    So one token serves a program that asks several models: 'gpt:small', 'gpt:large'.
    """
    return key.role == "owner" or worker == key.holder or worker.startswith(f"{key.holder}:")


def acting_as(request: Request, worker: str | None) -> str:
    """The worker of a request; whoever has the token if none is named."""
    key = key_of(request)
    name = key.holder if worker is None else worker
    if not may_act_as(key, name):
        holder = short(key.holder)
        raise Problem(403, f"this token may act as {holder}, or as {holder}:NAME")
    return name


async def campaign_with(request: Request, task: str) -> Campaign:
    """The campaign of a task that is one of the program's; of others nothing is told."""
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
    raise Problem(404, f"there is no task {short(task)}: lease one")


def _is_theirs(campaign: Campaign, task: str, key: AccessKey) -> bool:
    """Looked up beside the thread that decides, which may be at adding it."""
    state = campaign.log.state
    row = state.tasks.row_of.get(task)
    if row is None or row >= len(state.tasks.worker):
        return False
    return may_act_as(key, state.workers[state.tasks.worker[row]].name)
