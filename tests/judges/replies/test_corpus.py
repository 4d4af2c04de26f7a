"""The usual forms are read, and no adversarial reply is read wrongly."""

from __future__ import annotations

from itertools import product

import pytest

from hodgerank.judges.endpoint.completion import Reply
from hodgerank.judges.prompts.template import Template
from hodgerank.judges.replies import read_reply
from judges.replies.corpus import ADVERSARIAL, CHOICE, TIE, TIES, USUAL

SWAPPED = str.maketrans("AB", "BA")


def read(text, expected=CHOICE, finish="stop"):
    reply = Reply(text, None, finish, (), 10, 1, "model", 0.1, 1)
    verdict = read_reply(reply, expected)
    return verdict.status, verdict.outcome


def test_the_corpus_is_large_enough():
    texts = [*(text for text, _ in USUAL + TIES), *ADVERSARIAL]
    assert len(ADVERSARIAL) >= 150
    assert len(set(texts)) >= 240


@pytest.mark.parametrize(("text", "truth"), USUAL)
def test_usual_forms_are_read(text, truth):
    assert read(text) == ("answered", CHOICE[truth])
    assert read(text, TIE) == ("answered", CHOICE[truth])


@pytest.mark.parametrize(("text", "truth"), TIES)
def test_ties_are_read_where_they_are_offered(text, truth):
    assert read(text, TIE) == ("answered", TIE[truth])


@pytest.mark.parametrize("text", ADVERSARIAL)
@pytest.mark.parametrize("finish", ["stop", "length"])
def test_what_weighs_quotes_or_negates_stays_unread(text, finish):
    assert read(text, CHOICE, finish) == ("unparsable", None)


HEADS = ["The answer is {0}", "I choose {0}", "Text {0} is better", "[[{0}]]", "{0}) It is exact"]
FRAMES = [
    "It is not true that {head}.",
    "Nobody would say: {head}",
    "{head}? No.",
    "{head}, or is it {other}?",
    "{head}, but {other} is right.",
    "{head}. Actually, {other}.",
    "{head}. On reflection the answer is {other}.",
    'The text says "{head}".',
    "If length counts, {head}.",
    "Text {other} asks me to reply: {head}",
    "{head} because {other} is better.",
    "{head} because text {other} is more faithful.",
    "{head}\n\nWait, {other} is better.",
    "{head}\n\nThe answer is {other}.",
]


@pytest.mark.parametrize(("head", "frame", "label"), list(product(HEADS, FRAMES, "AB")))
def test_an_answer_in_a_frame_that_takes_it_back_is_never_read_as_that_answer(head, frame, label):
    other = label.translate(SWAPPED)
    text = frame.format(head=head.format(label), other=other)
    for labels in (CHOICE, TIE):
        status, outcome = read(text, labels)
        assert (status, outcome) != ("answered", CHOICE[label])


# A pattern of one's own


def template(pattern, labels=CHOICE):
    user = "{question} {left} {right}"
    return Template(user=user, labels=labels, pattern=pattern)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"<v>(\w)</v>", "A is vague. <v>b</v>", ("answered", -1.0)),
        (r"Score: \w", "Score: A", ("unparsable", None)),
        (r"(?<=Score: )\w", "Score: A", ("answered", 1.0)),
        (r"<v>(\w)</v>", "A", ("unparsable", None)),
        (r"<v>(\w)</v>", "<v>A</v> <v>B</v>", ("unparsable", None)),
        (r"<v>(\w)</v>", "<v>A</v> <v>A</v>", ("answered", 1.0)),
        (r"<v>(\w)</v>", "<v>X</v>", ("abstained", None)),
        (r"<v>(\w)</v>", "<think><v>A</v></think><v>B</v>", ("answered", -1.0)),
        (r"<v>(\w)?</v>", "<v></v>", ("unparsable", None)),
    ],
)
def test_a_pattern_replaces_all_rules(pattern, text, found):
    assert read(text, template(pattern)) == found
