"""Rankings of several items, best-worst choices, and files of elections."""

from __future__ import annotations

from corpus.crowd import DRINKS, PLAYERS, Crowd
from corpus.files import Cell, File, Style, grid
from corpus.layout import NOT_WRONG, RANKED, SUGGESTED, layout

N_VOTERS = 40


@layout(RANKED, names=DRINKS)
def rankings_long(crowd: Crowd) -> File:
    """A row for each voter and item, with the place of the item."""
    rows: list[list[Cell]] = []
    for voter in range(N_VOTERS):
        order = crowd.ranking()
        rows += [[voter, name, order.index(name) + 1] for name in sorted(order)]
    return File((crowd.order,), grid(["voter", "item", "rank"], rows))


@layout(RANKED, names=DRINKS)
def rankings_wide(crowd: Crowd) -> File:
    """A row for each voter, the best item first."""
    header = ["voter", *(f"rank{k + 1}" for k in range(len(crowd.order)))]
    rows = [[f"v{k}", *crowd.ranking()] for k in range(N_VOTERS)]
    return File((crowd.order,), grid(header, rows))


@layout(NOT_WRONG, names=DRINKS)
def places_by_item(crowd: Crowd) -> File:
    """A column for each item with its place; 1 is the best."""
    names = sorted(crowd.order)
    rows = []
    for voter in range(N_VOTERS):
        order = crowd.ranking()
        rows.append([f"v{voter}", *(order.index(name) + 1 for name in names)])
    return File((crowd.order,), grid(["voter", *names], rows))


@layout(NOT_WRONG, names=DRINKS)
def ratings_by_item(crowd: Crowd) -> File:
    """A column for each item with a rating from 1 to 9; 9 is the best."""
    names = sorted(crowd.order)
    rows = []
    for voter in range(N_VOTERS):
        order = crowd.ranking()
        rows.append([f"v{voter}", *(9 - order.index(name) for name in names)])
    return File((crowd.order,), grid(["rater", *names], rows))


