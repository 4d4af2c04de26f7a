"""TopKSampler finds the best."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.kernels.posterior import resistance_of
from hodgerank.kernels.selection.misordering import LEAST, order_weights, top_k_weights
from hodgerank.sampling.samplers.registry import build_sampler


def recall(sampler, scores, k, n_votes, seed):
    rng = np.random.default_rng((1, seed))
    while sampler.n_votes < n_votes:
        a, b = sampler.ask()
        sampler.tell((a, b), 1 if rng.random() < 1 / (1 + np.exp(scores[b] - scores[a])) else -1)
    best = set(np.argsort(-scores)[:k].tolist())
    return len(best & set(sampler.ranking().top(k))) / k


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "k", "runs"), [(30, 5, 30), pytest.param(500, 10, 3, marks=pytest.mark.slow)]
)
def test_more_of_the_best_are_found(n, k, runs):
    gained = []
    for run in range(runs):
        scores = np.random.default_rng(run).normal(0, 2, n)
        top = recall(hr.TopKSampler(n, k, seed=run), scores, k, 5 * n, run)
        gained.append(top - recall(hr.AutoSampler(n, seed=run), scores, k, 5 * n, run))
    assert np.mean(gained) > 0.03


def test_pairs_weigh_by_the_chance_that_they_are_parted():
    """Independent scores: P(exactly one of two is the best) by counting."""
    mean = np.array([1.0, 0.5, 0.0, -4.0])
    C = resistance_of(0.25 * np.eye(4))
    draws = mean + 0.5 * np.random.default_rng(1).standard_normal((200_000, 4))
    best = np.bincount(draws.argmax(axis=1), minlength=4) / len(draws)
    chance = best[:, None] + best
    found = top_k_weights(C, mean, 1) / np.where(np.eye(4), 1, order_weights(C, mean))
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(found[off], chance[off], atol=0.06)
    assert found[2, 3] >= LEAST


def test_items_far_from_the_limit_are_left_aside_where_there_are_many():
    n, k = 600, 5
    scores = np.linspace(6, -6, n)
    sampler = hr.TopKSampler(n, k, seed=1)
    rng = np.random.default_rng(0)
    late = []
    while sampler.n_votes < 6 * n:
        a, b = sampler.ask()
        sampler.tell((a, b), 1 if rng.random() < 1 / (1 + np.exp(scores[b] - scores[a])) else -1)
        if sampler.n_votes > 4 * n:
            late += [a, b]
    assert np.median(late) < n / 4


def test_all_are_asked_again_where_nothing_else_is_left():
    sampler = hr.TopKSampler(500, 1, seed=1)
    votes = hr.simulate_comparisons(500, 2_000, spread=3, rng=1)
    sampler.tell_many(
        hr.Comparisons(
            items=tuple(range(500)),
            left=votes.left,
            right=votes.right,
            outcome=votes.outcome,
            workers=(),
            worker=np.full(len(votes), -1),
        )
    )
    aside = np.flatnonzero(sampler._design._posterior.aside)
    others = np.setdiff1d(np.arange(500), aside)
    assert len(aside) > 100
    exclude = [(int(a), int(b)) for place, a in enumerate(others) for b in others[:place]]
    left, right = sampler.ask(exclude=exclude)
    assert {left, right} & set(aside.tolist())
    assert np.array_equal(np.flatnonzero(sampler._design._posterior.aside), aside)


def test_it_is_built_by_name():
    sampler = build_sampler("top-3", ["a", "b", "c", "d"])
    assert isinstance(sampler, hr.TopKSampler)
    assert (sampler.k, sampler.name) == (3, "top-3")
    assert sampler.fresh(7, seed=1).k == 3
    assert hr.TopKSampler(4, 9).ask() is not None
    for wrong in (0, -1, 1.5, "5"):
        with pytest.raises(InvalidArgument, match="number of best items"):
            hr.TopKSampler(4, wrong)
    with pytest.raises(InvalidArgument, match="top-5"):
        build_sampler("top-x", ["a", "b"])


def matches(sampler, n_votes, judge):
    found = []
    while sampler.n_votes < n_votes:
        pair = sampler.ask()
        sampler.tell(pair, judge(*pair))
        found.append(frozenset(pair))
    return found


def better(a, b):
    return 1 if a > b else -1


@pytest.mark.parametrize("n", [40, 401])
def test_with_one_vote_per_item_it_plays_a_knockout(n):
    sampler = hr.TopKSampler(n, 1, seed=3, budget=n)
    pairs = matches(sampler, n - 1, better)
    lost = [min(pair) for pair in pairs]
    assert sorted(lost) == list(range(n - 1))  # everybody but the best loses once
    assert sampler.ranking().items[0] == n - 1
    assert max(sum(k in pair for pair in pairs) for k in range(n)) <= np.ceil(np.log2(n))


@pytest.mark.parametrize(("n", "budget"), [(40, None), (40, 38), (40, 51), (31, 31)])
def test_where_it_does_not_pay_there_is_no_knockout(n, budget):
    plain, told = hr.TopKSampler(n, 3, seed=3), hr.TopKSampler(n, 3, seed=3, budget=budget)
    assert matches(plain, n, better) == matches(told, n, better)


def test_the_budget_of_a_run_is_known_and_one_given_counts_more():
    n = 40
    judge = lambda pair: better(*pair)  # noqa: E731
    run = hr.run(hr.TopKSampler(n, 1, seed=3), judge, n)
    alone = hr.TopKSampler(n, 1, seed=3, budget=n)
    matches(alone, n, better)
    assert np.array_equal(run.votes.left, alone.votes.left)
    assert np.array_equal(run.votes.right, alone.votes.right)
    given = hr.TopKSampler(n, 1, seed=3, budget=400)
    given.announce_budget(n)
    plain = hr.TopKSampler(n, 1, seed=3)
    assert given.ask(5) == plain.ask(5)
    assert alone.fresh(n, 3).ask(5) == hr.TopKSampler(n, 1, seed=3, budget=n).ask(5)
    with pytest.raises(InvalidArgument, match="budget must be a number"):
        hr.TopKSampler(n, 1, budget=0)


def test_matches_are_played_at_the_same_time():
    sampler = hr.TopKSampler(40, 1, seed=3, budget=40)
    first = sampler.ask(20)
    assert len({item for pair in first for item in pair}) == 40
    assert sampler.ask(3, pending=first)  # nobody is free: other pairs
    for pair in first[:4]:
        sampler.tell(pair, better(*pair))
    winners = {max(pair) for pair in first[:4]}
    second = sampler.ask(2, pending=first[4:])
    assert {item for pair in second for item in pair} == winners


def test_a_tie_eliminates_nobody_and_ties_alone_end_the_knockout():
    sampler = hr.TopKSampler(40, 1, seed=3, budget=50)
    first = sampler.ask()
    sampler.tell(first, 0)
    pairs = matches(sampler, 40, lambda a, b: 0)
    assert sum(bool(pair & set(first)) for pair in pairs) >= 2
    assert not sampler._design.knockout.can_go_on


def test_a_knockout_minds_candidates_and_retired_and_new_items():
    n = 40
    sampler = hr.TopKSampler(n, 1, seed=3, budget=n)
    sampler.retire_item(0)
    assert all(0 not in pair for pair in sampler.ask(19))
    sampler.restore_item(0)
    sampler.add_item(n)
    shown = {item for pair in sampler.ask(20) for item in pair}
    assert len(shown) == 40
    allowed = [(k, k + 1) for k in range(n - 1)]
    assert {*sampler.ask(candidates=allowed)} in [{*pair} for pair in allowed]
    chosen = sampler.ask()
    assert {*sampler.ask(exclude=[chosen])} != {*chosen}
