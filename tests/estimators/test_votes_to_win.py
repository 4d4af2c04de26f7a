"""Votes to win and possible winners, against exhaustive search."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import DisconnectedGraph, InvalidArgument, UnknownItem


def random_votes(rng, n: int, m: int) -> hr.Comparisons:
    while True:
        left = rng.integers(n, size=m)
        right = (left + rng.integers(1, n, size=m)) % n
        outcome = rng.choice([-1.0, 1.0, 0.0], size=m, p=[0.4, 0.5, 0.1])
        votes = hr.Comparisons(tuple("abcdef"[:n]), left, right, outcome)
        if hr.ComparisonGraph.from_comparisons(votes).is_connected:
            return votes


def least_squares(votes: hr.Comparisons) -> np.ndarray | None:
    """Scores, or None if items are not connected."""
    graph = hr.ComparisonGraph.from_comparisons(votes)
    if not graph.is_connected:
        return None
    return np.linalg.pinv(graph.laplacian.toarray()) @ graph.surplus


def wins_without(votes: hr.Comparisons, removed: tuple[int, ...], k: int) -> bool:
    kept = np.ones(len(votes), bool)
    kept[list(removed)] = False
    scores = least_squares(votes.select(kept))
    return scores is not None and scores[k] > np.delete(scores, k).max() + 1e-9


def fewest(votes: hr.Comparisons, k: int, at_most: int) -> int | None:
    for size in range(at_most + 1):
        if any(wins_without(votes, s, k) for s in combinations(range(len(votes)), size)):
            return size
    return None


def test_removals_are_as_few_as_an_exhaustive_search_finds():
    rng = np.random.default_rng(11)
    n_found, n_larger = 0, 0
    for _ in range(5):
        votes = random_votes(rng, int(rng.integers(3, 5)), int(rng.integers(8, 12)))
        for item in votes.items:
            found = hr.votes_to_win(votes, item, model="hodgerank")
            least = fewest(votes, votes.items.index(item), 3)
            if least is not None:
                assert found.lower_bound <= least
                n_found += 1
                n_larger += found.n != least
            elif found.n is not None:
                assert found.n > 3
    assert n_found > 8
    assert n_larger <= 1


def test_removed_votes_are_named_so_that_they_can_be_removed():
    votes = hr.simulate_comparisons(8, 120, spread=0.6, rng=5)
    found = hr.votes_to_win(votes, model="hodgerank")
    assert found.n == sum(cell.n for cell in found.removed) > 0
    kept = list(zip(votes.left.tolist(), votes.right.tolist(), votes.outcome, strict=True))
    for cell in found.removed:
        i, j = votes.items.index(cell.item), votes.items.index(cell.other)
        for _ in range(cell.n):
            equal = (i, j, cell.outcome), (j, i, -cell.outcome)
            kept.remove(next(vote for vote in equal if vote in kept))
    rest = [(votes.items[a], votes.items[b], y) for a, b, y in kept]
    assert hr.hodge_rank(rest).items[0] == found.item
    assert hr.hodge_rank(votes).items[:2] == (found.leader, found.item)
    words = f"removing {found.n} of 120 votes would put {found.item} first"
    assert str(found) == f"{words} (z of the gap: {found.z:.1f})"
    assert hr.hodge_rank(found.remaining).items[0] == found.item
    assert sorted(set(range(1, 121)) - set(found.rows.tolist())) == found.remaining.rows.tolist()


def test_the_gap_is_in_standard_errors_of_least_squares():
    votes = hr.simulate_comparisons(6, 90, rng=2)
    found, ranking = hr.votes_to_win(votes, model="hodgerank"), hr.hodge_rank(votes)
    covariance = ranking.covariance
    error = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert found.z == pytest.approx((ranking.scores[0] - ranking.scores[1]) / error)


def test_removing_workers_makes_the_item_first():
    votes = hr.simulate_comparisons(6, 240, spread=0.4, workers=12, rng=8)
    found = hr.votes_to_win(votes, by="worker", model="hodgerank")
    assert found.of == 12
    assert found.lower_bound <= found.n == len(found.workers)
    rest = hr.exclude_workers(votes, found.workers)
    assert hr.hodge_rank(rest).items[0] == found.item


def test_a_winner_needs_no_removal_and_an_item_that_never_won_cannot_win():
    votes = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)]
    for model in ("hodgerank", "bayes"):
        leader = hr.votes_to_win(votes, "a", model=model)
        assert leader.n == 0
        assert str(leader) == "a is first"
        never = hr.votes_to_win(votes, "c", model=model)
        assert never.n is None
        assert str(never).startswith("no set of at most 3 of 3 votes was found whose removal would")


CROWD = {"honest": 9, "random": 2, "adversarial": 1}


@pytest.mark.parametrize("by", ["vote", "worker"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"worker_weights": False},
        {"position_bias": "common"},
        {"model": "bradley-terry", "ridge": 0.1},
        {"model": "robust"},
        {"model": "hodgerank", "link": "angular"},
    ],
    ids=str,
)
def test_the_item_is_first_if_what_remains_is_ranked_by_the_same_model(options, by):
    votes = hr.simulate_comparisons(6, 300, spread=0.4, workers=CROWD, rng=4)
    found = hr.votes_to_win(votes, by=by, **options)
    before, after = hr.rank(votes, **options), hr.rank(found.remaining, **options)
    assert before.items[:2] == (found.leader, found.item)
    assert found.z == before.z(found.leader, found.item)
    assert after.items[0] == found.item
    assert len(after) == len(before)
    assert found.lower_bound is None
    removed = votes.n_votes - found.remaining.n_votes
    assert removed == len(found.rows) == sum(cell.n for cell in found.removed)
    assert found.n == (removed if by == "vote" else len(found.workers)) > 0


@pytest.mark.slow
def test_few_more_votes_are_removed_than_an_exhaustive_search_of_the_default_model_finds():
    rng = np.random.default_rng(12)
    surplus, n_found = 0, 0
    for _ in range(3):
        votes = random_votes(rng, 4, 12)
        item = hr.rank(votes).items[1]
        found = hr.votes_to_win(votes, item)
        for size in range(1, 3):
            sets = combinations(range(len(votes)), size)
            if any(wins_by_default_without(votes, s, item) for s in sets):
                n_found, surplus = n_found + 1, surplus + (found.n or 9) - size
                break
    assert n_found == 3
    assert surplus <= 1


def wins_by_default_without(votes: hr.Comparisons, removed: tuple[int, ...], item: str) -> bool:
    kept = np.delete(np.arange(len(votes)), removed)
    ranking = hr.rank(votes.select(kept), components="together")
    is_whole = not (ranking.no_votes or ranking.not_connected)
    graph = hr.ComparisonGraph.from_comparisons(votes.select(kept))
    first = ranking.items[0] == item and ranking.ranks[1] > 1
    return is_whole and graph.is_connected and first


def test_rows_that_stand_for_several_votes_lose_some_of_them():
    counted = hr.Comparisons(
        items=("a", "b", "c"),
        left=[0, 1, 0],
        right=[1, 2, 2],
        outcome=[1, 1, -1],
        multiplicity=[8, 7, 4],
    )
    found = hr.votes_to_win(counted, "b", model="hodgerank")
    assert found.of == 19
    assert found.remaining.n_votes == 19 - found.n
    assert hr.hodge_rank(found.remaining).items[0] == "b"
    one_by_one = hr.votes_to_win(counted.repeated(), "b", model="hodgerank")
    assert one_by_one.n == found.n


def test_a_tie_for_first_place_is_not_enough():
    votes = [("a", "b", 1)] * 5 + [("b", "a", 1)] * 4 + [("a", "c", 1), ("b", "c", 1)] * 6
    for model in ("bayes", "hodgerank"):
        found = hr.votes_to_win(votes, "b", model=model)
        assert found.n == 2
        assert hr.rank(found.remaining, model=model).ranks.tolist() == [1, 2, 3]


def test_no_more_than_asked_for_are_removed():
    votes = hr.simulate_comparisons(6, 300, spread=2, rng=4)
    found = hr.votes_to_win(votes, most=2)
    assert found.n is None
    assert "at most 2 of 300 votes" in str(found)
    assert found.to_dict()["n"] is None
    assert found.remaining.n_votes == 300


def test_bad_requests_say_what_to_do():
    votes = [("a", "b", 1), ("c", "d", 1)]
    with pytest.raises(DisconnectedGraph):
        hr.votes_to_win(votes)
    with pytest.raises(UnknownItem):
        hr.votes_to_win([("a", "b", 1)], "z")
    with pytest.raises(InvalidArgument, match="by='vote'"):
        hr.votes_to_win([("a", "b", 1)], "b", by="worker")
    with pytest.raises(InvalidArgument, match="factor"):
        hr.possible_winners([("a", "b", 1)], 1)


def test_possible_winners_are_those_of_all_corners_of_the_box():
    rng, missed, n_winners = np.random.default_rng(3), 0, 0
    for _ in range(6):
        rows = [
            (f"i{a}", f"i{b}", float(rng.uniform(-1, 1)))
            for a, b in combinations(range(5), 2)
            if rng.random() < 0.75
        ]
        graph = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(rows))
        if not graph.is_connected:
            continue
        winners = set()
        for corner in product((1 / 3, 3), repeat=graph.n_edges):
            laplacian = graph.D0.T @ np.diag(corner) @ graph.D0
            x = np.linalg.pinv(laplacian) @ graph.D0.T @ (corner * graph.flows)
            winners.add(graph.items[int(np.argmax(x))])
        found = hr.possible_winners(rows, 3)
        missed += len(winners - set(found.winners))
        n_winners += len(winners)
        assert found.factors[0] == 1
    assert n_winners > 8
    assert missed == 0


def test_without_cycles_no_number_of_votes_changes_the_winner():
    scores = {"a": 0.4, "b": 0.1, "c": -0.2, "d": -0.3}
    rows = [(i, j, scores[i] - scores[j]) for i, j in combinations(scores, 2)]
    found = hr.possible_winners(rows * 3, factor=50)
    assert found.winners == ("a",)
    assert found.cyclic == pytest.approx(0, abs=1e-12)
