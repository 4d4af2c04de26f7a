"""Krippendorff's alpha: by hand, by the published values, and what it must not depend on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd, fresh_rng

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.reliability.agreement import agreement
from hodgerank.graph.answered_graph import AnsweredGraph


def alpha(rows, metric=None):
    return agreement(AnsweredGraph.of(hr.read_comparisons(rows)), metric)


def by_definition(votes: hr.Comparisons, metric: str) -> float:
    """Krippendorff's formula, pair by pair of answers; expected with either pair turned."""
    answered = AnsweredGraph.of(votes)
    y, pair, worker = answered.turned, answered.edge, votes.worker
    kinds = np.unique(np.r_[y, -y])
    counts = np.array([(y == k).sum() + (y == -k).sum() for k in kinds])

    def distance(a: float, b: float) -> float:
        if metric == "nominal":
            return float(a != b)
        if metric == "interval":
            return (a - b) ** 2
        low, high = sorted((int(np.searchsorted(kinds, a)), int(np.searchsorted(kinds, b))))
        between = counts[low : high + 1].sum() - (counts[low] + counts[high]) / 2
        return float(between**2)

    shared = [u for u in np.unique(pair) if len(np.unique(worker[pair == u])) > 1]
    rows = np.flatnonzero(np.isin(pair, shared))
    counts = np.array([(y[rows] == k).sum() + (y[rows] == -k).sum() for k in kinds])
    observed = 0.0
    for u in shared:
        here = np.flatnonzero(pair == u)
        apart = [
            distance(y[a], y[b]) for a in here for b in here if a != b and worker[a] != worker[b]
        ]
        observed += len(here) * float(np.mean(apart))
    expected = np.mean(
        [(distance(y[a], y[b]) + distance(y[a], -y[b])) / 2 for a in rows for b in rows if a != b]
    )
    return 1 - observed / len(rows) / float(expected)


@pytest.mark.parametrize("answer", ["choose", "tie", "grade"])
@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_it_is_what_the_formula_says(answer, metric):
    """Repeated answers of a worker and pairs of one worker included."""
    crowd = Crowd(n_items=5, per_pair=5, n_workers=4, answer=answer)
    votes = crowd.votes(fresh_rng(1, answer))
    found = agreement(AnsweredGraph.of(votes), metric)
    assert found.alpha == pytest.approx(by_definition(votes, metric), abs=1e-12)


def test_by_hand():
    """Three pairs, two workers, one disagreement of three: alpha = 1 - 2 / 3."""
    rows = [("a", "b", 1, "ann"), ("b", "a", -1, "bob"), ("b", "c", 1, "ann"), ("b", "c", 1, "bob"),
            ("a", "c", 1, "ann"), ("a", "c", -1, "bob")]  # fmt: skip
    found = alpha(rows)
    assert found.alpha == pytest.approx(1 / 3)
    assert (found.metric, found.n_pairs, found.n_workers, found.n_votes) == ("nominal", 3, 2, 6)
    assert found.lower is None  # two workers do not tell what others would do


def test_it_is_that_of_the_published_data_turned_both_ways():
    """Alpha of [Krippendorff11]'s example C as printed, when units are not turned.

    Twice the data, once turned, has the same observed disagreement, and that of chance from
    symmetric answers: 1 - (1 - alpha) (symmetric over printed disagreement of chance).
    """
    a = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    b = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    rows = [
        row
        for k, (x, y) in enumerate(zip(a, b, strict=True))
        for row in ((f"i{k}", "z", 2 * x - 1, "a"), (f"i{k}", "z", 2 * y - 1, "b"))
    ]
    printed, by_chance = 0.095, 2 * 14 * 6 / (20 * 19)  # [Krippendorff11] has .095
    assert alpha(rows).alpha == pytest.approx(1 - (1 - printed) * by_chance / 0.5, abs=1e-3)


def test_names_of_items_do_not_matter():
    votes = Crowd(answer="tie").votes(fresh_rng(3, "names"))
    other = replace(votes, items=votes.items[::-1])
    back = hr.read_comparisons(other.to_frame("polars"))
    for metric in ("nominal", "ordinal", "interval"):
        one, two = (agreement(AnsweredGraph.of(v), metric).alpha for v in (votes, back))
        assert one == pytest.approx(two, abs=1e-12)


def test_counts_are_answers():
    votes = Crowd(n_workers=6).votes(fresh_rng(4, "counts"))
    times = np.random.default_rng(0).integers(1, 4, len(votes))
    counted = replace(votes, multiplicity=times)
    one, two = (agreement(AnsweredGraph.of(v)) for v in (counted, counted.repeated()))
    assert one.alpha == pytest.approx(two.alpha)
    assert one.lower == pytest.approx(two.lower)
    assert one.n_votes == two.n_votes


def test_what_cannot_be_said():
    assert alpha([("a", "b", 1), ("a", "b", -1)]) is None  # nobody is known
    assert alpha([("a", "b", 1, "w"), ("b", "c", 1, "v")]) is None  # no pair in common
    assert alpha([("a", "b", 1, "w"), ("a", "b", -1, "w")]) is None  # oneself
    assert alpha([("a", "b", 0, "w"), ("a", "b", 0, "v")]) is None  # ties alone
    rows = [("a", "b", k / 100, who) for k in range(100) for who in "vw"]
    with pytest.raises(InvalidArgument, match="too many for metric='nominal'"):
        alpha(rows, "nominal")
    with pytest.raises(InvalidArgument, match="metric"):
        alpha(rows, "cosine")


@pytest.mark.parametrize("kind", [Crowd(), Crowd(acuities=0.5), Crowd(tossers=0.2)])
def test_the_interval_holds_the_alpha_of_many_more_workers(kind):
    held = 0
    for seed in range(40):
        votes = kind.votes(np.random.default_rng(seed))
        many = replace(kind, n_workers=100, per_pair=100).votes(np.random.default_rng(seed))
        found, true = (agreement(AnsweredGraph.of(v)) for v in (votes, many))
        held += found.lower <= true.alpha <= found.upper
    assert held >= 34


def test_a_pair_is_another_question_in_another_unit():
    """Two workers who agree on every prompt, where the better item depends on the prompt."""
    rows = [
        {"left": a, "right": b, "outcome": (-1) ** p, "worker": who, "prompt": f"p{p}"}
        for p in range(10)
        for a, b in (("a", "b"), ("b", "c"), ("a", "c"))
        for who in ("ann", "bob")
    ]
    found = agreement(AnsweredGraph.of(hr.read_comparisons(rows, unit="prompt")))
    assert found.alpha == pytest.approx(1)
    assert found.n_pairs == 30
    pooled = agreement(AnsweredGraph.of(hr.read_comparisons(rows)))
    assert pooled.alpha < 0.1
