from __future__ import annotations

import os
import re
from io import BytesIO
from zipfile import ZipFile

import pytest
from PIL import Image

from hodgerank.server.uploads import parser_process
from hodgerank.server.views.new_campaign import AT_FIRST, id_for
from hodgerank.server.views.settings_form import form_of
from server.pages.owning import HOSTILE, harmless

CSV = b"id,text,scene\na,Tea,day\nb,Milk,day\nc,Cola,night\nd,Juice,night\n"


def png(colour="red"):
    content = BytesIO()
    Image.new("RGB", (8, 8), colour).save(content, "PNG")
    return content.getvalue()


def zipped(**files):
    content = BytesIO()
    with ZipFile(content, "w") as packed:
        for name, data in files.items():
            packed.writestr(name.replace("__", "."), data)
    return content.getvalue()


def staged_in(html):
    [staged] = re.findall(r'name="staged" value="(\w+)"', html)
    return staged


def created(owned, reply):
    assert reply.status_code == 303, reply.text
    id = re.fullmatch(r"/c/([^?]+)\?done=created", reply.headers["location"])[1]
    return owned.client.portal.call(owned.context.campaign, id)


def test_the_form_has_what_is_sensible_at_first(owned):
    html = owned.page("new")
    assert 'value="Which is better?"' in html
    assert 'value="tau &gt;= 0.9"' in html


def test_lines_become_a_campaign_with_an_entrance_of_its_own(owned):
    campaign = created(
        owned,
        owned.post(
            "new", source="lines", lines="tea\nmilk\ntea\n", question="Which?", title="Drinks"
        ),
    )
    assert campaign.id == "drinks"
    assert [item.id for item in campaign.items] == ["tea", "milk"]
    assert campaign.settings.question == "Which?"
    assert len(campaign.settings.pages.entrance) >= 10
    html = owned.page("c", "drinks", done="created")
    assert f"/j/drinks/{campaign.settings.pages.entrance}" in html


def abort(*_, **__):
    os.abort()


def test_an_upload_that_stops_its_parser_is_told_and_the_server_goes_on(owned, monkeypatch):
    files = {"files": ("items.csv", CSV)}
    with monkeypatch.context() as patch:
        patch.setattr(parser_process, "read_upload", abort)
        assert parser_process.CRASHED[1:] in owned.post("new", "preview", files=files).text
    assert "Juice" in owned.post("new", "preview", files=files).text


def test_long_lines_are_numbered(owned):
    long = "word " * 40
    campaign = created(
        owned, owned.post("new", source="lines", lines=f"{long}\nshort", question="?")
    )
    assert [item.id for item in campaign.items] == ["1", "2"]
    assert campaign.items[0].text == long.strip()


def test_two_campaigns_of_one_title_have_different_ids(owned):
    ids = [created(owned, owned.post("new", lines="a\nb", question="Same?")).id for _ in range(2)]
    assert ids == ["same", "same-2"]


@pytest.mark.parametrize(
    ("title", "id"),
    [("Tea & Milk!", "tea-milk"), ("Äpfel", "apfel"), ("茶", "campaign"), ("x" * 90, "x" * 60)],
)
def test_ids_are_made_for_addresses(title, id):
    assert id_for(title, []) == id


def test_a_table_is_understood_before_anything_is_created(owned):
    n_before = len(owned.context.database.campaigns())
    html = owned.post("new", "preview", files={"files": ("items.csv", CSV)}).text
    assert "4 items." in html
    assert "text: <bdi>text</bdi>" in html
    assert "Columns not used: <bdi>scene</bdi>" in html
    assert len(owned.context.database.campaigns()) == n_before
    named = {"column__track": "scene", "staged": staged_in(html)}
    assert "In 2 tracks." in owned.post("new", "preview", **named).text
    campaign = created(owned, owned.post("new", question="Which?", **named))
    assert campaign.tracks == ["day", "night"]


