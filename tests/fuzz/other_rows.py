"""Sheets whose rows are something else: tallies, a matrix of wins, rankings, choices of several."""

from __future__ import annotations

from random import Random

from fuzz.names import TAME
from fuzz.sheets import Cell, Sheet, sheet_of
from fuzz.tally import Tally
from fuzz.votes import Crowd


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
    return sheet_of("tallies", list(names), rows, _tally_of(wins), crowd)


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
    sheet = sheet_of("win matrix", [corner, *items], rows, tally, crowd)
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
    return sheet_of("rankings, long", header, rows, tally, crowd)


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
    return sheet_of("rankings, wide", header, rows, tally, crowd)


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
    sheet = sheet_of("best and worst", header, rows, tally, crowd)
    if width < 3:
        sheet.tally = None  # two options are a pair
    return sheet


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
