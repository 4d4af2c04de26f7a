"""What a file is, by its bytes; what is refused, in words that say what to do."""

from __future__ import annotations

import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.kinds import KINDS, kind_of, kind_of_ending
from hodgerank.server.media.validation import validate_media
from server.media.made import EVERY_KIND, NOT_TAKEN


def test_every_kind_of_the_table_has_an_example():
    assert set(EVERY_KIND) == set(KINDS)


@pytest.mark.parametrize("ending", EVERY_KIND)
def test_a_file_is_known_by_its_bytes(ending):
    media_type, make = EVERY_KIND[ending]
    examined = validate_media(io.BytesIO(make()))
    assert (examined.kind.ending, examined.kind.media_type) == (ending, media_type)
    assert examined.kind.what == media_type.split("/")[0]
    assert examined.name == f"media:{examined.sha256}.{ending}"
    assert (examined.size, examined.warning) == (len(make()), "")


@pytest.mark.parametrize("what", NOT_TAKEN)
def test_what_browsers_do_not_show_is_refused_with_what_to_do(what):
    content, words = NOT_TAKEN[what]
    with pytest.raises(InvalidArgument) as caught:
        validate_media(io.BytesIO(content))
    assert words in str(caught.value)
    assert ": " in str(caught.value)


@given(st.binary(max_size=300), st.sampled_from([make() for _, make in EVERY_KIND.values()]))
def test_any_bytes_are_taken_or_refused(content, real):
    for start in (content, real[:40] + content, content + real):
        with suppress(InvalidArgument):
            assert validate_media(io.BytesIO(start)).size == len(start)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("https://x.org/a.JPEG", "image"),
        ("/b.m4v", "video"),
        ("c.opus", "audio"),
        ("d.svg", None),
        ("png", "image"),
        ("", None),
    ],
)
def test_addresses_tell_by_their_ending(name, what):
    kind = kind_of_ending(name)
    assert (kind.what if kind else None) == what


def test_an_animated_avif_is_an_image_too():
    start = b"\0\0\0\x1cftypavis\0\0\0\0msf1miafavis"
    assert kind_of(start).ending == "avif"
