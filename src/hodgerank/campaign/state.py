"""CampaignState: the state of a campaign, built event by event from its log."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from hodgerank.campaign.attention_checks import RULES
from hodgerank.campaign.events import Event, Kind, LogChanged
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.pair_chooser import PairChooser
from hodgerank.campaign.sampler_feed import TrackAnswers
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.stores.access_keys import KEY_KINDS
from hodgerank.campaign.tasks import Purpose, Status
from hodgerank.campaign.workers import Worker, arrival_of
from hodgerank.errors import CampaignError
from hodgerank.types import IntArray

OUT, ANSWERED = frozenset({int(Status.OPEN)}), frozenset({int(Status.ANSWERED)})
UNANSWERED = OUT | {int(Status.EXPIRED)}
CHOSEN = int(Purpose.CHOSEN)
AFTER_RESET = bytes.maketrans(
    bytes((Status.ANSWERED, Status.EXPIRED)), bytes((Status.RESET, Status.VOID))
)
PURPOSES = {purpose.name.lower(): purpose for purpose in Purpose}


@contextmanager
def no_garbage() -> Iterator[None]:
    """Pause the garbage collector, which would inspect each of a million objects many times."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class CampaignState(CampaignSnapshot):
    """The state of a campaign, which follows its log.

    `fold` applies the next event of the log. `record` makes an event, folds it, and leaves it in
    `outbox` for the store; `forgotten` lists names to replace, and `revoked` keys to remove.
    Nothing else changes a state, so two states that have folded the same log are equal.
    """

    def __init__(self) -> None:
        super().__init__()
        self.outbox: list[Event] = []
        self.forgotten: list[tuple[str, str]] = []
        self.revoked: list[tuple[str, tuple[str, ...]]] = []
        self._folds: dict[Kind, Callable[[Event], None]] = {
            "created": self._settle,
            "settings_changed": self._settle,
            "item_added": self._add_item,
            "item_changed": self._change_item,
            "item_retired": self._retire,
            "item_restored": self._bring_back,
            "joined": self._join,
            "quizzed": self._quiz,
            "left": self._leave,
            "issued": self._issue,
            "answered": self._answer,
            "undone": self._undo,
            "skipped": self._skip,
            "expired": self._expire,
            "imported": self._import,
            "worker_banned": self._ban,
            "worker_restored": self._restore,
            "worker_forgotten": self._forget,
            "paused": self._pause,
            "resumed": self._resume,
            "enough": self._have_enough,
            "not_enough": self._have_not_enough,
            "closed": self._close,
            "reset": self._reset,
        }

    def fold(self, event: Event) -> None:
        """Apply the next event of the log."""
        if event.seq != self.seq + 1:
            raise CampaignError(f"the log is damaged: event {self.seq + 1} is missing")
        self._folds[event.kind](event)
        self.seq, self.at = event.seq, event.at

    def fold_all(self, events: Iterable[Event]) -> None:
        """Apply all of these events."""
        with no_garbage():
            for event in events:
                self.fold(event)

    def record(self, kind: Kind, at: float, **fields: Any) -> None:
        """Make an event, and fold it."""
        event = Event(self.seq + 1, at, kind, **fields)
        self.fold(event)
        self.outbox.append(event)

    def revoke(self, worker: str, *kinds: str) -> None:
        """Revoke keys of a worker together with the events; of these kinds, or all."""
        self.revoked.append((worker, kinds or KEY_KINDS))

    def _settle(self, event: Event) -> None:
        before, self.settings = self.settings, CampaignSettings.of(_data(event)["settings"])
        self._gold, self._barred = {}, {}
        self.askers.append((len(self.tasks), self.settings.sampler))
        if event.kind == "created":
            return
        if before.stop != self.settings.stop or before.ranking != self.settings.ranking:
            self._doubt(*self.enough)
        if before.attention.exclude != self.settings.attention.exclude:
            self._recount(list(self.tasks.verdicts))
        if before.choosing != self.settings.choosing:
            self._choosers = [self._new_asking(track) for track in range(len(self._choosers))]

    def _new_asking(self, track: int) -> PairChooser:
        """One that is told what counts."""
        counted = TrackAnswers(self.tasks, self.items, track).counted()
        return self._chooser_of(track, counted)

    def _chooser_of(self, track: int, rows: IntArray | None = None) -> PairChooser:
        return PairChooser(
            self.settings,
            TrackAnswers(self.tasks, self.items, track),
            len(self.items.members[track]),
            self.out[track],
            self.items.resting[track],
            partial(self.gold_pairs, track),
            rows,
        )

    def restore_choosers(self, parts: Iterable[Mapping[str, Any]]) -> None:
        """Have those of a snapshot; everything else has been restored."""
        self._choosers = []
        for track, chooser in enumerate(parts):
            self._choosers.append(self._chooser_of(track))
            self._choosers[track].restore(chooser)

    def _add_item(self, event: Event) -> None:
        track = self.items.add(CampaignItem.of(_data(event)))
        if track == len(self._choosers):
            self.n_counted.append(0)
            self.out.append({})
            self._choosers.append(self._new_asking(track))
        else:
            self._choosers[track].add_item()
        self._doubt(track)  # little is known about what has just come

    def _change_item(self, event: Event) -> None:
        self.items.change(_some(event.left), _data(event))

    def _retire(self, event: Event) -> None:
        self.items.retire(_some(event.left))

    def _bring_back(self, event: Event) -> None:
        self.items.bring_back(_some(event.left))
        self._doubt(self.items.track[_some(event.left)])

    def _join(self, event: Event) -> None:
        worker = self.workers[self._code(event.worker)]
        worker.panel, is_person = arrival_of(event.data)
        worker.is_person = worker.is_person or is_person
        if worker.joined_at is None:
            worker.joined_at = event.at

    def _quiz(self, event: Event) -> None:
        worker = self.workers[self._code(event.worker)]
        if _data(event)["passed"]:
            worker.has_passed = True
        else:
            worker.n_failed_tries += 1

    def _leave(self, event: Event) -> None:
        worker = self.workers[self._code(event.worker)]
        worker.outcome = _data(event)["outcome"]
        self._take_all_in(worker)

    def _issue(self, event: Event) -> None:
        left, right = event.left, event.right
        code = self.worker_codes.get(event.worker or "")
        if code is None:
            code = self._code(event.worker)
        assert event.task
        assert left is not None
        assert right is not None
        assert event.seconds is not None
        expires = event.at + event.seconds
        purpose = Purpose.CHOSEN if event.data is None else PURPOSES[event.data["purpose"]]
        row = self.tasks.add(event.task, code, left, right, purpose, expires)
        worker = self.workers[code]
        worker.last_at = event.at
        if event.data is None:
            worker.open.append(row)
            worker.n_issued += 1
        else:
            self._issue_specially(row, worker, event.data)
        self.open[row] = expires
        if expires < self._first_end:
            self._first_end = expires
        items = self.items
        track = items.track[left]
        if self._barred and track in (barred := self._barred.get(code, {})):
            barred[track].add(items.places(left, right))
        if purpose is Purpose.CHOSEN:
            pair = self.out[track][row] = items.place[left], items.place[right]
            self._choosers[track].goes_out(pair)

    def _issue_specially(self, row: int, worker: Worker, data: Mapping[str, Any]) -> None:
        """A task that is not simply the next one."""
        if data.get("again"):
            worker.open.insert(0, row)
            self.tasks.again.add(row)
        else:
            worker.open.append(row)
            worker.n_issued += 1
            worker.n_checks[data["purpose"]] += 1
        if "repeats" in data:
            self.tasks.repeats[row] = self.tasks.row_of[data["repeats"]]
            worker.repeated.add(self.tasks.repeats[row])
        if "expected" in data:
            self.tasks.expected[row] = data["expected"]

    def _take_in(self, row: int) -> None:
        """Remove a task from those in progress."""
        if self.open.pop(row, None) is None:
            return  # it was late, and has been taken in before
        tasks = self.tasks
        self.workers[tasks.worker[row]].open.remove(row)
        if tasks.purpose[row] == CHOSEN:
            del self.out[self.items.track[tasks.left[row]]][row]

    def _take_all_in(self, worker: Worker) -> None:
        """Withdraw all tasks that a worker has in progress."""
        self._barred.pop(self.worker_codes[worker.name], None)
        for row in list(worker.open):
            self._take_in(row)
            self.tasks.status[row] = Status.VOID

    def _row(self, event: Event, statuses: frozenset[int]) -> int:
        """The row of a task to which this can happen."""
        row = self.tasks.row_of.get(event.task or "")
        if row is None or self.tasks.status[row] not in statuses:
            raise CampaignError(f"the log is damaged: event {event.seq} cannot be {event.kind}")
        return row

    def _answer(self, event: Event) -> None:
        row, tasks = self._row(event, UNANSWERED), self.tasks
        assert event.outcome is not None
        self._take_in(row)
        tasks.answer(row, event.outcome, event.at, event.seconds)
        worker = self.workers[tasks.worker[row]]
        worker.last_at = event.at
        worker.answers.append(row)
        is_chosen = tasks.purpose[row] == CHOSEN
        if not is_chosen:
            worker.checks.append(row)
        if event.data is None:
            counts = is_chosen and not worker.is_banned
        else:
            self._note(row, event.data)
            counts = not self.why_not_counted(row)
        if counts:
            self._count(row)

    def _note(self, row: int, data: Mapping[str, Any]) -> None:
        """Record the weight, flags and attention checks that came with an answer."""
        tasks = self.tasks
        if "weight" in data:
            tasks.weight[row] = data["weight"]
        if "late" in data:
            tasks.late.add(row)
        if "displaced" in data:
            tasks.displaced.add(row)
        if "rules" in data:
            tasks.verdicts[row] = data["rules"]
            self._tally(row, 1)

    def _tally(self, row: int, by: int) -> None:
        """Rules are measured by the answers that stand."""
        for rule, passed in self.tasks.verdicts.get(row, {}).items():
            if rule in self.tallies:
                self.tallies[rule][0 if passed else 1] += by

    def _undo(self, event: Event) -> None:
        row = self._row(event, ANSWERED)
        worker = self.workers[self.tasks.worker[row]]
        worker.answers.remove(row)
        self._barred.pop(self.tasks.worker[row], None)
        if row in worker.checks:
            worker.checks.remove(row)
        self.tasks.status[row] = Status.UNDONE
        self._tally(row, -1)
        self._recount([row])

    def _skip(self, event: Event) -> None:
        row = self._row(event, UNANSWERED)
        self._take_in(row)
        self.tasks.status[row] = Status.SKIPPED
        self.tasks.skip_reasons[row] = _data(event).get("reason", "")
        worker = self.workers[self.tasks.worker[row]]
        worker.last_at = event.at
        worker.skipped.append(row)

    def _expire(self, event: Event) -> None:
        row = self._row(event, OUT)
        self._take_in(row)
        self.tasks.status[row] = Status.EXPIRED
        self.workers[self.tasks.worker[row]].n_expired += 1
        self._barred.pop(self.tasks.worker[row], None)

    def _import(self, event: Event) -> None:
        left, right = _some(event.left), _some(event.right)
        code = -1 if event.worker is None else self._code(event.worker)
        assert event.outcome is not None
        row = self.tasks.add("", code, left, right, Purpose.IMPORTED, event.at)
        self.tasks.answer(row, event.outcome, event.at, event.seconds)
        data = event.data or {}
        if "source" in data:
            self.sources[data["source"]] = data.get("missing", 0), data.get("order", "")
        if "weight" in data:
            self.tasks.weight[row] = data["weight"]
        if data.get("display") == "unknown":
            self.tasks.display_unknown.add(row)
        if code >= 0:
            self.workers[code].imported.append(row)
            self._barred.pop(code, None)
        if not self.why_not_counted(row):
            self._count(row)

    def _ban(self, event: Event) -> None:
        code = self._code(event.worker)
        worker = self.workers[code]
        worker.is_banned, worker.ban_reason = True, (event.data or {}).get("reason", "")
        self._take_all_in(worker)
        self._recount([*worker.answers, *worker.imported])

    def _restore(self, event: Event) -> None:
        code = self._code(event.worker)
        worker = self.workers[code]
        worker.is_banned, worker.ban_reason = False, ""
        self._recount([*worker.answers, *worker.imported])

    def _forget(self, event: Event) -> None:
        """Stores have replaced the name in all events before: who folded them earlier knows it."""
        assert event.worker
        number = _data(event)["number"]
        if self.worker_codes.get(event.worker, number) != number:
            raise LogChanged("the log has changed: a worker was forgotten; read it again")
        worker = self.workers[number]
        del self.worker_codes[worker.name]
        self.worker_codes[event.worker] = number
        worker.name, worker.panel, worker.ban_reason = event.worker, {}, ""
        worker.is_person, worker.is_forgotten = False, True
        self._take_all_in(worker)

    def _pause(self, event: Event) -> None:
        self.status = "paused"

    def _resume(self, event: Event) -> None:
        self.status = "open"

    def _close(self, event: Event) -> None:
        self.status = "closed"

    def _have_enough(self, event: Event) -> None:
        self.enough[self.items.track_number(_data(event)["track"])] = event.seq

    def _have_not_enough(self, event: Event) -> None:
        self._doubt(self.items.track_number(_data(event)["track"]))

    def _reset(self, event: Event) -> None:
        tasks = self.tasks
        for row in list(self.open):
            self._take_in(row)
            tasks.status[row] = Status.VOID
        # Nothing of before counts any more.
        tasks.status = tasks.status.translate(AFTER_RESET)
        tasks.is_counted = bytearray(len(tasks))
        for worker in self.workers:
            worker.forget_votes()
        self._barred = {}
        self.n_counted = [0] * len(self.n_counted)
        self.sources = {}
        self._doubt(*self.enough)
        self.tallies = {rule: [0, 0] for rule in RULES}
        self._choosers = [self._new_asking(track) for track in range(len(self._choosers))]

    def _count(self, row: int) -> None:
        """One more answer is a vote."""
        track = self.items.track[self.tasks.left[row]]
        self.tasks.is_counted[row] = 1
        self.n_counted[track] += 1
        self._choosers[track].tell(row)

    def _recount(self, rows: list[int]) -> None:
        """Look again which of these count, and let samplers know."""
        changed = set()
        for row in rows:
            counts = not self.why_not_counted(row)
            if counts != bool(self.tasks.is_counted[row]):
                self.tasks.is_counted[row] = counts
                track = self.track_of(row)
                self.n_counted[track] += 1 if counts else -1
                changed.add(track)
        for track in sorted(changed):
            self._choosers[track].revise()
        if changed:
            self._doubt(*changed)

    def _doubt(self, *tracks: int) -> None:
        """Mark the targets of these tracks as no longer reached."""
        for track in tracks:
            self.enough.pop(track, None)
        self.revised = self.seq + 1

    def _code(self, name: str | None) -> int:
        """The number of a worker, who is remembered."""
        assert name is not None
        code = self.worker_codes.get(name)
        if code is None:
            code = self.worker_codes[name] = len(self.workers)
            self.workers.append(Worker(name))
        return code


def _data(event: Event) -> Mapping[str, Any]:
    assert event.data is not None
    return event.data


def _some(number: int | None) -> int:
    assert number is not None
    return number
