"""Items that would be first if pairs had been compared more or less often."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.estimators.possible_winners import PossibleWinners
from hodgerank.plotting.text_width import fitted_apart, text_width
from hodgerank.plotting.theme import BLUE, altair, charted, data_of, heading

MOST_ITEMS = 40
WIDTH, LABEL_WIDTH, STEP = 460, 180, 16
BAR, GAP = 9, 6  # pixels


@charted
def possible_winners_chart(found: PossibleWinners) -> Any:
    """From which factor on each item can be first, if numbers of votes change by that factor.

    Items that cannot, or of which no such change was found, have no bar. Of more than 40 items the
    best 40 are shown.
    """
    alt = altair()
    items, factors = found.items[:MOST_ITEMS], found.factors[:MOST_ITEMS]
    labels = fitted_apart([str(item) for item in items], LABEL_WIDTH)
    extent = GAP + max(map(text_width, labels), default=0.0)
    values = [
        {"item": str(item), "label": label, "from": round(float(least), 3), "to": found.factor}
        for item, label, least in zip(items, labels, factors, strict=True)
        if np.isfinite(least)
    ]
    base = alt.Chart(data_of(values)).encode(
        x=alt.X(
            "from:Q",
            scale=alt.Scale(type="log", domain=[1, found.factor], nice=False),
            axis=alt.Axis(
                title="factor by which numbers of votes of pairs change", format="~g", tickCount=6
            ),
        ),
        y=alt.Y(
            "label:N",
            scale=alt.Scale(domain=labels),
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelPadding=GAP, minExtent=extent),
        ),
        tooltip=[
            alt.Tooltip("item:N"),
            alt.Tooltip("from:Q", title="can be first from factor", format=".2f"),
        ],
    )
    bars = base.mark_bar(color=BLUE, opacity=0.75, height=BAR).encode(x2="to:Q")
    notes = [
        "Bars: the item can be first if the number of votes of each pair changes by at most this "
        "factor and the mean votes stay.",
        f"{found.cyclic:.0%} of the pairs' mean votes is not explained by the ranking (in terms of "
        "energy); without this part no change of the numbers changes the order.",
    ]
    if len(found.items) > MOST_ITEMS:
        notes.append(f"The best {MOST_ITEMS} of {len(found.items):,} items.")
    return bars.properties(
        width=WIDTH,
        height=alt.Step(STEP),
        title=heading(str(found), *notes, width=WIDTH + extent),
    )
