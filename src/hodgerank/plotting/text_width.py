"""How much room text takes, and how it is shortened or wrapped to fit.

An SVG is drawn with the fonts of the machine that shows it, which are not known when it is made.
So room is reserved for the widest fonts in common use: DejaVu Sans, the default of most Linux
systems, and Verdana. Narrower fonts leave some of it empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from unicodedata import combining, east_asian_width, normalize

from hodgerank.display import visible

FONT_SIZE = 12  # pixels, of all text but titles
BOLD = 1.15  # relative to regular letters
# Relative to the size of the font: 5% more than in DejaVu Sans, rounded up.
WIDTHS = {
    character: width
    for width, characters in {
        0.3: "'ijl",
        0.35: " ,.IJ·’",
        0.4: "-/:;\\f|",
        0.45: "!()[]rt₁²",
        0.5: '"',
        0.55: "*_`s–°“”",
        0.6: "?Lcz",
        0.65: "FPTYaekovxyγτ",
        0.7: "$0123456789EKSbdghnpqu{}β",
        0.75: "ABCRVXZ",
        0.8: "HNU",
        0.85: "&DGOQ",
        0.9: "#+<=>^w~−±×≥≤",
        0.95: "M",
        1.0: "%",
        1.05: "@Wm—…",
    }.items()
    for character in characters
}
OTHER, EAST_ASIAN, EMOJI = 0.9, 1.05, 1.4
FIRST_EMOJI = 0x1F000
ELLIPSIS = "…"
UNSEEN = "\u200b"


def text_width(text: str, size: float = FONT_SIZE, *, bold: bool = False) -> float:
    """Return the pixels that a line of text takes at most."""
    return size * (BOLD if bold else 1.0) * sum(map(_letter_width, text))


@cache
def _letter_width(character: str) -> float:
    base = normalize("NFD", character)[0]
    if base in WIDTHS:
        return WIDTHS[base]
    if combining(base) or base == UNSEEN:
        return 0.0
    if east_asian_width(base) in "WF":
        return EMOJI if ord(base) >= FIRST_EMOJI else EAST_ASIAN
    return OTHER


def fitted(text: str, width: float, size: float = FONT_SIZE, *, bold: bool = False) -> str:
    """Return a name that fits: its beginning and its end, since paths differ at their ends."""
    text = visible(text)
    if text_width(text, size, bold=bold) <= width:
        return text
    room = width - text_width(ELLIPSIS, size, bold=bold)
    head, tail = (
        _beginning(text, room / 2, size, bold),
        _beginning(text[::-1], room / 2, size, bold),
    )
    return f"{head}{ELLIPSIS}{tail[::-1]}"


def _beginning(text: str, width: float, size: float, bold: bool) -> str:
    used = 0.0
    for k, character in enumerate(text):
        used += text_width(character, size, bold=bold)
        if used > width:
            return text[:k]
    return text


def fitted_apart(names: Sequence[str], width: float, size: float = FONT_SIZE) -> list[str]:
    """Return names that fit and differ: where two look the same, unseen marks follow them."""
    labels: dict[str, None] = {}
    for each in names:
        label = fitted(each, width, size)
        while label in labels:
            label += UNSEEN
        labels[label] = None
    return list(labels)


def wrapped(text: str, width: float, size: float = FONT_SIZE, *, bold: bool = False) -> list[str]:
    """Return lines that fit, broken between words where there are any."""
    lines = [""]
    for word in visible(text).split():
        line = f"{lines[-1]} {word}".strip()
        if text_width(line, size, bold=bold) <= width:
            lines[-1] = line
            continue
        lines.append(word)
        while len(part := _beginning(lines[-1], width, size, bold)) < len(lines[-1]):
            cut = max(1, len(part))
            lines[-1:] = [lines[-1][:cut], lines[-1][cut:]]
    return [line for line in lines if line]
