"""NaiveCampaign: what a campaign has to do, in lists and loops; the pairs it is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scipy.stats import binom

LEVEL = 0.01
WINDOW = 50


class Refused(Exception):
    """What the campaign should refuse."""


@dataclass
class NaiveTask:
    id: str
    worker: str
    left: Any
    right: Any
    purpose: str
    expires: float
    status: str = "open"
    outcome: float | None = None
    is_late: bool = False
    is_displaced: bool = False
    marks: tuple[str, ...] = ()
    known: dict[str, bool] = field(default_factory=dict)
    repeats: str | None = None
    expected: int | None = None
    is_given_back: bool = False

    @property
    def pair(self) -> frozenset[Any]:
        return frozenset((self.left, self.right))


class NaiveCampaign:
    """Tasks in the order they were given, answers in the order they came."""

    def __init__(self, tracks: dict[Any, str], settings: dict[str, Any]) -> None:
        self.tracks, self.settings = dict(tracks), dict(settings)
        self.tasks: list[NaiveTask] = []
        self.answers: list[NaiveTask] = []  # not taken back, not reset
        self.imported: list[tuple[Any, Any, float, str | None]] = []
        self.banned: set[str] = set()
        self.retired: set[Any] = set()
        self.joined: set[str] = set()
        self.tries: dict[str, list[bool]] = {}
        self.outcomes: dict[str, str] = {}
        self.forgotten: set[str] = set()
        self.texts: dict[Any, str] = {}
        self.status = "open"
        self.given: dict[str, list[int]] = {}

    # What counts

    def counts(self, task: NaiveTask) -> bool:
        excluded = any(mark in self.settings["exclude"] for mark in task.marks)
        is_vote = task.purpose == "chosen" and task.status == "answered"
        return is_vote and task.worker not in self.banned and not task.is_displaced and not excluded

    def counted(self) -> list[NaiveTask]:
        return [task for task in self.answers if self.counts(task)]

    def counted_imports(self) -> list[tuple[Any, Any, float, str | None]]:
        return [vote for vote in self.imported if vote[3] not in self.banned]

    def votes(self) -> list[tuple[Any, Any, float, str | None]]:
        """As a multiset: imported votes first."""
        return self.counted_imports() + [
            (task.left, task.right, task.outcome, task.worker) for task in self.counted()
        ]

    @property
    def n_counted(self) -> int:
        return len(self.votes())

    @property
    def n_places(self) -> int:
        out = [task for task in self.tasks if task.status == "open" and task.purpose == "chosen"]
        return self.n_counted + len(out)

    def open_of(self, worker: str) -> list[NaiveTask]:
        return [task for task in self.tasks if task.status == "open" and task.worker == worker]

    def answers_of(self, worker: str) -> list[NaiveTask]:
        return [task for task in self.answers if task.worker == worker]

    def seen_by(self, worker: str) -> set[frozenset[Any]]:
        """Pairs that may not be shown to a worker again, but as repeats or gold."""
        ours = [task for task in self.tasks if task.worker == worker and not self.is_past(task)]
        shown = {task.pair for task in ours if task.status in ("open", "answered", "skipped")}
        return shown | {frozenset(vote[:2]) for vote in self.imported if vote[3] == worker}

    def is_past(self, task: NaiveTask) -> bool:
        return task.status in ("void", "reset", "undone", "expired", "skipped earlier")

    # What happens

    def expire(self, now: float) -> int:
        over = [task for task in self.tasks if task.status == "open" and task.expires <= now]
        for task in over:
            task.status = "expired"
        return len(over)

    def issue(self, task: NaiveTask) -> None:
        self.tasks.append(task)

    def answer(
        self, task: NaiveTask, outcome: float, seconds: float | None, is_focused: bool | None
    ) -> bool:
        """Whether it is news; `Refused` where it is not to be taken."""
        if task.status == "answered" and task.outcome == outcome:
            return False
        if self.status == "closed" or task.worker in self.banned:
            raise Refused
        if task.status not in ("open", "expired") or self.has_left(task.worker):
            raise Refused
        task.is_late = task.status == "expired"
        task.is_displaced = task.purpose == "chosen" and self.is_taken(task)
        task.status, task.outcome = "answered", outcome
        self.answers.append(task)
        task.known = self.verdicts(task, seconds, is_focused)
        task.marks = tuple(rule for rule, passed in task.known.items() if not passed)
        for rule, passed in task.known.items():
            self.given.setdefault(rule, [0, 0])[0 if passed else 1] += 1
        return True

    def is_taken(self, task: NaiveTask) -> bool:
        budget, most = self.settings["budget"], self.settings["answers_per_worker"]
        if most is not None and len(self.answers_of(task.worker)) >= most:
            return True
        others = self.n_counted if task.status == "open" else self.n_places
        if budget is not None and others >= budget:
            return True
        if task.status == "open":
            return False
        later = self.tasks[self.tasks.index(task) + 1 :]
        later = [other for other in later if not other.is_given_back]
        return any(other.pair == task.pair and other.purpose == "chosen" for other in later)

    def verdicts(
        self, task: NaiveTask, seconds: float | None, is_focused: bool | None
    ) -> dict[str, bool]:
        known = {}
        if seconds is not None:
            known["too_fast"] = seconds >= self.settings["fastest_seconds"]
        mine = self.answers_of(task.worker)
        n = self.settings["same_side"]
        if len(mine) >= n:
            last = [each.outcome for each in mine[-n:]]
            known["same_side"] = not (min(last) > 0 or max(last) < 0)
        by_id = {each.id: each for each in self.tasks}
        again = [each for each in mine if each.purpose == "repeat"]
        again = [each for each in again if by_id[each.repeats].status == "answered"]
        contradicted = [each.outcome * by_id[each.repeats].outcome > 0 for each in again][-WINDOW:]
        gold = [each for each in mine if each.purpose == "gold"][-WINDOW:]
        missed = [each.outcome * each.expected <= 0 for each in gold]
        for rule, happened, most in (
            ("gold", missed, 0.2),
            ("contradicts", contradicted, self.settings["most_contradictions"]),
        ):
            if most ** len(happened) < LEVEL:
                chance = binom.sf(sum(happened) - 1, len(happened), most)
                known[rule] = bool(chance >= LEVEL)
        if is_focused is not None:
            known["focus"] = is_focused
        return known

    def skip(self, task: NaiveTask) -> None:
        if task.status.startswith("skipped"):
            return
        if self.status == "closed" or task.worker in self.banned:
            raise Refused
        if task.status not in ("open", "expired") or self.has_left(task.worker):
            raise Refused
        task.status = "skipped"

    def undo(self, worker: str) -> NaiveTask:
        if self.status == "closed" or worker in self.banned or self.has_left(worker):
            raise Refused
        if not self.answers_of(worker):
            raise Refused
        last = self.answers_of(worker)[-1]
        self.answers.remove(last)
        last.status = "undone"
        for rule, passed in last.known.items():
            self.given[rule][0 if passed else 1] -= 1
        return last

    def ban(self, worker: str) -> None:
        if worker not in self.banned:
            self.banned.add(worker)
            for task in self.open_of(worker):
                task.status = "void"

    def has_left(self, worker: str) -> bool:
        return worker in self.outcomes or worker in self.forgotten

    def join(self, worker: str) -> None:
        if worker in self.banned:
            raise Refused
        if not self.has_left(worker) and worker not in self.joined:
            if self.status == "closed":
                raise Refused
            self.joined.add(worker)

    def quiz(self, worker: str, passed: bool) -> int:
        """How many tries are left of two."""
        if worker in self.banned or self.has_left(worker):
            raise Refused
        tries = self.tries.setdefault(worker, [])
        if True not in tries:
            tries.append(passed)
        if tries == [False, False]:
            self.finish(worker, "screened_out")
        return 2 - tries.count(False)

    def finish(self, worker: str, outcome: str) -> None:
        if worker in self.banned:
            raise Refused
        if self.has_left(worker) and self.outcomes.get(worker) != outcome:
            raise Refused
        self.outcomes[worker] = outcome
        for task in self.open_of(worker):
            task.status = "void"

    def forget(self, worker: str, pseudonym: str) -> None:
        for task in self.tasks:
            if task.worker == worker:
                task.worker = pseudonym
                task.status = "void" if task.status == "open" else task.status
        self.imported = [
            (*vote[:3], pseudonym if vote[3] == worker else vote[3]) for vote in self.imported
        ]
        for those in (self.banned, self.joined):
            if worker in those:
                those.remove(worker)
                those.add(pseudonym)
        for known in (self.tries, self.outcomes):
            if worker in known:
                known[pseudonym] = known.pop(worker)
        self.forgotten.add(pseudonym)

    def reset(self) -> None:
        if self.status == "closed":
            raise Refused
        for task in self.tasks:
            if task.status in ("open", "expired"):
                task.status = "void"
            elif task.status == "answered":
                task.status = "reset"
            elif task.status == "skipped":
                task.status = "skipped earlier"
        self.answers, self.imported, self.given = [], [], {}
        self.outcomes = {who: how for who, how in self.outcomes.items() if how != "completed"}
