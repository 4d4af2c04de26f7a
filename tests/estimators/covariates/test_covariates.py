"""Covariates of a comparison: how they are read, estimated and controlled for."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.covariates.columns import read_covariates
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.metrics import kendall_tau

MODELS = (hr.hodge_rank, hr.bradley_terry, hr.thurstone_mosteller, hr.bayes_rank)


def judged(effect: float = 2.0, m: int = 600, n: int = 8, seed: int = 0, varied: float = 0.7):
    """Votes of a judge that likes long texts, with the length of both."""
    rng = np.random.default_rng(seed)
    scores = np.linspace(1.5, -1.5, n)
    own = rng.normal(0, 0.5, n)
    i = rng.integers(0, n, m)
    j = (i + rng.integers(1, n, m)) % n
    left, right = own[i] + rng.normal(0, varied, m), own[j] + rng.normal(0, varied, m)
    t = scores[i] - scores[j] + effect * (left - right)
    outcome = np.where(rng.random(m) < 1 / (1 + np.exp(-t)), 1.0, -1.0)
    extra = {"length_left": 2 ** (8 + left), "length_right": 2 ** (8 + right), "note": ["x"] * m}
    items = tuple(f"s{k}" for k in range(n))
    return hr.Comparisons(items, i, j, outcome, truth=scores, extra=extra)


VOTES = judged()
TRUTH = dict(zip(VOTES.items, VOTES.truth, strict=True))


def with_columns(votes, **columns):
    return replace(votes, extra=columns)


@pytest.mark.parametrize("fit", MODELS)
def test_controlling_for_length_finds_the_order_that_length_hides(fit):
    ranking = fit(VOTES, covariates="length", control="length")
    assert kendall_tau(ranking.score_by_item, TRUTH) > 0.85
    assert kendall_tau(fit(VOTES).score_by_item, TRUTH) < 0.75
    low, high = ranking.covariates.intervals[0]
    assert 0 < low < high


def test_likelihood_models_cover_the_effect_in_their_units():
    low, high = hr.bradley_terry(VOTES, covariates="length").covariates.intervals[0]
    assert low < 2 < high
    low, high = hr.bayes_rank(VOTES, covariates="length").covariates.intervals[0]
    assert low < 2 / 1.7 < high


@pytest.mark.parametrize("fit", MODELS)
def test_items_are_ranked_as_written_unless_control_is_asked_for(fit):
    first, second = (
        fit(VOTES, covariates="length"),
        fit(VOTES, covariates="length", control="length"),
    )
    assert first.as_written is first
    assert second.controlled is second
    assert first.controlled.score_by_item == second.score_by_item
    assert second.as_written.score_by_item == first.score_by_item
    assert first.covariates.control == ()
    assert second.covariates.control == ("length",)


def test_least_squares_solves_the_normal_equations_with_a_column():
    votes = replace(VOTES, display_known=np.asarray(False))
    ranking = hr.hodge_rank(votes, covariates="length", control="length")
    covariate = read_covariates(AnsweredGraph.of(votes), "length")[0]
    design = np.zeros((len(votes), votes.n_items + 1))
    rows = np.arange(len(votes))
    design[rows, votes.left], design[rows, votes.right] = 1, -1
    design[:, -1] = covariate.values
    solution = np.linalg.lstsq(design, votes.outcome, rcond=None)[0]
    rest = votes.outcome - design @ solution
    scores = solution[:-1] - solution[:-1].mean()
    found = ranking.score_by_item
    assert np.allclose([found[item] for item in votes.items], scores)
    assert ranking.covariates["length"] == pytest.approx(solution[-1])
    variance = rest @ rest / (len(votes) - votes.n_items)
    inverse = np.linalg.pinv(design.T @ design) * variance
    assert ranking.covariates.standard_errors[0] == pytest.approx(inverse[-1, -1] ** 0.5)
    assert ranking.scores.sum() == pytest.approx(0)


def test_written_scores_add_the_effect_on_the_mean_of_each_item():
    ranking = hr.bradley_terry(VOTES, covariates="length")
    means = read_covariates(AnsweredGraph.of(VOTES), "length")[0].means
    controlled = ranking.controlled.score_by_item
    for item, mean in zip(VOTES.items, means, strict=True):
        expected = controlled[item] + ranking.covariates["length"] * mean
        assert ranking.score_by_item[item] == pytest.approx(expected)


@pytest.mark.parametrize("sides", [("left", "right"), ("a", "b"), ("1", "2")])
def test_lengths_are_read_from_two_columns(sides):
    columns = dict(
        zip(sides, (VOTES.extra["length_left"], VOTES.extra["length_right"]), strict=True)
    )
    votes = with_columns(VOTES, **{f"length_{side}": column for side, column in columns.items()})
    terms = hr.bayes_rank(votes, covariates="length").covariates
    assert terms.units == ("doubling",)
    assert terms["length"] == hr.bayes_rank(VOTES, covariates="length").covariates["length"]


def test_a_column_of_differences_is_divided_by_its_root_mean_square():
    z = np.log2(VOTES.extra["length_left"] / VOTES.extra["length_right"]).to_numpy()
    terms = hr.bradley_terry(with_columns(VOTES, words=z), covariates="words").covariates
    length = hr.bradley_terry(VOTES, covariates="length").covariates
    assert terms.units == ("standard deviation",)
    assert terms.sizes[0] == pytest.approx(np.sqrt(np.mean(z**2)))
    assert terms["words"] / terms.sizes[0] == pytest.approx(length["length"], rel=0.05)


def test_numbers_in_text_files_are_read_as_numbers(tmp_path):
    path = tmp_path / "votes.csv"
    pl.DataFrame(
        {
            "left": [VOTES.items[k] for k in VOTES.left],
            "right": [VOTES.items[k] for k in VOTES.right],
            "outcome": VOTES.outcome,
            "length_left": VOTES.extra["length_left"],
            "length_right": VOTES.extra["length_right"],
        }
    ).write_csv(path)
    terms = hr.rank(path, covariates="length").covariates
    assert terms["length"] == pytest.approx(
        hr.rank(VOTES, covariates="length").covariates["length"]
    )


@pytest.mark.parametrize(
    ("columns", "name", "message"),
    [
        ({"length_a": [1.0], "length_b": [2.0]}, "lenght", r"did you mean length\b"),
        ({"words": [None]}, "words", "has no value in 600 of 600 votes, first in row 1"),
        ({"words": ["many"]}, "words", r"is not a number in 600 of 600 votes.*'many'"),
        ({"words": [0.0]}, "words", "the same for both items in every vote"),
        ({}, "length", "they have no additional columns"),
    ],
)
def test_columns_that_cannot_be_used_give_an_error_that_says_why(columns, name, message):
    votes = with_columns(VOTES, **{key: value * len(VOTES) for key, value in columns.items()})
    with pytest.raises(InvalidArgument, match=message):
        hr.bayes_rank(votes, covariates=name)


def test_control_needs_its_covariate():
    with pytest.raises(InvalidArgument, match="name it in covariates"):
        hr.rank(VOTES, covariates="length", control="words")
    with pytest.raises(InvalidArgument, match="--control"):
        hr.rank(VOTES, control="length")


@pytest.mark.parametrize("fit", MODELS)
def test_one_text_per_item_is_described_only(fit):
    votes = judged(varied=0.0)
    ranking = fit(votes, covariates="length")
    terms = ranking.covariates
    assert terms.shares[0] == pytest.approx(0, abs=1e-9)
    assert np.isnan(terms["length"])
    assert ranking.controlled is None
    assert ranking.score_by_item == fit(votes).score_by_item
    assert "nothing was corrected" in terms.sentences[0]
    assert terms.to_dict()["terms"][0]["effect"] is None
    with pytest.raises(InvalidArgument, match="cannot be separated from the scores"):
        fit(votes, covariates="length", control="length")


def test_little_variation_within_items_gives_a_warning():
    votes = judged(varied=0.15)
    ranking = hr.bayes_rank(votes, covariates="length", control="length")
    assert 0.1 < ranking.covariates.shares[0] < 0.3
    assert any("vary within items" in note for note in ranking.notes)


@pytest.mark.parametrize("fit", MODELS)
def test_a_side_that_always_has_the_longer_text_is_not_taken_for_an_effect_of_length(fit):
    votes = judged(effect=0.0, m=2000)
    z = np.log2(votes.extra["length_left"] / votes.extra["length_right"]).to_numpy()
    swap = z < 0
    left, right = np.where(swap, votes.right, votes.left), np.where(swap, votes.left, votes.right)
    t = votes.truth[left] - votes.truth[right] + 1.0  # position bias alone
    rng = np.random.default_rng(1)
    outcome = np.where(rng.random(len(votes)) < 1 / (1 + np.exp(-t)), 1.0, -1.0)
    votes = replace(votes, left=left, right=right, outcome=outcome, extra={"longer": np.abs(z)})
    for position_bias in (None, "common"):
        low, high = fit(
            votes, covariates="longer", position_bias=position_bias
        ).covariates.intervals[0]
        assert low < 0 < high


@pytest.mark.parametrize("fit", MODELS)
def test_covariates_and_position_bias_of_workers_are_estimated_together(fit):
    rng = np.random.default_rng(3)
    votes = judged(m=1500)
    worker = rng.integers(0, 4, len(votes))
    turned = (worker == 0) & (rng.random(len(votes)) < 0.5)
    votes = replace(
        votes,
        outcome=np.where(turned, 1.0, votes.outcome),
        workers=("w0", "w1", "w2", "w3"),
        worker=worker,
    )
    how = {"worker_weights": False} if fit is hr.bayes_rank else {}
    ranking = fit(votes, covariates="length", position_bias="worker", **how)
    bias = ranking.position_bias
    assert bias.groups[int(np.argmax(bias.values))] == "w0"
    assert bias.intervals[bias.groups.index("w0"), 0] > 0
    assert ranking.covariates.intervals[0, 0] > 0


@pytest.mark.parametrize("fit", MODELS)
def test_several_covariates_are_controlled_separately(fit):
    rng = np.random.default_rng(5)
    votes = replace(VOTES, extra={**VOTES.extra, "bold": rng.normal(size=len(VOTES))})
    ranking = fit(votes, covariates=["length", "bold"], control="length")
    assert ranking.covariates.names == ("length", "bold")
    assert abs(ranking.covariates["bold"]) < abs(ranking.covariates["length"])


@pytest.mark.parametrize("fit", MODELS)
def test_clusters_widen_the_intervals(fit):
    prompts = np.random.default_rng(6).integers(0, 20, len(VOTES))
    votes = replace(VOTES, ballot=prompts, units=tuple(range(20)))
    ranking = fit(votes, covariates="length")
    errors = ranking.covariates.standard_errors
    assert (errors > 0).all()
    assert ranking.controlled is not None
    assert "unit" in ranking.uncertainty


def test_rankings_with_covariates_can_be_pickled_and_put_on_other_scales():
    ranking = hr.rank(VOTES, covariates="length").on_scale("elo")
    again = pickle.loads(pickle.dumps(ranking))
    assert again.controlled.score_by_item == ranking.controlled.score_by_item
    assert ranking.controlled.scale.name == "elo"
    content = ranking.to_dict()["covariates"]
    assert [row["item"] for row in content["as_written"]] == list(ranking.items)
    assert content["terms"][0]["win_rate"] == pytest.approx(ranking.covariates.win_rates[0, 0])
    assert ranking.covariates.to_frame("polars").height == 1


def test_a_ranking_without_covariates_has_none():
    ranking = hr.rank(VOTES)
    assert ranking.covariates is None
    assert ranking.controlled is None
    assert ranking.as_written is ranking
    assert "covariates" not in ranking.to_dict()


def test_probabilities_and_certainty_belong_to_the_chosen_order():
    for fit in MODELS:
        ranking = fit(VOTES, covariates="length", control="length")
        best, worst = ranking.items[0], ranking.items[-1]
        assert ranking.probability(best, worst) > 0.7
        assert ranking.certainty(best, worst) > 0.95


def test_margins_have_an_effect_in_their_unit():
    report = replace(VOTES.report, margin_unit="goals")
    z = np.log2(VOTES.extra["length_left"] / VOTES.extra["length_right"]).to_numpy()
    rng = np.random.default_rng(8)
    difference = VOTES.truth[VOTES.left] - VOTES.truth[VOTES.right]
    outcome = difference + 0.8 * z + rng.normal(0, 0.5, len(VOTES))
    votes = replace(VOTES, outcome=outcome, report=report)
    terms = hr.rank(votes, covariates="length").covariates
    low, high = terms.intervals[0]
    assert low < 0.8 < high
    assert "goals" in terms.sentences[0]
