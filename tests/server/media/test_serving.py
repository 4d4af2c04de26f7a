"""Which bytes a browser gets, and what it is told about them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.server.media.kinds import KINDS
from hodgerank.server.media.range_requests import UnsatisfiableRange, media_headers, range_of


@pytest.mark.parametrize(
    ("header", "part"),
    [
        (None, None),
        ("", None),
        ("bytes=0-0", (0, 0)),
        ("bytes=0-", (0, 99)),
        ("bytes=10-19", (10, 19)),
        ("BYTES = 10 - 19 ", (10, 19)),
        ("bytes=10-1000", (10, 99)),
        ("bytes=10-" + "9" * 5000, (10, 99)),
        ("bytes=-1", (99, 99)),
        ("bytes=-1000", (0, 99)),
        ("bytes=-" + "9" * 5000, (0, 99)),
        ("bytes=99-99", (99, 99)),
        ("bytes=-", None),
        ("bytes=20-10", None),
        ("bytes=0-1,3-4", None),
        ("bytes=a-b", None),
        ("bytes=1.5-2", None),
        ("bytes=١-٢", None),
        ("items=0-1", None),
        ("0-1", None),
        ("bytes=0-1\r\nX: y", None),
    ],
)
def test_one_range_within_the_file(header, part):
    assert range_of(header, 100) == part


@pytest.mark.parametrize(
    "header", ["bytes=100-", "bytes=100-200", f"bytes={'9' * 5000}-", "bytes=-0"]
)
def test_a_range_behind_the_end_cannot_be_had(header):
    with pytest.raises(UnsatisfiableRange, match="100 bytes"):
        range_of(header, 100)


def test_nothing_can_be_had_of_an_empty_file():
    with pytest.raises(UnsatisfiableRange):
        range_of("bytes=0-", 0)


@given(st.text(max_size=30) | st.from_regex(r"bytes=\d{0,6}-\d{0,6}"), st.integers(0, 10**6))
def test_whatever_is_asked_for_lies_in_the_file(header, size):
    try:
        part = range_of(header, size)
    except UnsatisfiableRange:
        return
    assert part is None or 0 <= part[0] <= part[1] < size


@pytest.mark.parametrize("ending", KINDS)
def test_media_are_shown_and_never_run(ending):
    name = "0123456789abcdef" * 4
    headers = media_headers(f"media:{name}.{ending}")
    assert headers["Content-Type"] == KINDS[ending].media_type
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert headers["Content-Disposition"] == f'inline; filename="{name}.{ending}"'
    assert headers["ETag"] == f'"{name}"'
