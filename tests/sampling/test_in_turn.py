"""Many pairs at once are those that would be asked one by one."""

from __future__ import annotations

import numpy as np
import pytest

from hodgerank.errors import NothingToAsk
from hodgerank.sampling.samplers.registry import build_sampler

SAMPLERS = ["auto", "rank", "d-optimal", "a-optimal", "bayesian", "top-3", "rounds", "crowd-bt"]


def told(name, n, n_votes, *, repeats=False, seed=1, **options):
    """A sampler after some answers; judges that repeat themselves say of a pair what they said."""
    rng = np.random.default_rng(n_votes + n)
    truth, said = rng.normal(0, 1, n), {}
    sampler = build_sampler(name, range(n), seed=seed, **options)
    for _ in range(n_votes):
        pair = sampler.ask()
        outcome = float(np.sign(truth[pair.left] - truth[pair.right] + rng.logistic()))
        key = min(pair), max(pair)
        if repeats:
            outcome = said.setdefault(key, outcome if key == pair else -outcome)
            outcome = outcome if key == pair else -outcome
        sampler.tell(pair, outcome)
    return sampler, rng


def one_by_one(sampler, n, pending, exclude, worker):
    found = []
    for _ in range(n):
        gone = [*exclude, *found] if worker is not None else exclude
        try:
            found.append(sampler.ask(pending=[*pending, *found], exclude=gone, worker=worker))
        except NothingToAsk:
            break
    return found


@pytest.mark.parametrize("worker", [None, "ann"])
@pytest.mark.parametrize("n_votes", [0, 9, 60])
@pytest.mark.parametrize("name", SAMPLERS)
def test_pairs_at_once_are_those_one_by_one(name, n_votes, worker):
    sampler, rng = told(name, 11, n_votes)
    pairs = [tuple(pair) for pair in rng.permuted(np.tile(np.arange(11), (20, 1)), axis=1)[:, :2]]
    for pending, exclude in [([], []), (pairs[:6], []), (pairs[:12], pairs[8:]), ([], pairs)]:
        wanted = one_by_one(sampler, 14, pending, exclude, worker)
        assert sampler.ask(14, pending, None, worker, exclude) == wanted
        assert sampler.ask(5, pending, None, worker, exclude) == wanted[:5]


@pytest.mark.parametrize("name", SAMPLERS)
def test_where_no_more_are_allowed_there_are_fewer_and_no_trace_is_left(name):
    sampler, _ = told(name, 6, 20)
    first = sampler.ask(3)
    pairs = sampler.ask(40, worker="ann")
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == 15
    assert sampler.ask(3) == first
    one, other = sampler.ask(2, pending=pairs), told(name, 6, 20)[0].ask(2, pending=pairs)
    assert one == other


@pytest.mark.parametrize("name", ["auto", "top-3"])
def test_the_same_where_judges_repeat_themselves(name):
    sampler, _ = told(name, 8, 160, repeats=True)
    assert sampler.repetition > 0.1
    pending = [(0, 1), (0, 1), (1, 2), (5, 7)]
    for worker in (None, "ann"):
        wanted = one_by_one(sampler, 12, pending, [(3, 4)], worker)
        assert sampler.ask(12, pending, None, worker, [(3, 4)]) == wanted


def test_the_same_where_pairs_count_for_their_own_order_alone():
    sampler, _ = told("rank", 405, 30)
    assert sampler.ask(5) == one_by_one(sampler, 5, [], [], None)


def test_the_same_with_probes():
    sampler, _ = told("auto", 10, 40)
    sampler.prepare_to_stop()
    assert sampler.ask(25) == one_by_one(sampler, 25, [], [], None)


@pytest.mark.parametrize("display", ["balanced", "random", "fixed"])
def test_the_same_sides_are_shown(display):
    sampler, _ = told("rounds", 5, 7, display=display)
    wanted = one_by_one(sampler, 30, [(0, 1), (1, 0)], [], None)
    assert sampler.ask(30, [(0, 1), (1, 0)]) == wanted


@pytest.mark.parametrize("name", ["auto", "bayesian", "top-5"])
def test_the_same_with_very_many_items(name):
    n = 1000
    sampler, rng = told(name, n, 150)
    exclude = [(a, b + n // 2) for a, b in rng.integers(0, n // 2, (30, 2)).tolist()]
    pending = sampler.ask(20)
    for worker in (None, "ann"):
        found = sampler.ask(40, pending, None, worker, exclude)
        assert len({frozenset(pair) for pair in [*pending, *found]}) == 60
        assert found == one_by_one(sampler, 40, pending, exclude, worker)


def test_of_very_many_items_some_pairs_are_found_where_the_grid_has_none():
    n = 1000
    sampler = build_sampler("bayesian", range(n), seed=1)
    for item in range(5, n):
        sampler.retire_item(item)
    pairs = sampler.ask(20, worker="ann")
    assert {frozenset(pair) for pair in pairs} == {
        frozenset((a, b)) for a in range(5) for b in range(a)
    }
    assert pairs == one_by_one(sampler, 20, [], [], "ann")