@layout(NOT_WRONG, names=DRINKS)
def ratings_long(crowd: Crowd) -> File:
    """Stars of single items: more are better, and no row compares two."""
    rows: list[list[Cell]] = []
    for user in range(N_VOTERS):
        order = crowd.ranking()
        rows += [[user, name, 5 - order.index(name) // 2] for name in sorted(order)]
    return File((crowd.order,), grid(["user", "item", "rating"], rows))


@layout(NOT_WRONG, names=DRINKS)
def scores_long(crowd: Crowd) -> File:
    """Scores of single items, called position of a slider: higher is better."""
    rows: list[list[Cell]] = []
    for user in range(N_VOTERS):
        order = crowd.ranking()
        rows += [[user, name, 90 - 9 * order.index(name)] for name in sorted(order)]
    return File((crowd.order,), grid(["participant", "stimulus", "score"], rows))


def sets_of_four(crowd: Crowd) -> list[tuple[list[str], str, str]]:
    """Four items shown, the best and the worst of them."""
    found = []
    for _ in range(100):
        order = crowd.ranking()
        shown = crowd.rng.sample(order, 4)
        found.append((shown, min(shown, key=order.index), max(shown, key=order.index)))
    return found


@layout(RANKED, names=DRINKS)
def best_and_worst(crowd: Crowd) -> File:
    """The best and the worst of four."""
    rows = [[best, worst, *shown] for shown, best, worst in sets_of_four(crowd)]
    header = ["best", "worst", *(f"option{k}" for k in range(1, 5))]
    return File((crowd.order,), grid(header, rows))


@layout(SUGGESTED, names=DRINKS)
def best_item_and_worst_item(crowd: Crowd) -> File:
    """The same in the names of a lexicon."""
    rows = [[k, *shown, best, worst] for k, (shown, best, worst) in enumerate(sets_of_four(crowd))]
    header = ["AnnotatorID", *(f"Item{k}" for k in range(1, 5)), "BestItem", "WorstItem"]
    return File((crowd.order,), grid(header, rows))


@layout(SUGGESTED, names=DRINKS)
def best_and_worst_by_place(crowd: Crowd) -> File:
    """Best and worst by their place among the four, counted from 1."""
    rows = [[*shown, 1 + shown.index(best), 1 + shown.index(worst)]
            for shown, best, worst in sets_of_four(crowd)]  # fmt: skip
    header = ["item1", "item2", "item3", "item4", "best", "worst"]
    return File((crowd.order,), grid(header, rows))


@layout(NOT_WRONG, names=DRINKS)
def rankings_in_a_cell(crowd: Crowd) -> File:
    """A whole ranking in one cell, the best first."""
    rows = [[f"v{k}", " > ".join(crowd.ranking())] for k in range(N_VOTERS)]
    return File((crowd.order,), grid(["voter", "ranking"], rows))


@layout(NOT_WRONG, names=DRINKS)
def rankings_in_a_list(crowd: Crowd) -> File:
    """The same as a list."""
    rows = [[f"v{k}", crowd.ranking()] for k in range(N_VOTERS)]
    return File((crowd.order,), grid(["voter", "ranking"], rows), name="ballots.jsonl")


@layout(NOT_WRONG, "--ballot", "raceId", "--item", "driver", "--place", "position", names=PLAYERS)
def race_results(crowd: Crowd) -> File:
    """Final positions of races: 1 is the best."""
    rows: list[list[Cell]] = []
    for race in range(1, 31):
        order = crowd.ranking()
        start = crowd.rng.sample(order, len(order))
        rows += [[race, name, start.index(name) + 1, place, max(0, 26 - 3 * place)]
                 for place, name in enumerate(order, start=1)]  # fmt: skip
    header = ["raceId", "driver", "grid", "position", "points"]
    return File((crowd.order,), grid(header, rows))


def election(crowd: Crowd, kind: str, *, whole: bool, ties: bool) -> File:
    """A file of PrefLib: numbered alternatives, then counts of equal orders."""
    names = sorted(crowd.order)
    about = {"FILE NAME": f"drinks.{kind}", "TITLE": "Drinks", "DATA TYPE": kind,
             "NUMBER ALTERNATIVES": len(names), "NUMBER VOTERS": 3 * N_VOTERS}  # fmt: skip
    lines = [f"# {what}: {value}" for what, value in about.items()]
    lines += [f"# ALTERNATIVE NAME {k}: {name}" for k, name in enumerate(names, start=1)]
    for _ in range(N_VOTERS):
        order = [str(names.index(name) + 1) for name in crowd.ranking()]
        order = order if whole else order[:6]
        said = ",".join(order)
        if ties:
            said = f"{order[0]},{{{order[1]},{order[2]}}},{','.join(order[3:])}"
        lines.append(f"3: {said}")
    aliases = {str(k): name for k, name in enumerate(names, start=1)}
    raw = ("\n".join(lines) + "\n").encode()
    return File((crowd.order,), raw=raw, name=f"drinks.{kind}", aliases=aliases)


@layout(NOT_WRONG, names=DRINKS)
def election_complete_orders(crowd: Crowd) -> File:
    """Strict and complete orders."""
    return election(crowd, "soc", whole=True, ties=False)


@layout(NOT_WRONG, names=DRINKS)
def election_incomplete_orders(crowd: Crowd) -> File:
    """Strict orders of the best six."""
    return election(crowd, "soi", whole=False, ties=False)


@layout(NOT_WRONG, names=DRINKS)
def election_complete_ties(crowd: Crowd) -> File:
    """Complete orders with ties."""
    return election(crowd, "toc", whole=True, ties=True)


@layout(NOT_WRONG, names=DRINKS)
def election_incomplete_ties(crowd: Crowd) -> File:
    """Orders of the best six with ties."""
    return election(crowd, "toi", whole=False, ties=True)


@layout(RANKED, names=DRINKS)
def rankings_semicolon(crowd: Crowd) -> File:
    """Rankings of a spreadsheet, with ordinal names."""
    header = ["Person", "1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"]
    rows = [[f"v{k}", *crowd.ranking()] for k in range(N_VOTERS)]
    return File((crowd.order,), grid(header, rows), style=Style(separator=";"))
