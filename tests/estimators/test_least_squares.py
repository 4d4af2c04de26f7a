from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hodgerank as hr
from hodgerank.errors import DisconnectedGraph, InvalidArgument
from hodgerank.kernels.links import LINKS
from reference.least_squares import dense_clustered_covariance, dense_hodge_rank
from strategies import comparisons


def by_item(ranking: hr.Ranking, values=None) -> dict:
    return dict(zip(ranking.items, ranking.scores if values is None else values, strict=True))


def in_order(ranking: hr.Ranking, items, values=None) -> np.ndarray:
    table = by_item(ranking, values)
    return np.array([table[item] for item in items])


@given(comparisons(weighted=True), st.sampled_from([0.0, 0.5]))
def test_scores_and_errors_equal_dense_linear_algebra(votes, ridge):
    ranking = hr.hodge_rank(votes, ridge=ridge)
    scores, covariance = dense_hodge_rank(votes, ridge)
    np.testing.assert_allclose(in_order(ranking, votes.items), scores, atol=1e-9)
    if not ranking.notes:
        np.testing.assert_allclose(
            in_order(ranking, votes.items, ranking.standard_errors) ** 2,
            np.diag(covariance),
            atol=1e-9,
        )


def test_the_loop_of_four_by_hand(data_folder):
    golden = json.loads((data_folder / "golden.json").read_text())["loop_of_four"]
    rows = [(a, b, y, w) for w, a, b, y in golden["rows_worker_left_right_outcome"]]
    ranking = hr.hodge_rank(rows)
    expected = golden["scores_a_to_d"]
    np.testing.assert_allclose(in_order(ranking, sorted(ranking.items)), expected, atol=1e-8)


@given(comparisons(), st.randoms(use_true_random=False))
def test_neither_row_order_nor_sides_matter(votes, random):
    rows = list(range(len(votes)))
    random.shuffle(rows)
    flips = np.array([random.random() < 0.5 for _ in rows])
    changed = votes.select(rows)
    changed = hr.Comparisons(
        items=votes.items,
        left=np.where(flips, changed.right, changed.left),
        right=np.where(flips, changed.left, changed.right),
        outcome=np.where(flips, -changed.outcome, changed.outcome),
    )
    for fit in (hr.hodge_rank, hr.bradley_terry):
        a, b = fit(votes), fit(changed)
        np.testing.assert_allclose(in_order(a, votes.items), in_order(b, votes.items), atol=1e-7)
        np.testing.assert_allclose(
            in_order(a, votes.items, a.standard_errors),
            in_order(b, votes.items, b.standard_errors),
            rtol=1e-6,
        )


@given(comparisons())
def test_relabelling_items_relabels_the_ranking(votes):
    renamed = {item: f"{99 - k}" for k, item in enumerate(votes.items)}
    rows = [(renamed[a], renamed[b], y) for a, b, y, *_ in votes.to_frame("polars").rows()]
    a, b = by_item(hr.hodge_rank(votes)), by_item(hr.hodge_rank(rows))
    for item in votes.items:
        assert a[item] == pytest.approx(b[renamed[item]], abs=1e-9)


@given(comparisons(connected=False))
def test_scores_sum_to_zero_in_each_component(votes):
    ranking = hr.hodge_rank(votes, components="separate")
    sums = np.bincount(ranking.components, ranking.scores)
    np.testing.assert_allclose(sums, 0, atol=1e-9)


@given(comparisons(connected=False))
def test_components_are_ranked_as_if_alone(votes):
    together = hr.hodge_rank(votes, components="separate")
    for component in range(together.n_components):
        names = {
            n for n, c in zip(together.items, together.components, strict=True) if c == component
        }
        mine = np.array([votes.items[k] in names for k in votes.left])
        if not mine.any():
            continue
        alone = by_item(hr.hodge_rank(votes.select(mine).compacted()))
        for name in names:
            assert by_item(together)[name] == pytest.approx(alone[name], abs=1e-9)


def test_a_disconnected_graph_is_refused_by_every_estimator():
    votes = [("a", "b", 1), ("c", "d", 1)]
    for fit in (hr.hodge_rank, hr.bradley_terry, hr.thurstone_mosteller):
        with pytest.raises(DisconnectedGraph):
            fit(votes)
        separate = fit(votes, components="separate")
        assert separate.n_components == 2
        assert separate.ranks.tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("link", LINKS)
def test_every_link_recovers_consistent_scores(link):
    truth = np.array([0.4, 0.1, -0.2, -0.3])
    rows = []
    for a in range(4):
        for b in range(a + 1, 4):
            p = float(LINKS[link].cdf(np.array(truth[a] - truth[b])))
            rows.append((a, b, 2 * p - 1))
    ranking = hr.hodge_rank(rows, link=link, smoothing=0)
    np.testing.assert_allclose(in_order(ranking, range(4)), truth, atol=1e-9)
    model = float(LINKS[link].cdf(np.array(0.7)))
    if link in ("uniform", "angular"):  # by the temperature: few answers, hence cautious
        assert 0.6 < ranking.probability(0, 3) < model
    else:
        assert ranking.probability(0, 3) == pytest.approx(model)


