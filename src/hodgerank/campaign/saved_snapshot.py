"""States that are folded from a snapshot on, and how they are written into one.

A snapshot is lines of JSON, followed by columns as they are in memory. Only states that were never
asked for a pair are saved, so that the snapshot depends on the log only.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from hashlib import sha256
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

from hodgerank import __version__
from hodgerank.campaign.events import Event
from hodgerank.campaign.items import CampaignItem, ItemRegistry
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.state import CampaignState, no_garbage
from hodgerank.campaign.stores.snapshot_files import SnapshotFiles
from hodgerank.campaign.tasks import TaskTable
from hodgerank.campaign.workers import Worker

FEWEST = 200_000  # events since the last snapshot, or none: they are folded in less than a second
SHARE = 8  # of a longer log, one event in so many
PLAIN = ("seq", "at", "status", "n_counted", "revised", "tallies")
"""Attributes of a state that JSON has as they are."""
COLUMNS = ("worker", "left", "right", "expires", "outcome", "answers", "answered_at", "seconds")
FLAGS = ("status", "purpose", "is_counted")
ROW_SETS = ("late", "displaced", "display_unknown", "again")
BY_ROW = ("weight", "expected", "repeats", "skip_reasons")
"""Attributes of a task table: arrays, bytes, sets of rows, and mappings from rows."""
WORKER_ROWS = ("open", "answers", "skipped", "imported", "checks", "repeated")
SOME = 10_000  # ids that are put together


@cache
def code_version() -> str:
    """Return a digest of the campaign code; snapshots of other versions are not used."""
    found = sha256(f"{__version__} {sys.byteorder}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def next_snapshot(seq: int) -> int:
    """The number of events from which on another snapshot is worth its while."""
    return seq + max(FEWEST, seq // SHARE)


def fold_log(
    campaign: str,
    read: Callable[[int], Iterable[Event]],
    snapshots: SnapshotFiles | None,
    *,
    is_to_save: bool,
) -> CampaignState:
    """The state at the end of a log, from its snapshot if there is one.

    `read` has the events after a number. Where the snapshot is old, another one may be saved.
    """
    if snapshots is None:
        return _folded(CampaignState(), read(0))
    content = snapshots.load(campaign, code_version())
    with no_garbage():
        state = CampaignState() if content is None else decode_state(content)
    begin, last = state.seq, snapshots.last(campaign)
    if not is_to_save or last < next_snapshot(begin):
        return _folded(state, read(begin))
    mark = snapshots.mark(campaign, last)  # before it is read: it fits no changes meanwhile
    events = iter(read(begin))
    snapshots.save(mark, code_version(), encode_state(_folded(state, islice(events, last - begin))))
    return _folded(state, events)


def _folded(state: CampaignState, events: Iterable[Event]) -> CampaignState:
    state.fold_all(events)
    return state


def encode_state(state: CampaignState) -> bytes:
    """The inverse of `decode_state`."""
    columns: list[bytes] = []
    kinds: list[tuple[str, int]] = []

    def put_aside(value: object) -> int:
        assert isinstance(value, array | bytearray | bytes)
        columns.append(bytes(value))
        kind = value.typecode if isinstance(value, array) else type(value).__name__
        kinds.append((kind, len(columns[-1])))
        return len(columns) - 1

    parts = {
        **{name: getattr(state, name) for name in PLAIN},
        "settings": state.settings.to_dict(),
        "items": [item.to_dict() for item in state.items.items],
        "retired": sorted(state.items.retired),
        "tasks": _tasks(state.tasks),
        "enough": list(state.enough.items()),
        "open": list(state.open.items()),
        "first_end": state._first_end,
        "out": [[(row, *pair) for row, pair in out.items()] for out in state.out],
        "askers": state.askers,
        "sources": sorted(state.sources.items()),
        "choosers": [chooser.to_dict() for chooser in state._choosers],
    }
    # Line by line: where campaigns share a process, others go on between two lines.
    lines = [json.dumps(each, default=put_aside) for each in (parts, *map(_worker, state.workers))]
    text = "\n".join((*lines, json.dumps(kinds))).encode()
    return b"".join((len(text).to_bytes(8, "big"), text, *columns))


def decode_state(content: bytes) -> CampaignState:
    """A state as it was folded."""
    end = 8 + int.from_bytes(content[:8], "big")
    first, *workers, kinds = content[8:end].split(b"\n")
    columns: list[Any] = []
    for kind, size in json.loads(kinds):
        columns.append(_column(kind, content[end : end + size]))
        end += size
    parts = json.loads(first)
    state = CampaignState()
    for name in PLAIN:
        setattr(state, name, parts[name])
    state.settings = CampaignSettings.of(parts["settings"])
    state.items = _items_of(parts["items"], parts["retired"])
    state.tasks = _tasks_of(parts["tasks"], columns)
    state.workers = [_worker_of(json.loads(worker), columns) for worker in workers]
    state.worker_codes = {worker.name: code for code, worker in enumerate(state.workers)}
    state.enough, state.open = dict(parts["enough"]), dict(parts["open"])
    state._first_end = parts["first_end"]
    state.out = [{row: (left, right) for row, left, right in out} for out in parts["out"]]
    state.askers = [(row, name) for row, name in parts["askers"]]
    state.sources = {source: (n, order) for source, (n, order) in parts["sources"]}
    for feed in chain.from_iterable(chooser["feeds"] for chooser in parts["choosers"]):
        feed["steps"] = columns[feed["steps"]]
    state.restore_choosers(parts["choosers"])
    return state


def _column(kind: str, content: bytes) -> array[Any] | bytearray | bytes:
    if kind == "bytes":
        return content
    if kind == "bytearray":
        return bytearray(content)
    return array(kind, content)


def _items_of(items: list[dict[str, Any]], retired: list[int]) -> ItemRegistry:
    found = ItemRegistry()
    for item in items:
        found.add(CampaignItem.of(item))
    for code in retired:
        found.retire(code)
    return found


def _worker(worker: Worker) -> dict[str, Any]:
    parts = {each.name: getattr(worker, each.name) for each in fields(worker)}
    return parts | {name: array("i", parts[name]) for name in WORKER_ROWS}


def _worker_of(parts: dict[str, Any], columns: Sequence[Any]) -> Worker:
    parts |= {name: columns[parts[name]].tolist() for name in WORKER_ROWS}
    parts["repeated"], parts["n_checks"] = set(parts["repeated"]), Counter(parts["n_checks"])
    return Worker(**parts)


def _tasks(tasks: TaskTable) -> dict[str, Any]:
    some = (tasks.ids[first : first + SOME] for first in range(0, len(tasks.ids), SOME))
    # The same few verdicts come again and again.
    distinct: dict[str, int] = {}
    said = [json.dumps(verdict) for verdict in tasks.verdicts.values()]
    codes = array("i", (distinct.setdefault(verdict, len(distinct)) for verdict in said))
    return {
        "ids": ["\0".join(ids).encode() for ids in some],  # none has a NUL: stores refuse it
        **{name: getattr(tasks, name) for name in (*COLUMNS, *FLAGS)},
        **{name: array("i", getattr(tasks, name)) for name in ROW_SETS},
        **{name: list(getattr(tasks, name).items()) for name in BY_ROW},
        "verdicts": [array("i", tasks.verdicts), codes, list(distinct)],
    }


def _tasks_of(parts: Mapping[str, Any], columns: Sequence[Any]) -> TaskTable:
    tasks = TaskTable()
    for some in parts["ids"]:
        ids = columns[some].decode().split("\0")
        tasks.row_of.update(zip(ids, count(len(tasks.ids))))
        tasks.ids += ids
    tasks.row_of.pop("", None)
    for name in (*COLUMNS, *FLAGS):
        setattr(tasks, name, columns[parts[name]])
    for name in ROW_SETS:
        setattr(tasks, name, set(columns[parts[name]]))
    for name in BY_ROW:
        setattr(tasks, name, dict(parts[name]))
    rows, codes, distinct = parts["verdicts"]
    verdicts = [json.loads(verdict) for verdict in distinct]
    tasks.verdicts = {
        row: verdicts[code] for row, code in zip(columns[rows], columns[codes], strict=True)
    }
    return tasks
