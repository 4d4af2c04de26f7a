"""Preference groups: counts, members, reversed pairs, and what is not a group."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument


def crowd_of(seed=1, *, tastes=2, n_workers=40, votes=40, n_items=10, acuity=1.0, bias=0.0):
    """Votes, scores of each taste, and the taste of each worker."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1.5, (tastes, n_items))
    taste = np.arange(n_workers) % tastes
    worker = np.repeat(np.arange(n_workers), votes)
    left = rng.integers(0, n_items, len(worker))
    right = (left + rng.integers(1, n_items, len(worker))) % n_items
    d = x[taste[worker], left] - x[taste[worker], right]
    own = np.broadcast_to(acuity, n_workers)[worker]
    lean = np.broadcast_to(bias, n_workers)[worker]
    p = 1 / (1 + np.exp(-(own * d + lean)))
    outcome = np.where(rng.random(len(worker)) < p, 1.0, -1.0)
    items = tuple(f"item {k}" for k in range(n_items))
    names = tuple(f"w{k:02d}" for k in range(n_workers))
    return hr.Comparisons(items, left, right, outcome, names, worker), x, taste


@pytest.fixture(scope="module")
def two():
    votes, x, taste = crowd_of()
    return votes, x, taste, hr.find_preference_groups(votes)


def test_two_tastes_and_their_members_are_found(two):
    _, _, taste, found = two
    assert found.count == 2
    same = (found.group - 1 == taste).mean()
    assert max(same, 1 - same) > 0.95
    assert found.sizes.sum() == 40
    assert found.sizes[0] >= found.sizes[1]
    assert set(found.members(1)) | set(found.members(2)) == set(found.workers)


def test_reversed_pairs_are_reversed_in_the_true_scores(two):
    _, x, taste, found = two
    first = taste[found.group == 1].mean() > 0.5
    x = x[::-1] if first else x
    assert found.n_reversed == len(found.reversed_pairs) > 3
    code = {item: k for k, item in enumerate(found.items)}
    right = [
        x[0, code[p.item]] > x[0, code[p.other]] and x[1, code[p.item]] < x[1, code[p.other]]
        for p in found.reversed_pairs
    ]
    assert np.mean(right) > 0.9
    assert all((p.prefer, p.oppose) == ((1,), (2,)) for p in found.reversed_pairs)


def test_the_statement_says_how_much_better_and_what_is_reversed(two):
    found = two[-1]
    assert found.statement.startswith("Two preference groups predict new votes better (")
    assert found.statement.endswith(f"they reverse {found.n_reversed} of 45 pairs")
    assert found.gain.lower > 0
    assert found.gain.correct > found.gain.correct_of_one
    assert repr(found) == f"PreferenceGroups({found.statement})"
    assert "<table>" in found._repr_html_()


def test_three_groups_are_called_at_least_three():
    votes, _, _ = crowd_of(3, tastes=3, n_workers=60, votes=60, n_items=15)
    found = hr.find_preference_groups(votes)
    assert found.count == 3
    assert found.statement.startswith("At least three preference groups")


def test_one_taste_is_one_group_with_a_power():
    votes, _, _ = crowd_of(tastes=1, votes=10)
    found = hr.find_preference_groups(votes)
    assert found.count == 1
    assert found.reversed_pairs == ()
    assert found.sizes.tolist() == [40]
    assert 0 <= found.power <= 1
    assert found.statement.startswith("No evidence of more than one preference group (")
    assert f"of {found.n_simulations} simulations" in found.statement


def test_power_is_simulated_only_if_wanted_and_grows_with_votes():
    few, _, _ = crowd_of(tastes=1, votes=5)
    many, _, _ = crowd_of(tastes=1, votes=60)
    assert np.isnan(hr.find_preference_groups(few, simulate=False).power)
    assert hr.find_preference_groups(few).power < hr.find_preference_groups(many).power
    assert "often be missed" in hr.find_preference_groups(few).statement


@pytest.mark.parametrize("kind", ["careless", "clicking", "opposite"])
def test_workers_who_misbehave_are_no_group(kind):
    acuity, bias = np.ones(40), np.zeros(40)
    if kind == "careless":
        acuity[:15] = 0
    elif kind == "opposite":
        acuity[:12] = -1
    else:
        bias[:15], acuity[:15] = 3.0, 0.3
    votes, _, _ = crowd_of(tastes=1, acuity=acuity, bias=bias)
    found = hr.find_preference_groups(votes, simulate=False)
    assert found.count == 1
    expected = {f"w{k:02d}" for k in range(12)} if kind == "opposite" else set()
    assert len(set(found.opposite) ^ expected) <= 1
    if expected:
        assert found.opposite_statement.endswith("vote in reverse")


def test_clickers_are_no_group_where_items_are_shown_in_a_fixed_order():
    votes, _, _ = crowd_of(tastes=1, bias=np.where(np.arange(40) < 15, 3.0, 0.0))
    turned = votes.left > votes.right
    left, right = np.where(turned, (votes.right, votes.left), (votes.left, votes.right))
    rng = np.random.default_rng(1)
    clicked = (votes.worker < 15) & (rng.random(len(votes)) < 0.9)
    outcome = np.where(clicked, 1.0, np.where(turned, -votes.outcome, votes.outcome))
    shown = replace(votes, left=left, right=right, outcome=outcome, display_known=False)
    assert hr.find_preference_groups(shown, simulate=False).count == 1