def test_variance_weighting_agrees_with_counts_for_the_angular_link():
    votes = hr.simulate_comparisons(5, 4000, spread=0.4, link="angular", rng=0)
    a = hr.hodge_rank(votes, link="angular")
    b = hr.hodge_rank(votes, link="angular", weighting="variance")
    np.testing.assert_allclose(in_order(a, votes.items), in_order(b, votes.items), atol=0.01)


@pytest.mark.parametrize("link", ["bradley-terry", "thurstone-mosteller"])
@pytest.mark.parametrize("weighting", ["counts", "variance"])
def test_intervals_in_the_link_scale_cover_the_truth(link, weighting):
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(40):
        votes = hr.simulate_comparisons(8, 2800, spread=0.7, link=link, pairs="rounds", rng=rng)
        ranking = hr.hodge_rank(votes, link=link, weighting=weighting)
        truth = in_order(ranking, votes.items)
        truth = votes.truth - votes.truth.mean()
        lower = in_order(ranking, votes.items, ranking.intervals[:, 0])
        upper = in_order(ranking, votes.items, ranking.intervals[:, 1])
        inside += ((lower <= truth) & (truth <= upper)).tolist()
    assert np.mean(inside) > 0.9


@given(comparisons())
def test_the_clustered_sandwich_equals_the_sum_over_workers(votes):
    assume(len(set(votes.worker.tolist())) > 1)
    expected = np.diag(dense_clustered_covariance(votes))
    assume(expected.min() > 1e-12)
    ranking = hr.hodge_rank(votes, covariance="worker")
    np.testing.assert_allclose(
        in_order(ranking, votes.items, ranking.standard_errors) ** 2, expected, atol=1e-9
    )


@pytest.mark.parametrize("fit", [hr.hodge_rank, hr.bradley_terry])
def test_clustered_errors_see_what_independent_ones_miss(fit):
    """Six workers, each of whom gives the same answers again and again."""
    votes = hr.simulate_comparisons(5, 60, workers={"honest": 6}, rng=0)
    again = votes.select(np.tile(np.arange(60), 20))
    ratio = fit(again, covariance="worker").standard_errors / fit(again).standard_errors
    assert ratio.mean() > 2


@pytest.mark.parametrize("link", ["bradley-terry", "thurstone-mosteller", "angular"])
@pytest.mark.parametrize("weighting", ["counts", "variance"])
def test_clustered_errors_of_independent_answers_are_the_usual_ones(link, weighting):
    votes = hr.simulate_comparisons(6, 6000, spread=0.4, link=link, workers={"honest": 80}, rng=0)
    options = {"link": link, "weighting": weighting}
    clustered = hr.hodge_rank(votes, covariance="worker", **options).standard_errors
    model = hr.bradley_terry(votes) if link == "bradley-terry" else hr.hodge_rank(votes, **options)
    assert clustered.mean() / model.standard_errors.mean() == pytest.approx(1, abs=0.3)


def test_clustered_errors_that_vanish_are_not_given():
    rows = [("a", "b", 1, "w1"), ("a", "b", 1, "w2"), ("b", "c", 1, "w1"), ("b", "c", 1, "w2")]
    ranking = hr.hodge_rank(rows, covariance="worker")
    with pytest.raises(InvalidArgument, match="are zero here"):
        _ = ranking.standard_errors


@pytest.mark.parametrize("weighting", ["counts", "variance"])
def test_three_items_in_the_scale_of_a_link_have_honest_errors(weighting):
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(100):
        votes = hr.simulate_comparisons(3, 180, spread=0.7, pairs="rounds", rng=rng)
        ranking = hr.hodge_rank(votes, link="bradley-terry", weighting=weighting)
        truth = votes.truth - votes.truth.mean()
        place = [votes.code(item) for item in ranking.items]
        low, high = ranking.intervals.T
        inside += ((low <= truth[place]) & (truth[place] <= high)).tolist()
    assert np.mean(inside) > 0.9


def test_clustering_needs_workers():
    with pytest.raises(InvalidArgument, match="the worker of every vote"):
        hr.hodge_rank([("a", "b", 1), ("a", "b", -1)], covariance="worker")
    graph = hr.ComparisonGraph.from_comparisons(hr.read_comparisons([("a", "b", 1)]))
    with pytest.raises(InvalidArgument, match="single votes"):
        hr.hodge_rank(graph, covariance="worker")


def test_answers_that_fit_perfectly_do_not_have_zero_error():
    for rows in ([("a", "b", 1)], [("a", "b", 1)] * 5, [("a", "b", 1), ("b", "c", 1)]):
        ranking = hr.hodge_rank(rows)
        assert (ranking.standard_errors > 0.05).all()
        assert "cannot be estimated" in ranking.notes[0]


@pytest.mark.parametrize(
    "options",
    [
        {"link": "logit"},
        {"ridge": -1},
        {"smoothing": np.nan},
        {"components": "all"},
        {"covariance": "jackknife"},
        {"weighting": "none"},
        {"confidence": 95},
    ],
)
def test_senseless_options_are_refused(options):
    with pytest.raises(InvalidArgument):
        hr.hodge_rank([("a", "b", 1)], **options)


def test_unanimous_pairs_need_smoothing():
    with pytest.raises(InvalidArgument, match="smoothing"):
        hr.hodge_rank([("a", "b", 1)], link="bradley-terry", smoothing=0)
