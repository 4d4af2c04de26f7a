"""The parts of the votes, each beside its share expected by chance."""

from __future__ import annotations

from typing import Any

from hodgerank.display import p_words
from hodgerank.estimators import trust_statements as say
from hodgerank.estimators.trust import TrustReport
from hodgerank.graph.decomposition import HodgeDecomposition
from hodgerank.plotting.text_width import text_width
from hodgerank.plotting.theme import altair, charted, data_of, heading, room_to, words_alone

WIDTH = 240
STEP = 44  # pixels of a row
BAR, BELOW = 16, 15  # height of a bar, and how far below its middle the expected share is
NUMBER = WIDTH + 58  # where the shares end and the words begin, in pixels
WORDS = NUMBER + 12
# The null hypothesis behind the share expected by chance, by part.
NULLS = {
    "bias": "random display order",
    "ties": "one ranking with noise",
    "gradient": "random votes",
    "curl": "one ranking with noise",
    "harmonic": "one ranking with noise",
}


@charted
def decomposition_chart(found: HodgeDecomposition | TrustReport) -> Any:
    """The share of each part of the votes as a bar, and below it the share expected by chance."""
    parts = found.decomposition if isinstance(found, TrustReport) else found
    if not parts.total:
        return words_alone("Nothing to decompose: no vote prefers one item to another")
    said = say.about_ranking(parts)
    if isinstance(found, TrustReport):
        said += say.about_cycles(found.consistency, found.votes.n_items)
    sentences = "; ".join(statement.words for statement in said)
    rows = part_rows(parts)
    labels = 8 + max(text_width(row["part"]) for row in rows)
    width = WORDS + max(text_width(row["words"]) for row in rows)
    explained = (
        "Bars are shares of the sum of squared votes. Below each: the share expected by chance "
        "(mean ± 2 sd), simulated under random display order for position bias, random votes for "
        "the ranking, and one ranking with noise for the others."
    )
    if parts.votes.report.margin_unit is not None:
        explained = (
            "Bars are shares of the sum of squared margins. The ranking is compared with all other "
            "parts, and inconsistency of both kinds together with differences within pairs. "
            "Position bias: all that differs between the display orders of a pair, also noise."
        )
    title = heading(
        sentences[:1].upper() + sentences[1:],
        explained,
        width=labels + width,
    )
    return _drawn(rows, labels, width).properties(title=title)


def part_rows(parts: HodgeDecomposition) -> list[dict[str, Any]]:
    """For each part its share, the share expected by chance, and whether it is significant.

    What is not known has no entry.
    """
    rows = []
    for part, words in parts.part_words.items():
        row: dict[str, Any] = {"part": words, "null": NULLS[part]}
        p_value, share = parts.p_value(part), parts.energy[part]
        if part == "bias" and parts.unseen_bias is not None:
            row |= {"number": "–", "words": parts.unseen_bias}
        elif p_value is None:
            words = "none expected" if parts.votes.report.margin_unit is None else "not tested"
            row |= {"share": round(share, 5), "number": f"{share:.1%}", "words": words}
        else:
            words = "significant" if p_value < say.SURE else "not significant"
            row |= {
                "share": round(share, 5),
                "number": f"{share:.1%}",
                "words": f"{words} ({p_words(p_value)})",
            }
            if (chance := parts.noise(part)) is not None:
                row |= {
                    "expected": round(chance.mean, 5),
                    "least": round(max(chance.mean - 2 * chance.std, 0.0), 5),
                    "most": round(min(chance.mean + 2 * chance.std, 1.0), 5),
                }
        rows.append(row)
    return rows


def _drawn(rows: list[dict[str, Any]], labels: float, width: float) -> Any:
    """Rows with `labels` pixels of names on the left, and words up to `width` pixels."""
    alt = altair()
    x = alt.X(
        "share:Q",
        title="share of squared votes",
        scale=alt.Scale(domainMin=0, nice=True),
        axis=alt.Axis(format=".0%", tickCount=3),
    )
    base = alt.Chart(data_of(rows)).encode(
        y=alt.Y(
            "part:N",
            sort=[row["part"] for row in rows],
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelPadding=8, minExtent=labels),
        ),
        tooltip=[
            alt.Tooltip("part:N"),
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("expected:Q", title="expected by chance", format=".1%"),
            alt.Tooltip("null:N", title="simulated under"),
            alt.Tooltip("words:N", title="result"),
        ],
    )
    seen = base.transform_filter("isValid(datum.share)")
    layers = (
        seen.mark_bar(style="mark", height=BAR).encode(x=x),
        seen.mark_rule(style="note", strokeWidth=2, yOffset=BELOW).encode(x="least:Q", x2="most:Q"),
        seen.mark_point(style="note", filled=True, opacity=1, size=40, yOffset=BELOW).encode(
            x="expected:Q"
        ),
        base.mark_text(style="label", align="right").encode(x=alt.XValue(NUMBER), text="number:N"),
        base.mark_text(style="note", align="left").encode(x=alt.XValue(WORDS), text="words:N"),
        room_to(width),
    )
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(STEP))
