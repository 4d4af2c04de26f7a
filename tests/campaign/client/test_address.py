"""Addresses of servers and of campaigns."""

from __future__ import annotations

import pytest

from hodgerank.campaign.client.address import read_address
from hodgerank.errors import InvalidArgument


@pytest.mark.parametrize(
    ("given", "server", "id"),
    [
        ("https://rank.example.org", "https://rank.example.org", None),
        ("https://rank.example.org/", "https://rank.example.org", None),
        ("HTTPS://Rank.Example.org:443", "https://rank.example.org", None),
        ("http://localhost:8000/c/animals", "http://localhost:8000", "animals"),
        ("http://localhost:8000/c/animals/workers", "http://localhost:8000", "animals"),
        ("http://[::1]:8000/c/a%20b%2Fc", "http://[::1]:8000", "a b/c"),
        ("https://example.org/votes/c/x", "https://example.org/votes", "x"),
        ("https://example.org/api/v1/campaigns/x", "https://example.org", "x"),
        ("https://example.org/c", "https://example.org/c", None),
    ],
)
def test_an_address_is_a_server_or_a_page_of_a_campaign(given, server, id):
    found, name = read_address(given, None)
    assert (str(found), name) == (server, id)


def test_an_id_that_is_given_is_the_one():
    found, id = read_address("https://example.org/c/y", "x")
    assert (found.path("campaigns", id), id) == ("/c/y/api/v1/campaigns/x", "x")


def test_names_in_paths_may_be_anything():
    found, _ = read_address("https://example.org/votes/", "x")
    assert found.path("campaigns", "a/b ?#ö") == "/votes/api/v1/campaigns/a%2Fb%20%3F%23%C3%B6"
    assert found.media_path("a/b ?", "ab.png") == "/votes/media/a%2Fb%20%3F/ab.png"


@pytest.mark.parametrize(
    "given",
    [
        "",
        "rank.example.org",
        "ftp://x.org",
        "https://",
        "https://u:p@x.org",
        "http://x:port/",
        "//x",
    ],
)
def test_what_is_no_address_is_refused(given):
    with pytest.raises(InvalidArgument, match="the address of a server must be like"):
        read_address(given, None)


@pytest.mark.parametrize(
    ("given", "is_private"),
    [
        ("https://example.org", True),
        ("http://localhost:8000", True),
        ("http://127.0.0.1", True),
        ("http://127.9.9.9", True),
        ("http://[::1]", True),
        ("http://192.168.0.1", False),
        ("http://localhost.example.org", False),
    ],
)
def test_what_others_can_read_on_the_way_is_known(given, is_private):
    assert read_address(given, None)[0].is_private is is_private
