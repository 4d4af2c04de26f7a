"""Position bias of any groups of votes, without and with shrinkage."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.kernels.linalg import bordered_equations, normal_equations
from reference.position_bias import dense_position_bias

COLUMNS = ("worker", "device", "site")


def crowd(seed: int, m: int = 120, n: int = 6, kinds: tuple[int, int, int] = (7, 3, 2)):
    """Votes with ties, grades, weights and unknown display orders, by workers, devices, sites."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, n, m)
    right = (left + rng.integers(1, n, m)) % n
    worker, device, site = (rng.integers(0, k, m) for k in kinds)
    shown = rng.random(m) < 0.9
    outcome = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0, 1.0], m)
    extra = {"device": [f"d{k}" for k in device], "site": site}
    return hr.Comparisons(
        tuple(f"i{k}" for k in range(n)), left, right, outcome,
        tuple(f"w{k}" for k in range(kinds[0])), worker,
        display_known=shown, weight=rng.uniform(0.5, 2.0, m), extra=extra,
    )  # fmt: skip


def codes(votes: hr.Comparisons, names: tuple[str, ...]) -> list[np.ndarray]:
    known = {
        "common": np.zeros(len(votes), int),
        "worker": votes.worker,
        "device": np.array([int(name[1:]) for name in votes.extra["device"]]),
        "site": votes.extra["site"].to_numpy(),
    }
    return [np.where(votes.display_known, known[name], -1) for name in names]


def scores_of(ranking: hr.Ranking, votes: hr.Comparisons) -> np.ndarray:
    return np.array([ranking[item].score for item in votes.items])


@pytest.mark.parametrize(
    "names",
    [("common",), ("worker",), ("device",), ("device", "worker"), ("worker", "device", "site")],
)
@given(seed=st.integers(0, 10_000))
def test_intercepts_are_those_of_the_dense_pseudo_inverse(names, seed):
    votes = crowd(seed)
    dense = dense_position_bias(votes, codes(votes, names))
    ranking = hr.hodge_rank(votes, position_bias=list(names), shrink_position_bias=False)
    terms = ranking.position_bias
    np.testing.assert_allclose(scores_of(ranking, votes), dense.scores, atol=1e-12)
    np.testing.assert_allclose(terms.values, np.concatenate(dense.biases), atol=1e-12)
    errors = np.array([ranking[item].stderr for item in votes.items])
    np.testing.assert_allclose(errors, dense.score_errors, rtol=1e-8)
    np.testing.assert_allclose(terms.standard_errors, np.concatenate(dense.bias_errors), rtol=1e-8)
    assert not terms.is_shrunk
    assert tuple(dict.fromkeys(terms.grouping)) == names


@pytest.mark.parametrize("is_large", [True, False])
@pytest.mark.parametrize("names", [("worker",), ("worker", "device", "site")])
def test_many_items_give_the_same(monkeypatch, names, is_large):
    monkeypatch.setattr(bordered_equations, "DENSE_ITEMS", 16)
    if is_large:
        monkeypatch.setattr(normal_equations, "DENSE_ITEMS", 16)
    votes = crowd(3, n=17, m=400)
    dense = dense_position_bias(votes, codes(votes, names))
    many = hr.hodge_rank(votes, position_bias=list(names), shrink_position_bias=False)
    np.testing.assert_allclose(scores_of(many, votes), dense.scores, atol=1e-8)
    np.testing.assert_allclose(
        many.position_bias.standard_errors, np.concatenate(dense.bias_errors), rtol=1e-6
    )


def test_more_groups_than_items_give_the_same(monkeypatch):
    monkeypatch.setattr(bordered_equations, "ROWS", 5)
    votes = crowd(3, kinds=(25, 6, 2), m=500)
    dense = dense_position_bias(votes, codes(votes, ("worker", "device")))
    found = hr.hodge_rank(
        votes, position_bias=["worker", "device"], shrink_position_bias=False
    ).position_bias
    np.testing.assert_allclose(found.values, np.concatenate(dense.biases), atol=1e-10)
    np.testing.assert_allclose(found.standard_errors, np.concatenate(dense.bias_errors), rtol=1e-8)


@pytest.mark.parametrize("shrink", [None, False, 0.5])
@given(seed=st.integers(0, 10_000))
def test_biases_change_sign_with_the_sides_and_ignore_the_order_of_votes(shrink, seed):
    votes = crowd(seed)
    how = {"position_bias": ["worker", "device"], "shrink_position_bias": shrink}
    given_sides = hr.hodge_rank(votes, **how)
    mirrored = replace(votes, left=votes.right, right=votes.left, outcome=-votes.outcome).select(
        np.random.default_rng(seed).permutation(len(votes))
    )
    other = hr.hodge_rank(mirrored, **how)
    one, two = given_sides.position_bias, other.position_bias
    assert one.groups == two.groups
    np.testing.assert_allclose(two.values, -one.values, atol=1e-9)
    np.testing.assert_allclose(two.standard_errors, one.standard_errors, rtol=1e-7)
    np.testing.assert_allclose(scores_of(other, votes), scores_of(given_sides, votes), atol=1e-9)


