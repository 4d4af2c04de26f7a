"""Charts of results, with Altair: one file each, and one chart for notebook, page and paper.

Every function takes a result and returns an Altair chart with tooltips and a title that says what
was found. `result.plot()` gives the natural one. `save_chart` writes HTML that works offline, SVG,
PNG or PDF; `with_theme` draws the same chart on a dark ground. The extra `plot` has what it takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hodgerank.errors import InvalidArgument

if TYPE_CHECKING:
    from hodgerank.plotting.budget import budget_chart as budget_chart
    from hodgerank.plotting.charts import save_chart as save_chart
    from hodgerank.plotting.comparison_graph import graph_chart as graph_chart
    from hodgerank.plotting.curves import learning_curves_chart as learning_curves_chart
    from hodgerank.plotting.decomposition import decomposition_chart as decomposition_chart
    from hodgerank.plotting.flows import flows_chart as flows_chart
    from hodgerank.plotting.outliers import outliers_chart as outliers_chart
    from hodgerank.plotting.population_comparison import slope_chart as slope_chart
    from hodgerank.plotting.possible_winners import (
        possible_winners_chart as possible_winners_chart,
    )
    from hodgerank.plotting.preference_groups import (
        preference_groups_chart as preference_groups_chart,
    )
    from hodgerank.plotting.probability import probability_chart as probability_chart
    from hodgerank.plotting.ranking import group_rankings_chart as group_rankings_chart
    from hodgerank.plotting.ranking import ranking_chart as ranking_chart
    from hodgerank.plotting.theme import with_theme as with_theme
    from hodgerank.plotting.topology import topology_chart as topology_chart
    from hodgerank.plotting.triangles import triangles_chart as triangles_chart
    from hodgerank.plotting.workers import workers_chart as workers_chart

_HOMES = {
    "ranking_chart": "ranking",
    "group_rankings_chart": "ranking",
    "probability_chart": "probability",
    "slope_chart": "population_comparison",
    "graph_chart": "comparison_graph",
    "decomposition_chart": "decomposition",
    "flows_chart": "flows",
    "triangles_chart": "triangles",
    "budget_chart": "budget",
    "learning_curves_chart": "curves",
    "outliers_chart": "outliers",
    "topology_chart": "topology",
    "possible_winners_chart": "possible_winners",
    "preference_groups_chart": "preference_groups",
    "workers_chart": "workers",
    "save_chart": "charts",
    "with_theme": "theme",
}
# What `plot` draws, by the name of the result's class.
_NATURAL = {
    "Ranking": "ranking_chart",
    "GroupRankings": "group_rankings_chart",
    "RankingComparison": "slope_chart",
    "ComparisonGraph": "graph_chart",
    "HodgeDecomposition": "decomposition_chart",
    "TrustReport": "decomposition_chart",
    "RunResult": "budget_chart",
    "LearningCurves": "learning_curves_chart",
    "Outliers": "outliers_chart",
    "TopologyTracker": "topology_chart",
    "PossibleWinners": "possible_winners_chart",
    "PreferenceGroups": "preference_groups_chart",
    "WorkerAssessment": "workers_chart",
}

__all__ = sorted(_HOMES)


def chart_of(result: Any) -> Any:
    """The natural chart of a result."""
    for kind in type(result).__mro__:
        if kind.__name__ in _NATURAL:
            return __getattr__(_NATURAL[kind.__name__])(result)
    raise InvalidArgument(f"there is no chart of a {type(result).__name__}")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hodgerank.plotting' has no attribute {name!r}")
    return getattr(import_module(f"hodgerank.plotting.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
