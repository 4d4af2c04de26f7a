"""What a template must have: places for what is shown, and labels that can be told apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from hodgerank.data.items.samples import require_text
from hodgerank.errors import InvalidArgument, did_you_mean
from hodgerank.judges.prompts.places import places_in
from hodgerank.notebook import short

PLACES = {
    "user": ("question", "context", "left", "right", "fence"),
    "system": ("question", "context", "fence"),
    "context": ("context", "fence"),
    "sample_context": ("context", "fence"),
}
NEEDED = {"user": ("left", "right"), "context": ("context",), "sample_context": ("context",)}
ABSTAIN = "abstain"
LONGEST_LABEL = 30


def require_places(texts: Mapping[str, str | None], name: str) -> None:
    """Refuse a text of the template that lacks a place, or has one that nothing is put into."""
    found: dict[str, set[str]] = {"system": set()}
    for part, text in texts.items():
        if text is not None or part != "system":
            found[part] = places_in(require_text(text, f"{part} of {name}"))
    for part, places in found.items():
        known = PLACES[part]
        if unknown := sorted(places.difference(known)):
            listed = ", ".join(f"{{{place}}}" for place in known)
            raise InvalidArgument(
                f"{name}: {part} has no place {{{short(unknown[0])}}}"
                f"{did_you_mean(unknown[0], known)}: its places are {listed}; to show braces, "
                "double them"
            )
        for place in NEEDED.get(part, ()):
            if place not in places:
                raise InvalidArgument(
                    f"{name}: {part} has no {{{place}}}: put it where that is to stand"
                )
    if "question" not in found["user"] | found["system"]:
        raise InvalidArgument(f"{name}: user has no {{question}}: put it where that is to stand")


def require_labels(labels: Mapping[str, float | None], name: str) -> None:
    """Refuse labels that replies cannot be told by, and outcomes that favour one side only."""
    seen: dict[str, str] = {}
    for label, outcome in labels.items():
        plain = isinstance(label, str) and re.fullmatch(r"[^\W_](?:[^*`\n\r]*[^\W_])?", label)
        if not plain or len(label) > LONGEST_LABEL:
            raise InvalidArgument(
                f"{name}: label {short(repr(label))} must be short, and begin and end with a "
                "letter or digit"
            )
        look = unicodedata.normalize("NFKC", label).casefold()
        if (earlier := seen.setdefault(look, label)) != label:
            raise InvalidArgument(
                f"{name}: labels {earlier} and {label} differ only by case or width, which replies "
                "do not keep: rename one"
            )
        is_number = isinstance(outcome, int | float) and not isinstance(outcome, bool)
        if outcome is not None and not (is_number and -1 <= outcome <= 1):
            raise InvalidArgument(
                f"{name}: the outcome of label {label} must be a number in [-1, 1], 1 for the left "
                f"item, or {ABSTAIN!r}, not {short(repr(outcome))}"
            )
    outcomes = [outcome or 0 for outcome in labels.values()]
    if min(outcomes, default=0) >= 0 or max(outcomes) <= 0:
        side, sign = ("right", "below") if max(outcomes, default=0) > 0 else ("left", "above")
        raise InvalidArgument(
            f"{name}: no label says that the {side} item is better: give one an outcome {sign} 0"
        )
