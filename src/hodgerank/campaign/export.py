"""Export: votes as a table, or the whole log, from which the campaign can be made again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hodgerank.campaign.events import KINDS, Event
from hodgerank.campaign.items import require_name
from hodgerank.campaign.state import CampaignState
from hodgerank.data.sources.formulas import guarded
from hodgerank.errors import CampaignError, InvalidArgument, InvalidComparisons, require_one_of
from hodgerank.notebook import short
from hodgerank.sampling.answer import read_outcome, read_weight
from hodgerank.types import Item

LOG_VERSION = 1
HEAD = "hodgerank_log"
BESIDE_VOTES = ("purpose", "is_counted", "why_not", "marks", "is_late")
LATEST = 1e11  # seconds; beyond it are no dates
NUMBER = (int, float)
FIELDS: dict[str, type | tuple[type, ...]] = {
    "seq": int, "at": NUMBER, "kind": str, "worker": str, "task": str, "left": int, "right": int,
    "outcome": NUMBER, "seconds": NUMBER, "data": dict,
}  # fmt: skip
NOT_AN_EVENT = (ValueError, LookupError, TypeError, AttributeError, AssertionError, OverflowError)
FORMATS = (".csv", ".parquet", ".jsonl")
ITEM_FIELDS = ("left", "right")


def format_of(path: Path | str) -> str:
    """By the ending of a file's name."""
    ending = Path(path).suffix.lower()
    return require_one_of(ending, FORMATS, "the ending")


def table_of(rows: Sequence[dict[str, Any]], form: str, *, everything: bool) -> bytes:
    """Answers as a CSV or Parquet file; of all, or of those that count alone."""
    import polars as pl

    if not everything:
        rows = [
            {name: value for name, value in row.items() if name not in BESIDE_VOTES}
            for row in rows
            if row["is_counted"]
        ]
    schema = {name: kind for name, kind in SCHEMA.items() if everything or name not in BESIDE_VOTES}
    names = [row[side] for row in rows for side in ITEM_FIELDS]
    if not all(isinstance(name, int) for name in names):
        rows = [{**row, **{side: str(row[side]) for side in ITEM_FIELDS}} for row in rows]
        schema |= dict.fromkeys(ITEM_FIELDS, "str")
    kinds = {"int": pl.Int64, "str": pl.String, "float": pl.Float64, "bool": pl.Boolean}
    table = pl.DataFrame(rows, schema={name: kinds[kind] for name, kind in schema.items()})
    said = {"weight": 1.0, "track": "", "is_display_known": True}
    quiet = [name for name, usual in said.items() if (table[name] == usual).all()]
    table = table.drop(quiet)
    if form == ".parquet":
        from io import BytesIO

        content = BytesIO()
        table.write_parquet(content)
        return content.getvalue()
    texts = [name for name, kind in table.schema.items() if kind == pl.String]
    safe = (pl.col(name).map_elements(guarded, pl.String) for name in texts)
    return table.with_columns(safe).write_csv().encode()


SCHEMA = {
    "left": "int",
    "right": "int",
    "outcome": "float",
    "worker": "str",
    "weight": "float",
    "time": "str",
    "seconds": "float",
    "track": "str",
    "asked_by": "str",
    "purpose": "str",
    "is_counted": "bool",
    "why_not": "str",
    "marks": "str",
    "is_late": "bool",
    "is_display_known": "bool",
}


def log_lines(campaign: str, events: Iterable[Event]) -> Iterator[bytes]:
    """A line of JSON for each event, items by name; the first says what this is."""
    items: list[Item] = []
    yield _line({HEAD: LOG_VERSION, "campaign": campaign})
    for event in events:
        if event.kind == "item_added" and event.data is not None:
            items.append(event.data["item"])
        record = {name: value for name, value in event._asdict().items() if value is not None}
        for side in ITEM_FIELDS:
            if side in record:
                record[side] = items[record[side]]
        yield _line(record)


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def is_log(path: Path) -> bool:
    """Whether a file begins as a log does."""
    try:
        with path.open("rb") as file:
            return HEAD.encode() in file.readline(1000)
    except OSError:
        return False


def read_log(path: Path | str) -> tuple[str, list[Event]]:
    """The name of the campaign, and its events, which make sense one after the other."""
    state, events, name = CampaignState(), [], ""
    try:
        content = Path(path).read_bytes().decode()
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
            event = _event(record, state)
            state.fold(event)
        except (InvalidArgument, CampaignError) as error:
            raise InvalidComparisons(f"{path}, line {number:,}: {error}") from None
        except NOT_AN_EVENT as error:
            raise InvalidComparisons(
                f"{path}, line {number:,}: this is not the next event of a campaign ({error!r}); "
                "was the file cut or changed?"
            ) from None
        events.append(event)
    if not events:
        raise InvalidComparisons(f"{path} has no events: is it the log of a campaign?")
    return name, events


def _head(record: Any) -> str:
    if not isinstance(record, dict) or HEAD not in record:
        raise InvalidArgument("this is not the log of a campaign: export one (log.jsonl)")
    if record[HEAD] != LOG_VERSION:
        raise InvalidArgument(
            f"the log has version {short(repr(record[HEAD]))}, made by another hodgerank: upgrade"
        )
    return str(record.get("campaign", ""))


def _event(record: dict[str, Any], state: CampaignState) -> Event:
    for side in ITEM_FIELDS:
        if side in record:
            record[side] = state.items.codes[record[side]]
    require_one_of(record["kind"], KINDS, "kind")
    event = Event(**record)
    if event.task in state.tasks.row_of and event.kind == "issued":
        raise InvalidArgument(f"the task {short(event.task)} is issued a second time")
    for name, value in event._asdict().items():
        if value is not None and not isinstance(value, FIELDS[name]):
            raise InvalidArgument(f"{name} cannot be {short(repr(value))}")
    if not 0 <= event.at < LATEST:
        raise InvalidArgument(f"at is a time in seconds since 1970, not {event.at:g}")
    if event.outcome is not None:
        read_outcome(event.outcome)
    if event.worker is not None:
        require_name(event.worker, "the worker")
    data = event.data or {}
    read_weight(data.get("weight", 1))
    if any(not isinstance(passed, bool) for passed in dict(data.get("rules", {})).values()):
        raise InvalidArgument("rules pass or fail an answer: true or false")
    if data.get("expected", 1) not in (1, -1):
        raise InvalidArgument("the right answer to a gold pair is expected to be 1 or -1")
    return event
