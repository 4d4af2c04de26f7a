"""Kendall's tau against the number of answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import stdtrit

from hodgerank.collecting.replay import LearningCurves
from hodgerank.plotting.curves import curve_chart
from hodgerank.plotting.look import name

LEVEL = 0.05


def learning_curves_chart(curves: LearningCurves) -> Any:
    """One line per strategy, with a band of two standard errors."""
    rows = [
        {
            "x": row["answers"],
            "series": row["strategy"],
            "mean": row["tau"],
            "stderr": row["stderr"],
        }
        for row in curves.to_frame("polars").to_dicts()
    ]
    n_runs = curves.taus.shape[1]
    runs = "one run" if n_runs == 1 else f"mean of {n_runs:,} runs; band: two standard errors"
    return curve_chart(
        rows,
        x="answers",
        y="Kendall's tau",
        series=curves.strategies,
        title=_finding(curves),
        subtitle=f"against {curves.truth}; {runs}",
        y_domain=(min(0.0, float((curves.mean - 2 * np.nan_to_num(curves.stderr)).min())), 1.0),
    )


def _finding(curves: LearningCurves) -> str:
    """Who ends ahead of the next, and whether the paired runs tell the two apart.

    By a t-test of the differences run by run, which allows for the number of rivals.
    """
    ends = curves.mean[:, -1]
    order = np.argsort(-ends, kind="stable").tolist()
    after = f"after {int(curves.answers[-1]):,} answers"
    first = name(curves.strategies[order[0]])
    if len(order) == 1:
        return f"{first} reaches tau {ends[order[0]]:.3f} {after}"
    second = name(curves.strategies[order[1]])
    n_runs = curves.taus.shape[1]
    paired = curves.taus[order[0], :, -1] - curves.taus[order[1], :, -1]
    difference = float(paired.mean())
    taus = f"tau {ends[order[0]]:.3f} and {ends[order[1]]:.3f} {after}"
    if n_runs == 1:
        return f"One run cannot tell {first} from {second}: {taus}"
    error = float(paired.std(ddof=1) / np.sqrt(n_runs))
    beyond = float(stdtrit(n_runs - 1, 1 - LEVEL / 2 / (len(order) - 1))) * error
    numbers = f"a difference of {difference:.3f} +- {error:.3f} (paired standard error)"
    if difference > beyond:
        return f"{first} ends ahead of {second}: {taus}, {numbers}"
    return f"At the end {first} and {second} cannot be told apart: {taus}, {numbers}"
