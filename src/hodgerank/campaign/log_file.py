"""The log as a file of JSON lines, from which a campaign can be restored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from hodgerank.campaign.events import KINDS, Event
from hodgerank.campaign.items import require_name
from hodgerank.campaign.page_settings import OUTCOMES
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.workers import arrival_of
from hodgerank.display import short
from hodgerank.errors import CampaignError, InvalidArgument, InvalidComparisons, require_one_of
from hodgerank.sampling.answers import read_outcome, read_weight
from hodgerank.types import Item

LOG_VERSION = 1
HEAD, END = "hodgerank_log", "events"  # keys of the first and the last line
SIDES = ("left", "right")
LATEST = 1e11  # seconds; beyond it are no dates
NUMBER = (int, float)
FIELDS: dict[str, type | tuple[type, ...]] = {
    "seq": int, "at": NUMBER, "kind": str, "worker": str, "task": str, "left": int, "right": int,
    "outcome": NUMBER, "seconds": NUMBER, "data": dict,
}  # fmt: skip
NOT_AN_EVENT = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    OverflowError,
    RecursionError,
)


def log_lines(campaign: str, events: Iterable[Event]) -> Iterator[bytes]:
    """Yield a line of JSON for each event, with items by name; the first is a header."""
    items: list[Item] = []
    n_events = 0
    yield _line({HEAD: LOG_VERSION, "campaign": campaign})
    for event in events:
        if event.kind == "item_added" and event.data is not None:
            items.append(event.data["item"])
        n_events = event.seq
        yield event_line(event, items.__getitem__)
    yield _line({END: n_events})


def event_line(event: Event, name_of: Callable[[int], Item]) -> bytes:
    """Return the line of one event."""
    record = {name: value for name, value in event._asdict().items() if value is not None}
    for side in SIDES:
        if side in record:
            record[side] = name_of(record[side])
    return _line(record)


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def is_log(path: Path) -> bool:
    """Return whether a file begins like a log."""
    try:
        with path.open("rb") as file:
            return HEAD.encode() in file.readline(1000)
    except OSError:
        return False


def read_log(path: Path | str) -> tuple[str, list[Event]]:
    """Read the name of the campaign, and its events, which must follow from each other."""
    state, events, name, is_whole = CampaignState(), [], "", False
    try:
        content = Path(path).read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidComparisons(f"{path} cannot be read: {error}") from None
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if number == 1:
                name = _head(record)
                continue
            if set(record) == {END}:
                is_whole = record[END] == state.seq
                break
            event = _event(record, state)
            state.fold(event)
        except (InvalidArgument, CampaignError) as error:
            raise InvalidComparisons(f"{path}, line {number:,}: {error}") from None
        except NOT_AN_EVENT as error:
            raise InvalidComparisons(
                f"{path}, line {number:,}: this is not a valid next event ({error!r}); the file "
                "may have been changed: export it again"
            ) from None
        events.append(event)
    if not events:
        raise InvalidComparisons(f"{path} has no events: it is not the log of a campaign")
    if not is_whole:
        raise InvalidComparisons(
            f"{path} is incomplete (it ends after {len(events):,} events): export it again"
        )
    return name, events


def _head(record: Any) -> str:
    if not isinstance(record, dict) or HEAD not in record:
        raise InvalidArgument(
            "this is not the log of a campaign: export one with campaign export -o log.jsonl"
        )
    if record[HEAD] != LOG_VERSION:
        raise InvalidArgument(
            f"the log has version {short(repr(record[HEAD]))}, of a newer hodgerank: upgrade "
            "hodgerank"
        )
    return str(record.get("campaign", ""))


def _event(record: dict[str, Any], state: CampaignState) -> Event:
    """Return the next event of a log after checking its fields."""
    for side in SIDES:
        if side in record:
            record[side] = state.items.codes[record[side]]
    require_one_of(record["kind"], KINDS, "kind")
    event = Event(**record)
    for name, value in event._asdict().items():
        if value is not None and not isinstance(value, FIELDS[name]):
            raise InvalidArgument(f"{name} cannot be {short(repr(value))}")
    wrong = next((words for words, is_wrong in FAULTS.items() if is_wrong(event, state)), None)
    if wrong:
        raise InvalidArgument(wrong)
    if event.outcome is not None:
        read_outcome(event.outcome)
    if event.worker is not None:
        require_name(event.worker, "the worker")
    read_weight((event.data or {}).get("weight", 1))
    return event


def _is_of_somebody_else(event: Event, state: CampaignState) -> bool:
    row = state.tasks.row_of.get(event.task or "")
    if row is None or event.worker is None or event.kind == "issued":
        return False
    return state.workers[state.tasks.worker[row]].name != event.worker


def _has_wrong_rules(event: Event, state: CampaignState) -> bool:
    rules = dict((event.data or {}).get("rules", {}))
    return any(not isinstance(passed, bool) for passed in rules.values())


def _has_wrong_attendance(event: Event, state: CampaignState) -> bool:
    data = event.data or {}
    if event.kind == "joined":
        panel, _ = arrival_of(data)
        return not all(isinstance(value, str) for value in panel.values())
    if event.kind == "quizzed":
        return not isinstance(data.get("passed"), bool)
    return event.kind == "left" and data.get("outcome") not in OUTCOMES


def _forgets_nobody(event: Event, state: CampaignState) -> bool:
    if event.kind != "worker_forgotten":
        return False
    number = (event.data or {}).get("number")
    return number is None or state.worker_codes.get(event.worker or "") != number


# Invariants that commands guarantee and the fold relies on.
FAULTS: dict[str, Callable[[Event, CampaignState], bool]] = {
    "a log must begin with exactly one creation of a campaign": lambda event, state: (
        (event.kind == "created") != (state.seq == 0)
    ),
    "at is a time in seconds since 1970": lambda event, _: not 0 <= event.at < LATEST,
    "seconds are not negative": lambda event, _: not 0 <= (event.seconds or 0) < LATEST,
    "an item is compared with itself": lambda event, _: (
        event.left is not None and event.left == event.right
    ),
    "the task is issued a second time": lambda event, state: (
        event.kind == "issued" and event.task in state.tasks.row_of
    ),
    "the task is another worker's": _is_of_somebody_else,
    "the item is added a second time": lambda event, state: (
        event.kind == "item_added" and (event.data or {}).get("item") in state.items.codes
    ),
    "rules pass or fail an answer: true or false": _has_wrong_rules,
    "a worker joins with texts, passes or not, and leaves with an outcome": _has_wrong_attendance,
    "who is forgotten has that name in all events before": _forgets_nobody,
    "the right answer to a gold pair is 1 or -1": lambda event, _: (
        (event.data or {}).get("expected", 1) not in (1, -1)
    ),
}
