"""Addresses hold no secrets."""

from __future__ import annotations

import pytest

from hodgerank.errors import InvalidArgument
from hodgerank.judges.endpoint.endpoint import checked_address


@pytest.mark.parametrize(
    "url", ["https://api.example.org/v1", "http://localhost:8000", "http://[::1]:80/v1/@cf"]
)
def test_an_address_stays_as_it_is(url):
    assert checked_address(f" {url}//\n") == url


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@localhost/v1",
        "me:secret@localhost/v1",
        "http://localhost/v1?key=secret",
        "http://localhost/v1#secret",
        "http://me:secret@local host:port/v1",
    ],
)
def test_an_address_with_secrets_is_refused_without_showing_them(url):
    with pytest.raises(InvalidArgument, match="HODGERANK_API_KEY") as caught:
        checked_address(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "ftp://x/v1",
        "http://",
        "http://x:99999/v1",
        "http://x:0",
        "http://a b",
    ],
)
def test_what_is_no_address_is_shown_with_one_that_is(url):
    with pytest.raises(InvalidArgument, match="such as http://localhost:8000/v1"):
        checked_address(url)
