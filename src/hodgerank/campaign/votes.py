"""Import of votes, and votes as tables."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from hodgerank.campaign.items import require_name
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.tasks import Purpose
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.sources.formula_guard import with_guards
from hodgerank.display import short
from hodgerank.errors import CampaignError, InvalidArgument, require_one_of


def import_votes(state: CampaignState, now: float, votes: Comparisons, again: bool) -> int:
    """Import votes; return how many."""
    if state.status == "closed":
        raise CampaignError("the campaign is closed")
    names = {str(name): code for name, code in state.items.codes.items()}  # as files have them
    codes = [names[n] if (n := str(item)) in names else state.items.code(n) for item in votes.items]
    workers = [require_name(str(worker), "the worker") for worker in votes.workers]
    tracks = np.array([state.items.track[code] for code in codes], np.int64)
    across = tracks[votes.left] != tracks[votes.right]
    if across.any():
        row = int(np.flatnonzero(across)[0])
        one, other = (short(votes.items[side[row]]) for side in (votes.left, votes.right))
        raise InvalidArgument(
            f"{int(across.sum()):,} votes compare items of different tracks, such as {one} "
            f"and {other}: leave them out"
        )
    source = _fingerprint(votes)
    if source in state.sources and not again:
        raise CampaignError(
            "these votes have been imported before: to count them twice, use again=True (--again)"
        )
    n_known = 0 if again else _n_known(state, votes, codes, workers)
    if n_known:
        raise CampaignError(
            f"{n_known:,} of these votes are already in the campaign, by the same worker on the "
            "same pair: leave them out, or count them twice with again=True (--again)"
        )
    for row in range(len(votes)):
        data: dict[str, Any] = {} if row else {"source": source}
        if votes.weight is not None and votes.weight[row] != 1:
            data["weight"] = float(votes.weight[row])
        if not votes.display_known[row]:
            data["display"] = "unknown"
        worker = votes.worker[row]
        state.record(
            "imported",
            now,
            worker=workers[worker] if worker >= 0 else None,
            left=codes[votes.left[row]],
            right=codes[votes.right[row]],
            outcome=float(votes.outcome[row]),
            data=data or None,
        )
    return len(votes)


def _n_known(state: CampaignState, votes: Comparisons, codes: list[int], workers: list[str]) -> int:
    """Count the votes that the campaign has already, from a task or an earlier import."""
    tasks = state.tasks
    known = {
        (worker.name, tasks.pair(row))
        for worker in state.workers
        for row in (*worker.answers, *worker.imported)
    }
    pairs = zip(votes.worker.tolist(), votes.left.tolist(), votes.right.tolist(), strict=True)
    return sum(
        worker >= 0 and (workers[worker], tuple(sorted((codes[left], codes[right])))) in known
        for worker, left, right in pairs
    )


def _fingerprint(votes: Comparisons) -> str:
    """Return a fingerprint of votes, regardless of their order."""
    names = repr((votes.items, votes.workers)).encode()
    columns = (votes.left, votes.right, votes.outcome, votes.worker, votes.total_weight)
    order = np.lexsort(columns)
    content = b"".join([names, *(column[order].tobytes() for column in columns)])
    return hashlib.sha256(content).hexdigest()


def vote_rows(state: CampaignState) -> list[dict[str, Any]]:
    """Return every answer in order, with its status."""
    tasks, items = state.tasks, state.items
    found = []
    for row, at, seconds in zip(tasks.answers, tasks.answered_at, tasks.seconds, strict=True):
        code = tasks.worker[row]
        why_not = state.why_not_counted(row)
        verdicts = tasks.verdicts.get(row, {})
        is_ours = tasks.purpose[row] != Purpose.IMPORTED
        found.append(
            {
                "left": items.name(tasks.left[row]),
                "right": items.name(tasks.right[row]),
                "outcome": tasks.outcome[row],
                "worker": state.workers[code].name if code >= 0 else None,
                "weight": tasks.weight.get(row, 1.0),
                "time": datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds"),
                "seconds": None if seconds != seconds else seconds,
                "track": items.tracks[state.track_of(row)],
                "asked_by": state.asker(row) if is_ours else None,
                "purpose": Purpose(tasks.purpose[row]).name.lower(),
                "is_counted": bool(tasks.is_counted[row]),
                "why_not": why_not,
                "marks": " ".join(rule for rule, passed in verdicts.items() if not passed),
                "is_late": row in tasks.late,
                "is_display_known": row not in tasks.display_unknown,
            }
        )
    return found


BESIDE_VOTES = ("answer", "purpose", "is_counted", "why_not", "marks", "is_late")
FORMATS = (".csv", ".parquet", ".jsonl")
SIDES = ("left", "right")


def format_of(path: Path | str) -> str:
    """Return the format by the suffix of a file."""
    ending = Path(path).suffix.lower()
    return require_one_of(ending, FORMATS, "the ending")


def table_of(rows: Sequence[dict[str, Any]], form: str, *, everything: bool) -> bytes:
    """Return answers as a CSV or Parquet file, all of them or those that count.

    With all answers, those that do not count have no outcome; the answer is in the column `answer`.
    """
    import polars as pl

    if everything:  # so that reading it as votes gives those that count
        rows = [
            {
                **row,
                "answer": row["outcome"],
                "outcome": row["outcome"] if row["is_counted"] else None,
            }
            for row in rows
        ]
    else:
        rows = [
            {name: value for name, value in row.items() if name not in BESIDE_VOTES}
            for row in rows
            if row["is_counted"]
        ]
    schema = {name: kind for name, kind in SCHEMA.items() if everything or name not in BESIDE_VOTES}
    names = [row[side] for row in rows for side in SIDES]
    if not all(isinstance(name, int) for name in names):
        rows = [{**row, **{side: str(row[side]) for side in SIDES}} for row in rows]
        schema |= dict.fromkeys(SIDES, "str")
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
    return with_guards(table).write_csv().encode()


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
    "answer": "float",
    "purpose": "str",
    "is_counted": "bool",
    "why_not": "str",
    "marks": "str",
    "is_late": "bool",
    "is_display_known": "bool",
}