def test_pictures_are_seen_before_anything_is_created(owned):
    content = zipped(tea__png=png(), milk__png=png("blue"), evil__svg="<svg onload=alert(1)>")
    reply = owned.client.post(
        "/new/preview?part=1",
        files={"files": ("all.zip", content)},
        headers={"origin": "http://localhost:8000"},
    )
    html = reply.text
    assert "<html" not in html
    assert "1 file was rejected" in html
    assert "SVG" in html
    [first, _] = re.findall(r'<img src="([^"]+)"', html)
    picture = owned.client.get(first)
    assert picture.headers["content-type"] == "image/png"
    assert "sandbox" in picture.headers["content-security-policy"]
    campaign = created(owned, owned.post("new", question="Which?", staged=staged_in(html)))
    assert all(item.media in owned.context.media for item in campaign.items)
    assert owned.client.get(first).status_code == 404  # what was staged is gone


def test_pictures_of_a_column_that_the_owner_names_are_seen(owned):
    table = "id,shot\nx,a.png\ny,b.png\n"
    content = zipped(a__png=png(), b__png=png("blue"), t__csv=table)
    html = owned.post("new", "preview", files={"files": ("all.zip", content)}).text
    assert "/staged/" not in html
    html = owned.post("new", "preview", staged=staged_in(html), column__media="shot").text
    pictures = re.findall(r'<img src="([^"]+/staged/[^"]+)"', html)
    assert len(pictures) == 2
    assert all(owned.client.get(one).headers["content-type"] == "image/png" for one in pictures)


def test_pictures_that_a_table_names_are_added_to_it(owned):
    table = [("files", ("two.csv", b"id,image\nx,a.png\ny,b.png\n"))]
    html = owned.post("new", "preview", source="files", files=table).text
    assert "is not among the uploaded files" in html
    pictures = [("files", ("a.png", png())), ("files", ("b.png", png("blue")))]
    form = {"source": "files", "staged": staged_in(html), "files": pictures}
    html = owned.post("new", "preview", **form).text
    assert "is not among" not in html
    campaign = created(owned, owned.post("new", staged=staged_in(html), question="Added?"))
    assert [item.id for item in campaign.items] == ["x", "y"]
    assert "<bdi>a</bdi>" in owned.post("new", "preview", replace="1", **form).text


def test_rows_that_are_wrong_are_left_out_only_if_the_owner_says_so(owned):
    files = [("files", ("i.csv", b"id,text\na,x\nb,y\nnull,z\n"))]
    html = owned.post("new", "preview", source="files", files=files).text
    assert "1 problem; the item concerned was left out" in html
    form = {"staged": staged_in(html), "question": "Faulty?"}
    reply = owned.post("new", **form)
    assert reply.status_code == 422
    assert "There is a problem with the items" in reply.text
    campaign = created(owned, owned.post("new", without="1", **form))
    assert [item.id for item in campaign.items] == ["a", "b"]


def test_a_table_of_another_encoding_is_read_when_that_is_said(owned):
    files = [("files", ("i.csv", "id,text\na,caf\xe9\nb,Tee\n".encode("cp1252")))]
    html = owned.post("new", "preview", source="files", files=files).text
    assert "choose its encoding below" in html
    html = owned.post("new", "preview", staged=staged_in(html), encoding="cp1252").text
    assert "café" in html
    assert '<option value="cp1252" selected>' in html


def test_lines_that_say_the_same_are_told(owned):
    assert "1 duplicate line" in owned.post("new", "preview", lines="a\nb\na").text


def test_a_folder_keeps_its_names(owned):
    files = [("files", (f"pets/{name}.txt", name.encode())) for name in ("cat", "dog")]
    html = owned.post("new", "preview", files=files).text
    assert "<bdi>cat</bdi>" in html


def test_files_that_nobody_has_seen_yet_are_shown_first(owned):
    n_before = len(owned.context.database.campaigns())
    reply = owned.post("new", question="Which?", title="T", files={"files": ("items.csv", CSV)})
    assert reply.status_code == 200
    assert "Check what was found in the files, then create the campaign" in reply.text
    assert 'value="T"' in reply.text
    assert len(owned.context.database.campaigns()) == n_before


