"""Kendall's tau against the number of answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.collecting.replay import LearningCurves
from hodgerank.plotting.curves import curve_chart


def learning_curve(curves: LearningCurves) -> Any:
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
    return curve_chart(
        rows,
        x="answers",
        y="Kendall's tau",
        series=curves.strategies,
        title="How fast the ranking is found",
        subtitle=f"against {curves.truth}; mean of {n_runs} runs, band: two standard errors",
        y_domain=(min(0.0, float((curves.mean - 2 * np.nan_to_num(curves.stderr)).min())), 1.0),
    )
