"""Every chart of the library, with names of items and workers that take little or much room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np

import hodgerank as hr
from hodgerank import plotting
from hodgerank.plotting.curves import bar_chart, certainty_curve_chart, curve_chart

NAMES = (
    "A",
    "Tea",
    *(f"{k} Wide Model Names WITH CAPITALS and a version {k}.{k}-preview" for k in range(3)),
    *(f"{'漢字の長い名前' * 5}{k}" for k in range(3)),
)
CROWD = {"honest": 12, "random": 2, "adversarial": 2, "position-biased": 2}
CYCLE = [(5, 1, 1), (1, 2, 1), (2, 5, 1)] * 20 + [(5, 3, 1), (1, 3, 1), (2, 3, 1), (3, 5, 1)] * 12


def chart_functions() -> set[str]:
    """The names of all functions of hodgerank.plotting that draw a chart."""
    modules = [
        import_module(f"{plotting.__name__}.{m.name}") for m in iter_modules(plotting.__path__)
    ]
    return {
        name
        for module in modules
        for name, value in vars(module).items()
        if name.endswith("_chart") and callable(value) and name != "save_chart"
    }


@cache
def simulated_votes() -> hr.Comparisons:
    """Votes with careless workers, some of whom have long names."""
    votes = hr.simulate_comparisons(NAMES, 900, spread=1.2, workers=CROWD, rng=3)
    names = (f"{worker} {NAMES[k % len(NAMES)]}" for k, worker in enumerate(votes.workers))
    return replace(votes, workers=tuple(names))


@cache
def cyclic_trust() -> hr.TrustReport:
    """Of votes with two cycles."""
    return hr.assess_trust([(NAMES[i], NAMES[j], y) for i, j, y in CYCLE])


@cache
def simulated_ranking() -> hr.Ranking:
    return hr.hodge_rank(simulated_votes())


def _groups() -> hr.VoteGroups:
    votes = simulated_votes()
    return hr.VoteGroups.split(votes, (NAMES[3], NAMES[6]), votes.worker > 7, NAMES[2])


def _compared() -> hr.RankingComparison:
    scores = np.linspace(-1.5, 1.5, len(NAMES))
    votes = [
        hr.simulate_comparisons(NAMES, 700, scores=order, workers={"honest": 20}, rng=k)
        for k, order in enumerate((scores, np.roll(scores, 3)))
    ]
    return hr.compare_rankings({NAMES[3]: votes[0], NAMES[6]: votes[1]}, n_permutations=39)


def _two_tastes() -> hr.PreferenceGroups:
    rng = np.random.default_rng(5)
    tables = [
        hr.simulate_comparisons(
            NAMES, 900, scores=rng.normal(0, 2, len(NAMES)), workers=15, rng=k
        ).to_frame("polars", layout="pairs")
        for k in range(2)
    ]
    rows = [
        (left, right, outcome, f"{worker}-{k}")
        for k, table in enumerate(tables)
        for left, right, outcome, worker in table.iter_rows()
    ]
    return hr.find_preference_groups(
        [dict(zip(("left", "right", "outcome", "worker"), row, strict=True)) for row in rows]
    )


def _run() -> hr.RunResult:
    crowd = hr.SimulatedCrowd(NAMES, spread=2, rng=3)
    return hr.run(hr.RandomSampler(crowd.items, seed=3), crowd, budget=120)


def _learning_curves() -> hr.LearningCurves:
    """Ten strategies, so that colours come again."""
    names = (*NAMES, "random", "auto")
    taus = np.random.default_rng(1).uniform(0.5, 0.9, (len(names), 4, 6)).cumsum(2) / 6
    return hr.LearningCurves(names, np.arange(1, 7) * 10_000, taus, "the true scores")


def _curves(series: tuple[str, ...], panels: tuple[str, ...]) -> Any:
    rows = [
        {"x": x, "series": one, "panel": panel, "mean": x / (1000 + k), "stderr": 0.02}
        for panel in panels
        for k, one in enumerate(series)
        for x in (100, 200, 400, 1000)
    ]
    return curve_chart(
        rows,
        x="number of votes of all workers together",
        y="Kendall's tau",
        series=series,
        title=f"{series[-1]} is best of all",
        subtitle="Mean of 4 runs.",
        columns=2,
        width=300,
        height=200,
    )


def _bars(groups: tuple[str, ...], series: tuple[str, ...]) -> Any:
    rows = [
        {"x": group, "series": one, "mean": 10.0 ** (k + len(one) / 60)}
        for k, group in enumerate(groups)
        for one in series
    ]
    return bar_chart(rows, y="seconds for 100 runs", groups=groups, series=series)


EXAMPLES: dict[str, Callable[[], Any]] = {
    "ranking_chart": lambda: plotting.ranking_chart(simulated_ranking()),
    "group_rankings_chart": lambda: plotting.group_rankings_chart(hr.rank_groups(_groups())),
    "probability_chart": lambda: plotting.probability_chart(simulated_ranking()),
    "slope_chart": lambda: plotting.slope_chart(_compared()),
    "graph_chart": lambda: plotting.graph_chart(hr.decompose(simulated_votes())),
    "decomposition_chart": lambda: plotting.decomposition_chart(cyclic_trust()),
    "flows_chart": lambda: plotting.flows_chart(
        hr.decompose(hr.simulate_comparisons(NAMES[:6], 30, rng=3), faces="quadrangles")
    ),
    "triangles_chart": lambda: plotting.triangles_chart(cyclic_trust()),
    "budget_chart": lambda: plotting.budget_chart(_run()),
    "learning_curves_chart": lambda: plotting.learning_curves_chart(_learning_curves()),
    "outliers_chart": lambda: plotting.outliers_chart(hr.find_outliers(simulated_votes())),
    "topology_chart": lambda: plotting.topology_chart(
        hr.TopologyTracker.of(hr.simulate_comparisons(16, 60, rng=2))
    ),
    "possible_winners_chart": lambda: plotting.possible_winners_chart(
        hr.possible_winners(hr.simulate_comparisons(NAMES, 150, spread=0.5, rng=3))
    ),
    "preference_groups_chart": lambda: plotting.preference_groups_chart(_two_tastes()),
    "workers_chart": lambda: plotting.workers_chart(hr.assess_workers(simulated_votes())),
    "certainty_curve_chart": lambda: certainty_curve_chart(
        [(1000 * k, 0.2 * k) for k in range(5)],
        hr.Forecast(hr.ExpectedTau(0.95), 0.8, 8000.0, 2000.0, 15_000.0),
    ),
    "curve_chart": lambda: _curves(NAMES[1:7:2], ("first panel", NAMES[3])),
    "bar_chart": lambda: _bars(("videos", "images", "documents"), NAMES[1:4:2]),
}
# Other faces of the same charts: with many items, and where nothing was found.
VARIANTS: dict[str, Callable[[], Any]] = {
    "ranking of 200": lambda: hr.hodge_rank(hr.simulate_comparisons(200, 2000, rng=1)).plot(),
    "graph of 100": lambda: plotting.graph_chart(
        hr.decompose(hr.simulate_comparisons(100, 2000, rng=1))
    ),
    "budget of 100": lambda: plotting.budget_chart(hr.simulate_comparisons(100, 2000, rng=1)),
    "probabilities of 30": lambda: plotting.probability_chart(
        hr.hodge_rank(hr.simulate_comparisons(30, 900, rng=1))
    ),
    "flows of 20": lambda: plotting.flows_chart(
        hr.decompose(hr.simulate_comparisons(20, 100, rng=1))
    ),
    "no cycles": lambda: plotting.triangles_chart(
        hr.assess_trust(hr.simulate_comparisons(NAMES[2:], 200, rng=1))
    ),
    "nothing": lambda: plotting.decomposition_chart(hr.decompose([("a", "b", 0)])),
}