def test_nothing_that_was_typed_is_lost(owned):
    html = owned.post("new", "preview", files={"files": ("items.csv", CSV)}).text
    typed = {
        "title": 'My "title"',
        "question": " ",
        "budget": "many",
        "stop": "tau > lots",
        "instructions": "Look\nwell",
        "skip_reasons": "a\nb",
        "has": ["ties", "gold"],
        "ties": "1",
        "gold__better": ["a", ""],
        "gold__worse": ["nowhere", ""],
        "panel__return_to": "http://elsewhere.example",
    }
    reply = owned.post("new", staged=staged_in(html), **typed)
    assert reply.status_code == 422
    for kept in (
        "My &#34;title&#34;",
        'value="many"',
        "tau &gt; lots",
        "Look\nwell",
        'name="ties" value="1" checked',
        'value="nowhere"',
        f'name="staged" value="{staged_in(html)}"',
    ):
        assert kept in reply.text
    for wrong in (
        "budget must be a whole number",
        "is not a stopping rule",
        "panel.return_to must be an address that begins with https://",
    ):
        assert wrong in reply.text


def test_an_unknown_gold_item_is_told_beside_its_field(owned):
    reply = owned.post(
        "new", lines="a\nb", question="?", has="gold", gold__better="a", gold__worse="nowhere"
    )
    assert reply.status_code == 422
    assert "nowhere" in reply.text


def test_one_item_is_not_enough(owned):
    reply = owned.post("new", lines="alone", question="Which?")
    assert reply.status_code == 422
    assert "Add at least 2 items" in reply.text


def test_names_that_cannot_be_are_told_in_the_preview(owned):
    reply = owned.post("new", "preview", lines="a\nNA")
    assert "which means a missing value in tables" in reply.text


@pytest.mark.parametrize(("text", "is_rule"), [("tau >= 0.9", True), ("soon", False), ("", True)])
def test_a_rule_is_looked_at_while_it_is_written(owned, text, is_rule):
    said = owned.client.get("/new/rule", params={"text": text}).json()
    assert said["is_rule"] is is_rule


def test_what_somebody_else_staged_is_not_there(owned):
    html = owned.post("new", "preview", files={"files": ("items.csv", CSV)}).text
    other = owned.context.keys.issue("session", "owner", "other", seconds=60)
    reply = owned.client.post(
        "/new/preview",
        data={"staged": staged_in(html)},
        headers={"origin": "http://localhost:8000", "cookie": f"hodgerank-8000={other}"},
    )
    assert "no longer on the server" in reply.text


def test_hostile_files_and_lines_are_text(owned):
    lines = owned.post("new", "preview", lines=f"{HOSTILE[:90]}\nb").text
    assert "<script>alert" not in lines
    name = "<img src=x onerror=alert(1)>.exe"
    html = owned.post("new", "preview", files={"files": (name, b"MZ")}).text
    assert "<img src=x" not in html
    assert "&lt;img src=x" in html


def test_the_form_of_settings_means_the_same_settings():
    form = form_of(AT_FIRST)
    assert form.check(AT_FIRST, {}) == AT_FIRST
    assert form.wrong == {}


def test_the_sample_shows_markdown_where_that_is_switched_on(owned):
    files = [("files", ("i.csv", b"id,text\na,**bold**\nb,plain\n"))]
    html = owned.post("new", "preview", source="files", files=files).text
    assert "**bold**" in html
    form = {"staged": staged_in(html), "pages__markdown": "1"}
    html = harmless(owned.post("new", "preview", **form).text)
    assert "<strong>bold</strong>" in html
    html = owned.post("new", "preview", source="lines", lines="*x*\ny", pages__markdown="1").text
    assert "*x*" in html  # a name, of which workers see as much


def test_files_are_left_out_with_the_reason(owned):
    files = [("files", ("i.csv", b"id,text\na,x\nb,y\n")), ("files", ("broken.png", b"x"))]
    html = owned.post("new", "preview", source="files", files=files).text
    assert "1 file was ignored" in html
    assert "broken.png: not named in the table" in html
