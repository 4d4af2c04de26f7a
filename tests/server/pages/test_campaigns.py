from __future__ import annotations

import pytest

from hodgerank.campaign.campaign import Campaign
from server.pages.owning import HOSTILE, Owned, answer, app_of, context_at


@pytest.fixture
def fresh(tmp_path):
    context = context_at(str(tmp_path / "campaigns.db"))
    with app_of(context) as client:
        yield Owned(context, client)


def test_a_house_without_campaigns_says_what_to_do(fresh):
    html = fresh.page("")
    assert "No campaign yet" in html
    assert 'href="/new"' in html
    assert "hodgerank campaign new" in html


def test_campaigns_are_listed_the_newest_first(fresh):
    for name in ("first", "second"):
        fresh.campaign(id=name)
    html = fresh.page("")
    assert html.index("/c/second") < html.index("/c/first")


def test_a_campaign_that_is_not_open_yet_is_asked_for_by_the_script(fresh):
    fresh.campaign(id="cups", title="Cups", budget=50)
    assert 'data-row="/c/cups/row"' in fresh.page("")
    row = fresh.page("c", "cups", "row")
    assert "Cups" in row
    assert "of 50" in row
    assert "data-row" not in fresh.page("")  # it is open now


def test_a_row_has_state_answers_and_the_link_for_workers(fresh):
    campaign = fresh.campaign(id="cups", pages={"entrance": "kX3_9"})
    answer(campaign, 2)
    campaign.pause()
    row = fresh.page("c", "cups", "row")
    assert "paused" in row
    assert ">2" in row
    assert 'value="http://localhost:8000/j/cups/kX3_9"' in row


def test_the_public_address_stands_in_links_for_workers(tmp_path):
    context = context_at(str(tmp_path / "campaigns.db"))
    object.__setattr__(context.rules, "public_url", "https://rank.example.org/votes/")
    Campaign.create(context.database, ["a", "b"], question="?", id="cups")
    with app_of(context) as client:
        html = Owned(context, client).page("c", "cups", "row")
    assert "https://rank.example.org/votes/j/cups" in html


def test_expected_tau_is_the_lowest_of_the_tracks(owned):
    campaign = owned.campaign(id="taus")
    answer(campaign, 6)
    owned.view(campaign)
    tau = owned.client.app.state.standings.latest("taus").progress.tracks[0].expected_tau
    assert f"{tau:.2f}" in owned.page("c", "taus", "row")


def test_a_campaign_that_is_not_there_is_no_row(owned):
    owned.page("c", "nothing", "row", status=404)


def test_hostile_titles_and_ids_are_text(owned):
    campaign = owned.campaign(id="<script>alert(1)<script>", title=HOSTILE)
    owned.client.portal.call(owned.context.campaign, campaign.id)
    html = owned.page("")
    assert "&lt;script&gt;alert(1)" in html
    assert 'href="/c/%3Cscript%3Ealert%281%29%3Cscript%3E"' in html


def test_nobody_but_the_owner_sees_the_list(fresh):
    fresh.client.cookies.clear()
    assert "Sign in with the link that" in fresh.page("", status=401)


def test_a_campaign_whose_name_cannot_stand_in_an_address_is_listed_with_words(fresh):
    fresh.campaign(id="a/b")
    fresh.campaign(id="..")
    html = fresh.page()
    assert (
        html.count("This name cannot be part of an address, so the campaign has no pages here") == 2
    )
    assert 'href="/c/.."' not in html


def test_what_did_not_work_is_a_sentence_with_the_way_home(owned):
    html = owned.page("c", "nope", status=404)
    assert "There is no campaign nope." in html
    assert '<header class="bar">' in html
    assert '<a href="/">All campaigns</a>' in html
