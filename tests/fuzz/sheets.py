"""Votes as the rows of a table, in every layout that docs/reading-votes.md promises to read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from fuzz.names import TAME, WORDS, is_whole_number, padded
from fuzz.tally import Tally
from fuzz.votes import Crowd, Vote

Cell = str | float | None


@dataclass
class Sheet:
    """A table and what is in it.

    Attributes
    ----------
    tally
        None where a person could not tell either.
    company
        The columns beside the answer, by what they hold.
    options
        What the command must be told to read it.
    is_refused
        Whether it must not be read without further options.
    """

    layout: str
    header: list[str]
    rows: list[list[Cell]]
    tally: Tally | None
    company: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    has_header: bool = True
    is_refused: bool = False


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
    "a,b", "duration", "x" * 300, "*", "^.*$",
)  # fmt: skip


def draw_sheet(rng: Random, crowd: Crowd) -> Sheet:
    """The votes in some layout."""
    makers: list[Callable[[Random, Crowd], Sheet]] = [
        numbers, words, chosen_items, flags, decided, counted, tallies, win_matrix,
        long_ballots, wide_ballots, best_and_worst, without_header,
    ]  # fmt: skip
    weights = [20, 15, 15, 5, 8, 6, 6, 6, 6, 5, 5, 6]
    return rng.choices(makers, weights)[0](rng, crowd)


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
    return _sheet("winner, loser", [*rng.choice(DECIDED), rng.choice(WORKER)], rows, tally, crowd)


def counted(rng: Random, crowd: Crowd) -> Sheet:
    """A row stands for several answers."""
    tally, rows = Tally(), []
    for vote in crowd.votes:
        if vote.flaw is None:
            times = rng.choice((2, 3, 5, 1000)) if rows else 7  # 1, 2, 3 would number the rows
            rows.append([vote.left, vote.right, vote.outcome, times])
            tally.answer(vote.left, vote.right, is_tie=vote.outcome == 0, times=times)
    header = ["left", "right", "outcome", rng.choice(("count", "n", "freq"))]
    sheet = _sheet("counts", header, rows, tally, crowd)
    sheet.is_refused = _is_zero_to_one([row[2] for row in rows])
    if any(_in_reach(name) for name in crowd.items):
        sheet.tally = None
    return sheet


def tallies(rng: Random, crowd: Crowd) -> Sheet:
    """How often each side won, a row for each pair."""
    wins = _wins(crowd)
    names = rng.choice(
        (("left", "right", "wins_left", "wins_right", "ties"),
         ("model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"))
    )  # fmt: skip
    rows: list[list[Cell]] = [
        [first, second, *(float(times) for times in row)] for (first, second), row in wins.items()
    ]
    return _sheet("tallies", list(names), rows, _tally_of(wins), crowd)


def win_matrix(rng: Random, crowd: Crowd) -> Sheet:
    """How often the item of the row beat that of the column; half a win each is a tie."""
    wins = _wins(crowd)
    items = sorted({name for pair in wins for name in pair})
    cells = {(a, b): 0.0 for a in items for b in items}
    tally = Tally()
    for (first, second), (won, lost, ties) in wins.items():
        cells[first, second] += won + ties / 2
        cells[second, first] += lost + ties / 2
        tally.answer(first, second, is_tie=False, times=won + lost + ties)
        tally.ties += ties % 2  # two halves make a win that cannot be told from others
    diagonal = rng.choice(("", "-", 0.0))
    corner = rng.choice(("", "item", "row"))
    rows: list[list[Cell]] = [
        [a, *(diagonal if a == b else cells[a, b] for b in items)] for a in items
    ]
    sheet = _sheet("win matrix", [corner, *items], rows, tally, crowd)
    if len(items) < 2 or not set(items) <= set(TAME):
        sheet.tally = None
    return sheet


def long_ballots(rng: Random, crowd: Crowd) -> Sheet:
    """Rankings of several items, a row for each; equal positions are ties."""
    tally, rows = Tally(), []
    for ballot in range(1, rng.randint(2, 12)):
        ranked = _some_items(rng, crowd)
        places = [rng.randint(1, len(ranked)) for _ in ranked]
        rows += [[ballot, item, place] for item, place in zip(ranked, places, strict=True)]
        for k, first in enumerate(ranked):
            for other in range(k):
                tally.answer(first, ranked[other], is_tie=places[k] == places[other])
    header = rng.choice((["ballot", "item", "position"], ["trial", "model", "rank"]))
    return _sheet("rankings, long", header, rows, tally, crowd)


def wide_ballots(rng: Random, crowd: Crowd) -> Sheet:
    """Rankings of several items, in a row each."""
    tally, rows = Tally(), []
    width = min(5, len(crowd.items))
    for _ in range(rng.randint(1, 12)):
        ranked = _some_items(rng, crowd)[:width]
        rows.append([*ranked, *[None] * (width - len(ranked))])
        for k, first in enumerate(ranked):
            for other in ranked[:k]:
                tally.answer(other, first, is_tie=False)
    header = [f"rank{place}" for place in range(1, width + 1)]
    return _sheet("rankings, wide", header, rows, tally, crowd)


def best_and_worst(rng: Random, crowd: Crowd) -> Sheet:
    """The best and the worst of several items, or the best alone."""
    has_worst = rng.random() < 0.7
    width = min(4, len(crowd.items))
    tally, rows = Tally(), []
    for _ in range(rng.randint(1, 20)):
        shown = rng.sample(crowd.items, width)
        best, worst = rng.sample(shown, 2)
        rows.append([best, *([worst] if has_worst else []), *shown])
        for name in shown:
            if name != best:
                tally.answer(best, name, is_tie=False)
            if has_worst and name not in (best, worst):
                tally.answer(name, worst, is_tie=False)
    header = [*(["best", "worst"] if has_worst else ["winner"])]
    header += [f"option{place}" for place in range(1, width + 1)]
    sheet = _sheet("best and worst", header, rows, tally, crowd)
    if width < 3:
        sheet.tally = None  # two options are a pair
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
    if any(_in_reach(name) for name in crowd.items):
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
        if _is_flawed(vote, "weight" in company):
            tally.leave_out(str(vote.flaw))
        else:
            tally.answer(vote.left, vote.right, is_tie=vote.outcome == 0, worker=worker)
    header = [*columns, *(names[kind] for kind in company)]
    sheet = _sheet(", ".join(columns), header, rows, tally, crowd)
    sheet.company = {kind: names[kind] for kind in company}
    return sheet


def _sheet(
    layout: str, header: list[str], rows: list[list[Cell]], tally: Tally, crowd: Crowd
) -> Sheet:
    """A sheet; where an item is called like an answer or a column, nobody knows what it says."""
    answers = {name.lower() for name in (*WORDS, *header)}
    is_clear = not any(" ".join(name.lower().split()) in answers for name in crowd.items)
    return Sheet(layout, header, rows, tally if is_clear else None)


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


def _wins(crowd: Crowd) -> dict[tuple[str, str], list[int]]:
    """For each pair how often the first won, the second won, and neither did."""
    wins: dict[tuple[str, str], list[int]] = {}
    for vote in crowd.votes:
        if vote.flaw is not None:
            continue
        pair, outcome = (vote.left, vote.right), vote.outcome
        if (vote.right, vote.left) in wins:
            pair, outcome = (vote.right, vote.left), -outcome
        row = wins.setdefault(pair, [0, 0, 0])
        row[0 if outcome > 0 else 1 if outcome < 0 else 2] += 1
    return wins


def _tally_of(wins: dict[tuple[str, str], list[int]]) -> Tally:
    tally = Tally()
    for (first, second), row in wins.items():
        tally.answer(first, second, is_tie=False, times=sum(row))
        tally.ties += row[2]
    return tally


def _some_items(rng: Random, crowd: Crowd) -> list[str]:
    return rng.sample(crowd.items, rng.randint(2, len(crowd.items)))


def _date(second: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(second, UTC).isoformat()


def mixes_types(sheets: list[Sheet]) -> bool:
    """Whether items are integers in one sheet, and text in another."""
    names = {name for sheet in sheets if sheet.tally for name in sheet.tally.items}
    return any(is_whole_number(name) for name in names)


def is_tame(sheet: Sheet) -> bool:
    """Whether every program would write and read the cells the same way."""
    cells = [*sheet.header, *(cell for row in sheet.rows for cell in row if isinstance(cell, str))]
    return all(cell.isascii() and cell.isprintable() and len(cell) < 200 for cell in cells)
