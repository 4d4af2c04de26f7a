"""The key is sent and otherwise never seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.errors import InvalidArgument
from hodgerank.judges.endpoint.connection import HIDDEN, ApiKey

LETTERS = st.text("ABCDEFGHabcdefgh0123456789-_", min_size=8, max_size=40)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    monkeypatch.delenv("HODGERANK_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def key(text):
    return ApiKey(text, is_needed=True)


def test_nothing_shows_it():
    assert repr(key("sk-12345678")) == f"{key('sk-12345678')}" == "ApiKey([key])"


@given(LETTERS, st.text(), st.text())
def test_it_is_taken_out_of_any_error(secret, before, after):
    shown = key(secret).hidden_in_error(before + secret + after)
    assert secret not in shown
    assert HIDDEN in shown


def test_parts_of_it_and_what_servers_make_of_it_are_taken_out():
    secret = key("sk-proj-Zq83hTvLx92mWd71")
    assert secret.hidden_in_error("key Zq83hTvL is bad") == "key [key] is bad"
    assert secret.hidden_in_error("key sk-pr****d71. See") == "key [key] See"
    assert secret.hidden_in_error("*** is 3 stars, ** is 2") == "[key] is 3 stars, ** is 2"


def test_what_is_not_the_key_stays():
    assert key("sk-proj-Zq83hTvLx92mWd71").hidden_in_error("no model x") == "no model x"
    assert key("sk-proj-Zq83hTvLx92mWd71").hidden_in_error("") == ""
    assert ApiKey(None, is_needed=False).hidden_in_error("no-key is bad") == "no-key is bad"


def test_a_key_that_is_a_word_does_not_spoil_replies():
    assert key("A").hidden_in_reply("A is better") == "A is better"
    assert key("A").hidden_in_error("key A is bad, All right") == "key [key] is bad, All right"


@pytest.mark.parametrize("secret", ["sk-\u0456", "sk-\x001234567", "sk-1\n2"])
def test_a_key_that_cannot_be_sent_is_an_error_that_does_not_show_it(secret):
    with pytest.raises(InvalidArgument, match="copy it again") as caught:
        key(secret)
    assert secret not in str(caught.value)


def test_variables_that_are_empty_are_none(monkeypatch):
    monkeypatch.setenv("HODGERANK_API_KEY", " ")
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert ApiKey(None, is_needed=True).sent == "theirs"
    assert ApiKey("", is_needed=True).sent == "theirs"
