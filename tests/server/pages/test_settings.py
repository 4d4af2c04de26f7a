from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from html import unescape

import pytest

from hodgerank.campaign.settings import CampaignSettings
from hodgerank.server.texts import Texts
from hodgerank.server.views.settings_form import ELSEWHERE, FIELDS, form_of
from server.pages.owning import HOSTILE, answer

RICH = CampaignSettings(
    "Which?",
    title="none",
    budget=500,
    stop="tau >= 0.9 and top 3",
    grades=3,
    skip_reasons=("a", "b"),
    position_bias="common",
    lease_seconds=90.5,
    repeat_share=0.1,
    gold=[{"better": "tea", "worse": "milk"}],
    attention={"same_side": None, "exclude": ["too_fast", "gold"]},
    joining={
        "consent": "Do you\nagree?",
        "practice": [{"better": "tea", "worse": "milk", "because": "It is hot."}],
        "questions": [{"question": "1 + 1?", "answers": ["2", "3"], "right": "2"}],
    },
    panel={"kind": "prolific", "completed": "C7", "return_origins": ["https://example.org"]},
    pages={"language": "de", "keys": False},
)


def all_names(settings, prefix=""):
    for one in fields(settings):
        value = getattr(settings, one.name)
        if is_dataclass(value):
            yield from all_names(value, f"{one.name}.")
        else:
            yield prefix + one.name


def test_every_setting_has_a_field_or_a_button():
    assert sorted([*(one.name for one in FIELDS), *ELSEWHERE]) == sorted(all_names(RICH))


def test_every_field_has_a_label_and_words_for_its_choices():
    texts = Texts()
    for one in FIELDS:
        known = texts.section(f"owner.fields.{one.key}")
        assert known["label"]
        if one.choices and one.kind != "several":
            assert {choice or "none" for choice in one.choices} == set(known["choices"])


def test_what_the_form_shows_means_the_same_settings():
    assert form_of(RICH).check(RICH, {"tea": "tea", "milk": "milk"}) == RICH


def test_blanks_around_answers_do_not_make_the_right_one_wrong():
    written = form_of(RICH)
    written.values["joining.questions"] = [{"question": "?", "answers": "2 \n 3", "right": " 2 "}]
    [question] = written.check(RICH, {"tea": "tea", "milk": "milk"}).joining.questions
    assert (question.answers, question.right) == (("2", "3"), "2")


def sent(html):
    """What a browser would send back of a page with settings that nobody touched."""
    form = html.split('class="settings"')[1].split("</form>")[0]
    data = {}

    def add(name, value):
        data.setdefault(name, []).append(unescape(value))

    for tag in re.findall(r"<input[^>]*>", form):
        values = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if values.get("type") != "checkbox" or " checked" in tag:
            add(values["name"], values.get("value", ""))
    for name, value in re.findall(
        r'<textarea name="([^"]+)"[^>]*>(.*?)</textarea>', form, re.DOTALL
    ):
        add(name, value)
    for name, options in re.findall(r'<select name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        add(name, re.search(r'value="([^"]*)" selected', options)[1])
    return data


def test_a_page_that_is_saved_as_it_is_changes_nothing(owned):
    campaign = owned.campaign(settings=RICH, question="Which?")
    before, seq = campaign.settings, campaign.counts.seq
    reply = owned.post(
        "c", campaign.id, "settings", **sent(owned.page("c", campaign.id, "settings"))
    )
    assert reply.status_code == 303, reply.text
    assert campaign.settings == before
    assert campaign.counts.seq == seq


def test_what_another_owner_changed_meanwhile_stays(owned):
    campaign = owned.campaign(budget=200, title="Old")
    mine = sent(owned.page("c", campaign.id, "settings"))
    campaign.change(budget=333, question="Which is nicer?")
    reply = owned.post("c", campaign.id, "settings", **{**mine, "title": "New"})
    assert reply.status_code == 303, reply.text
    settings = campaign.settings
    assert (settings.title, settings.budget, settings.question) == ("New", 333, "Which is nicer?")


def test_a_setting_that_two_owners_change_is_replaced_only_when_it_is_saved_again(owned):
    campaign = owned.campaign(budget=200)
    mine = sent(owned.page("c", campaign.id, "settings"))
    campaign.change(budget=333)
    reply = owned.post("c", campaign.id, "settings", **{**mine, "budget": "50"})
    assert reply.status_code == 422
    assert 'id="budget-wrong">These settings were changed elsewhere' in reply.text
    assert campaign.settings.budget == 333
    again = sent(reply.text)
    assert again["budget"] == ["50"]
    assert owned.post("c", campaign.id, "settings", **again).status_code == 303
    assert campaign.settings.budget == 50


@pytest.mark.parametrize("shown", ["", "not JSON", "[" * 100_000, "[]"])
def test_a_form_that_does_not_tell_what_was_shown_changes_all_that_it_has(owned, shown):
    campaign = owned.campaign(budget=200)
    assert owned.post("c", campaign.id, "settings", shown=shown, budget="9").status_code == 303
    assert campaign.settings.budget == 9


