from __future__ import annotations

import pytest

from hodgerank.campaign.items import CampaignItem, ItemRegistry
from hodgerank.server.item_view import html_of, origin_of, shown, style_of

MEDIA = "/media/cups"


def book(*items):
    found = ItemRegistry()
    for item in items:
        found.add(item)
    return found


def test_the_name_of_an_item_is_shown_only_where_there_is_nothing_else():
    assert shown(CampaignItem("a7"), MEDIA) == {"kind": "text", "text": "a7"}
    assert "a7" not in shown(CampaignItem("a7", "Tea"), MEDIA).values()
    assert "text" not in shown(CampaignItem("a7", media="https://example.org/a.png"), MEDIA)


def test_a_number_is_shown_as_text():
    assert shown(CampaignItem(7), MEDIA)["text"] == "7"


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("https://example.org/a.png", "image"),
        ("https://example.org/a.JPEG?size=2#x", "image"),
        ("https://example.org/clip.mp4", "video"),
        ("http://127.0.0.1:81/a.mp3", "audio"),
        ("https://example.org/picture?id=7", "image"),
        ("media:" + "0" * 64 + ".wav", "audio"),
        ("media:" + "0" * 64 + ".exe", "missing"),
        ("/home/owner/a.png", "missing"),
        ("C:\\pictures\\a.png", "missing"),
        ("javascript:alert(1)//a.png", "missing"),
        ("data:image/png;base64,AAAA", "missing"),
        ("//example.org/a.png", "missing"),
        ("https://example.org\\@evil.example/a.png", "missing"),
        ("https://user:pass@example.org/a.png", "missing"),
    ],
)
def test_media_are_shown_by_what_their_address_says(address, kind):
    found = shown(CampaignItem("a", media=address), MEDIA)
    assert found["kind"] == kind
    assert ("src" in found) == (kind != "missing")


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://Example.org/a.png", "https://example.org"),
        ("http://[::1]:8000/a.png", "http://[::1]:8000"),
        ("https://example.org", "https://example.org"),
        ("https://example.org; script-src *", ""),
        ("https://example.org 'unsafe-inline'/", ""),
        ("https://*.example.org/", ""),
        ("https://", ""),
        ("ftp://example.org/", ""),
    ],
)
def test_nothing_but_a_host_gets_into_a_policy(address, origin):
    assert origin_of(address) == origin


def test_the_look_of_a_campaign_has_the_places_of_its_media():
    found = style_of(
        book(
            CampaignItem("a", media="https://b.example/1.png"),
            CampaignItem("b", media="https://a.example/2.mp3"),
            CampaignItem("c", media="https://a.example/3.mp3"),
            CampaignItem("d", "Tea"),
        ),
        0.0,
    )
    assert found.origins == ("https://a.example", "https://b.example")
    assert found.kinds == {"image", "audio", "text"}
    assert not found.is_small


def test_the_look_follows_items_that_join_at_once_and_edits_after_some_seconds():
    items = book(CampaignItem("a", "Tea"), CampaignItem("b", "Milk"))
    assert style_of(items, 100.0).is_small
    items.change(0, {"text": "long " * 100})
    assert style_of(items, 101.0).is_small
    assert not style_of(items, 120.0).is_small
    items.add(CampaignItem("c", media="https://a.example/1.png"))
    assert style_of(items, 120.0).origins == ("https://a.example",)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
        ("# Head", "<h1>Head</h1>\n"),
        ("~~old~~", "<p><s>old</s></p>\n"),
        ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>\n"),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>\n"),
        ("[a](https://example.org 't')", "<p>a</p>\n"),
        ("![a](https://example.org/a.png)", "<p></p>\n"),
        ("```html\n<script>\n```", "<pre><code>&lt;script&gt;\n</code></pre>\n"),
    ],
)
def test_markdown_becomes_html_that_can_do_nothing(markdown, html):
    assert html_of(markdown) == html
