"""compare_rankings: do populations rank the same items differently?"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from scipy.stats import kendalltau

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.population_comparison.evidence import (
    UnitSums,
    balanced,
    contrast_variances,
    contrasts,
    evidence_for,
    misfit_shares,
    without_misfit,
)
from hodgerank.estimators.population_comparison.populations import Populations, exchange_of
from hodgerank.estimators.population_comparison.result import taus
from hodgerank.estimators.population_comparison.separate_scores import fit_apart
from hodgerank.estimators.population_comparison.shared_scores import (
    median,
    robust_line,
    share_scores,
)
from pace import at_most

N = 8
SCORES = np.linspace(2, -2, N)
ITEMS = tuple(f"item-{k}" for k in range(N))


def crowd(seed, *, scores=SCORES, workers=8, answers=40, taste=0.0, prefix="w", items=ITEMS):
    """Workers with tastes of their own around the scores."""
    rng = np.random.default_rng(seed)
    left, right, outcome = [], [], []
    for _ in range(workers):
        own = np.asarray(scores) + rng.normal(0, taste, len(scores))
        a = rng.integers(0, len(own), answers)
        b = (a + rng.integers(1, len(own), answers)) % len(own)
        left.append(a)
        right.append(b)
        outcome.append(np.where(rng.random(answers) < expit(own[a] - own[b]), 1.0, -1.0))
    return hr.Comparisons(
        items=items,
        left=np.concatenate(left),
        right=np.concatenate(right),
        outcome=np.concatenate(outcome),
        workers=tuple(f"{prefix}{k}" for k in range(workers)),
        worker=np.repeat(np.arange(workers), answers),
    )


def unnamed(votes):
    return replace(votes, workers=(), worker=None)


def moved_first(by):
    scores = SCORES.copy()
    scores[0] -= by
    return scores


def test_an_item_that_moved_is_found_and_named():
    found = hr.compare_rankings(
        {
            "experts": crowd(1, answers=100),
            "novices": crowd(2, scores=moved_first(4), answers=100, prefix="n"),
        }
    )
    assert found.differ
    assert found.moved == ("item-0",)
    assert found.verdict.startswith("experts and novices rank differently (p = ")
    assert found.verdict.endswith("001): 1 of 8 items moved")
    row = next(row for row in found if row.item == "item-0" and row.population == "experts")
    assert row.moved
    assert row.difference > 2
    assert row.rank < found.rankings["novices"]["item-0"].rank


def test_of_one_crowd_no_difference_is_shown_and_tau_is_put_into_perspective():
    found = hr.compare_rankings({"a": crowd(1), "b": crowd(2, prefix="n")}, n_permutations=199)
    assert not found.differ
    assert found.moved == ()
    (pair,) = found.agreement
    assert pair.lower <= pair.expected <= pair.upper
    assert pair.lower <= pair.tau <= pair.upper
    assert found.verdict.startswith("no significant difference between a and b (p = ")
    assert "expected by chance" in found.verdict


def test_differences_are_those_of_the_scores_where_acuity_is_shared():
    votes = {"a": crowd(1), "b": crowd(2, prefix="n"), "c": crowd(3, prefix="m")}
    found = hr.compare_rankings(votes, acuity="shared", n_permutations=99)
    a, b, c = (found.rankings[name].score_by_item for name in "abc")
    for k, item in enumerate(found.items):
        assert found.differences[0, k] == pytest.approx(a[item] - (b[item] + c[item]) / 2)
    assert set(found.acuity.values()) == {1.0}


def test_a_more_decided_crowd_is_not_a_different_one():
    votes = {
        "experts": crowd(1, scores=1.5 * SCORES, answers=300),
        "novices": crowd(2, scores=0.5 * SCORES, answers=300, prefix="n"),
    }
    own = hr.compare_rankings(votes, n_permutations=199)
    assert not own.differ
    assert own.acuity["experts"] > 1.5 * own.acuity["novices"]
    assert any("more consistently" in note for note in own.notes)
    assert hr.compare_rankings(votes, acuity="shared", n_permutations=199).differ


@pytest.mark.parametrize("named", [True, False])
def test_a_crowd_that_prefers_the_opposite_is_a_different_one(named):
    votes = {
        "a": crowd(1, workers=20, answers=60),
        "b": crowd(2, scores=-SCORES, workers=6, prefix="n"),
    }
    votes = votes if named else {name: unnamed(crowd) for name, crowd in votes.items()}
    found = hr.compare_rankings(votes, n_permutations=199)
    assert found.differ
    assert found.agreement[0].tau < 0 < found.agreement[0].lower


def test_whole_workers_are_exchanged_and_keep_the_sizes_of_populations():
    crowds = Populations.of({"a": crowd(1, workers=3), "b": crowd(2, workers=5, prefix="n")})
    exchange = exchange_of(crowds)
    assert exchange.what == "whole workers"
    assert exchange.n_possible == 56
    rng = np.random.default_rng(0)
    drawn = [exchange.draw(rng) for _ in range(1000)]
    assert all(np.bincount(labels).tolist() == [3, 5] for labels in drawn)
    assert len({tuple(labels) for labels in drawn}) == 56


def test_within_workers_who_are_in_both_their_populations_are_exchanged():
    exchange = exchange_of(
        Populations.of({"before": crowd(1, workers=4), "after": crowd(2, workers=4)})
    )
    assert exchange.what == "the populations within each worker"
    assert exchange.n_possible == 2**4
    labels = exchange.draw(np.random.default_rng(0))
    for worker in np.unique(exchange.stratum):
        assert sorted(labels[exchange.stratum == worker]) == [0, 1]


def test_workers_in_one_population_and_in_several_are_exchanged_each_in_their_way():
    both = {"a": crowd(1, workers=4), "b": crowd(2, workers=6)}
    exchange = exchange_of(Populations.of(both))
    assert "and the populations within workers" in exchange.what
    assert exchange.n_possible == 2**4  # two workers are in b alone and have nobody to change with


@pytest.mark.parametrize(
    "votes",
    [
        {"a": unnamed(crowd(1)), "b": unnamed(crowd(2))},
        {"a": crowd(1, workers=1), "b": crowd(2, workers=1, prefix="n")},
    ],
    ids=["no workers", "two judges"],
)
def test_without_several_workers_answers_to_the_same_pair_are_exchanged(votes):
    crowds = Populations.of(votes)
    exchange = exchange_of(crowds)
    labels = exchange.draw(np.random.default_rng(0))
    n_edges = len(crowds.i)
    before = np.bincount(crowds.population * n_edges + crowds.edge, minlength=2 * n_edges)
    after = np.bincount(labels * n_edges + crowds.edge, minlength=2 * n_edges)
    assert exchange.what == "votes on the same pair"
    np.testing.assert_array_equal(before, after)
    assert (labels != crowds.population).any()


def test_a_few_answers_without_a_worker_stay_where_they_are():
    votes = crowd(1)
    worker = votes.worker.copy()
    worker[:10] = -1
    found = hr.compare_rankings(
        {"a": replace(votes, worker=worker), "b": crowd(2, prefix="n")}, n_permutations=39
    )
    assert found.exchanged == "whole workers"
    assert any("10 votes without a worker" in note for note in found.notes)


def test_what_cannot_be_known_is_said():
    few = hr.compare_rankings(
        {"a": crowd(1, workers=3), "b": crowd(2, workers=2, prefix="n")}, n_permutations=99
    )
    assert any(
        "in only 10 ways: the smallest possible p-value is about 0.1" in note for note in few.notes
    )
    every_pair = [(a, b, 1) for a in range(6) for b in range(a + 1, 6)]
    judges = hr.compare_rankings({"ann": every_pair, "bob": every_pair}, n_permutations=39)
    assert judges.p_value == 1
    assert any("one vote per pair and population" in note for note in judges.notes)
    chains = {"a": [("x", "y", 1), ("y", "z", 1)], "b": [("y", "x", 1), ("x", "z", 1)]}
    apart = hr.compare_rankings(chains, n_permutations=39)
    assert any("in only 2 ways" in note for note in apart.notes)


def test_where_no_pair_was_asked_in_both_nothing_can_be_shown():
    a = [("p", "q", 1), ("q", "r", 1), ("r", "s", 1)] * 5
    b = [("r", "p", 1), ("s", "q", 1), ("s", "p", 1)] * 5
    found = hr.compare_rankings({"a": a, "b": b}, n_permutations=39)
    assert found.p_value == 1
    assert (found.item_p_values == 1).all()
    assert any("no permutation is possible" in note for note in found.notes)
    assert any(note.startswith("0% of the votes") for note in found.notes)


def test_items_that_some_population_does_not_join_are_left_out_and_named():
    more = crowd(2, prefix="n", scores=[*SCORES, 0], items=(*ITEMS, "new"))
    found = hr.compare_rankings({"a": crowd(1), "b": more}, n_permutations=39)
    assert found.left_out == ("new",)
    assert "new" not in found.common
    assert any("1 item is left out" in note and "new" in note for note in found.notes)


def test_items_apart_from_the_others_in_one_population_are_left_out():
    a = [("p", "q", 1), ("q", "r", 1), ("r", "s", 1)] * 3
    b = [("p", "q", 1), ("q", "r", -1), ("s", "t", 1)] * 3
    found = hr.compare_rankings({"a": a, "b": b}, n_permutations=39)
    assert set(found.items) == {"p", "q", "r"}
    assert set(found.left_out) == {"s", "t"}


@pytest.mark.parametrize(
    ("votes", "message"),
    [
        ({}, "at least two populations"),
        ({"a": [("x", "y", 1)]}, "at least two populations"),
        ([("x", "y", 1)], "at least two populations"),
        ({"a": [("x", "y", 1)], "b": [("u", "v", 1)]}, "nothing to compare"),
        ({"a": [("1", "2", 1)], "b": [(1, 2, 1)]}, "nothing to compare"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(votes, message):
    with pytest.raises(InvalidArgument, match=message):
        hr.compare_rankings(votes)


@pytest.mark.parametrize(
    "options", [{"n_permutations": 10}, {"confidence": 1.0}, {"acuity": "none"}]
)
def test_options_that_do_not_fit_are_refused(options):
    with pytest.raises(InvalidArgument):
        hr.compare_rankings({"a": crowd(1), "b": crowd(2)}, **options)


def test_the_order_of_answers_of_display_and_of_populations_does_not_matter():
    a, b = unnamed(crowd(1)), unnamed(crowd(2, scores=moved_first(2)))
    turned = replace(a, left=a.right, right=a.left, outcome=-a.outcome)
    found = hr.compare_rankings({"a": a, "b": b}, n_permutations=39)
    same = hr.compare_rankings({"b": b, "a": turned}, n_permutations=39)
    assert same.statistic == pytest.approx(found.statistic)
    order = [same.items.index(item) for item in found.items]
    np.testing.assert_allclose(same.differences[1][order], found.differences[0], atol=1e-6)


def test_rows_that_stand_for_several_answers_count_as_several():
    once = [("x", "y", 1), ("y", "z", 1), ("z", "x", 1), ("x", "z", 1)]
    other = [("x", "y", -1), ("y", "z", 1), ("x", "z", -1)]
    counted = replace(hr.read_comparisons(once), multiplicity=np.full(4, 3))
    found = hr.compare_rankings({"a": counted, "b": other * 3}, n_permutations=39)
    same = hr.compare_rankings({"a": once * 3, "b": other * 3}, n_permutations=39)
    assert found.statistic == pytest.approx(same.statistic)


def test_an_answer_of_weight_2_pulls_like_two():
    once, other = crowd(1), crowd(2, prefix="n")
    heavy = replace(once, weight=np.full(len(once), 2.0))
    twice = once.select(np.r_[np.arange(len(once)), np.arange(len(once))])
    a = hr.compare_rankings({"a": heavy, "b": other}, n_permutations=39)
    b = hr.compare_rankings({"a": twice, "b": other}, n_permutations=39)
    np.testing.assert_allclose(a.common.scores, b.common.scores, atol=1e-6)
    np.testing.assert_allclose(a.differences, b.differences, atol=1e-6)


def test_ties_and_grades_vary_less_than_choices():
    rng = np.random.default_rng(1)
    votes = [unnamed(crowd(k)) for k in (1, 2)]
    graded = [replace(v, outcome=v.outcome * rng.choice([0, 0.5, 1], len(v))) for v in votes]
    plain, soft = (
        hr.compare_rankings(dict(zip("ab", pair, strict=True)), n_permutations=39)
        for pair in (votes, graded)
    )
    assert soft.difference_errors.mean() < plain.difference_errors.mean()


def test_it_is_repeatable_and_tells_its_progress():
    votes = {"a": crowd(1), "b": crowd(2, prefix="n")}
    calls = []
    first = hr.compare_rankings(votes, n_permutations=39, on_permutation=lambda: calls.append(1))
    assert len(calls) == 39
    assert hr.compare_rankings(votes, n_permutations=39).to_dict() == first.to_dict()


def test_frame_and_json_hold_a_row_per_item_and_population():
    votes = {"a": crowd(1), 2: crowd(2, prefix="n"), "c": crowd(3, prefix="m")}
    found = hr.compare_rankings(votes, n_permutations=39)
    frame = found.to_frame("polars")
    assert frame.columns == [
        "item", "population", "rank", "score", "stderr",
        "difference", "difference_stderr", "p_value", "moved",
    ]  # fmt: skip
    assert len(frame) == 3 * N
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(plain["items"]) == 3 * N
    assert [pair["populations"] for pair in plain["agreement"]] == [["a", 2], ["a", "c"], [2, "c"]]


def test_more_populations_than_can_be_named_are_counted():
    votes = {f"country {k}": crowd(k, prefix=f"{k}-") for k in range(5)}
    verdict = hr.compare_rankings(votes, n_permutations=39).verdict
    assert "the 5 populations" in verdict
    assert "agree least" in verdict


@pytest.mark.parametrize("n_populations", [2, 3])
def test_the_chart_has_a_line_per_item_and_labels_what_moved(n_populations):
    votes = {
        f"crowd {k}": crowd(k, scores=moved_first(4 if k == 1 else 0), answers=80, prefix=f"{k}-")
        for k in range(n_populations)
    }
    found = hr.compare_rankings(votes, n_permutations=99)
    chart = found.plot().to_dict()
    rows = chart["data"]["values"]
    assert len(rows) == n_populations * N
    assert {row["item"] for row in rows if row["moved"]} == set(found.moved) == {"item-0"}
    labelled = [row for row in rows if row["label"]]
    assert {row["population"] for row in labelled} == {"crowd 0", f"crowd {n_populations - 1}"}
    assert len(labelled) == 2 * N
    assert "rank differently" in " ".join(chart["title"]["text"])


def test_a_chart_of_many_items_labels_those_that_moved_and_says_so():
    scores = np.linspace(3, -3, 50)
    items = tuple(range(50))
    other = scores.copy()
    other[0] -= 6
    votes = {
        "a": crowd(1, scores=scores, answers=400, items=items),
        "b": crowd(2, scores=other, answers=400, items=items, prefix="n"),
    }
    found = hr.compare_rankings(votes, n_permutations=39)
    chart = found.plot().to_dict()
    labelled = {row["item"] for row in chart["data"]["values"] if row["label"]}
    assert "0" in labelled <= {str(item) for item in found.moved}
    assert "Labelled: those that moved" in chart["title"]["subtitle"][1]


def test_contrasts_are_with_the_mean_of_the_others():
    values = np.array([[3.0, 0], [1, 2], [2, 4]])
    np.testing.assert_allclose(contrasts(values)[0], [3 - 1.5, 0 - 3])
    np.testing.assert_allclose(contrasts(values[:2])[0], [2, -2])
    np.testing.assert_allclose(contrast_variances(values[:2])[0], [4, 2])
    np.testing.assert_allclose(contrast_variances(values)[0], [3 + 3 / 4, 6 / 4])


def test_tau_is_kendalls():
    scores = np.random.default_rng(1).normal(size=(3, 30))
    expected = [kendalltau(scores[a], scores[b]).statistic for a, b in ((0, 1), (0, 2), (1, 2))]
    np.testing.assert_allclose(taus(scores), expected)


def test_a_robust_line_goes_through_most_points():
    x = np.linspace(-1, 1, 21)
    y = 0.5 + 2 * x
    y[3] += 40
    intercept, slope = robust_line(x, y, np.ones(21), has_slope=True)
    assert intercept == pytest.approx(0.5, abs=0.05)
    assert slope == pytest.approx(2, abs=0.05)
    assert robust_line(x, y, np.ones(21), has_slope=False)[1] == 0


def false_alarms(runs, **options):
    """How often two crowds of one population are said to differ, and an item to have moved."""
    differ = moved = 0
    for run in range(runs):
        votes = {"a": crowd(2 * run, **options), "b": crowd(2 * run + 1, prefix="n", **options)}
        found = hr.compare_rankings(votes, n_permutations=39, rng=run)
        differ += found.differ
        moved += bool(found.moved)
    return differ, moved


@pytest.mark.slow
@pytest.mark.parametrize(
    ("taste", "runs", "most"),
    [
        (1.5, 20, 6),
        pytest.param(0.0, 60, 12, marks=pytest.mark.slow),
        pytest.param(1.5, 60, 12, marks=pytest.mark.slow),
    ],
)
def test_workers_of_varied_tastes_do_not_make_crowds_different(taste, runs, most):
    """5 % are expected; more than `most` happen at most 3 times in 100,000."""
    differ, moved = false_alarms(runs, taste=taste)
    assert differ <= most
    assert moved <= most


@pytest.mark.slow
def test_a_thousand_permutations_of_thirty_items_take_a_second_or_two():
    scores = np.random.default_rng(0).normal(0, 1.5, 30)
    items = tuple(range(30))
    votes = {
        "a": crowd(1, scores=scores, workers=20, answers=100, items=items),
        "b": crowd(2, scores=scores, workers=20, answers=100, items=items, prefix="n"),
    }
    with at_most(2):
        hr.compare_rankings(votes)


def test_workers_who_all_agree_do_not_make_standard_errors_vanish():
    chain = [(a, b, 1, f"w{k}") for k in range(4) for a in range(5) for b in range(a + 1, 5)]
    columns = [dict(zip(("left", "right", "outcome", "worker"), row, strict=True)) for row in chain]
    others = [{**row, "worker": f"n{row['worker']}"} for row in columns]
    found = hr.compare_rankings({"a": columns, "b": others}, n_permutations=39)
    assert found.exchanged == "whole workers"
    assert (found.difference_errors > 0.5).all()
    assert not found.differ


def test_units_with_few_and_with_many_entries_are_summed_alike():
    rng = np.random.default_rng(3)
    n_items, n_units = 12, 40
    # from units that compared nothing to units that compared everything
    vectors = rng.normal(size=(n_items, n_units)) * (rng.random(n_units) > rng.random((n_items, 1)))
    matrix = rng.normal(size=(5, n_units))
    sums = UnitSums(sparse.csr_array(matrix), sparse.csc_array(vectors))
    population = rng.integers(0, 3, n_units)
    for g, (of_matrix, of_products) in enumerate(sums.by_population(population, 3)):
        inside = population == g
        assert of_matrix == pytest.approx(matrix[:, inside].sum(axis=1))
        assert of_products == pytest.approx(vectors[:, inside] @ vectors[:, inside].T, abs=1e-12)


def test_the_evidence_is_that_of_every_worker_by_himself():
    crowds = Populations.of(
        {
            "few of many": crowd(1, workers=5, answers=60, taste=0.5, prefix="a"),
            "many of few": crowd(2, workers=70, answers=3, taste=0.5, prefix="b"),
            "some": crowd(3, workers=20, answers=12, taste=0.5, prefix="c"),
        }
    )
    fits = fit_apart(crowds)
    shared, pooled = (share_scores(crowds, fits, own_acuity=own) for own in (True, False))
    exchange = exchange_of(crowds)
    found = evidence_for(crowds, shared, pooled, exchange)(exchange.population)

    acuity = shared.acuity[crowds.population]
    slopes = without_misfit(crowds, shared, misfit_shares(crowds, shared))
    pull = acuity * balanced(crowds, shared, slopes)
    gain, within = 0.0, 0.0
    for g in range(3):
        rows = crowds.population == g
        weights = np.bincount(
            crowds.edge[rows], (acuity**2 * shared.curvatures)[rows], len(crowds.i)
        )
        inverse, about_acuity = shared.invert(crowds, weights)
        units = np.unique(exchange.unit[rows])
        gradients, sizes = np.zeros((len(units), N)), np.zeros(len(units))
        for row in np.flatnonzero(rows):
            unit = int(np.searchsorted(units, exchange.unit[row]))
            gradients[unit, crowds.i[crowds.edge[row]]] += pull[row]
            gradients[unit, crowds.j[crowds.edge[row]]] -= pull[row]
            sizes[unit] += acuity[row] ** 2 * shared.curvatures[row]
        total = gradients.sum(axis=0)
        step, more = shared.step(total, inverse, about_acuity, 0.1 / shared.acuity[g] - 1)
        around = gradients - np.outer(sizes / sizes.sum(), total)
        gain += more
        within += len(units) / (len(units) - 1) * float(np.trace(around @ inverse @ around.T))
        assert found.scores[g] == pytest.approx(shared.scores + step)
    assert found.statistic == pytest.approx(gain / within)


@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_the_median_is_that_of_numpy(n):
    values = np.random.default_rng(n).normal(size=n)
    assert median(values) == np.median(values)
