"""Tables that hold no votes: they must not be ranked, and nothing may be suggested that does."""

from __future__ import annotations

from corpus.crowd import DRINKS, MODELS, PLAYERS, Crowd
from corpus.files import Cell, File, grid
from corpus.layout import ERROR, layout


def table(crowd: Crowd, header: list[str], *columns: float) -> File:
    """A row for each item with numbers that grow with its score, falling ones if negative."""
    rows: list[list[Cell]] = [
        [name, *(round(abs(40 * (step < 0) + step * crowd.score[name])) for step in columns)]
        for name in crowd.rng.sample(crowd.order, len(crowd.order))
    ]
    return File(None, grid(header, rows))


@layout(ERROR, names=MODELS)
def wins_and_losses(crowd: Crowd) -> File:
    """Wins and losses of each candidate, summed."""
    return table(crowd, ["Candidate", "Wins", "Losses", "Ties"], 3, -3, 0.4)


@layout(ERROR, names=MODELS)
def won_and_lost(crowd: Crowd) -> File:
    """The same in lower case, with a rate."""
    return table(crowd, ["item", "won", "lost", "win_rate"], 3, -3, 7)


@layout(ERROR, names=DRINKS)
def best_and_worst_counts(crowd: Crowd) -> File:
    """How often each item was best and worst."""
    return table(crowd, ["item", "best", "worst", "shown"], 3, -3, 0.1)


@layout(ERROR, names=MODELS)
def leaderboard(crowd: Crowd) -> File:
    """Scores that somebody has already estimated."""
    header = ["Model", "Arena Score", "Votes", "Rank (UB)", "Rank (StyleCtrl)"]
    return table(crowd, header, 30, 500, -1, -1)


@layout(ERROR, names=MODELS)
def scores_of_two_rounds(crowd: Crowd) -> File:
    """Two scores of each candidate: not a comparison of two."""
    return table(crowd, ["candidate", "score_1", "score_2", "rank_1", "rank_2"], 5, 6, -3, -2.2)


@layout(ERROR, names=PLAYERS)
def list_of_items(crowd: Crowd) -> File:
    """Items with descriptions."""
    rows = [[k, name, f"Member since {1990 + k}", "left" if k % 2 else "right"]
            for k, name in enumerate(crowd.order)]  # fmt: skip
    return File(None, grid(["id", "name", "description", "hand"], rows))


@layout(ERROR, names=PLAYERS)
def planned_pairs(crowd: Crowd) -> File:
    """Pairs that are still to be judged: the order within a row means nothing."""
    rows = [[vote.number, vote.left, vote.right] for vote in crowd.votes]
    return File(None, grid(["pair", "item_a", "item_b"], rows))


@layout(ERROR, names=PLAYERS)
def followers(crowd: Crowd) -> File:
    """Who follows whom: a network, not votes."""
    rows = [[vote.left, vote.right, 2010 + int(10 * vote.chance)] for vote in crowd.votes]
    return File(None, grid(["source", "target", "since"], rows))


@layout(ERROR, names=PLAYERS)
def unanswered_sheet(crowd: Crowd) -> File:
    """A sheet that nobody has filled in."""
    rows: list[list[Cell]] = [[vote.left, vote.right, None] for vote in crowd.votes]
    return File(None, grid(["left", "right", "answer"], rows))


@layout(ERROR, names=DRINKS)
def correlations(crowd: Crowd) -> File:
    """Two measurements of each person."""
    rows = [[vote.number, int(9 * vote.chance), int(7 * abs(vote.margin)) % 9]
            for vote in crowd.votes]  # fmt: skip
    return File(None, grid(["person", "pre_score", "post_score"], rows))


@layout(ERROR, names=DRINKS)
def similar_pairs(crowd: Crowd) -> File:
    """How similar two items are says nothing about which is better."""
    rows = [[vote.left, vote.right, round(10 * vote.chance) / 10, vote.worker]
            for vote in crowd.votes]  # fmt: skip
    return File(None, grid(["item1", "item2", "similarity", "rater"], rows))
