"""What the votes are made of, beside what noise alone would give."""

from __future__ import annotations

from typing import Any

from hodgerank.display import p_words
from hodgerank.estimators import trust_statements as say
from hodgerank.estimators.trust import TrustReport
from hodgerank.graph.decomposition import PART_WORDS, HodgeDecomposition
from hodgerank.plotting.theme import altair, charted, data_of, heading, words_alone

WIDTH = 320
STEP = 44  # pixels of a row
BAR, BELOW = 16, 15  # height of a bar, and how far below its middle the noise is
NUMBER = WIDTH + 52  # where the shares end and the words begin, in pixels
WORDS = NUMBER + 16
# What would be no more than noise, by part.
SOURCES = {
    "bias": "sides dealt at random",
    "ties": "one ranking and noise",
    "gradient": "coin tosses",
    "curl": "one ranking and noise",
    "harmonic": "one ranking and noise",
}


@charted
def decomposition_chart(found: HodgeDecomposition | TrustReport) -> Any:
    """The share of each part of the votes as a bar, and below it what noise alone would give."""
    parts = found.decomposition if isinstance(found, TrustReport) else found
    if not parts.total:
        return words_alone("There is nothing to decompose: no answer prefers one item to another")
    said = say.about_ranking(parts)
    if isinstance(found, TrustReport):
        said += say.about_cycles(found.consistency, found.votes.n_items)
    sentences = "; ".join(statement.words for statement in said)
    title = heading(
        sentences[:1].upper() + sentences[1:],
        "bar: share in the sum of squared answers; below: what noise alone gives, +- 2 deviations",
        "noise: for position bias sides dealt at random, for the ranking coin tosses, for the "
        "others a crowd with one ranking; what does not add up need not be a cycle",
    )
    return _drawn(part_rows(parts)).properties(title=title)


def part_rows(parts: HodgeDecomposition) -> list[dict[str, Any]]:
    """For each part its share, what noise alone gives, and in words whether it is more than that.

    What cannot be said has no entry.
    """
    rows = []
    for part, words in PART_WORDS.items():
        row: dict[str, Any] = {"part": words, "noise": SOURCES[part]}
        p_value, share = parts.p_value(part), parts.energy[part]
        if part == "bias" and parts.unseen_bias is not None:
            row |= {"number": "unseen", "words": parts.unseen_bias}
        elif p_value is None:
            row |= {"share": round(share, 5), "number": f"{share:.1%}", "words": "noise gives none"}
        else:
            surely = "more than noise" if p_value < say.SURE else "not surely more than noise"
            row |= {
                "share": round(share, 5),
                "number": f"{share:.1%}",
                "words": f"{surely} ({p_words(p_value)})",
            }
            if (noise := parts.noise(part)) is not None:
                row |= {
                    "expected": round(noise.mean, 5),
                    "least": round(max(noise.mean - 2 * noise.std, 0.0), 5),
                    "most": round(min(noise.mean + 2 * noise.std, 1.0), 5),
                }
        rows.append(row)
    return rows


def _drawn(rows: list[dict[str, Any]]) -> Any:
    alt = altair()
    x = alt.X(
        "share:Q",
        title="share of the votes",
        scale=alt.Scale(domainMin=0, nice=True),
        axis=alt.Axis(format="%", tickCount=6),
    )
    base = alt.Chart(data_of(rows)).encode(
        y=alt.Y(
            "part:N",
            sort=list(PART_WORDS.values()),
            title=None,
            axis=alt.Axis(labelLimit=240, domain=False, ticks=False, labelPadding=8),
        ),
        tooltip=[
            alt.Tooltip("part:N"),
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("expected:Q", title="noise alone gives", format=".1%"),
            alt.Tooltip("noise:N", title="noise"),
            alt.Tooltip("words:N", title="that is"),
        ],
    )
    seen = base.transform_filter("isValid(datum.share)")
    layers = (
        seen.mark_bar(style="mark", height=BAR).encode(x=x),
        seen.mark_rule(style="note", strokeWidth=2, yOffset=BELOW).encode(x="least:Q", x2="most:Q"),
        seen.mark_point(style="note", filled=True, opacity=1, size=40, yOffset=BELOW).encode(
            x="expected:Q"
        ),
        base.mark_text(style="label", align="right").encode(x=alt.value(NUMBER), text="number:N"),
        base.mark_text(style="note", align="left").encode(x=alt.value(WORDS), text="words:N"),
    )
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(STEP))
