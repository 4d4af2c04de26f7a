"""Import of votes, and votes as tables."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np

from hodgerank.campaign.items import require_name
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.tasks import Purpose
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.sources.formula_guard import with_guards
from hodgerank.display import short
from hodgerank.errors import CampaignError, InvalidArgument, UnknownItem, require_one_of
from hodgerank.types import IntArray, Item

PIECE = 2000  # votes that are imported in one transaction: others wait for them


@dataclass(frozen=True)
class VoteImport:
    """Votes on items of a campaign, prepared outside the thread that commits.

    Attributes
    ----------
    codes, workers
        Numbers of the items, and names of the workers, in the order of the votes.
    source
        Fingerprint of the votes, regardless of their order.
    order
        Fingerprint of their order.
    again
        Whether votes that the campaign has may be counted twice.
    """

    votes: Comparisons
    codes: list[int]
    workers: list[str]
    source: str
    order: str
    again: bool

    @classmethod
    def of(
        cls, votes: Comparisons, known: Mapping[Item, int], track: Sequence[int], again: bool
    ) -> Self:
        """Check whether the items and workers of the votes fit a campaign.

        `known` has the numbers of its items, and `track` the track of each.
        """
        names = {str(name): code for name, code in known.items()}  # as files have them
        for item in votes.items:
            if str(item) not in names:
                raise UnknownItem(str(item), known)
        codes = [names[str(item)] for item in votes.items]
        workers = [require_name(str(worker), "the worker") for worker in votes.workers]
        tracks = np.array([track[code] for code in codes], np.int64)
        across = tracks[votes.left] != tracks[votes.right]
        if across.any():
            row = int(np.flatnonzero(across)[0])
            one, other = (short(votes.items[side[row]]) for side in (votes.left, votes.right))
            raise InvalidArgument(
                f"{int(across.sum()):,} votes compare items of different tracks, such as {one} "
                f"and {other}: leave them out"
            )
        return cls(votes, codes, workers, *_fingerprints(votes), again)


def import_votes(state: CampaignState, now: float, given: VoteImport, n_done: int) -> int:
    """Import the next piece of some votes; return how many of them are in the campaign.

    With many votes, other commands run between the pieces. The first event of a piece says how many
    are still missing, so that an import that was interrupted continues where it was.
    """
    if state.status == "closed":
        raise CampaignError("the campaign is closed")
    votes = given.votes
    first = len(votes) - _n_missing(state, given, n_done)
    if first < n_done:
        raise CampaignError("the campaign was reset while votes were imported: import them again")
    last = min(first + PIECE, len(votes))
    for row in range(first, last):
        data: dict[str, Any] = {} if row > first else {"source": given.source}
        if row == first and last - first < len(votes):
            data |= {"missing": len(votes) - last, "order": given.order}
        if votes.weight is not None and votes.weight[row] != 1:
            data["weight"] = float(votes.weight[row])
        if not votes.display_known[row]:
            data["display"] = "unknown"
        worker = votes.worker[row]
        state.record(
            "imported",
            now,
            worker=given.workers[worker] if worker >= 0 else None,
            left=given.codes[votes.left[row]],
            right=given.codes[votes.right[row]],
            outcome=float(votes.outcome[row]),
            data=data or None,
        )
    return last


def _n_missing(state: CampaignState, given: VoteImport, n_done: int) -> int:
    """Return how many of the votes are to be imported; refuse those that were before."""
    n_votes = len(given.votes)
    n_missing, order = state.sources.get(given.source, (n_votes, given.order))
    if n_done:
        return n_missing
    if given.source in state.sources and n_missing:
        if order != given.order:
            raise CampaignError(
                f"{n_votes - n_missing:,} of these votes were imported in another order before "
                "that import was interrupted: import them in that order to add the others"
            )
        return n_missing
    if given.again:
        return n_votes
    if given.source in state.sources:
        raise CampaignError(
            "these votes have been imported before: to count them twice, use again=True (--again)"
        )
    if n_known := _n_known(state, given):
        raise CampaignError(
            f"{n_known:,} of these votes are already in the campaign, by the same worker on the "
            "same pair: leave them out, or count them twice with again=True (--again)"
        )
    return n_votes


def _n_known(state: CampaignState, given: VoteImport) -> int:
    """Count the votes that the campaign has already, from a task or an earlier import."""
    votes, n_items = given.votes, len(state.items.items)

    def keys(worker: IntArray, left: IntArray, right: IntArray) -> IntArray:
        low, high = np.minimum(left, right), np.maximum(left, right)
        return (worker * n_items + low) * n_items + high

    known = [state.worker_codes.get(name, -1) for name in given.workers]
    said = [state.workers[code] for code in known if code >= 0]
    rows = np.array([row for who in said for row in (*who.answers, *who.imported)], np.int64)
    if not len(rows):
        return 0
    left, right, _, worker = state.tasks.columns(rows)
    codes = np.array(given.codes, np.int64)
    who = np.array([*known, -1], np.int64)[votes.worker]  # the last one is nobody
    new = keys(who, codes[votes.left], codes[votes.right])[who >= 0]
    there = keys(worker.astype(np.int64), left.astype(np.int64), right.astype(np.int64))
    return int(np.isin(new, there).sum())


def _fingerprints(votes: Comparisons) -> tuple[str, str]:
    """Return a fingerprint of votes regardless of their order, and one of their order."""
    names = repr((votes.items, votes.workers)).encode()
    columns = (votes.left, votes.right, votes.outcome, votes.worker, votes.total_weight)
    order = np.lexsort(columns)
    content = b"".join([names, *(column[order].tobytes() for column in columns)])
    in_order = b"".join([names, *(column.tobytes() for column in columns)])
    return hashlib.sha256(content).hexdigest(), hashlib.sha256(in_order).hexdigest()[:16]


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
