from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.kernels.links import LINKS


def test_a_seed_repeats_the_votes():
    a, b = (hr.simulate_comparisons(5, 100, rng=4) for _ in range(2))
    np.testing.assert_array_equal(a.outcome, b.outcome)
    assert (a.outcome != hr.simulate_comparisons(5, 100, rng=5).outcome).any()


@pytest.mark.parametrize("link", LINKS)
def test_honest_workers_follow_the_link(link):
    votes = hr.simulate_comparisons(2, 20_000, scores=[0.3, -0.2], link=link, rng=0)
    won = (votes.outcome > 0) == (votes.left == 0)
    assert won.mean() == pytest.approx(float(LINKS[link].cdf(np.array(0.5))), abs=0.015)


def test_each_kind_of_worker_behaves_as_it_is_called():
    kinds = ["honest", "random", "adversarial", "position-biased", "tie-happy"]
    votes = hr.simulate_comparisons(
        2, 50_000, scores=[1.0, -1.0], workers=dict.fromkeys(kinds, 1), rng=1
    )
    right = {}
    for kind in kinds:
        mine = votes.select(votes.worker == votes.workers.index(f"{kind}-01"))
        better_left = mine.left == 0
        right[kind] = (mine.outcome == np.where(better_left, 1, -1)).mean()
        if kind == "position-biased":
            assert (mine.outcome > 0).mean() == pytest.approx(0.9, abs=0.01)
        if kind == "tie-happy":
            assert (mine.outcome == 0).mean() == pytest.approx(0.6, abs=0.02)
    p = 1 / (1 + np.exp(-2))
    assert right["honest"] == pytest.approx(p, abs=0.02)
    assert right["random"] == pytest.approx(0.5, abs=0.02)
    assert right["adversarial"] == pytest.approx(1 - p, abs=0.02)


def test_rounds_ask_every_pair_equally_often():
    votes = hr.simulate_comparisons(6, 45, pairs="rounds", rng=0)
    assert set(hr.ComparisonGraph.from_comparisons(votes).counts) == {3}


def test_a_given_design_is_asked_in_turn():
    votes = hr.simulate_comparisons(["a", "b", "c"], 4, pairs=[(0, 1), (2, 1)], rng=0)
    assert votes.left.tolist() == [0, 2, 0, 2]
    assert votes.right.tolist() == [1, 1, 1, 1]


def test_truth_and_names():
    votes = hr.simulate_comparisons(12, 5, spread=2, rng=0)
    assert votes.items[0] == "item-01"
    assert votes.truth.shape == (12,)


@pytest.mark.parametrize(
    "options",
    [
        {"link": "logit"},
        {"workers": {"honnest": 3}},
        {"workers": {}},
        {"scores": [1.0]},
        {"pairs": [(0, 9)]},
        {"pairs": "swiss"},
    ],
)
def test_senseless_options_are_refused(options):
    with pytest.raises(InvalidArgument):
        hr.simulate_comparisons(3, 10, **options)


@pytest.mark.parametrize("n", [10**12, 10**15, 10**30])
def test_what_does_not_fit_in_memory_is_refused_with_what_would(n):
    for simulate in (
        lambda: hr.simulate_comparisons(n, 10),
        lambda: hr.simulate_comparisons(3, n),
        lambda: hr.simulate_comparisons(3, 10, workers={"honest": n}),
        lambda: hr.SimulatedCrowd(n),
    ):
        with pytest.raises(InvalidArgument, match=r"do not fit into the [\d,]+ GB .* limit"):
            simulate()


@pytest.mark.slow
def test_rounds_of_pairs_that_do_not_fit_in_memory_are_refused():
    with pytest.raises(InvalidArgument, match="pairs do not fit"):
        hr.simulate_comparisons(10**6, 10, pairs="rounds")


def test_a_number_of_workers_is_that_many_honest_ones():
    votes = hr.simulate_comparisons(8, 400, workers=5, rng=1)
    assert votes.workers == tuple(f"honest-0{k}" for k in range(1, 6))
    same = hr.simulate_comparisons(8, 400, workers={"honest": 5}, rng=1)
    np.testing.assert_array_equal(votes.outcome, same.outcome)
    assert len(hr.SimulatedCrowd(3, workers=np.int64(2)).workers) == 2


WRONG_WORKERS = ["5", 2.5, True, ["honest"], {"honest": "5"}, {"honest": -1}, -1]


@pytest.mark.parametrize("workers", WRONG_WORKERS)
def test_other_workers_are_refused_with_what_to_write(workers):
    with pytest.raises(InvalidArgument, match="a number of honest workers, such as 5, or numbers"):
        hr.simulate_comparisons(8, 400, workers=workers)


def test_other_numbers_of_items_and_votes_are_refused_with_what_to_write():
    with pytest.raises(InvalidArgument, match="for 400 votes on 8 items"):
        hr.simulate_comparisons(8, 400.0)
    for items in ("abc", 8.0, None):
        with pytest.raises(InvalidArgument, match="their number or a list of names"):
            hr.simulate_comparisons(items, 400)
