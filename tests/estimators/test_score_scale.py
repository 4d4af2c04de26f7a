"""Scores in Elo points, JOD, log odds and win probabilities."""

from __future__ import annotations

import json
from functools import cache
from math import log, log10

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument, UnknownItem

MODELS = ("bayes", "hodgerank", "bradley-terry", "thurstone-mosteller", "robust")
LINEAR = {"elo": 400 * log10(3), "jod": 1.0, "logit": log(3)}


@cache
def ranking(model: str = "bayes", **options: str) -> hr.Ranking:
    votes = hr.simulate_comparisons(list("abcdef"), 240, spread=1.2, rng=3)
    return hr.rank(votes, model=model, **options)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("scale", "unit"), LINEAR.items())
def test_one_unit_is_the_difference_that_three_in_four_prefer(model, scale, unit):
    plain = ranking(model)
    scaled = plain.on_scale(scale)
    per_unit = np.ptp(plain.scores) / np.ptp(scaled.scores)
    # the win probability of a difference on the scale, through the model's own scores
    assert plain._curve.probability(np.asarray(unit * per_unit)) == pytest.approx(0.75)
    assert plain._curve.probability(np.asarray(0.0)) == pytest.approx(0.5)


@pytest.mark.parametrize("link", ["uniform", "bradley-terry", "thurstone-mosteller", "angular"])
def test_every_link_of_least_squares_has_its_own_unit(link):
    plain = ranking("hodgerank", link=link)
    per_unit = np.ptp(plain.scores) / np.ptp(plain.on_scale("jod").scores)
    assert plain._curve.probability(np.asarray(per_unit)) == pytest.approx(0.75)


def test_elo_points_of_a_logistic_model_are_the_usual_ones():
    plain = ranking("bradley-terry")
    elo = plain.on_scale("elo")
    np.testing.assert_allclose(elo.scores, 1000 + 400 / log(10) * plain.scores)
    np.testing.assert_allclose(plain.on_scale("logit").scores, plain.scores)
    best, worst = elo[elo.items[0]], elo[elo.items[-1]]
    expected = 1 / (1 + 10 ** (-(best.score - worst.score) / 400))
    assert plain.probability(best.item, worst.item) == pytest.approx(expected)


def test_elo_points_of_the_default_model_are_right_at_three_in_four_and_close_elsewhere():
    shares = np.array([0.5, 0.6, 0.75, 0.9, 0.95])
    curve = ranking()._curve
    elo = curve.difference(shares) * LINEAR["elo"] / curve.difference(np.asarray(0.75))
    logistic = 1 / (1 + 10 ** (-elo / 400))
    np.testing.assert_allclose(logistic, shares, atol=0.018)
    np.testing.assert_allclose(logistic[[0, 2]], shares[[0, 2]])


@pytest.mark.parametrize("scale", [*LINEAR, "win-rate"])
@pytest.mark.parametrize("model", MODELS)
def test_a_scale_changes_neither_order_nor_ranks_nor_probabilities(model, scale):
    plain = ranking(model)
    scaled = plain.on_scale(scale)
    assert scaled.items == plain.items
    np.testing.assert_array_equal(scaled.ranks, plain.ranks)
    np.testing.assert_array_equal(scaled.rank_intervals, plain.rank_intervals)
    np.testing.assert_array_equal(scaled.probabilities(), plain.probabilities())
    np.testing.assert_array_equal(scaled.over_average(), plain.over_average())
    assert scaled.certainty("a", "b") == plain.certainty("a", "b")
    assert hr.expected_tau(scaled) == hr.expected_tau(plain)
    assert (np.diff(scaled.scores) <= 0).all()
    assert (scaled.intervals[:, 0] <= scaled.scores).all()
    assert (scaled.scores <= scaled.intervals[:, 1]).all()
    assert (scaled.standard_errors > 0).all()


