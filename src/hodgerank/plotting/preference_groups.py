"""Scores of the items in each preference group, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.estimators.preference_groups.result import PreferenceGroups
from hodgerank.plotting.text_width import fitted_apart, text_width
from hodgerank.plotting.theme import COLOURS, altair, charted, data_of, heading, legend_of
from hodgerank.types import IntArray

MOST_ITEMS = 40
WIDTH, LABEL_WIDTH, STEP, GAP = 460, 180, 18, 6
REACH = 2  # standard errors


@charted
def preference_groups_chart(found: PreferenceGroups) -> Any:
    """Scores of each group ± 2 standard errors, best items of the largest group on top.

    Of more than 40 items those are shown on which the groups differ most.
    """
    alt = altair()
    rows = _shown(found)
    items = [found.items[k] for k in rows.tolist()]
    labels = fitted_apart([str(item) for item in items], LABEL_WIDTH)
    extent = GAP + max(map(text_width, labels), default=0.0)
    n = len(found.scores)
    names = [
        f"group {g} ({size:,} worker{'' if size == 1 else 's'})" if n > 1 else "all workers"
        for g, size in enumerate(found.sizes.tolist(), start=1)
    ]
    values = [
        {
            "item": str(item),
            "label": label,
            "group": names[g],
            "score": round(float(found.scores[g, k]), 3),
            "lower": round(float(found.scores[g, k] - REACH * found.errors[g, k]), 3),
            "upper": round(float(found.scores[g, k] + REACH * found.errors[g, k]), 3),
        }
        for k, item, label in zip(rows.tolist(), items, labels, strict=True)
        for g in range(n)
    ]
    base = alt.Chart(data_of(values)).encode(
        x=alt.X("score:Q", title="score (log odds) ± 2 standard errors"),
        y=alt.Y(
            "label:N",
            scale=alt.Scale(domain=labels),
            title=None,
            axis=alt.Axis(domain=False, ticks=False, grid=True, labelPadding=GAP, minExtent=extent),
        ),
        yOffset=alt.YOffset("group:N", scale=alt.Scale(domain=names)),
        color=alt.Color(
            "group:N",
            scale=alt.Scale(domain=names, range=list(COLOURS[:n])),
            legend=legend_of(names, WIDTH) if n > 1 else None,
        ),
        tooltip=[
            alt.Tooltip("item:N"),
            alt.Tooltip("group:N"),
            alt.Tooltip("score:Q", format="+.2f"),
            alt.Tooltip("lower:Q", format="+.2f"),
            alt.Tooltip("upper:Q", format="+.2f"),
        ],
    )
    intervals = base.mark_rule(strokeWidth=1.5).encode(x="lower:Q", x2="upper:Q")
    notes = ["Items in the order of the largest group." if n > 1 else "One group."]
    if len(rows) < len(found.items):
        differ = "on which the groups differ most" if n > 1 else "with the highest scores"
        notes.append(f"{len(rows):,} of {len(found.items):,} items, those {differ}.")
    return alt.layer(intervals, base.mark_point(size=36, filled=True, opacity=1)).properties(
        width=WIDTH,
        height=alt.Step(max(STEP, 8 * n)),
        title=heading(f"{found.statement}.", *notes, width=WIDTH + extent),
    )


def _shown(found: PreferenceGroups) -> IntArray:
    """Return the items to draw, best of the largest group first."""
    spread = np.ptp(found.scores, axis=0) if len(found.scores) > 1 else found.scores[0]
    most = np.argsort(-spread, kind="stable")[:MOST_ITEMS]
    return most[np.argsort(-found.scores[0, most], kind="stable")]
