"""What workers do with their tasks. Each answer counts once, whatever happens."""

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
"""The reason to skip that is always allowed: nobody can compare what is not there."""


@dataclass(frozen=True)
class Receipt:
    """What became of an answer, which is durable.

    Attributes
    ----------
    is_counted
        Whether it is a vote.
    why_not
        In a few words why it is none.
    marks
        Names of the rules that it failed.
    is_late
        Whether it came after its lease.
    is_repeated
        Whether it had been given before, in the same words: nothing has changed.
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
    """Take an answer; the same one again changes nothing, another one is refused."""
    expire(state, now)
    row = _row(state, task, worker)
    outcome, weight, seconds = read_outcome(outcome), read_weight(weight), _read_seconds(seconds)
    if is_focused is not None and not isinstance(is_focused, bool):
        raise InvalidArgument(f"is_focused is True or False, not {short(repr(is_focused))}")
    status = state.tasks.status[row]
    if status == Status.ANSWERED and state.tasks.outcome[row] == outcome:
        return _receipt(state, row, is_repeated=True)
    if not state.settings.allows(outcome):
        raise InvalidArgument(
            f"{outcome:g} is not among the answers of this campaign: {state.settings.answers_text}"
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
    """Give a task back without an answer; the pair does not come back to this worker."""
    expire(state, now)
    row = _row(state, task, worker)
    allowed = state.settings.skip_reasons
    if reason == NOT_SHOWN:
        allowed = (NOT_SHOWN,)
    if not allowed:
        raise CampaignError("this campaign does not allow to skip: answer, or leave the task")
    reason = allowed[0] if reason is None else require_one_of(reason, allowed, "reason")
    if state.tasks.status[row] == Status.SKIPPED:
        return
    _require_answerable(state, row)
    name = state.workers[state.tasks.worker[row]].name
    state.record("skipped", now, task=task, worker=name, data={"reason": reason})


def undo(state: CampaignState, now: float, new_id: Callable[[], str], worker: str) -> Task:
    """Take back the last answer of a worker, who gets the same pair again."""
    require_name(worker, "the worker")
    expire(state, now)
    who = state.worker(worker)
    if state.status == "closed":
        raise CampaignError("the campaign is closed: answers stand")
    if who is None or not who.answers:
        raise CampaignError(f"{short(worker)} has no answer to take back")
    if who.is_banned:
        raise CampaignError(f"{short(worker)} is banned from this campaign")
    if who.has_left:
        raise CampaignError(f"{short(worker)} has left this campaign: answers stand")
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
    """The row of a task, if it is this worker's."""
    row = state.tasks.row_of.get(task) if isinstance(task, str) and task else None
    if row is None:
        raise CampaignError(f"there is no task {short(task)}: lease one")
    holder = state.workers[state.tasks.worker[row]].name
    if worker is not None and worker != holder:
        raise CampaignError(f"task {short(task)} is not one of {short(worker)}")
    return row


def _require_answerable(state: CampaignState, row: int) -> None:
    """Refuse answers to what is over."""
    if state.status == "closed":
        raise CampaignError("the campaign is closed: it takes no more answers")
    worker = state.workers[state.tasks.worker[row]]
    if worker.is_banned:
        raise CampaignError("the worker is banned from this campaign")
    over = {
        Status.ANSWERED: "the task has been answered, and differently: take that back first (undo)",
        Status.UNDONE: "the answer to this task was taken back: the pair is in a new one",
        Status.SKIPPED: "the task was skipped: lease another one",
        Status.VOID: "the task is void: lease another one",
        Status.RESET: "the votes were reset since: lease another task",
    }
    if (words := over.get(Status(state.tasks.status[row]))) is not None:
        raise CampaignError(words)
    if worker.has_left:
        raise CampaignError("the worker has left this campaign: it takes no more answers of theirs")


def _is_displaced(state: CampaignState, row: int) -> bool:
    """Whether the place of a task went to somebody else, or a limit is reached."""
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
        raise InvalidArgument(f"seconds is how long it took, not {short(repr(seconds))}")
    return float(seconds)


def _verdicts(
    state: CampaignState, row: int, outcome: float, seconds: float | None, is_focused: bool | None
) -> dict[str, bool]:
    """What the rules say of an answer that is about to be given."""
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