@pytest.mark.parametrize("scale", LINEAR)
def test_an_anchor_has_exactly_its_score_and_shifts_everything_else(scale):
    free, anchored = ranking().on_scale(scale), ranking().on_scale(scale, anchor=("c", 1114))
    assert anchored["c"].score == 1114
    shift = anchored.scores - free.scores
    np.testing.assert_allclose(shift, shift[0])
    np.testing.assert_allclose(anchored.intervals - free.intervals, shift[0])
    np.testing.assert_allclose(anchored.standard_errors, free.standard_errors)
    np.testing.assert_allclose(
        np.sqrt(np.diag(anchored.covariance)), anchored.standard_errors, rtol=1e-9
    )


def test_the_mean_is_1000_elo_points_and_0_jod_without_an_anchor():
    assert ranking().on_scale("elo").scores.mean() == pytest.approx(1000)
    assert ranking().on_scale("jod").scores.mean() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_the_probability_of_beating_a_baseline_has_the_interval_of_the_difference(model):
    plain = ranking(model)
    found = plain.on_scale("win-probability", baseline="c")
    assert found["c"][2:6] == (0.5, 0.0, 0.5, 0.5)
    row = found["a"]
    assert row.score == pytest.approx(plain.probability("a", "c"))
    a, c = plain.index("a"), plain.index("c")
    variance = plain.covariance[a, a] + plain.covariance[c, c] - 2 * plain.covariance[a, c]
    ends = plain.scores[a] - plain.scores[c] + np.array([-1, 1]) * plain._z * np.sqrt(variance)
    np.testing.assert_allclose((row.lower, row.upper), plain._curve.probability(ends), rtol=1e-6)


@pytest.mark.parametrize("covariance", ["model", "worker"])
def test_the_variances_of_all_differences_are_those_of_each(covariance):
    votes = hr.simulate_comparisons(8, 300, rng=2)
    found = hr.bradley_terry(votes, covariance=covariance)._covariance
    each = [0.0 if k == 3 else found.difference(k, 3) for k in range(8)]
    np.testing.assert_allclose(found.differences(3), each, atol=1e-9)


@pytest.mark.parametrize("fit", [hr.hodge_rank, hr.bayes_rank])
def test_the_variances_of_all_differences_take_one_solve_in_large_graphs(fit, monkeypatch):
    monkeypatch.setattr("hodgerank.kernels.linalg.normal_equations.DENSE_ITEMS", 200)
    found = fit(hr.simulate_comparisons(220, 1300, rng=2))._covariance
    assert found.equations.method != "dense"
    each = [found.difference(k, 3) for k in range(3)]
    np.testing.assert_allclose(found.differences(3)[:3], each, rtol=0.15)


def test_the_win_rate_is_the_mean_probability_of_beating_the_others():
    plain = ranking()
    found = plain.on_scale("win-rate")
    probabilities = plain.probabilities()
    np.fill_diagonal(probabilities, 0.0)
    np.testing.assert_allclose(found.scores, probabilities.sum(axis=1) / 5)
    assert found.scores.mean() == pytest.approx(0.5)


def test_the_standard_error_of_a_win_rate_is_that_of_simulated_scores():
    plain = ranking("bradley-terry")
    draws = np.random.default_rng(1).multivariate_normal(plain.scores, plain.covariance, 4000)
    differences = draws[:, :, None] - draws[:, None, :]
    rates = (plain._curve.probability(differences).sum(axis=2) - 0.5) / 5
    found = plain.on_scale("win-rate")
    np.testing.assert_allclose(found.standard_errors, rates.std(axis=0), rtol=0.2)
    np.testing.assert_allclose(
        found.intervals, np.quantile(rates, [0.025, 0.975], axis=0).T, atol=0.02
    )


def test_a_scale_can_be_chosen_again():
    once = ranking().on_scale("elo", anchor=("a", 1500)).on_scale("jod")
    np.testing.assert_array_equal(once.scores, ranking().on_scale("jod").scores)
    np.testing.assert_array_equal(once.on_scale("model").scores, ranking().scores)


