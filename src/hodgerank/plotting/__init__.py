"""Charts of results, with Altair: one file each.

`chart_of` is what `result.plot()` calls.
"""

from __future__ import annotations

from typing import Any

from hodgerank.errors import InvalidArgument


def chart_of(result: Any) -> Any:
    """The natural chart of a result."""
    from hodgerank.collecting.replay import LearningCurves
    from hodgerank.estimators.comparing.result import RankingComparison
    from hodgerank.estimators.group_rankings import GroupRankings
    from hodgerank.estimators.ranking import Ranking
    from hodgerank.plotting.comparison import slope_chart
    from hodgerank.plotting.learning_curve import learning_curve
    from hodgerank.plotting.ranking import group_rankings_chart, ranking_chart

    if isinstance(result, Ranking):
        return ranking_chart(result)
    if isinstance(result, GroupRankings):
        return group_rankings_chart(result)
    if isinstance(result, LearningCurves):
        return learning_curve(result)
    if isinstance(result, RankingComparison):
        return slope_chart(result)
    raise InvalidArgument(f"there is no chart of a {type(result).__name__}")