def test_winners_first_is_no_display_order(two):
    votes, _, _, found = two
    lost = votes.outcome < 0
    left, right = np.where(lost, (votes.right, votes.left), (votes.left, votes.right))
    outcome = np.ones(len(votes))
    winners = replace(votes, left=left, right=right, outcome=outcome, display_known=False)
    assert hr.find_preference_groups(winners).count == found.count


def test_the_same_seed_gives_the_same_result_and_items_may_be_renamed(two):
    votes, _, _, found = two
    again = hr.find_preference_groups(replace(votes, items=tuple("abcdefghij")))
    assert again.statement == found.statement
    assert np.array_equal(again.group, found.group)


def test_counted_votes_equal_single_votes(two):
    votes, _, _, found = two
    columns = np.column_stack((votes.left, votes.right, votes.outcome, votes.worker))
    kinds, counts = np.unique(columns, axis=0, return_counts=True)
    left, right, outcome, worker = kinds.T
    counted = hr.Comparisons(
        votes.items, left, right, outcome, votes.workers, worker, multiplicity=counts
    )
    again = hr.find_preference_groups(counted)
    assert again.statement == found.statement
    assert np.array_equal(again.n_votes, found.n_votes)


def test_too_few_workers_or_items_cannot_be_told():
    few, _, _ = crowd_of(n_workers=5)
    found = hr.find_preference_groups(few)
    assert found.count is None
    assert found.gain is None
    assert "at least 10 workers with 4 votes each" in found.statement
    two_items, _, _ = crowd_of(n_items=2)
    assert "at least 3 items" in hr.find_preference_groups(two_items).statement


def test_one_ballot_per_worker_or_two_pairs_cannot_be_told():
    votes, _, _ = crowd_of()
    together = replace(votes, ballot=np.zeros(len(votes), np.int32))
    assert hr.find_preference_groups(together).count is None


def test_votes_without_workers_are_refused_or_left_out(two):
    votes, _, _, _ = two
    with pytest.raises(InvalidArgument, match="workers are not recorded"):
        hr.find_preference_groups([("a", "b", 1)])
    some = replace(votes, worker=np.where(np.arange(len(votes)) < 7, -1, votes.worker))
    assert "7 votes without a worker left out" in hr.find_preference_groups(some).notes
    with pytest.raises(InvalidArgument, match="at_most must be from 2 to 8"):
        hr.find_preference_groups(votes, at_most=1)


def test_disconnected_items_are_not_compared():
    one, _, _ = crowd_of(1, n_items=6)
    other, _, _ = crowd_of(2, n_items=6)
    n = one.n_items
    votes = hr.Comparisons(
        (*one.items, *(f"other {item}" for item in other.items)),
        np.concatenate((one.left, other.left + n)),
        np.concatenate((one.right, other.right + n)),
        np.concatenate((one.outcome, other.outcome)),
        one.workers,
        np.concatenate((one.worker, other.worker)),
    )
    found = hr.find_preference_groups(votes)
    assert found.count == 2
    kinds = {
        (p.item.startswith("other"), p.other.startswith("other")) for p in found.reversed_pairs
    }
    assert kinds <= {(True, True), (False, False)}


def test_tables_hold_members_and_scores(two):
    found = two[-1]
    members = found.to_frame("polars")
    assert members.height == 40
    assert members.columns[:4] == ["worker", "group", "probability", "is_reliable"]
    scores = found.scores_frame("polars")
    assert scores.height == 20
    best = scores.filter((scores["group"] == 1) & (scores["rank"] == 1))["item"][0]
    assert best == found.ranking(1)[0].item
    plain = found.to_dict()
    assert plain["count"] == 2
    assert len(plain["groups"]) == 2
    assert len(plain["workers"]) == 40
    assert plain["reversed_pairs"][0]["prefer"] == [1]
    assert pickle.loads(pickle.dumps(found)).statement == found.statement


def test_each_stage_is_reported():
    votes, _, _ = crowd_of(tastes=1, votes=10)
    stages = []
    steps = []

    def on_stage(words, total):
        stages.append((words, total))
        return lambda: steps.append(words)

    hr.find_preference_groups(votes, on_stage=on_stage)
    assert [total for _, total in stages] == [5, 10]
    assert len(steps) == 15


def test_ties_alone_are_one_group_without_correct_predictions():
    votes, _, _ = crowd_of(tastes=1)
    found = hr.find_preference_groups(replace(votes, outcome=np.zeros(len(votes))))
    assert found.count == 1
    assert found.to_dict()["gain"]["correct"] is None


def test_too_many_items_are_refused():
    votes, _, _ = crowd_of(n_items=1_200, votes=60)
    with pytest.raises(InvalidArgument, match="limited to 1,000"):
        hr.find_preference_groups(votes)


def test_margins_are_refused(two):
    votes = two[0]
    margins = replace(votes, report=replace(votes.report, margin_unit="goals"))
    with pytest.raises(InvalidArgument, match="finding preference groups needs choices"):
        hr.find_preference_groups(margins)
