"""Files that do not hold the order in which items were shown are recognised as such."""

from __future__ import annotations

import networkx as nx
import numpy as np
import polars as pl
import pytest
from benchmarks.calibration.crowds import Crowd
from hypothesis import given
from hypothesis import strategies as st

import hodgerank as hr
from hodgerank.data import display_order
from hodgerank.data.display_order import display_doubt


def rows(crowd: Crowd, seed: int = 0) -> list[tuple]:
    votes = crowd.votes(np.random.default_rng(seed))
    names = votes.items
    return [
        (names[left], names[right], outcome, f"w{worker}")
        for left, right, outcome, worker in zip(
            votes.left, votes.right, votes.outcome.tolist(), votes.worker.tolist(), strict=True
        )
    ]


@pytest.mark.parametrize(
    ("display", "why"),
    [("winner", "winner were always listed first"), ("first", "sorted"), ("better", "sorted")],
)
def test_orders_of_files_are_not_taken_for_the_screen(display, why):
    votes = hr.read_comparisons(rows(Crowd(display=display)))
    assert why in votes.report.display_doubt
    assert why in str(votes.report)
    assert not votes.display_known.any()
    assert not hr.assess_workers(votes).flagged
    assert hr.decompose(votes).energy["bias"] == 0
    overruled = hr.read_comparisons(rows(Crowd(display=display)), display_known=True)
    assert overruled.display_known.all()
    assert not overruled.report.display_doubt


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "crowd",
    [
        Crowd(),
        Crowd(design="sparse", n_items=40, per_pair=1),
        Crowd(n_items=3, per_pair=8),
        Crowd(lean=2.0),
        Crowd(link="noiseless"),
    ],
    ids=["dense", "sparse", "few items", "leaning", "noiseless"],
)
def test_sides_at_random_are_believed(crowd, seed):
    assert not hr.read_comparisons(rows(crowd, seed)).report.display_doubt


def test_too_few_answers_are_not_doubted():
    assert display_doubt(hr.read_comparisons([("a", "b", 1)] * 19, display_known=True)) == ""
    tree = [(f"i{k:03d}", f"i{k + 1:03d}", (-1) ** k) for k in range(100)]
    assert display_doubt(hr.read_comparisons(tree)) == ""


def test_answers_that_a_row_stands_for_count():
    table = {"left": ["a", "b"], "right": ["b", "a"], "outcome": [1, 1], "count": [30, 20]}
    votes = hr.read_comparisons(
        [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)],
        count="count",
    )
    assert "100.0%" in votes.report.display_doubt


def crowd_rows(seed: int, first: int, clicks: int) -> list[tuple]:
    """20 workers of 100 answers; the winners of some are written first, some click left."""
    rng = np.random.default_rng(seed)
    truth, found = rng.normal(0, 1.5, 20), []
    for _ in range(2000):
        a, b = rng.choice(20, 2, replace=False)
        worker = int(rng.integers(20))
        y = 1 if rng.random() < 1 / (1 + np.exp(truth[b] - truth[a])) else -1
        if worker < clicks:
            y = 1 if rng.random() < 0.97 else y
        elif worker < clicks + first and y < 0:
            a, b, y = b, a, 1
        found.append((f"i{a:02d}", f"i{b:02d}", y, f"w{worker:02d}"))
    return found


def test_workers_whose_winners_come_first_are_told_from_those_who_click():
    votes = hr.read_comparisons(crowd_rows(1, first=8, clicks=4))
    unknown = {votes.workers[w] for w in np.unique(votes.worker[~votes.display_known])}
    assert len(unknown & {f"w{k:02d}" for k in range(4, 12)}) >= 6
    assert not unknown & {f"w{k:02d}" for k in range(12, 20)}
    assert "as if the winner were listed first" in votes.report.display_doubt
    clicking = [f for f in hr.assess_workers(votes).flag if f == "position-clicking"]
    assert 3 <= len(clicking) <= 6


def test_many_who_click_are_no_file_of_winners():
    votes = hr.read_comparisons(crowd_rows(2, first=0, clicks=6))
    assert votes.display_known.mean() > 0.9


def in_one_order(left: np.ndarray, right: np.ndarray, n_items: int) -> bool:
    """What `_shown_in_one_order` says, the obvious way."""
    arrows = nx.DiGraph()
    arrows.add_nodes_from(range(n_items))
    arrows.add_edges_from(zip(left.tolist(), right.tolist(), strict=True))
    n_closing = len(left) - n_items + nx.number_weakly_connected_components(arrows)
    return nx.is_directed_acyclic_graph(arrows) and n_closing >= display_order.FEWEST


@given(
    n_items=st.integers(2, 60),
    n_votes=st.integers(1, 400),
    n_turned=st.integers(0, 3),
    seed=st.integers(0, 1000),
)
def test_sorted_pairs_are_told_from_those_with_any_cycle(n_items, n_votes, n_turned, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_items).astype(np.int32)
    ends = np.sort([rng.choice(n_items, 2, replace=False) for _ in range(n_votes)], axis=1)
    ends[:n_turned] = ends[:n_turned, ::-1]
    left, right = order[ends].T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(display_order, "SAMPLE", 8)
        found = display_order._shown_in_one_order(left, right, n_items)
    assert found == in_one_order(left, right, n_items)


def test_a_single_pair_among_many_answers_shows_that_they_are_not_sorted():
    rng = np.random.default_rng(0)
    left = rng.integers(0, 50_000, 100_000)
    ends = np.c_[left, left + rng.integers(1, 50_000, 100_000)]
    labels = rng.choice((-1, 1), 100_000)
    table = pl.DataFrame({"left": ends[:, 0], "right": ends[:, 1], "outcome": labels})
    assert "sorted" in hr.read_comparisons(table).report.display_doubt
    turned = table[-1:].select(left="right", right="left", outcome="outcome")
    assert not hr.read_comparisons(pl.concat((table, turned))).report.display_doubt