@pytest.mark.parametrize("shrink", [1.0, 0.3])
def test_shrunk_terms_add_votes_without_bias(shrink):
    votes = crowd(1)
    names = ("common", "worker", "device")
    terms = hr.hodge_rank(
        votes, position_bias=list(names), shrink_position_bias=shrink
    ).position_bias
    groups = codes(votes, names)
    design = np.zeros((len(votes), votes.n_items + 11))
    rows = np.arange(len(votes))
    design[rows, votes.left], design[rows, votes.right] = 1, -1
    for code, start in zip(groups, (6, 7, 14), strict=True):
        shown = code >= 0
        design[rows[shown], start + code[shown]] = 1
    penalty = np.diag(np.r_[np.zeros(6), np.full(11, shrink)])
    inverse = np.linalg.pinv(design.T @ (votes.weight[:, None] * design) + penalty)
    best = inverse @ design.T @ (votes.weight * votes.outcome)
    residual = votes.outcome - design @ best
    # differences from the mean device, which goes to the common term
    share = votes.weight @ design[:, 14:]
    share /= share.sum()
    to = np.eye(11)
    to[8:, 8:] -= share
    to[0, 8:] = share
    np.testing.assert_allclose(terms.values, to @ best[6:], atol=1e-9)
    ratio = terms.standard_errors / np.sqrt(np.diag(to @ inverse[6:, 6:] @ to.T))
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-7)
    assert ratio[0] ** 2 == pytest.approx(votes.weight @ residual**2 / 105, rel=0.1)


def test_groups_that_the_votes_do_not_determine_are_named():
    """Only site y compared the two halves, in one order: its bias is their difference."""
    rows = [("a", "b", 1, "x"), ("b", "a", 1, "x"), ("c", "d", -1, "z"), ("d", "c", -1, "z")]
    rows += [("a", "c", 1, "y"), ("b", "d", 1, "y"), ("a", "d", -1, "y")]
    table = [dict(zip(("left", "right", "outcome", "site"), row, strict=True)) for row in rows]
    votes = hr.read_comparisons(table)
    with pytest.raises(InvalidArgument, match=r"1 group cannot .* site y\. .*both orders"):
        hr.hodge_rank(votes, position_bias="site", shrink_position_bias=False)
    assert len(hr.hodge_rank(votes, position_bias="site").position_bias) == 3
    with_both = hr.read_comparisons([*table, dict(table[4], left="c", right="a")])
    assert hr.hodge_rank(with_both, position_bias="site", shrink_position_bias=False)


def test_a_ring_shown_in_one_direction_is_named():
    votes = [(k, (k + 1) % 5, (-1) ** k) for k in range(5)] * 3
    ranking = hr.hodge_rank(votes, position_bias="common", shrink_position_bias=False)
    assert ranking.position_bias["all"] == pytest.approx(0.2)
    line = [(k, k + 1, (-1) ** k) for k in range(5)] * 3
    with pytest.raises(InvalidArgument, match=r"1 group cannot be separated .*: common"):
        hr.hodge_rank(line, position_bias="common", shrink_position_bias=False)


def test_groupings_that_determine_each_other_are_named():
    votes = crowd(2)
    twice = replace(votes, extra={"device": [f"d{k % 3}" for k in votes.worker]})
    with pytest.raises(InvalidArgument, match="cannot be separated"):
        hr.hodge_rank(twice, position_bias=["worker", "device"], shrink_position_bias=False)
    with pytest.raises(InvalidArgument, match="'common' has one group"):
        hr.hodge_rank(votes, position_bias=["worker", "common"], shrink_position_bias=False)
    assert len(hr.hodge_rank(twice, position_bias=["worker", "device"]).position_bias) == 11


@pytest.mark.parametrize("estimator", [hr.bradley_terry, hr.thurstone_mosteller, hr.bayes_rank])
def test_other_models_have_the_same_groups(estimator):
    votes = replace(crowd(4, m=300), weight=None)
    one = estimator(votes, position_bias="device").position_bias
    assert one.groups == ("d0", "d1", "d2")
    assert one.votes.sum() == votes.display_known.sum()
    several = estimator(votes, position_bias=["common", "worker", "device"]).position_bias
    assert tuple(dict.fromkeys(several.grouping)) == ("common", "worker", "device")
    assert (several.standard_errors > 0).all()
    with pytest.raises(InvalidArgument, match="finite estimate"):
        estimator(votes, position_bias="device", shrink_position_bias=False)


