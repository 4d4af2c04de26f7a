"""Charts of results, with Altair: one file each.

`chart_of` is what `result.plot()` calls.
"""

from __future__ import annotations

from typing import Any

from hodgerank.errors import InvalidArgument


def chart_of(result: Any) -> Any:
    """The natural chart of a result."""
    from hodgerank.collecting.replay import LearningCurves
    from hodgerank.estimators.ranking import Ranking
    from hodgerank.plotting.learning_curve import learning_curve
    from hodgerank.plotting.ranking import ranking_chart

    if isinstance(result, Ranking):
        return ranking_chart(result)
    if isinstance(result, LearningCurves):
        return learning_curve(result)
    raise InvalidArgument(f"there is no chart of a {type(result).__name__}")
