"""Scale separation reliability against the truth, on designs that follow labels and others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd, fresh_rng

import hodgerank as hr
from hodgerank.estimators.reliability.assess import reliability_of
from hodgerank.estimators.reliability.bradley_terry_fit import BradleyTerryFit
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph


def errors(crowd: Crowd, runs: int, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """SSR and that of bayes_rank less the true squared correlation; whether the bound holds."""
    rng, rows = fresh_rng(5, name), []
    for _ in range(runs):
        votes = crowd.votes(rng)
        found = reliability_of(AnsweredGraph.of(votes))
        true = np.corrcoef(found.scores, votes.truth)[0, 1] ** 2
        told = found.separation
        holds = told.lower is None or told.lower <= true
        rows.append((told.reliability - true, told.posterior_reliability - true, holds))
    return tuple(np.array(rows).T)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "crowd"),
    {
        "dense": Crowd(),
        "sparse": Crowd(n_items=30, design="sparse"),
        "lapses": Crowd(lapses=0.1, spread=3.0),
        "ties": Crowd(answer="tie"),
        "grades": Crowd(answer="grade"),
    }.items(),
)
def test_it_is_the_squared_correlation_with_the_truth(name, crowd):
    ssr, posterior, holds = errors(crowd, 30, name)
    assert abs(ssr.mean()) < 0.04
    assert np.abs(ssr).mean() < 0.07
    assert abs(posterior.mean()) < 0.05
    assert holds.mean() >= 0.8


def test_labels_inflate_it_and_that_is_said():
    crowd = Crowd(n_items=16, spread=0.4, per_pair=1, design="adaptive")
    ssr, posterior, _ = errors(crowd, 25, "adaptive")
    assert ssr.mean() > 0.15
    assert posterior.mean() < ssr.mean() - 0.05
    votes = crowd.votes(fresh_rng(6, "adaptive"))
    found = hr.assess_reliability(votes)
    assert found.separation.adaptive
    assert found.separation.lower is None
    assert "which biases this value" in found.statements[0]
    found = hr.assess_reliability(replace(votes, report=replace(votes.report, adaptive=False)))
    assert "distorts" not in found.statements[0]
    assert "with 95% confidence" in found.statements[0]


def test_coins_have_no_reliability():
    rng = np.random.default_rng(1)
    found = [
        hr.assess_reliability(
            replace(votes, outcome=rng.choice([-1.0, 1.0], len(votes)))
        ).separation.reliability
        for votes in (Crowd(per_pair=6).votes(rng) for _ in range(20))
    ]
    assert np.mean(found) < 0.25
    assert min(found) == 0.0


def test_firth_is_the_maximum_of_the_penalised_likelihood():
    """ln L + 1/2 ln det I, [Firth93], by brute force on three items one of which never lost."""
    from scipy.optimize import minimize

    rows = [("a", "b", 1)] * 3 + [("b", "c", 1)] * 2 + [("c", "b", 1)] + [("a", "c", 1)]
    graph = ComparisonGraph.from_comparisons(hr.read_comparisons(rows))

    def loss(free: np.ndarray) -> float:
        x = np.array([free[0], free[1], -free.sum()])
        d = x[graph.i] - x[graph.j]
        p = 1 / (1 + np.exp(-d))
        wins = graph.weights * (1 + graph.flows) / 2
        information = np.zeros((3, 3))
        for i, j, v in zip(graph.i, graph.j, graph.weights * p * (1 - p), strict=True):
            information[[i, j], [i, j]] += v
            information[[i, j], [j, i]] -= v
        spread = np.linalg.slogdet(information[:2, :2])[1]
        return -float(wins @ np.log(p) + (graph.weights - wins) @ np.log(1 - p)) - spread / 2

    best = minimize(loss, np.zeros(2), tol=1e-12).x
    fit = BradleyTerryFit.of(graph)
    assert fit.scores == pytest.approx([best[0], best[1], -best.sum()], abs=1e-3)
    assert fit.leverage.sum() == pytest.approx(2)


def test_only_ratios_of_weights_count():
    votes = Crowd().votes(fresh_rng(7, "weights"))
    one, two = (
        hr.assess_reliability(replace(votes, weight=np.full(len(votes), w))).separation
        for w in (1e-3, 50.0)
    )
    plain = hr.assess_reliability(votes).separation
    assert one.reliability == pytest.approx(plain.reliability)
    assert two.reliability == pytest.approx(plain.reliability)


def test_answers_of_a_unit_hang_together():
    """The same answer given five times over is one answer."""
    votes = Crowd(repeats=5, per_pair=10).votes(fresh_rng(8, "units"))
    unit = np.arange(len(votes)) // 5
    by_unit = replace(votes, ballot=unit, units=tuple(range(unit.max() + 1)))
    unnamed = replace(votes, workers=(), worker=np.full(len(votes), -1))
    apart, together, once = (hr.assess_reliability(v).separation for v in (unnamed, by_unit, votes))
    assert together.clustered_by == "unit"
    assert 2.5 < together.mean_squared_error / apart.mean_squared_error < 10
    assert 2.5 < once.mean_squared_error / apart.mean_squared_error < 10  # they say it again
    assert (
        "votes of one unit are treated as correlated"
        in hr.assess_reliability(by_unit).statements[0]
    )
