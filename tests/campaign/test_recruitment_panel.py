from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.campaign.page_settings import OUTCOMES, PARAMETERS, RecruitmentPanel
from hodgerank.errors import InvalidArgument

CODES = {"completed": "C1", "screened_out": "S2", "withdrawn": "W3"}


@pytest.mark.parametrize(
    ("kind", "query", "found"),
    [
        ("none", {"PROLIFIC_PID": "5f", "worker": "w"}, {}),
        (
            "prolific",
            {"PROLIFIC_PID": "5f", "STUDY_ID": "s", "SESSION_ID": "t", "x": "y"},
            {"worker": "5f", "study": "s", "session": "t"},
        ),
        (
            "connect",
            {"participantId": "p", "projectId": "q", "assignmentId": "a"},
            {"worker": "p", "study": "q", "session": "a"},
        ),
        ("link", {"worker": "w", "return": "https://a.org/"}, {"worker": "w", "return": "https://a.org/"}),
        ("link", {"worker": "", "PROLIFIC_PID": "5f"}, {}),
    ],
)  # fmt: skip
def test_each_panel_says_who_comes_in_its_own_words(kind, query, found):
    assert RecruitmentPanel(kind).arrival(query) == found


def test_every_kind_of_panel_but_none_says_who_comes():
    assert all("worker" in names for kind, names in PARAMETERS.items() if kind != "none")


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_code_is_that_of_how_it_ended(outcome):
    panel = RecruitmentPanel(return_to="https://a.org/{study}?cc={code}", **CODES)
    assert panel.code(outcome) == CODES[outcome]
    assert panel.way_back(outcome, {"study": "s"}) == f"https://a.org/s?cc={CODES[outcome]}"


@given(st.text(), st.text(st.characters(exclude_categories=["Cs"])))
def test_what_a_worker_brings_stays_within_its_place(other, value):
    panel = RecruitmentPanel("link", "https://a.org/x?w={worker}&cc={code}#f", completed="C&1")
    back = urlsplit(panel.way_back("completed", {"worker": value, "other": other}))
    assert (back.scheme, back.netloc, back.path, back.fragment) == ("https", "a.org", "/x", "f")
    found = parse_qs(back.query, keep_blank_values=True)
    assert found == {"w": [value], "cc": ["C&1"]}


def test_what_is_not_known_leaves_its_place_empty():
    assert RecruitmentPanel(return_to="https://a.org/?s={session}").way_back("completed", {}) == (
        "https://a.org/?s="
    )
    assert RecruitmentPanel().way_back("completed", {}) == ""


@pytest.mark.parametrize(
    "wrong",
    [
        "http://a.org/",
        "ftp://a.org/",
        "//a.org/",
        "a.org",
        "https:/a.org",
        "https://",
        "https:///x",
        "javascript:alert(1)",
        "https://{worker}.org/",
        "https://a.org{worker}/",
        "https://a.org:{worker}/",
        "https://a.org@b.org/",
        "https://a.org\\@b.org/",
        "https://a.org\\b",
        "https://a.org/ x",
        "https://a.org/\nx",
        "https://a.org/é",
        "https://a.\u212aom/",
        "https://a.org/<b>",
        'https://a.org/"',
        "https://a.org/{name}",
        "https://a.org/{}",
        "https://a.org/{code",
        "https://a.org/code}",
        "https://a.org/{{code}}",
        "http://127.0.0.2/",
        "http://localhost.a.org/",
        3,
        None,
    ],
)
def test_a_way_back_that_could_lead_anywhere_is_refused_in_words(wrong):
    with pytest.raises(InvalidArgument, match=r"panel\.return_to"):
        RecruitmentPanel(return_to=wrong)


@pytest.mark.parametrize(
    "right",
    [
        "https://app.example.com/submissions/complete?cc={code}",
        "HTTPS://A.org",
        "https://a.org:8443/{worker}/{study}/{session}#{code}",
        "http://localhost:8000/back",
        "http://127.0.0.1/",
        "http://[::1]:8000/",
        "",
    ],
)
def test_a_way_back_by_https_or_on_this_machine_is_taken(right):
    assert RecruitmentPanel(return_to=right).return_to == right


@pytest.mark.parametrize(
    "wrong",
    ["https://a.org/x", "https://a.org?x", "http://a.org", "a.org", "https://*.a.org", "*", "null"],
)
def test_origins_have_no_path(wrong):
    with pytest.raises(InvalidArgument, match=r"panel\.return_origins"):
        RecruitmentPanel(return_origins=[wrong])


def test_origins_are_written_in_one_way():
    panel = RecruitmentPanel(
        return_origins=("https://A.org/", "https://a.org:443", "http://localhost:80")
    )
    assert panel.return_origins == ("https://a.org", "http://localhost")


@pytest.mark.parametrize(
    ("address", "is_allowed"),
    [
        ("https://a.org/done?x=1#y", True),
        ("https://A.ORG:443/", True),
        ("https://a.org", True),
        ("https://a.org:8443/", False),
        ("https://b.org:8443/x", True),
        ("https://b.org/x", False),
        ("http://a.org/", False),
        ("https://a.org.evil.org/", False),
        ("https://a.org@evil.org/", False),
        ("https://evil.org\\@a.org/", False),
        ("https://evil.org/https://a.org", False),
        ("https://evil.org#@a.org/", False),
        ("//a.org/", False),
        ("javascript:alert('https://a.org')", False),
        ("\thttps://a.org/", False),
        ("https://a.org/\r\nSet-Cookie: x", False),
        ("https://a.org/\u202e", False),
        ("https://a.org/\u212a", False),
        ("", False),
    ],
)
def test_a_link_sends_nobody_to_where_the_owner_did_not_allow(address, is_allowed):
    panel = RecruitmentPanel("link", return_origins=["https://a.org", "https://b.org:8443"])
    back = panel.way_back("completed", panel.arrival({"worker": "w", "return": address}))
    assert back == (address if is_allowed else "")


def test_no_link_is_followed_where_no_origin_is_allowed():
    assert RecruitmentPanel("link").way_back("completed", {"return": "https://a.org/"}) == ""
    assert RecruitmentPanel("link").way_back("completed", {"return": "nonsense"}) == ""


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.parametrize("wrong", [3, None, "a\nb", "\ud800"])
def test_a_code_is_a_text_in_one_line(name, wrong):
    with pytest.raises(InvalidArgument, match=rf"panel\.{name}"):
        RecruitmentPanel(**{name: wrong})
