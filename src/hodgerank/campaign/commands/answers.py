"""Answers of workers to their tasks. Each answer counts at most once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from hodgerank.campaign.attention_checks import WINDOW, CheckedAnswer
from hodgerank.campaign.commands.leases import expire, unused
from hodgerank.campaign.items import require_name
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.tasks import Purpose, Status, Task
from hodgerank.display import short
from hodgerank.errors import CampaignError, InvalidArgument, require_one_of
from hodgerank.sampling.answers import read_outcome, read_weight

LONGEST_SECONDS = 1e8
NOT_SHOWN = "cannot be shown"
"""Reason to skip that is always allowed, since media may fail to load."""


@dataclass(frozen=True)
class Receipt:
    """Receipt of a saved answer.

    Attributes
    ----------
    is_counted
        Whether it counts as a vote.
    why_not
        Why it does not count, in a few words.
    marks
        Names of the attention checks that it failed.
    is_late
        Whether it came after the lease had expired.
    is_repeated
        Whether the same answer had been given before, so that nothing changed.
    """

    task: str
    is_counted: bool
    why_not: str
    marks: tuple[str, ...]
    is_late: bool
    is_repeated: bool


def answer(
    state: CampaignState,
    now: float,
    task: str,
    outcome: float,
    worker: str | None,
    seconds: float | None,
    is_focused: bool | None,
    weight: float,
) -> Receipt:
    """Record an answer; the same answer again changes nothing, a different one is refused."""
    expire(state, now)
    row = _row(state, task, worker)
    outcome, weight, seconds = read_outcome(outcome), read_weight(weight), _read_seconds(seconds)
    if is_focused is not None and not isinstance(is_focused, bool):
        raise InvalidArgument(f"is_focused must be True or False, not {short(repr(is_focused))}")
    status = state.tasks.status[row]
    if status == Status.ANSWERED and state.tasks.outcome[row] == outcome:
        return _receipt(state, row, is_repeated=True)
    if not state.settings.allows(outcome):
        raise InvalidArgument(
            f"{outcome:g} is not an allowed answer of this campaign: {state.settings.answers_text}"
        )
    _require_answerable(state, row)
    data: dict[str, Any] = {}
    if status == Status.EXPIRED:
        data["late"] = True
    if _is_displaced(state, row):
        data["displaced"] = True
    if weight != 1:
        data["weight"] = weight
    if rules := _verdicts(state, row, outcome, seconds, is_focused):
        data["rules"] = rules
    state.record(
        "answered",
        now,
        task=task,
        worker=state.workers[state.tasks.worker[row]].name,
        outcome=outcome,
        seconds=seconds,
        data=data or None,
    )
    return _receipt(state, row, is_repeated=False)


def skip(
    state: CampaignState, now: float, task: str, reason: str | None, worker: str | None
) -> None:
    """Return a task without an answer; the worker does not get the pair again."""
    expire(state, now)
    row = _row(state, task, worker)
    allowed = state.settings.skip_reasons
    if reason == NOT_SHOWN:
        allowed = (NOT_SHOWN,)
    if not allowed:
        raise CampaignError("this campaign does not allow skipping: answer the task")
    reason = allowed[0] if reason is None else require_one_of(reason, allowed, "reason")
    if state.tasks.status[row] == Status.SKIPPED:
        return
    _require_answerable(state, row)
    name = state.workers[state.tasks.worker[row]].name
    state.record("skipped", now, task=task, worker=name, data={"reason": reason})


def undo(state: CampaignState, now: float, new_id: Callable[[], str], worker: str) -> Task:
    """Undo the last answer of a worker, who gets the same pair again."""
    require_name(worker, "the worker")
    expire(state, now)
    who = state.worker(worker)
    if state.status == "closed":
        raise CampaignError("the campaign is closed: answers cannot be undone")
    if who is None or not who.answers:
        raise CampaignError(f"{short(worker)} has no answer to undo")
    if who.is_banned:
        raise CampaignError(f"{short(worker)} is banned from this campaign")
    if who.has_left:
        raise CampaignError(f"{short(worker)} has left this campaign: answers cannot be undone")
    row, tasks = who.answers[-1], state.tasks
    state.record("undone", now, task=tasks.ids[row], worker=worker)
    data: dict[str, Any] = {"purpose": Purpose(tasks.purpose[row]).name.lower(), "again": True}
    if row in tasks.repeats:
        data["repeats"] = tasks.ids[tasks.repeats[row]]
    if row in tasks.expected:
        data["expected"] = tasks.expected[row]
    state.record(
        "issued",
        now,
        worker=worker,
        task=unused(state, new_id),
        left=tasks.left[row],
        right=tasks.right[row],
        seconds=state.settings.lease_seconds,
        data=data,
    )
    return state.task(who.open[0])


def _row(state: CampaignState, task: str, worker: str | None) -> int:
    """Return the row of a task, if it is this worker's."""
    row = state.tasks.row_of.get(task) if isinstance(task, str) and task else None
    if row is None:
        raise CampaignError(f"there is no task {short(task)}: lease one")
    holder = state.workers[state.tasks.worker[row]].name
    if worker is not None and worker != holder:
        raise CampaignError(f"task {short(task)} is not assigned to {short(worker)}")
    return row


