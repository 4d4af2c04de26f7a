"""Verdict: from what a judge replied to an outcome, or to why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from hodgerank.judges.replies.label_probabilities import label_probabilities
from hodgerank.judges.replies.named_label import named_label, without_thoughts
from hodgerank.judges.replies.refusals import refuses
from hodgerank.notebook import short

if TYPE_CHECKING:
    from hodgerank.judges.endpoint.completion import Reply

Status: TypeAlias = Literal["answered", "abstained", "refused", "unparsable", "failed"]
Labels: TypeAlias = Mapping[str, float | None]

CUT = ("length", "max_tokens")
FILTERED = ("content_filter",)
LEAST_MASS = 0.5  # of the labels together; below it something else was about to be said
MOST_MASS = 1.01  # of rounded probabilities


@dataclass(frozen=True)
class Verdict:
    """What a reply comes to.

    Attributes
    ----------
    status
        A tie is an answer; "failed" is for calls that brought no reply.
    outcome
        Of the left item, in [-1, 1]; None unless answered.
    probabilities
        Of the labels, where they were asked for and told; what is missing to 1 went elsewhere.
    detail
        Why there is no outcome, in words.
    """

    status: Status
    outcome: float | None = None
    probabilities: Mapping[str, float] | None = None
    detail: str = ""


def read_reply(reply: Reply, labels: Labels, *, by_probability: bool = False) -> Verdict:
    """The verdict in a reply; what is not plainly one of the labels is never taken for one.

    Parameters
    ----------
    reply
        What the endpoint gave.
    labels
        What a reply may be, and the outcome of the left item that it stands for; None: no answer.
    by_probability
        Take the mean outcome by the probabilities of the labels, not the outcome of the label that
        was drawn. The judge abstains where that is more probable than all outcomes together.
    """
    if reply.refusal and reply.refusal.strip():
        return Verdict("refused", detail=short(reply.refusal.strip()))
    if reply.finish_reason in FILTERED:
        return Verdict("refused", detail="a content filter stopped the reply")
    is_cut = reply.finish_reason in CUT
    found = named_label(reply.text, labels, is_cut=is_cut)
    if isinstance(found, str):
        return _without_label(reply.text, found, is_cut=is_cut)
    if not by_probability:
        outcome = labels[found.label]
        return Verdict("abstained") if outcome is None else Verdict("answered", outcome)
    if not any(place.alternatives for place in reply.first_tokens):
        return _unparsable(
            "the endpoint gave no log-probabilities: judge by the label itself, or use a model "
            "that gives them"
        )
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
        why = "the reply was cut off before it named a label: raise the limit of tokens"
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
