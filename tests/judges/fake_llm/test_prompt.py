from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from hodgerank.data.items.samples import Sample, ShownPair
from hodgerank.judges.fake_llm.prompt import NotAPrompt, flat, offered, shown
from hodgerank.judges.prompts.template import SHIPPED, load_template

PIXEL = b"\x89PNG\r\n\x1a\n and so on"


def found(prompt: str, *texts: str) -> tuple[str, str]:
    left, right = shown(prompt, texts)
    return left.text, right.text


def test_texts_are_found_in_the_order_they_stand_in():
    assert found("<a>one</a><b>two</b>", "two", "one", "three") == ("one", "two")


def test_a_text_within_another_is_not_an_item():
    texts = ("cat", "cat and dog", "dog")
    assert found("\ncat and dog\n\ncat\n", *texts) == ("cat and dog", "cat")
    assert found("\ndog\n\ncat and dog\n", *texts) == ("dog", "cat and dog")


def test_a_line_of_a_longer_text_is_not_an_item():
    texts = ("dog\ncat\nbird", "cat", "owl")
    assert found("\ndog\ncat\nbird\n\nowl\n", *texts) == ("dog\ncat\nbird", "owl")


def test_a_word_of_the_instructions_is_not_an_item():
    prompt = "Which text is better, the first?\n<a>\nx\n</a>\n<b>\nfirst\n</b>\nthe x"
    assert found(prompt, "first", "x", "better") == ("x", "first")


def test_a_text_in_the_context_before_is_not_taken_for_the_item():
    prompt = "context:\ntwo\n\none\n\ntwo\n"
    assert found(prompt, "one", "two") == ("one", "two")


def test_the_same_text_may_stand_on_both_sides():
    assert found("<a>same</a><b>same</b>", "same", "other") == ("same", "same")


@pytest.mark.parametrize(("prompt", "count"), [("nothing", 0), ("<a>one</a><b>new</b>", 1)])
def test_fewer_than_two_known_texts_are_said(prompt, count):
    with pytest.raises(NotAPrompt, match=f"shows {count} known items"):
        shown(prompt, ["one", "two"])


def test_images_are_named_by_their_bytes():
    url = "data:image/png;base64," + base64.b64encode(PIXEL).decode()
    parts = [{"type": "text", "text": "A:"}, {"type": "image_url", "image_url": {"url": url}}]
    digest = hashlib.sha256(PIXEL).hexdigest()
    assert flat([{"role": "user", "content": parts}]) == f"A:\nsha256:{digest}"


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_templates_are_understood(name, tmp_path: Path):
    template = load_template(name)
    image = tmp_path / "pixel"
    image.write_bytes(PIXEL)
    digest = f"sha256:{hashlib.sha256(PIXEL).hexdigest()}"
    context = "A T or an X, graded\n1\n2\n3\n4\n5\n6\n7"
    for left, right in [
        (Sample("one", context=context), Sample("two T")),
        (Sample("a"), Sample("A if the answer is item A")),
        (Sample(image=image), Sample("two")),
    ]:
        prompt = flat(template.messages("Which is item X or T?", ShownPair(left, right, context)))
        known = [left.text or digest, right.text or digest, "else"]
        places = shown(prompt, known)
        assert [place.text for place in places] == known[:2]
        assert offered(prompt, places) == template.labels


def test_labels_before_the_items_are_found_where_none_come_after():
    prompt = "Reply A, B or T.\n<a>one</a><b>two</b>\nThank you."
    assert offered(prompt, shown(prompt, ["one", "two"])) == {"A": 1.0, "B": -1.0, "T": 0.0}


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        (None, "must be a list"),
        ("hello", "must be a list"),
        ([], "must be a list"),
        (["hello"], "an object with a 'role'"),
        ([{"role": "user", "content": 3}], "a text or a list of parts"),
        ([{"role": "user", "content": [{"type": "audio"}]}], "a text or an image_url"),
        ([{"role": "user", "content": [{"type": "text", "text": 1}]}], "a text or an"),
    ],
)
def test_what_is_no_prompt_is_said(messages, message):
    with pytest.raises(NotAPrompt, match=message):
        flat(messages)


@pytest.mark.parametrize(
    ("url", "message"),
    [("https://example.org/a.png", "data URL"), ("data:image/png;base64,%%%", "not base64")],
)
def test_images_must_come_along(url, message):
    part = {"type": "image_url", "image_url": {"url": url}}
    with pytest.raises(NotAPrompt, match=message):
        flat([{"role": "user", "content": [part]}])
