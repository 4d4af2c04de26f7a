"""Counts of votes: tallies of pairs and matrices of wins."""

from __future__ import annotations

from itertools import combinations

from corpus.crowd import DRINKS, TEAMS, Crowd
from corpus.files import Cell, File, Style, grid
from corpus.layout import NOT_WRONG, RANKED, SUGGESTED, layout


def tallies(crowd: Crowd, per_pair: int = 12) -> list[list[Cell]]:
    """A row for each pair: its items in a random order, and the wins of each."""
    wins = crowd.wins(per_pair)
    rows: list[list[Cell]] = []
    for pair in combinations(sorted(crowd.order), 2):
        a, b = crowd.rng.sample(pair, 2)
        rows.append([a, b, wins[a, b], wins[b, a]])
    return rows


@layout(RANKED, names=DRINKS)
def wins_of_both(crowd: Crowd) -> File:
    """How often each side won, and ties."""
    rows = [[*row, int(3 * crowd.rng.random())] for row in tallies(crowd)]
    return File((crowd.order,), grid(["item_a", "item_b", "wins_a", "wins_b", "ties"], rows))


@layout(RANKED, names=DRINKS)
def votes_of_both(crowd: Crowd) -> File:
    """How many votes each option had."""
    header = ["option_1", "option_2", "votes_1", "votes_2"]
    return File((crowd.order,), grid(header, tallies(crowd)))


@layout(SUGGESTED, names=DRINKS)
def thousands(crowd: Crowd) -> File:
    """Counts such as 1,204 in quotation marks."""
    rows = [[a, b, f"{97 * x + 1004:,}", f"{97 * y + 1004:,}"] for a, b, x, y in
            ([r[0], r[1], int(str(r[2])), int(str(r[3]))] for r in tallies(crowd))]  # fmt: skip
    return File((crowd.order,), grid(["left", "right", "wins_left", "wins_right"], rows))


@layout(SUGGESTED, "--skip-invalid", names=DRINKS)
def tallies_with_total(crowd: Crowd) -> File:
    """A last row holds the sums: Total is no item."""
    rows = tallies(crowd)
    sums = [sum(int(str(row[k])) for row in rows) for k in (2, 3)]
    rows.append(["Total", None, *sums])
    return File((crowd.order,), grid(["item_a", "item_b", "wins_a", "wins_b"], rows))


@layout(SUGGESTED, names=TEAMS)
def winner_loser_count(crowd: Crowd) -> File:
    """How often the first beat the second."""
    rows = [[a, b, n] for (a, b), n in crowd.wins(12).items() if n]
    return File((crowd.order,), grid(["winner", "loser", "count"], rows))


@layout(NOT_WRONG, names=DRINKS)
def share_and_number(crowd: Crowd) -> File:
    """The share of wins of the first, and the number of votes."""
    rows = [[a, b, round(int(str(x)) / 12, 3), 12] for a, b, x, _ in tallies(crowd)]
    return File((crowd.order,), grid(["item_1", "item_2", "win_rate_1", "n"], rows))


def matrix(crowd: Crowd) -> tuple[list[str], list[list[int]]]:
    """Items in a random order, and the wins of the row over the column."""
    wins = crowd.wins(12)
    names = crowd.rng.sample(crowd.order, len(crowd.order))
    return names, [[wins.get((a, b), 0) for b in names] for a in names]


@layout(RANKED, names=DRINKS)
def win_matrix(crowd: Crowd) -> File:
    """Wins of the row over the column."""
    names, cells = matrix(crowd)
    rows = [[name, *row] for name, row in zip(names, cells, strict=True)]
    return File((crowd.order,), grid(["", *names], rows))


@layout(RANKED, names=DRINKS)
def win_matrix_without_names(crowd: Crowd) -> File:
    """The same without names of rows."""
    names, cells = matrix(crowd)
    return File((crowd.order,), grid(names, cells), style=Style(separator="\t"), name="wins.tsv")


@layout(NOT_WRONG, names=DRINKS)
def win_rates(crowd: Crowd) -> File:
    """Shares of wins of the row over the column."""
    names, cells = matrix(crowd)
    rows = [[name, *(round(cell / 12, 2) for cell in row)]
            for name, row in zip(names, cells, strict=True)]  # fmt: skip
    return File((crowd.order,), grid(["model", *names], rows))


@layout(NOT_WRONG, names=DRINKS)
def win_matrix_with_totals(crowd: Crowd) -> File:
    """A matrix with a row and a column of sums: Total is no item."""
    names, cells = matrix(crowd)
    rows: list[list[Cell]] = [
        [name, *row, sum(row)] for name, row in zip(names, cells, strict=True)
    ]
    columns = [sum(column) for column in zip(*cells, strict=True)]
    rows.append(["Total", *columns, sum(columns)])
    return File((crowd.order,), grid(["", *names, "Total"], rows))


@layout(NOT_WRONG, names=DRINKS)
def distances(crowd: Crowd) -> File:
    """A square of distances between items says nothing about their order."""
    names = list(crowd.rng.sample(crowd.order, len(crowd.order)))
    rows: list[list[Cell]] = [
        [a, *(round(abs(crowd.score[a] - crowd.score[b])) for b in names)] for a in names
    ]
    return File(None, grid(["", *names], rows))
