"""label_probabilities: how probable each label was where the reply names one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import exp, isnan
from typing import TYPE_CHECKING

from hodgerank.judges.replies.named_label import Named, without_thoughts

if TYPE_CHECKING:
    from hodgerank.judges.endpoint.completion import TokenChoice

_AROUND = " \t\r\n*_`\"'“”[](){}<>:.ĠĊ▁"  # of a token: what may stand around a label, and spaces
_END = re.compile(r"\s*|<[^<>]*>")  # what servers put behind the last token, such as </s>


def label_probabilities(
    text: str, found: Named, tokens: Sequence[TokenChoice], labels: Iterable[str]
) -> dict[str, float] | None:
    """The probability of each label at the place of the label that was found; None: no such place.

    Tokens that are the same label but for spaces, case and punctuation add up. What is missing to 1
    is the probability of anything else.
    """
    by_look = {label.casefold(): label for label in labels}
    place = _place_of(text, found, tokens, by_look)
    if place is None:
        return None
    masses = dict.fromkeys(by_look.values(), 0.0)
    for token, logprob in place.alternatives.items():
        label = by_look.get(_look(token))
        if label is not None and not isnan(logprob):
            masses[label] += exp(min(logprob, 0.0))
    return masses


def _place_of(
    text: str, found: Named, tokens: Sequence[TokenChoice], by_look: dict[str, str]
) -> TokenChoice | None:
    """The token that is the label, in the line that names it."""
    spoken = _spoken_tokens(text, tokens, from_start=found.in_first_line)
    places = [place for place in spoken if _look(place.token) in by_look]
    if not places:
        return None
    place = places[0] if found.in_first_line else places[-1]
    return place if by_look[_look(place.token)] == found.label else None


def _spoken_tokens(
    text: str, tokens: Sequence[TokenChoice], *, from_start: bool
) -> Sequence[TokenChoice]:
    """The tokens of the reply without its thoughts; none where they cannot be told apart.

    Tokens may go on behind the text, or hold thoughts that the text does not, or end before it.
    """
    spoken = without_thoughts(text).strip()
    n_tokens = len(tokens)
    while n_tokens and _END.fullmatch(tokens[n_tokens - 1].token):
        n_tokens -= 1
    told = "".join(place.token for place in tokens[:n_tokens]).rstrip()
    if spoken and without_thoughts(told).strip() == spoken:
        start, end = len(told) - len(spoken), 0
        for place, choice in enumerate(tokens[:n_tokens]):
            end += len(choice.token)
            if end > start:
                return tokens[place:n_tokens]
    first_line = spoken.partition("\n")[0]
    return tokens if from_start and told.lstrip().startswith(first_line) else ()


def _look(token: str) -> str:
    return token.strip(_AROUND).casefold()
