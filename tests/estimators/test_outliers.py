from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd
from benchmarks.calibration.workers import share_with_excess_outliers
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Lasso

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.outliers import outliers_among
from hodgerank.graph.answered_graph import AnsweredGraph
from pace import at_most
from reference.least_squares import design_matrix
from strategies import comparisons


@given(comparisons(max_items=6), st.sampled_from([0.1, 0.4, 0.8]))
def test_the_fit_is_the_lasso_on_the_cyclic_projection(votes, penalty):
    d = design_matrix(votes)
    cyclic = np.eye(len(votes)) - d @ np.linalg.pinv(d, rcond=1e-10)
    found = hr.find_outliers(votes, penalty=penalty)
    target = cyclic @ votes.outcome

    def loss(e):
        return 0.5 * np.sum((target - cyclic @ e) ** 2) + penalty * np.abs(e).sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lasso = Lasso(alpha=penalty / len(votes), fit_intercept=False, tol=1e-14, max_iter=200_000)
        lasso.fit(cyclic, target)
    assert loss(found.excess) <= loss(lasso.coef_) + 1e-7
    # e itself need not be unique, but what remains after it is
    np.testing.assert_allclose(cyclic @ found.excess, cyclic @ lasso.coef_, atol=1e-4)


def test_one_wild_answer_is_found_first():
    rows = [(a, b, 1, "w") for a, b in ["ab", "bc", "ac", "cd", "bd", "ad"] for _ in range(6)]
    rows.append(("d", "a", 1, "odd"))
    found = hr.find_outliers(rows)
    assert np.argmax(found.entry) == 36
    assert found.flagged.nonzero()[0].tolist() == [36]
    assert found.excess[36] > 0
    frame = found.to_frame("polars")
    assert frame["worker"].to_list() == ["odd"]
    assert frame["row"].to_list() == [37]


def test_entry_points_are_where_answers_enter():
    votes = hr.simulate_comparisons(6, 60, spread=2, workers={"honest": 3, "random": 1}, rng=0)
    found = hr.find_outliers(votes)
    for row in np.flatnonzero(found.entry)[:10]:
        entry = found.entry[row]
        assert not hr.find_outliers(votes, penalty=1.03 * entry).flagged[row]
        assert hr.find_outliers(votes, penalty=0.97 * entry).flagged[row]


def test_a_consistent_crowd_is_flagged_as_rarely_as_promised():
    rng = np.random.default_rng(0)
    for rate in (0.02, 0.1):
        shares = [
            hr.find_outliers(
                hr.simulate_comparisons(12, 800, spread=2, rng=rng), false_positive_rate=rate
            ).share
            for _ in range(20)
        ]
        assert np.mean(shares) <= 1.2 * rate


CONSISTENT = {
    "Bradley-Terry": Crowd(per_pair=20),
    "uniform": Crowd(link="uniform", per_pair=20),
    "ties": Crowd(answer="tie"),
    "grades": Crowd(answer="grade"),
    "sparse": Crowd(n_items=30, design="sparse", per_pair=2),
    "noiseless": Crowd(link="noiseless"),
}


FIRST = ("ties", "noiseless")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [*FIRST, *(pytest.param(n, marks=pytest.mark.slow) for n in CONSISTENT if n not in FIRST)],
)
def test_outlying_answers_of_consistent_crowds_are_not_too_many(name):
    assert share_with_excess_outliers(CONSISTENT[name], 0.0, 15, np.random.default_rng(0)) <= 0.2


def test_outlying_answers_are_too_many_where_a_fifth_is_turned_round():
    crowd = Crowd(n_items=20, per_pair=20, spread=3.0)
    assert share_with_excess_outliers(crowd, 0.2, 8, np.random.default_rng(0)) >= 0.8


@pytest.mark.slow
def test_redrawn_crowds_show_the_share_that_consistent_crowds_have():
    rng = np.random.default_rng(0)
    for crowd in (Crowd(per_pair=20), Crowd(n_items=20, per_pair=5)):
        found = [hr.find_outliers(crowd.votes(rng)) for _ in range(8)]
        share = np.mean([one.share for one in found])
        assert share == pytest.approx(np.mean([one.expected.mean for one in found]), rel=0.25)
        assert 0.2 < np.mean([one.p_value for one in found]) < 0.8


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "b", 1)],
        [("a", "b", 0)] * 5,
        [("a", "b", 1), ("c", "d", 1)] * 5,
        [("a", "b", 0.5)] * 20 + [("b", "c", 0.5)] * 20 + [("a", "c", -0.5)],
    ],
)
def test_one_odd_answer_or_none_is_not_too_many(rows):
    found = hr.find_outliers(rows)
    assert not found.are_too_many
    assert "expected by chance" in found.verdict
    assert "larger than expected" not in found.verdict