def _require_answerable(state: CampaignState, row: int) -> None:
    """Refuse answers to tasks that are over."""
    if state.status == "closed":
        raise CampaignError("the campaign is closed and accepts no more answers")
    worker = state.workers[state.tasks.worker[row]]
    if worker.is_banned:
        raise CampaignError("the worker is banned from this campaign")
    over = {
        Status.ANSWERED: "the task has a different answer already: undo it first",
        Status.UNDONE: "the answer to this task was undone: answer the new task with this pair",
        Status.SKIPPED: "the task was skipped: get another one",
        Status.VOID: "the task is no longer valid: get another one",
        Status.RESET: "the campaign was reset: get another task",
    }
    if (words := over.get(Status(state.tasks.status[row]))) is not None:
        raise CampaignError(words)
    if worker.has_left:
        raise CampaignError("the worker has left this campaign: their answers are not accepted")


def _is_displaced(state: CampaignState, row: int) -> bool:
    """Return whether a task went to another worker, or a limit is reached."""
    tasks, budget = state.tasks, state.settings.budget
    if not Purpose(tasks.purpose[row]).counts:
        return False
    most, worker = state.settings.answers_per_worker, state.workers[tasks.worker[row]]
    if most is not None and len(worker.answers) >= most:
        return True
    if tasks.status[row] == Status.OPEN:
        return budget is not None and sum(state.n_counted) >= budget
    return (budget is not None and state.n_places >= budget) or tasks.was_issued_since(row)


def _read_seconds(seconds: Any) -> float | None:
    if seconds is None:
        return None
    is_number = isinstance(seconds, Real) and not isinstance(seconds, bool)
    if not is_number or not 0 <= seconds <= LONGEST_SECONDS:
        raise InvalidArgument(f"seconds must be a response time, not {short(repr(seconds))}")
    return float(seconds)


def _verdicts(
    state: CampaignState, row: int, outcome: float, seconds: float | None, is_focused: bool | None
) -> dict[str, bool]:
    """Return the results of the attention checks for a new answer."""
    tasks, rules = state.tasks, state.settings.attention
    worker = state.workers[tasks.worker[row]]
    said = [tasks.outcome[k] for k in worker.answers[-(rules.same_side or 1) :]]
    checks = [(k, tasks.outcome[k]) for k in worker.checks[-2 * WINDOW :]]
    if tasks.purpose[row] != Purpose.CHOSEN:
        checks.append((row, outcome))
    gold_missed, contradicted = [], []
    for k, y in checks:
        if k in tasks.expected:
            gold_missed.append(tasks.is_missed(k, y))
        elif tasks.status[tasks.repeats[k]] == Status.ANSWERED:
            contradicted.append(tasks.is_contradicted(k, y))
    return rules.verdicts(
        CheckedAnswer(
            seconds=seconds,
            is_focused=is_focused,
            outcomes=[*said, outcome],
            gold_missed=gold_missed,
            contradicted=contradicted,
        )
    )


def _receipt(state: CampaignState, row: int, *, is_repeated: bool) -> Receipt:
    why_not = state.why_not_counted(row)
    verdicts = state.tasks.verdicts.get(row, {})
    return Receipt(
        task=state.tasks.ids[row],
        is_counted=not why_not,
        why_not=why_not,
        marks=tuple(rule for rule, passed in verdicts.items() if not passed),
        is_late=row in state.tasks.late,
        is_repeated=is_repeated,
    )
