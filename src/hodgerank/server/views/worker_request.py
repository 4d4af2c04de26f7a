"""Requests of workers' pages, and which worker they belong to."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import leases
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.sampler_feed import NotReady
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.tasks import Task
from hodgerank.campaign.workers import Worker
from hodgerank.errors import NoTask
from hodgerank.server.auth import key_of
from hodgerank.server.context import campaign_of, read, transact
from hodgerank.server.problem import Problem


class WorkerRequest(BaseModel):
    """Request of a script; `who` is the tag of the worker whose page it is in."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    who: str = Field("", max_length=100)


async def speaker(request: Request, said: WorkerRequest) -> tuple[Campaign, str]:
    """The campaign, and the name of the worker.

    An old page may be open while somebody else has joined in the same browser: it is not heard, and
    keeps its answers.
    """
    campaign, name = await campaign_of(request), key_of(request).holder
    if said.who and said.who != tag_of(campaign.id, name):
        raise Problem(
            401, "Another person has joined in this browser. Please open your link again."
        )
    return campaign, name


def tag_of(campaign: str, name: str) -> str:
    """Return a tag that stands for a worker where the name must not be shown."""
    return hashlib.sha256(json.dumps([campaign, name]).encode()).hexdigest()[:16]


Step: TypeAlias = Literal["open", "wait", "questions", "done"]

N_TASKS = 2  # the one that is shown, and the next
PASSING = ("paused", "busy", "waiting")  # why there is no task, but may be one soon
LONGEST_WAIT = 2.0  # seconds for the next pair; then a page shows that it waits, and asks again
FEW_PAIRS = 100  # that somebody may see all of


class NextStep(NamedTuple):
    """Next step of a worker.

    Attributes
    ----------
    step
        'open': there are tasks. 'wait': there may be some soon. 'questions': those before the first
        task are to be answered. 'done': there will be none.
    why
        Why there is no task, in the word of `NoTask`.
    about
        How many answers it will be in all; None where nobody can say.
    """

    step: Step
    why: str
    tasks: list[tuple[str, CampaignItem, CampaignItem]]
    n_answers: int
    about: int | None
    settings: CampaignSettings


def next_step(
    state: CampaignState, now: float, new_id: Callable[[], str], name: str, n: int = N_TASKS
) -> NextStep:
    """Lease up to n tasks, if any, to a worker who has joined, or say why there is none.

    Raises `NotReady` if a pair must be chosen first.
    """
    turn = _turn(state, name, n, lambda: leases.lease(state, now, new_id, name, n))
    assert turn is not None
    return turn


async def turn_of(campaign: Campaign, name: str, n: int = N_TASKS) -> NextStep:
    """Return the next step of a worker, as `next_step` does, and lock the database only to lease.

    Workers who have these tasks already, or get none, are served from a snapshot.
    """

    def look(snapshot: CampaignSnapshot, now: float) -> NextStep | None:
        return _turn(snapshot, name, n, lambda: leases.tasks_out(snapshot, now, name, n))

    turn = await read(campaign, look)
    if turn is not None:
        return turn
    return await turn_when_ready(campaign, name, n)


async def turn_when_ready(campaign: Campaign, name: str, n: int = N_TASKS) -> NextStep:
    """Return the next step of a worker; if pairs take long to choose, what there is before."""
    leasing = transact(campaign, lambda state, now: next_step(state, now, campaign.new_id, name, n))
    try:
        return await asyncio.wait_for(leasing, LONGEST_WAIT)
    except TimeoutError:  # who comes again gets what is leased later
        turn = await read(
            campaign,
            lambda snapshot, now: _turn(
                snapshot, name, n, lambda: leases.tasks_held(snapshot, now, name, n)
            ),
        )
        assert turn is not None
        return turn


def _turn(
    snapshot: CampaignSnapshot, name: str, n: int, give: Callable[[], list[Task] | None]
) -> NextStep | None:
    """None where tasks cannot be given."""
    worker, settings = joined(snapshot, name), snapshot.settings
    step: Step = "open"
    why, tasks = "", []
    if has_questions_before(worker, settings):
        step = "questions"
    elif n:
        try:
            given = give()
        except NotReady:
            raise
        except NoTask as refusal:
            why = refusal.why
            step = "wait" if why in PASSING else "done"
        else:
            if given is None:
                return None
            tasks = [_shown(snapshot, task) for task in given]
    n_answers = len(worker.answers)
    return NextStep(step, why, tasks, n_answers, _about(snapshot, n_answers, len(tasks)), settings)


def joined(state: CampaignSnapshot, name: str) -> Worker:
    """A worker who has joined: a session outlives who has been forgotten."""
    worker = state.worker(name)
    if worker is None or worker.joined_at is None:
        raise Problem(401, "Open the link that you were given.")
    return worker


def has_questions_before(worker: Worker, settings: CampaignSettings) -> bool:
    """Whether a worker has to answer questions before the first task."""
    is_new = not (worker.n_issued or worker.has_passed or worker.has_left or worker.is_banned)
    return is_new and bool(settings.joining.questions)


def _shown(state: CampaignSnapshot, task: Task) -> tuple[str, CampaignItem, CampaignItem]:
    book = state.items
    return task.id, book.items[book.codes[task.left]], book.items[book.codes[task.right]]


def _about(state: CampaignSnapshot, n_answers: int, n_out: int) -> int | None:
    """Estimate the number of answers of a worker in all; None if it cannot be estimated.

    The limit per worker, the budget and the number of pairs bound it; tasks in progress can still
    be answered.
    """
    settings = state.settings
    checks = settings.repeat_share + (settings.gold_share if settings.gold else 0)
    n_pairs = sum(n * (n - 1) // 2 for n in state.items.n_active)
    most = settings.answers_per_worker
    if most is None and n_pairs > FEW_PAIRS:
        return None
    about = round(n_pairs * (1 + checks))
    if most is not None:
        about = min(about, most)
    if settings.budget is not None:
        about = min(about, n_answers + settings.budget - sum(state.n_counted))
    return max(n_answers + n_out, about) or None