def test_what_was_tested_comes_first_where_answers_stray_too_far():
    rows = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 200 + [("c", "a", 1)] * 30
    found = hr.find_outliers(rows)
    finding, _, numbers = found.verdict.partition(": ")
    assert found.are_too_many
    assert finding == (
        "votes deviate from the ranking more than expected by chance (p < .001; slips, or workers "
        "who differ)"
    )
    share = r"30 of 630 votes are outliers \(4\.8%\), expected by chance [\d.]+% \+- [\d.]+%; "
    assert re.match(share, numbers)
    assert re.search(r"; their total excess is [\d.]+ times that expected", numbers)


@pytest.mark.parametrize(
    ("std", "words"), [(0.003, "0.3%"), (0.0005, "0.1%"), (0.00034, "0.034%"), (0.0, "0.0%")]
)
def test_a_small_standard_deviation_is_not_shown_as_none(std, words):
    found = hr.find_outliers([("a", "b", 1), ("b", "c", 1)] * 20)
    found.__dict__["expected"] = replace(found.expected, mean=0.05, std=std)
    assert f"expected by chance 5.0% +- {words} (" in found.verdict


def test_the_unit_of_weights_does_not_change_what_is_expected():
    votes = hr.simulate_comparisons(6, 300, spread=2, rng=0)
    plain = hr.find_outliers(votes)
    for unit in (1e-6, 1e6):
        found = hr.find_outliers(replace(votes, weight=np.full(300, unit)))
        assert found.p_value == pytest.approx(plain.p_value, abs=1e-6)


def test_answers_are_counted_where_rows_stand_for_several():
    votes = hr.simulate_comparisons(4, 60, spread=2, rng=1)
    times = np.arange(60) % 3 + 1
    found = outliers_among(AnsweredGraph.of(replace(votes, multiplicity=times)))
    single = hr.find_outliers(votes.select(np.repeat(np.arange(60), times)))
    assert found.n_flagged == single.n_flagged
    assert found.share == pytest.approx(single.share)
    assert found.mean_excess == pytest.approx(single.mean_excess)
    assert found.p_value == pytest.approx(single.p_value)


@pytest.mark.slow
def test_a_million_answers_in_time():
    votes = hr.simulate_comparisons(
        1000, 1_000_000, workers={"honest": 80, "adversarial": 20}, rng=0
    )
    with at_most(seconds=10):
        found = hr.find_outliers(votes)
        ranking = hr.robust_rank(votes)
    adversarial = np.array([str(w).startswith("adv") for w in votes.workers])[votes.worker]
    assert found.flagged[adversarial].mean() > 2 * found.flagged[~adversarial].mean()
    assert len(ranking.unreliable) == 20


@pytest.mark.parametrize("options", [{"false_positive_rate": 0}, {"penalty": -1}])
def test_senseless_options_are_refused(options):
    with pytest.raises(InvalidArgument):
        hr.find_outliers([("a", "b", 1)], **options)


def test_an_item_of_one_answer_does_not_flatten_the_crowd_to_compare_with():
    """What is unknown of one item says nothing about how decided the others are."""
    said = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        truth = rng.normal(0, 1, 13)
        pairs = [rng.choice(10, 2, replace=False) for _ in range(800)]
        pairs += [(k, 10 + k) for k in range(3)]
        rows = [
            (f"i{a}", f"i{b}", 1 if rng.random() < 1 / (1 + np.exp(truth[b] - truth[a])) else -1)
            for a, b in pairs
        ]
        said += hr.find_outliers(rows).are_too_many
    assert said <= 1


def test_unequal_weights_may_stand_for_several_answers():
    votes = hr.simulate_comparisons(8, 200, rng=0)
    weight = np.random.default_rng(1).integers(1, 50, 200).astype(float)
    found = hr.find_outliers(replace(votes, weight=weight))
    assert not found.are_too_many
    assert "with unequal weights the number expected by chance is unknown" in found.verdict
