from __future__ import annotations

import re

import pytest

from server.pages.owning import HERE, Owned, app_of, context_at

BUTTON = "Sign out all other browsers ..."


@pytest.fixture
def fresh(tmp_path):
    context = context_at(str(tmp_path / "campaigns.db"))
    with app_of(context) as client:
        yield Owned(context, client)


@pytest.fixture
def elsewhere(fresh):
    """The same owner in another browser."""
    return Owned(fresh.context, app_of(fresh.context))


def browsers(html):
    """In the order in which they are listed."""
    part = html.partition("signed-in-title")[2]
    return re.findall(r'<th scope="row">(.*?)</th>', part)


def test_who_is_alone_is_told_so_and_has_nobody_to_sign_out(fresh):
    html = fresh.page("")
    assert browsers(html) == ["this one"]
    assert BUTTON not in html
    assert "sign-in links have not been used" not in html


def test_owners_see_where_they_are_signed_in(fresh, elsewhere):
    for _ in range(2):
        fresh.context.keys.issue("session", "owner", "owner", seconds=7 * 86_400)
    fresh.context.keys.issue("session", "worker", "ann", campaign="cups", seconds=60)
    fresh.context.keys.issue("session", "owner", "owner", seconds=-1)  # is over
    for one in (fresh, elsewhere):
        html = one.page("")
        assert browsers(html) == ["this one", *["another"] * 3]
        assert html.partition("signed-in-title")[2].count("<time ") == 2 * 4
        assert BUTTON in html
    known = fresh.context.keys.all()
    assert not any(key.digest in html for key in known)


def test_all_others_are_signed_out_and_this_browser_stays(fresh, elsewhere):
    worker = fresh.context.keys.issue("session", "worker", "ann", campaign="cups")
    program = fresh.context.keys.issue("token", "owner", "script")
    link = fresh.context.keys.issue("link", "owner", "owner", seconds=60)
    assert "1 sign-in link has not been used" in fresh.page("")
    elsewhere.page("")  # is remembered
    answer = fresh.post("leave", "others")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?done=others")
    elsewhere.page("", status=401)
    html = fresh.page("", done="others")
    assert "All other browsers were signed out, and unused sign-in links no longer work" in html
    assert browsers(html) == ["this one"]
    assert BUTTON not in html
    late = fresh.client.post("/enter", json={"token": link}, headers={"origin": HERE})
    assert late.status_code == 403
    for token in (worker, program):
        assert fresh.client.portal.call(fresh.context.keys.find, token) is not None


def test_a_link_that_nobody_used_can_be_ended_by_who_is_alone(fresh):
    for _ in range(2):
        fresh.context.keys.issue("link", "owner", "owner", seconds=60)
    html = fresh.page("")
    assert "2 sign-in links have not been used." in html
    assert BUTTON in html
    fresh.post("leave", "others")
    assert fresh.context.keys.owner_links() == []


def test_pages_of_others_sign_nobody_out(fresh, elsewhere):
    answer = fresh.client.post("/leave/others", headers={"origin": "https://evil.example.org"})
    assert answer.status_code == 403
    elsewhere.page("")