def test_scores_of_several_groupings_are_those_of_the_joint_likelihood():
    from scipy.optimize import minimize
    from scipy.special import log_expit

    votes = replace(crowd(5, m=300), weight=None)
    device, site = codes(votes, ("device", "site"))
    share = (1 + votes.outcome) / 2

    def loss(parameters):
        x, b = parameters[:6], np.append(parameters[6:], 0.0)
        t = x[votes.left] - x[votes.right]
        t = t + np.where(device >= 0, b[1 + device], 0.0) + np.where(site >= 0, b[4 + site], 0.0)
        t = t + np.where(site >= 0, b[0], 0.0)
        fit = share * log_expit(t) + (1 - share) * log_expit(-t)
        return -fit.sum() + b @ b / 4 + x.sum() ** 2

    best = minimize(loss, np.zeros(12), options={"gtol": 1e-8}).x
    ranking = hr.bradley_terry(votes, position_bias=["device", "site"], shrink_position_bias=0.5)
    np.testing.assert_allclose(scores_of(ranking, votes), best[:6], atol=1e-5)
    share = np.bincount(site[site >= 0]) / (site >= 0).sum()
    mean = share @ best[10:]
    expected = np.r_[best[6] + mean, best[7:10], best[10:] - mean]
    np.testing.assert_allclose(ranking.position_bias.values, expected, atol=1e-5)


def test_many_groups_are_shrunk_by_their_variance_and_one_hardly():
    rng = np.random.default_rng(6)
    m, n = 3000, 10
    left = rng.integers(0, n, m)
    right = (left + rng.integers(1, n, m)) % n
    worker = np.arange(m) % 300
    for spread in (0.05, 0.4):
        lean = rng.normal(0, spread, 300)
        p = np.clip((1 + 0.3 + lean[worker]) / 2, 0, 1)
        outcome = np.where(rng.random(m) < p, 1.0, -1.0)
        votes = hr.Comparisons(tuple(range(n)), left, right, outcome, tuple(range(300)), worker)
        terms = hr.hodge_rank(votes, position_bias=["common", "worker"]).position_bias
        assert terms["all"] == pytest.approx(0.3, abs=0.1)
        assert terms.spread["worker"] == pytest.approx(spread, abs=0.1)
        assert terms.spread["common"] > 0.3


def test_terms_are_written_and_pickled():
    votes = crowd(7)
    ranking = hr.hodge_rank(votes, position_bias=["device", "worker"])
    terms = ranking.position_bias
    frame = terms.to_frame("polars")
    assert frame.columns == [
        "grouping", "group", "bias", "stderr", "lower", "upper", "left_rate", "votes",
    ]  # fmt: skip
    assert frame.height == len(terms) == 11
    found = json.loads(json.dumps(ranking.to_dict()))["position_bias"]
    assert found["groups"][1]["bias"] == pytest.approx(terms["d0"])
    again = pickle.loads(pickle.dumps(ranking))
    np.testing.assert_array_equal(again.position_bias.intervals, terms.intervals)
    assert hr.hodge_rank(votes).position_bias is None
    assert hr.hodge_rank(votes).to_dict()["position_bias"] is None
    assert "11 groups" in repr(terms)
    assert "device" in terms._repr_html_()


def test_votes_without_a_value_are_a_group_of_their_own():
    votes = crowd(8)
    some = [None if k % 4 == 0 else name for k, name in enumerate(votes.extra["device"])]
    terms = hr.hodge_rank(replace(votes, extra={"device": some}), position_bias="device")
    assert terms.position_bias.groups == ("d0", "d1", "d2", None)


def test_what_is_asked_for_must_exist():
    votes = crowd(9)
    with pytest.raises(InvalidArgument, match=r"no column 'devise' \(did you mean device"):
        hr.hodge_rank(votes, position_bias="devise")
    with pytest.raises(InvalidArgument, match="there are common, worker, device, site"):
        hr.bayes_rank(votes, position_bias="nothing")
    with pytest.raises(InvalidArgument, match="units are not recorded"):
        hr.rank(votes, position_bias="unit")
    with pytest.raises(InvalidArgument, match="names a grouping twice"):
        hr.rank(votes, position_bias=["worker", "worker"])
    with pytest.raises(InvalidArgument, match="list of these"):
        hr.rank(votes, position_bias=[])
    with pytest.raises(InvalidArgument, match="needs position_bias="):
        hr.rank(votes, model="hodgerank", shrink_position_bias=False)
    with pytest.raises(InvalidArgument, match="must be positive"):
        hr.hodge_rank(votes, position_bias="worker", shrink_position_bias=0.0)
    with pytest.raises(InvalidArgument, match="display order is not known"):
        hr.hodge_rank(replace(votes, display_known=np.asarray(False)), position_bias="device")


def test_clustered_errors_of_a_common_term_see_repeated_votes():
    once = crowd(10, m=200)
    rows = np.repeat(np.arange(200), 4)
    ballot = np.repeat(np.arange(200), 4)
    votes = replace(once.select(rows), weight=None, ballot=ballot, units=tuple(range(200)))
    clustered = hr.hodge_rank(votes, position_bias="common").position_bias
    naive = hr.hodge_rank(votes, position_bias="common", covariance="model").position_bias
    ratio = clustered.standard_errors / naive.standard_errors
    assert ratio[0] == pytest.approx(2.0, rel=0.25)