def test_a_change_holds_from_now_on(owned):
    campaign = owned.campaign()
    reply = owned.post(
        "c",
        campaign.id,
        "settings",
        budget="1,000",
        stop="top 1",
        has=["ties", "attention.exclude"],
        ties="1",
        attention__exclude=["gold"],
    )
    assert reply.headers["location"] == f"/c/{campaign.id}/settings?done=change"
    settings = campaign.settings
    assert (settings.budget, settings.stop, settings.ties) == (1000, "top 1", True)
    assert settings.attention.exclude == ("gold",)
    assert settings.pages.keys  # what the form does not have stays


def test_items_with_numbers_for_names_can_be_gold(owned):
    campaign = owned.campaign([1, 2, 3])
    owned.post("c", campaign.id, "settings", has="gold", gold__better="1", gold__worse="3")
    assert (campaign.settings.gold[0].better, campaign.settings.gold[0].worse) == (1, 3)


def test_mistakes_stand_beside_their_fields_and_change_nothing(owned):
    campaign = owned.campaign(budget=10)
    reply = owned.post("c", campaign.id, "settings", budget="-4", panel__return_to="ftp://x")
    assert reply.status_code == 422
    assert 'id="budget-wrong">budget must be a whole number, at least 1, not -4' in reply.text
    assert 'id="panel_return_to-wrong"' in reply.text
    assert 'value="-4"' in reply.text
    assert campaign.settings.budget == 10


@pytest.mark.parametrize("better", ["nowhere", "tea"])
def test_gold_pairs_that_cannot_be_are_told(owned, better):
    campaign = owned.campaign()
    reply = owned.post(
        "c", campaign.id, "settings", has="gold", gold__better=better, gold__worse="tea"
    )
    assert reply.status_code == 422
    assert campaign.settings.gold == ()


def test_another_link_replaces_the_one_before(owned):
    campaign = owned.campaign(pages={"entrance": "old"})
    owned.post("c", campaign.id, "entrance")
    assert campaign.settings.pages.entrance not in ("", "old")


def test_votes_are_reset_only_if_the_name_is_typed(owned):
    campaign = owned.campaign()
    answer(campaign, 3)
    assert owned.post("c", campaign.id, "reset", typed="yes").status_code == 422
    assert campaign.counts.n_votes == 3
    owned.post("c", campaign.id, "reset", typed=campaign.id)
    assert campaign.counts.n_votes == 0


def test_a_token_is_shown_once_and_can_be_revoked(owned):
    campaign = owned.campaign()
    html = owned.post("c", campaign.id, "tokens", name="my judge", role="judge", days="30").text
    token = re.search(r'value="([\w-]{30,})" aria-label="Token"', html)[1]
    key = owned.client.portal.call(owned.context.keys.find, token)
    assert (key.role, key.holder, key.campaign, key.kind) == (
        "judge",
        "my judge",
        campaign.id,
        "token",
    )
    page = owned.page("c", campaign.id, "settings")
    assert token not in page
    assert "my judge" in page
    owned.post("c", campaign.id, "tokens", "revoke", token=key.digest)
    assert owned.client.portal.call(owned.context.keys.find, token) is None


def test_tokens_of_other_campaigns_are_neither_shown_nor_revoked(owned):
    one, other = owned.campaign(), owned.campaign()
    owned.post("c", one.id, "tokens", name="of one", role="reader", days="0")
    assert "of one" not in owned.page("c", other.id, "settings")
    [key] = owned.context.keys.all(kind="token", campaign=one.id)
    reply = owned.post("c", other.id, "tokens", "revoke", token=key.digest)
    assert reply.status_code == 404


def test_a_session_cannot_be_revoked_as_a_token(owned):
    campaign = owned.campaign()
    [session] = owned.context.keys.all(kind="session", role="owner", holder="owner")
    assert owned.post("c", campaign.id, "tokens", "revoke", token=session.digest).status_code == 404


@pytest.mark.parametrize("form", [{"role": "god"}, {"days": "7"}, {"name": ""}])
def test_tokens_that_cannot_be_are_refused(owned, form):
    campaign = owned.campaign()
    reply = owned.post(
        "c", campaign.id, "tokens", **{"name": "x", "role": "judge", "days": "0", **form}
    )
    assert reply.status_code == 422
    assert owned.context.keys.all(kind="token", campaign=campaign.id) == []


def test_hostile_settings_are_text(owned):
    campaign = owned.campaign(
        [HOSTILE, "b"],
        title=HOSTILE,
        question=HOSTILE,
        instructions=f"</textarea>{HOSTILE}",
        skip_reasons=[HOSTILE],
        gold=[{"better": HOSTILE, "worse": "b"}],
        joining={"consent": HOSTILE},
    )
    owned.post("c", campaign.id, "tokens", name="<script>alert(1)</script>", role="judge", days="0")
    html = owned.page("c", campaign.id, "settings")
    assert "&lt;/textarea&gt;" in html
    assert "&lt;script&gt;alert(1)" in html
