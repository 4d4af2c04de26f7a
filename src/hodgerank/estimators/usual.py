"""Which estimator ranks votes when nobody asks for one."""

from __future__ import annotations

from collections.abc import Callable, Collection

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.bayes import bayes_rank
from hodgerank.estimators.least_squares import hodge_rank
from hodgerank.estimators.ranking import Ranking

OF_BOTH = {"ridge", "confidence", "position"}


def usual_fit(votes: Comparisons, options: Collection[str] = ()) -> Callable[..., Ranking]:
    """`hodge_rank`; `bayes_rank` where pairs were chosen in the light of earlier answers.

    Unless one of the options is for the former alone.
    """
    return bayes_rank if votes.report.adaptive and set(options) <= OF_BOTH else hodge_rank
