"""Margins, real-valued outcomes: least squares in their unit, and clear refusals elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chi2

import hodgerank as hr
from hodgerank.data.comparisons import ReadReport
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.position_bias.margin_effect import margin_effect
from hodgerank.graph.answered_graph import AnsweredGraph
from reference.least_squares import dense_hodge_rank

NAMES = [f"t{k:02d}" for k in range(20)]


def margins(rows, unit="goals"):
    return hr.read_comparisons(
        pl.DataFrame([(*row, unit) for row in rows], ["left", "right", "margin", "margin_unit"],
                     orient="row")
    )  # fmt: skip


def season(seed, n=8, rounds=1, sd=1.5, home=0.0, spread=1.0, heavy=False):
    """A league in which everybody meets everybody at home and away, and the true strengths."""
    rng = np.random.default_rng(seed)
    x = spread * rng.normal(size=n)
    x -= x.mean()
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j] * rounds
    left, right = np.array(pairs).T
    noise = rng.standard_t(3, len(left)) / np.sqrt(3) if heavy else rng.normal(size=len(left))
    votes = hr.Comparisons(
        tuple(NAMES[:n]), left, right, x[left] - x[right] + home + sd * noise,
        report=ReadReport(margin_unit="goals"),
    )  # fmt: skip
    return votes, x


def scaled(votes, factor):
    return replace(votes, outcome=factor * votes.outcome)


def aligned(ranking, items):
    rows = ranking.positions(items)
    return ranking.scores[rows], ranking.standard_errors[rows]


def test_three_teams_by_hand():
    # mean margins a-b 4, b-c 1, a-c 5 agree: scores 3, -1, -2; each pair has residuals of 1 and -1
    rows = [("a", "b", 5.0), ("a", "b", 3.0), ("b", "c", 2.0), ("c", "b", 0.0), ("a", "c", 6.0)]
    ranking = hr.hodge_rank(margins([*rows, ("c", "a", -4.0)]))
    assert ranking.items == ("a", "b", "c")
    np.testing.assert_allclose(ranking.scores, [3, -1, -2], atol=1e-12)
    assert ranking.freedom == 6 - 3 + 1
    assert ranking.residual_sd == pytest.approx(np.sqrt(6 / 4))
    # the Laplacian is 2 (3 I - J), so each score has the variance s^2 * 2/3 / 6
    np.testing.assert_allclose(ranking.standard_errors, np.sqrt(6 / 4 / 9), atol=1e-12)
    assert ranking.margin_unit == ranking.scale.unit == "goals"


@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_scores_and_errors_equal_dense_linear_algebra(ridge):
    votes, _ = season(1)
    votes = replace(votes, weight=np.random.default_rng(2).uniform(0.5, 2, len(votes)))
    scores, covariance = dense_hodge_rank(votes, ridge)
    found, errors = aligned(hr.hodge_rank(votes, ridge=ridge), votes.items)
    np.testing.assert_allclose(found, scores, atol=1e-10)
    np.testing.assert_allclose(errors**2, np.diag(covariance), rtol=1e-8)


@given(st.integers(0, 10**6), st.sampled_from([1e-6, 1e-3, 7.0, 1e6]))
def test_another_unit_rescales_scores_errors_and_outliers(seed, factor):
    votes, _ = season(seed, n=5)

    def with_bias(votes):
        return hr.hodge_rank(votes, position_bias="common")

    for fit in (with_bias, hr.hodge_rank, hr.robust_rank):
        one, other = fit(votes), fit(scaled(votes, factor))
        assert one.items == other.items
        np.testing.assert_allclose(factor * one.scores, other.scores, rtol=1e-6)
        np.testing.assert_allclose(factor * one.standard_errors, other.standard_errors, rtol=1e-6)
        np.testing.assert_allclose(factor * one.intervals, other.intervals, rtol=1e-6, atol=0)
        assert (one.rank_intervals == other.rank_intervals).all()
        assert one.residual_sd * factor == pytest.approx(other.residual_sd)
    assert hr.expected_tau(one) == pytest.approx(hr.expected_tau(other))
    one, other = (hr.find_outliers(v) for v in (votes, scaled(votes, factor)))
    assert (one.flagged == other.flagged).all()
    assert other.penalty == pytest.approx(factor * one.penalty)
    one, other = (hr.decompose(v) for v in (votes, scaled(votes, factor)))
    assert one.energy == pytest.approx(other.energy)
    assert one.p_value("gradient") == pytest.approx(other.p_value("gradient"))
    assert one.lack_of_fit == pytest.approx(other.lack_of_fit)


@given(st.integers(0, 10**6), st.floats(1.0, 50.0))
def test_any_symmetric_scale_gives_the_ranking_of_the_margins(seed, wide):
    votes, _ = season(seed, n=6)
    end = wide * float(np.abs(votes.outcome).max())
    rows = zip(*(np.array(votes.items)[c] for c in (votes.left, votes.right)), votes.outcome,
               strict=True)  # fmt: skip
    table = pl.DataFrame([(a, b, float(y)) for a, b, y in rows], ["left", "right", "outcome"],
                         orient="row")  # fmt: skip
    graded = hr.hodge_rank(hr.read_comparisons(table, scale=(-end, end)))
    assert graded.items == hr.hodge_rank(votes).items
    np.testing.assert_allclose(graded.scores * end, hr.hodge_rank(votes).scores, atol=1e-9 * end)


def test_the_default_is_least_squares_in_the_unit():
    votes, _ = season(3)
    ranking = hr.rank(votes)
    assert ranking.model == "least squares"
    assert ranking.description == "least squares of margins in goals"
    np.testing.assert_array_equal(ranking.scores, hr.hodge_rank(votes).scores)
    assert hr.rank(votes, model="robust").description == "Huber regression of margins in goals"
    content = ranking.to_dict()
    assert content["margin_unit"] == content["scale"]["unit"] == "goals"
    assert content["residual_sd"] == ranking.residual_sd
    assert content["temperature"] is None


def covers(hits, n, share, tolerance=0.999):
    """Whether a rate is compatible with a share, or above it."""
    return binom.cdf(hits, n, share) > 1 - tolerance


@pytest.mark.parametrize("heavy", [False, True])
def test_intervals_cover_and_the_noise_is_estimated(heavy):
    inside = total = sigma_inside = 0
    ratios = []
    for seed in range(200, 260):
        votes, x = season(seed, heavy=heavy)
        ranking = hr.rank(votes)
        truth = x[ranking.positions(votes.items).argsort()]
        lower, upper = ranking.intervals.T
        inside, total = inside + int(((lower <= truth) & (truth <= upper)).sum()), total + len(x)
        ratio = ranking.residual_sd**2 / 1.5**2
        ratios.append(ratio)
        low, high = chi2.ppf([0.025, 0.975], ranking.freedom) / ranking.freedom
        sigma_inside += low <= ratio <= high
    assert 0.92 < inside / total < 0.98
    assert np.mean(ratios) == pytest.approx(1, abs=0.06 if not heavy else 0.25)
    if not heavy:
        assert covers(sigma_inside, 60, 0.95)


def test_home_advantage_is_estimated_with_its_interval():
    hits, positions, ranked = 0, [], 0
    for seed in range(300, 360):
        votes, x = season(seed, home=0.8)
        effect = margin_effect(AnsweredGraph.of(votes), 0.95)
        hits += effect.lower <= 0.8 <= effect.upper
        positions.append(effect.value)
        with_bias = hr.rank(votes, position_bias="common")
        truth = x[with_bias.positions(votes.items).argsort()]
        lower, upper = with_bias.intervals.T
        ranked += int(((lower <= truth) & (truth <= upper)).sum())
    assert covers(hits, 60, 0.95)
    assert np.mean(positions) == pytest.approx(0.8, abs=4 * 1.5 / np.sqrt(56 * 60))
    assert 0.92 < ranked / (60 * 8) < 0.98


def test_home_advantage_equals_dense_regression():
    rng = np.random.default_rng(5)
    left, right = np.array([rng.choice(6, 2, replace=False) for _ in range(70)]).T
    shown, weight = rng.random(70) < 0.7, rng.uniform(0.5, 2, 70)
    votes = hr.Comparisons(
        tuple(NAMES[:6]), left, right, rng.normal(size=70) + 0.5, display_known=shown,
        weight=weight, report=ReadReport(margin_unit="goals"),
    )  # fmt: skip
    design = np.zeros((70, 7))
    design[np.arange(70), left], design[np.arange(70), right] = 1, -1
    design[:, 6] = shown
    root = np.sqrt(weight)[:, None]
    inverse = np.linalg.pinv((root * design).T @ (root * design))
    solution = inverse @ (design.T @ (weight * votes.outcome))
    rss = float(weight @ (votes.outcome - design @ solution) ** 2)
    effect = margin_effect(AnsweredGraph.of(votes), 0.9)
    assert effect.value == pytest.approx(solution[6])
    assert effect.stderr == pytest.approx(np.sqrt(rss / (70 - 6) * inverse[6, 6]))


def test_home_advantage_of_a_fixed_order_is_not_identified():
    rows = [("a", "b", 1.0), ("a", "b", 2.0), ("a", "c", 1.5), ("a", "c", 0.0), ("b", "c", 1.0)]
    assert margin_effect(AnsweredGraph.of(margins(rows[:4])), 0.95) is None
    assert margin_effect(AnsweredGraph.of(margins(rows)), 0.95) is not None


def test_no_more_pairs_are_expected_in_order_than_are():
    said, right = [], []
    for seed in range(400, 460):
        votes, x = season(seed, spread=0.5)
        ranking = hr.rank(votes)
        said.append(hr.expected_tau(ranking))
        truth = dict(zip(votes.items, x, strict=True))
        order = {item: -k for k, item in enumerate(ranking.items)}
        right.append(hr.metrics.kendall_tau(order, truth))
    error = np.std(np.array(said) - right) / np.sqrt(60)
    excess = np.mean(said) - np.mean(right)
    assert -0.15 < excess < 3 * error


def test_equal_teams_are_hardly_ever_ranked_significantly():
    rejected = [
        hr.decompose(season(seed, spread=0.0)[0]).p_value("gradient") < 0.05
        for seed in range(500, 600)
    ]
    assert sum(rejected) < binom.ppf(0.999, 100, 0.05)


def test_inconsistent_margins_are_found_and_consistent_ones_are_not():
    rng = np.random.default_rng(7)
    votes, _ = season(8, n=6, rounds=3, sd=0.5)
    assert hr.decompose(votes).lack_of_fit > 0.01
    beats = {(i, j): rng.normal() * 2 for i in range(6) for j in range(i)}
    extra = [beats.get((i, j), -beats.get((j, i), 0.0))
             for i, j in zip(votes.left, votes.right, strict=True)]  # fmt: skip
    cyclic = hr.decompose(replace(votes, outcome=votes.outcome + extra))
    assert cyclic.lack_of_fit < 0.001
    assert cyclic.p_value("curl") == cyclic.lack_of_fit
    assert cyclic.noise("curl") is None
    assert sum(cyclic.energy.values()) == pytest.approx(1)
    once = hr.decompose(votes.select(votes.left < votes.right).select(np.arange(15)))
    assert once.lack_of_fit is None


def test_robust_scores_resist_outlying_margins():
    votes, x = season(9, n=10, rounds=2, sd=0.5)
    outcome = votes.outcome.copy()
    rows = np.random.default_rng(1).choice(len(votes), 12, replace=False)
    outcome[rows] += 60
    dirty = replace(votes, outcome=outcome)
    plain, robust = (aligned(f(dirty), votes.items)[0] for f in (hr.hodge_rank, hr.robust_rank))
    assert np.abs(robust - x).max() < 0.6 < np.abs(plain - x).max()
    found = hr.find_outliers(dirty)
    assert found.flagged[rows].all()
    assert found.code == "unknown"
    assert found.p_value == 1


def test_a_perfect_fit_has_finite_intervals_in_proportion():
    rows = [("a", "b", 2.0), ("b", "c", 3.0)]
    ranking = hr.rank(margins(rows))
    np.testing.assert_allclose(ranking.scores, [7 / 3, 1 / 3, -8 / 3])
    assert "cannot be estimated" in ranking.notes[0]
    larger = hr.rank(margins([(a, b, 100 * y) for a, b, y in rows]))
    np.testing.assert_allclose(100 * ranking.intervals, larger.intervals)
    level = hr.rank(margins([("a", "b", 0.0), ("b", "c", 0.0)]))
    assert level.is_level
    assert np.isfinite(level.intervals).all()


REFUSED = {
    "bayes": lambda v: hr.rank(v, model="bayes"),
    "bayes_rank": hr.bayes_rank,
    "bradley_terry": hr.bradley_terry,
    "thurstone_mosteller": hr.thurstone_mosteller,
    "crowd_bt": hr.crowd_bt,
    "link": lambda v: hr.hodge_rank(v, link="angular"),
    "smoothing": lambda v: hr.hodge_rank(v, smoothing=0.5),
    "trust": hr.assess_trust,
    "reliability": hr.assess_reliability,
    "workers": hr.assess_workers,
    "compare": lambda v: hr.compare_rankings({"a": v, "b": v}),
    "sampler": lambda v: hr.AutoSampler(v.items).tell_many(v),
    "replay": hr.replay,
    "recorded crowd": hr.RecordedCrowd,
    "probability": lambda v: hr.rank(v).probability("t00", "t01"),
    "over average": lambda v: hr.rank(v).over_average(),
    "elo": lambda v: hr.rank(v).on_scale("elo"),
    "expected shares": lambda v: hr.decompose(v).expected,
    "triangles": lambda v: hr.decompose(v).triangles(),
    "groups": lambda v: hr.report(
        hr.read_comparisons(
            v.to_frame("polars").with_columns(day=pl.Series([1, 2] * 28)), group="day"
        )
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_models_of_choices_are_refused_and_signs_are_not(name):
    votes, _ = season(10)
    with pytest.raises(InvalidArgument, match=r"signs_only=True.*\(--signs-only\)"):
        REFUSED[name](votes)
    if name not in ("workers", "groups", "replay"):
        REFUSED[name](hr.read_comparisons(votes, signs_only=True))


def test_a_campaign_takes_no_margins(tmp_path):
    votes, _ = season(11)
    campaign = hr.Campaign.create(tmp_path / "c.db", votes.items, question="Which?")
    with pytest.raises(InvalidArgument, match="a campaign needs choices"):
        campaign.import_votes(votes)


def test_each_group_of_margins_is_ranked_in_its_unit():
    votes, _ = season(12)
    frame = votes.to_frame("polars").with_columns(day=pl.Series([1, 2] * 28))
    rankings = hr.rank_groups(hr.read_comparisons(frame, group="day"))
    assert {ranking.margin_unit for ranking in rankings.values()} == {"goals"}
    assert "leader" in rankings.verdict


def test_removal_and_reweighting_do_not_depend_on_the_unit():
    votes, _ = season(13, n=6)
    for factor in (1e-3, 1e4):
        one, other = (hr.votes_to_win(v) for v in (votes, scaled(votes, factor)))
        assert (one.n, one.lower_bound) == (other.n, other.lower_bound)
        assert one.z == pytest.approx(other.z)
        one, other = (hr.possible_winners(v, 3) for v in (votes, scaled(votes, factor)))
        np.testing.assert_allclose(one.factors, other.factors, rtol=0.02)
