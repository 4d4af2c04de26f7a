"""Sheets whose rows are answers about two items."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

from fuzz.names import padded
from fuzz.sheets import Cell, Sheet, sheet_of
from fuzz.tally import Tally
from fuzz.votes import Crowd, Vote

# Columns of the two items, of the outcome, and the words for left, right and tie.
WORDED = (
    ("left", "right", "winner", "left", "right", "tie"),
    ("left", "right", "label", "Left", "RIGHT", "draw"),
    ("model_a", "model_b", "winner", "model_a", "model_b", "tie"),
    ("Model A", "Model B", "winner", "A", "B", "Tie"),
    ("home", "away", "result", "H", "A", "draw"),
    ("stimulus_a", "stimulus_b", "preferred", "a", "b", "equal"),
    ("option1", "option2", "choice", "1", "2", "tie"),
)
PAIRS = (
    ("left", "right"), ("item_a", "item_b"), ("responseLeft", "responseRight"),
    ("image_1", "image_2"), ("first", "second"),
)  # fmt: skip
NUMBERED = ("outcome", "label", "response", "grade", "rating")
CHOSEN = ("winner", "choice", "preferred", "chosen_item")
DECIDED = (
    ("winner", "loser"), ("chosen", "rejected"), ("better", "worse"),
    ("candidate_chosen", "candidate_not_chosen"),
)  # fmt: skip
FLAGGED = (("condition_A", "condition_B", "is_A_selected"), ("left", "right", "left_won"))
WORKER = ("worker", "worker_id", "annotator", "judge_id", "participant", "Observer")
UNUSED = (
    "comment", "prompt text", "notes\n(optional)", "</script>", "ключ", "\x1b[1mbold", "[red]",
    "a,b", "duration", "x" * 300, "*", "^.*$", "^x$",
)  # fmt: skip


def numbers(rng: Random, crowd: Crowd) -> Sheet:
    """A number from -1 to 1, or on another scale that the command is told."""
    left, right = rng.choice(PAIRS)
    low, high = rng.choice(((-1, 1), (-1, 1), (-1, 1), (1, 5), (7, 1), (0, 1)))
    is_plain = (low, high) == (-1, 1)
    options = [] if is_plain and rng.random() < 0.7 else ["--scale", str(low), str(high)]

    def outcome(vote: Vote) -> Cell:
        return low + (high - low) * (vote.outcome + 1) / 2

    sheet = _rows_of_votes(rng, crowd, (left, right, rng.choice(NUMBERED)), outcome)
    sheet.options += options
    if not options and _is_zero_to_one([row[2] for row in sheet.rows]):
        sheet.is_refused = True
    if any(_in_reach(name) for name in crowd.items):
        sheet.tally = None
    return sheet


def words(rng: Random, crowd: Crowd) -> Sheet:
    """The side that was preferred, in words."""
    left, right, outcome, first, second, tie = rng.choice(WORDED)

    def answer(vote: Vote) -> Cell:
        return first if vote.outcome > 0 else second if vote.outcome < 0 else tie

    return _rows_of_votes(rng, crowd, (left, right, outcome), answer)


def chosen_items(rng: Random, crowd: Crowd) -> Sheet:
    """The item that was preferred, by its name."""
    left, right = rng.choice(PAIRS)

    def answer(vote: Vote) -> Cell:
        return vote.left if vote.outcome > 0 else vote.right if vote.outcome < 0 else "tie"

    sheet = _rows_of_votes(rng, crowd, (left, right, rng.choice(CHOSEN)), answer)
    if any(_in_reach(name) for name in crowd.items):
        sheet.tally = None
    return sheet


def flags(rng: Random, crowd: Crowd) -> Sheet:
    """Whether one of the two was preferred; there are no ties."""
    decisive = Crowd(crowd.items, crowd.workers, [v for v in crowd.votes if v.outcome])
    yes, no = rng.choice(((1, 0), ("yes", "no"), ("true", "false"), ("True", "False")))
    return _rows_of_votes(
        rng, decisive, rng.choice(FLAGGED), lambda vote: yes if vote.outcome > 0 else no
    )


def decided(rng: Random, crowd: Crowd) -> Sheet:
    """Winner and loser."""
    kept = [v for v in crowd.votes if v.outcome and v.flaw in (None, "missing", "no item", "self")]
    tally, rows = Tally(), []
    for vote in kept:
        first, second = vote.left, vote.right
        if vote.outcome < 0:
            first, second = second, first
        rows.append([padded(rng, first), second, vote.worker])
        if vote.flaw is None:
            tally.answer(first, second, is_tie=False, worker=vote.worker)
        else:
            tally.leave_out(vote.flaw)
    return sheet_of("winner, loser", [*rng.choice(DECIDED), rng.choice(WORKER)], rows, tally, crowd)


def counted(rng: Random, crowd: Crowd) -> Sheet:
    """A row stands for several answers."""
    tally, rows = Tally(), []
    for vote in crowd.votes:
        if vote.flaw is None:
            times = rng.choice((2, 3, 5, 1000)) if rows else 7  # 1, 2, 3 would number the rows
            rows.append([vote.left, vote.right, vote.outcome, times])
            tally.answer(vote.left, vote.right, is_tie=vote.outcome == 0, times=times)
    header = ["left", "right", "outcome", rng.choice(("count", "n", "freq"))]
    sheet = sheet_of("counts", header, rows, tally, crowd)
    sheet.is_refused = _is_zero_to_one([row[2] for row in rows])
    if any(_in_reach(name) for name in crowd.items):
        sheet.tally = None
    return sheet


def without_header(rng: Random, crowd: Crowd) -> Sheet:
    """Left, right, outcome and worker, and nothing that says so."""
    sheet = _rows_of_votes(rng, crowd, ("left", "right", "outcome"), lambda v: v.outcome, [])
    has_worker = rng.random() < 0.5
    if has_worker:
        for row, vote in zip(sheet.rows, crowd.votes, strict=True):
            row.append(vote.worker)
    if sheet.tally is not None:
        workers = {v.worker.strip() for v in crowd.votes if v.worker and not _is_flawed(v, False)}
        sheet.tally.workers = workers if has_worker else set()
    sheet.is_refused = _is_zero_to_one([row[2] for row in sheet.rows])
    begins_with_a_mark = str(sheet.rows[0][0]).startswith("\ufeff")
    if begins_with_a_mark or any(_in_reach(name) for name in crowd.items):
        sheet.tally = None
    sheet.layout, sheet.has_header, sheet.options = "no header", False, ["--no-header"]
    return sheet


def _rows_of_votes(
    rng: Random,
    crowd: Crowd,
    columns: tuple[str, str, str],
    answer: Callable[[Vote], Cell],
    company: list[str] | None = None,
) -> Sheet:
    """A row for each vote, with the columns that may accompany it."""
    if company is None:
        kinds = ("worker", "weight", "time", "scene", "unused")
        company = [kind for kind in kinds if rng.random() < 0.5]
    in_seconds = rng.random() < 0.5
    names = {
        "worker": rng.choice(WORKER),
        "weight": "weight",
        "time": rng.choice(("time", "timestamp", "created_at")),
        "scene": rng.choice(("scene", "topic", "category")),
        "unused": rng.choice(UNUSED),
    }
    tally, rows = Tally(), []
    for vote in crowd.votes:
        said = {"both bad": "both bad", "skip": "skip", "unanswered": rng.choice(("", "NA"))}
        said["stranger"] = "nobody knows this"
        beside: dict[str, Cell] = {
            "worker": vote.worker,
            "weight": vote.weight,
            "time": float(vote.second) if in_seconds else _date(vote.second),
            "scene": vote.scene,
            "unused": rng.choice((None, "x", "two\nlines", 3.0)),
        }
        outcome = answer(vote) if vote.flaw not in said else said[vote.flaw]
        items = [padded(rng, vote.left), padded(rng, vote.right)]
        rows.append([*items, outcome, *(beside[kind] for kind in company)])
        worker = vote.worker if "worker" in company else None
        if vote.flaw == "both bad":
            tally.both_bad_ties += 1
            tally.answer(vote.left, vote.right, is_tie=True, worker=worker)
        elif _is_flawed(vote, "weight" in company):
            tally.leave_out(str(vote.flaw))
        else:
            tally.answer(vote.left, vote.right, is_tie=vote.outcome == 0, worker=worker)
    header = [*columns, *(names[kind] for kind in company)]
    sheet = sheet_of(", ".join(columns), header, rows, tally, crowd)
    sheet.company = {kind: names[kind] for kind in company}
    return sheet


def _is_flawed(vote: Vote, has_weights: bool) -> bool:
    return vote.flaw is not None and (vote.flaw != "weight" or has_weights)


def _is_zero_to_one(cells: list[Cell]) -> bool:
    """Numbers from 0 to 1 can be read in two ways."""
    found = {cell for cell in cells if isinstance(cell, float | int)}
    return len(found) > 1 and min(found) == 0 and max(found) == 1


def _in_reach(name: str) -> bool:
    """Whether the name of an item is a number that an outcome may be."""
    try:
        return abs(float(name.replace(",", "."))) <= 7
    except ValueError:
        return False


def _date(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()
