"""Replies of judges: from text to an outcome, or the reason why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, isnan
from typing import TYPE_CHECKING, Literal, TypeAlias

from hodgerank.display import short
from hodgerank.judges.reply_labels import Named, matched_label, named_label, without_thoughts

if TYPE_CHECKING:
    from hodgerank.judges.endpoint.completion import Reply, TokenChoice
    from hodgerank.judges.prompts.template import Template


BEGINNING = 400  # characters; a refusal comes at the beginning
_WORDS = r"[^.!?。\n]{0,80}"  # of the same sentence
_CANNOT = r"\b(?:can't|cannot|can not|unable|not able|won't|will not|must decline)\b"
_TO_SERVE = (
    "(?:assist|help|comply|engage|participate|provide|fulfill?|process|continue|respond|answer)"
)
_REFUSALS = (
    rf"(?:i'm|i am)(?: \w+)? sorry\b{_WORDS}{_CANNOT}",
    rf"(?:sorry|unfortunately|i apologi[sz]e|my apologies|as an ai)\b{_WORDS}{_CANNOT}",
    rf"as an ai\b{_WORDS}\b(?:don't|do not) have\b{_WORDS}\b(?:preferences|opinions)\b",
    rf"i (?:can't|cannot|can not|won't|will not|am unable to|am not able to) {_TO_SERVE}\b",
    rf"i'm (?:unable|not able) to {_TO_SERVE}\b",
    r"i(?: must|'ll have to| have to) decline\b",
    rf"(?:es )?tut mir leid\b{_WORDS}\bnicht\b",
    rf"(?:je suis )?désolée?\b{_WORDS}\bne (?:peux|suis)\b",
    rf"lo siento\b{_WORDS}\bno puedo\b",
    rf"mi dispiace\b{_WORDS}\bnon posso\b",
    rf"(?:desculpe|sinto muito|lamento)\b{_WORDS}\bnão posso\b",
    rf"(?:извините|простите|к сожалению)\b{_WORDS}\bне могу\b",
    rf"(?:很?抱歉|对不起){_WORDS}(?:无法|不能)",
    rf"申し訳{_WORDS}(?:できません|致しかねます|いたしかねます)",
)
_REFUSES = re.compile(rf"\W*(?:{'|'.join(_REFUSALS)})")


def refuses(text: str) -> bool:
    """Return whether a reply begins with a refusal, in one of several languages.

    >>> refuses("I'm sorry, but I can't help with that."), refuses("I cannot tell them apart.")
    (True, False)
    """
    return _REFUSES.match(text[:BEGINNING].casefold().replace("’", "'")) is not None


_AROUND = " \t\r\n*_`\"'“”[](){}<>:.ĠĊ▁"  # of a token: what may stand around a label, and spaces
_END = re.compile(r"\s*|<[^<>]*>")  # what servers put behind the last token, such as </s>


def label_probabilities(
    text: str, found: Named, tokens: Sequence[TokenChoice], labels: Iterable[str]
) -> dict[str, float] | None:
    """Return the probability of each label at the token of the answer; None if there is none.

    Tokens that differ only by spaces, case and punctuation are added. The rest to 1 is the
    probability of other tokens.
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
    """Return the token of the label, in the line that names it."""
    spoken = _spoken_tokens(text, tokens, from_start=found.in_first_line)
    places = [place for place in spoken if _look(place.token) in by_look]
    if not places:
        return None
    place = places[0] if found.in_first_line else places[-1]
    return place if by_look[_look(place.token)] == found.label else None


def _spoken_tokens(
    text: str, tokens: Sequence[TokenChoice], *, from_start: bool
) -> Sequence[TokenChoice]:
    """Return the tokens of the reply without its reasoning; none if they cannot be separated.

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


Status: TypeAlias = Literal["answered", "abstained", "refused", "unparsable", "failed"]
Labels: TypeAlias = Mapping[str, float | None]

CUT = ("length", "max_tokens")
FILTERED = ("content_filter",)
LEAST_MASS = 0.5  # of the labels together; below it something else was about to be said
MOST_MASS = 1.01  # of rounded probabilities


@dataclass(frozen=True)
class Verdict:
    """Verdict of a reply.

    Attributes
    ----------
    status
        A tie is an answer; "failed" is for calls that brought no reply.
    outcome
        Outcome of the left item, in [-1, 1]; None unless answered.
    probabilities
        Probabilities of the labels, if requested and returned; the rest to 1 is for other tokens.
    detail
        Why there is no outcome.
    """

    status: Status
    outcome: float | None = None
    probabilities: Mapping[str, float] | None = None
    detail: str = ""


NO_PROBABILITIES = (
    "returned no log-probabilities: leave out --probabilities, or use a model that returns them"
)


def read_reply(
    reply: Reply, expected: Template | Labels, *, by_probability: bool = False
) -> Verdict:
    """Read the verdict of a reply, only if it clearly names one label.

    Parameters
    ----------
    reply
        Reply of the endpoint.
    expected
        Allowed labels, and the outcome of the left item for each; None: no answer. Of a template,
        its pattern, if it has one, decides alone which label a reply names.
    by_probability
        Use the mean outcome by the probabilities of the labels, not that of the sampled label. The
        judge abstains if that is more probable than all outcomes together.
    """
    if reply.refusal and reply.refusal.strip():
        return Verdict("refused", detail=short(reply.refusal.strip()))
    if reply.finish_reason in FILTERED:
        return Verdict("refused", detail="a content filter stopped the reply")
    is_cut = reply.finish_reason in CUT
    pattern = None if isinstance(expected, Mapping) else expected.pattern
    labels = expected if isinstance(expected, Mapping) else expected.labels
    if pattern is None:
        found = named_label(reply.text, labels, is_cut=is_cut)
    else:
        found = matched_label(reply.text, pattern, labels)
    if isinstance(found, str):
        return _without_label(reply.text, found, is_cut=is_cut)
    if not by_probability:
        outcome = labels[found.label]
        return Verdict("abstained") if outcome is None else Verdict("answered", outcome)
    if not any(place.alternatives for place in reply.first_tokens):
        return _unparsable(f"the endpoint {NO_PROBABILITIES}")
    masses = label_probabilities(reply.text, found, reply.first_tokens, labels)
    if masses is None:
        return _unparsable(
            f"no token is the label {found.label} in the place where the reply names it: "
            f"{short(reply.text.strip())}"
        )
    return _mean_outcome(masses, labels)


def _without_label(text: str, why: str, *, is_cut: bool) -> Verdict:
    spoken = without_thoughts(text).strip()
    if refuses(spoken):
        return Verdict("refused", detail=short(spoken))
    if is_cut:
        why = "the reply was cut off before it named a label: raise --max-tokens"
    return _unparsable(f"{why}: {short(spoken)}" if spoken else why)


def _mean_outcome(masses: Mapping[str, float], labels: Labels) -> Verdict:
    total = sum(masses.values())
    if not LEAST_MASS <= total <= MOST_MASS:
        why = f"the probabilities of the labels sum to {total:.2f}"
        return Verdict("unparsable", None, masses, why)
    decided = {label: mass for label, mass in masses.items() if labels[label] is not None}
    if sum(decided.values()) < total / 2:
        return Verdict("abstained", None, masses)
    mean = sum(mass * (labels[label] or 0.0) for label, mass in decided.items())
    return Verdict("answered", mean / sum(decided.values()), masses)


def _unparsable(why: str) -> Verdict:
    return Verdict("unparsable", detail=why)