def test_every_output_is_on_the_scale_and_names_it():
    elo = ranking().on_scale("elo", anchor=("c", 1000))
    assert elo.to_frame()["score"].to_list() == elo.scores.tolist()
    assert elo.score_by_item["c"] == 1000
    found = json.loads(json.dumps(elo.to_dict(), allow_nan=False))
    assert found["scale"] == {
        "name": "elo",
        "unit": "Elo points",
        "anchor": {"item": "c", "score": 1000},
        "baseline": None,
    }
    assert next(row for row in found["items"] if row["item"] == "c")["score"] == 1000
    assert f"{elo.items[0]} {elo.scores[0]:.0f}," in repr(elo)
    assert ranking().to_dict()["scale"]["name"] == "model"
    probability = ranking().on_scale("win-probability", baseline="c").to_dict()
    assert probability["scale"]["baseline"] == "c"
    assert probability["scale"]["unit"] == "probability"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("ello",), r"score scale 'ello' is not one of .* \(did you mean elo\?\)"),
        (("model", ("a", 1)), "the score scale model has no anchor: choose elo"),
        (("win-rate", ("a", 1)), "has no anchor"),
        (("elo", "a"), "an anchor is an item and its score"),
        (("elo", ("a", "high")), "an anchor is an item and its score"),
        (("elo", ("a", float("nan"))), "must lie between -1,000,000 and 1,000,000, not nan"),
        (("elo", ("a", 1e308)), "must lie between"),
        (("elo", None, "a"), "the score scale elo has no baseline: use win-probability"),
        (("win-probability",), "needs the item to compare with"),
    ],
)
def test_wrong_options_are_refused(options, words):
    scale, anchor, baseline = (*options, None, None)[:3]
    with pytest.raises(InvalidArgument, match=words):
        ranking().on_scale(scale, anchor=anchor, baseline=baseline)


def test_unknown_anchors_and_baselines_name_the_nearest_items():
    with pytest.raises(UnknownItem, match=r"'A' is not among the items \(did you mean a\?\)"):
        ranking().on_scale("elo", anchor=("A", 1000))
    with pytest.raises(UnknownItem):
        ranking().on_scale("win-probability", baseline=["a"])


def test_an_item_that_is_not_ranked_cannot_be_the_anchor():
    apart = hr.rank([*((f"i{k}", f"i{k + 1}", 1) for k in range(30)), ("x", "y", 1)])
    assert set(apart.not_connected) == {"x", "y"}
    with pytest.raises(InvalidArgument, match="the anchor x is not ranked, because votes do not"):
        apart.on_scale("elo", anchor=("x", 1000))


def test_several_components_have_a_mean_each_but_no_common_anchor():
    votes = [("a", "b", 1), ("c", "d", 1)] * 5
    apart = hr.rank(votes, components="separate")
    elo = apart.on_scale("elo")
    assert elo.scores[:2].mean() == pytest.approx(1000)
    assert elo.scores[2:].mean() == pytest.approx(1000)
    for options in (
        {"scale": "elo", "anchor": ("a", 1000)},
        {"scale": "win-probability", "baseline": "a"},
        {"scale": "win-rate"},
    ):
        with pytest.raises(InvalidArgument, match="needs one ranking, but the items form 2"):
            apart.on_scale(**options)


def test_least_squares_without_any_predictive_order_has_no_other_scale():
    cycle = hr.hodge_rank([("a", "b", 1), ("b", "c", 1), ("c", "a", 1)] * 3 + [("a", "b", 1)])
    assert cycle.temperature == 0
    for scale in (*LINEAR, "win-rate"):
        with pytest.raises(InvalidArgument, match="every win probability is 50%"):
            cycle.on_scale(scale)


def test_win_rates_of_very_many_items_are_refused(monkeypatch):
    monkeypatch.setattr("hodgerank.estimators.score_scale.MOST_ITEMS", 5)
    with pytest.raises(InvalidArgument, match="take 2 to 5 items, not 6: use win-probability"):
        ranking().on_scale("win-rate")


def test_unanimous_votes_stay_within_the_range_of_probabilities():
    votes = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 50
    for model in MODELS:
        found = hr.rank(votes, model=model).on_scale("win-rate")
        assert ((found.intervals > 0) & (found.intervals < 1)).all()
        assert np.isfinite(found.standard_errors).all()
