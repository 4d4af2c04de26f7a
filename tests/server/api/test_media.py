"""Media over HTTP: what is uploaded is kept as it is, and shown by who has sent it."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import time
from collections.abc import Callable
from io import BytesIO
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from hodgerank.server.app import create_app
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.uploads.staging import FOLDER, KEPT_SECONDS
from hodgerank.server.views import media as media_view
from server.api.served import HERE, Program
from server.live_server import live_server
from server.media.made import EVERY_KIND, NOT_TAKEN, TWO_THINGS_AT_ONCE, picture

HOSTILE = {
    **NOT_TAKEN,
    **{name: (made(), words) for name, (made, words) in TWO_THINGS_AT_ONCE.items()},
}
seeds = count(1000)


def new_png() -> bytes:
    """One that no other test has."""
    return picture("PNG", seed=next(seeds))


def send(program, content, **headers):
    headers = {"Content-Type": "application/octet-stream", **headers}
    return program.ask("POST", "/media", content=content, headers=headers)


def sent(program, content) -> str:
    answer = send(program, content)
    assert answer.status_code == 201, answer.text
    return answer.json()["media"]


def edit(program, campaign, media, item="a"):
    return program.ask("PATCH", f"/campaigns/{campaign.id}/items", {"item": item, "media": media})


def shown(served, program, campaign, media):
    """What a browser or a program gets of it."""
    path = f"/media/{quote(campaign.id)}/{media.removeprefix('media:')}"
    return served.client.get(path, headers={"Authorization": f"Bearer {program.token}"})


def places_of(served, media) -> set[Path]:
    """Where a file lies, in the library or before it."""
    name = media.removeprefix("media:")
    return {path for path in files_below(served.context.media.folder) if path.name == name}


def files_below(folder: Path) -> set[Path]:
    return {Path(at, name) for at, _, names in os.walk(folder) for name in names}


@pytest.mark.parametrize("ending", EVERY_KIND)
def test_a_file_is_kept_as_it_is_and_shown_by_the_item_that_names_it(served, owner, ending):
    media_type, make = EVERY_KIND[ending]
    content = make()
    answer = send(owner, content, **{"Content-Type": "text/html"})  # which nobody asks
    assert answer.status_code == 201
    told = answer.json()
    assert told["media"] == f"media:{hashlib.sha256(content).hexdigest()}.{ending}"
    assert (told["bytes"], told["media_type"]) == (len(content), media_type)
    assert told["kind"] == media_type.partition("/")[0]
    campaign = served.campaign("ab")
    assert edit(owner, campaign, told["media"]).status_code == 200
    found = shown(served, owner, campaign, told["media"])
    assert (found.content, found.headers["content-type"]) == (content, media_type)
    assert "sandbox" in found.headers["content-security-policy"]


def test_campaigns_begin_with_what_was_uploaded_and_items_join_with_it(served, owner):
    names = [sent(owner, new_png()) for _ in range(3)]
    items = [{"item": k, "media": name} for k, name in enumerate(names)]
    given = {"id": "pictures", "items": items[:2], "settings": {"question": "Which?"}}
    owner.post("/campaigns", given, 201)
    owner.post("/campaigns/pictures/items", {"items": items[2:]}, 201)
    found = owner.get("/campaigns/pictures/items")["items"]
    assert [item["media"] for item in found] == names


def test_the_same_file_once_more_is_the_same(served, owner):
    content = new_png()
    answers = [send(owner, content)]
    campaign = served.campaign("ab")
    edit(owner, campaign, answers[0].json()["media"])
    answers.append(send(owner, content))
    assert answers[0].json() == answers[1].json()
    assert answers[1].status_code == 201


# What is refused


@pytest.mark.parametrize("name", HOSTILE)
def test_what_browsers_do_not_show_or_could_run_is_refused_in_words(served, owner, name):
    content, words = HOSTILE[name]
    before = files_below(served.context.media.folder)
    answer = send(owner, content, **{"Content-Type": "image/png"})
    assert (answer.status_code, answer.json()["error"]) == (422, "InvalidArgument")
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.json()["detail"]
    assert files_below(served.context.media.folder) == before


def test_a_form_is_not_a_file(served, owner):
    answer = owner.ask("POST", "/media", files={"file": ("a.png", new_png())})
    assert answer.status_code == 415
    assert "--data-binary" in answer.json()["detail"]


def test_a_file_that_is_too_large_is_refused_while_it_comes(served, owner, monkeypatch):
    monkeypatch.setattr(served.context.media, "largest", 3 << 20)
    before = files_below(served.context.media.folder)
    n_sent = 0

    def endless():
        nonlocal n_sent
        while n_sent < 5 << 20:
            n_sent += 1 << 16
            yield bytes(1 << 16)

    for content in (bytes((3 << 20) + 1), endless()):
        answer = send(owner, content)
        assert answer.status_code == 413
        assert answer.json()["detail"] == "it has more than 3 MB: make it smaller"
    assert files_below(served.context.media.folder) == before


def test_uploads_are_limited_as_those_of_pages(tmp_path):
    context = ServerContext(ServerConfig(str(tmp_path / "campaigns.db"), most_upload_bytes=2 << 20))
    token = context.keys.issue("token", "owner", "gpt")
    with TestClient(create_app(context), base_url=HERE) as client:
        program = Program(client, token)
        more_than_other_bodies = picture("BMP", (800, 600))
        assert len(more_than_other_bodies) > 1 << 20
        assert send(program, more_than_other_bodies).status_code == 201
        assert send(program, bytes((2 << 20) + 1)).status_code == 413


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_of_an_upload_that_breaks_off_nothing_stays(tmp_path, caplog):
    with live_server(tmp_path) as live:
        token, folder = live.context.keys.issue("token", "owner", "gpt"), live.context.media.folder
        host, port = live.url.removeprefix("http://").split(":")
        head = (
            f"POST /api/v1/media HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: 4000000\r\n\r\n"
        )
        before = files_below(folder)
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(head.encode() + picture("BMP", (800, 600)))
            wait_until(lambda: _open_in(folder))
        wait_until(lambda: not _open_in(folder))
        assert files_below(folder) == before
    assert "a request failed" not in caplog.text


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def _open_in(folder: Path) -> list[str]:
    """Files that are open below a folder; those without a name are called deleted."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            found.append(os.readlink(descriptor))
        except OSError:  # the one by which they are listed
            continue
    return [name for name in found if name.startswith(f"{folder}/")]


def test_a_full_disk_is_told_and_nothing_is_lost(served, owner, monkeypatch):
    class FullDisk(BytesIO):
        def write(self, *_):
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda *_, **__: FullDisk())
        answer = send(owner, new_png())
    assert (answer.status_code, answer.json()["error"]) == (503, "CannotWrite")
    assert "No space left" in answer.json()["detail"]


# Until an item shows it


def test_what_no_item_shows_nobody_sees(served, owner):
    media = sent(owner, new_png())
    campaign = served.campaign("ab")
    assert shown(served, owner, campaign, media).status_code == 404
    assert media not in served.context.media


def test_it_waits_for_a_day_and_is_removed_then(served, owner):
    content = new_png()
    media = sent(owner, content)
    [waiting] = places_of(served, media)
    assert waiting.read_bytes() == content
    folder = waiting.parents[1]
    assert folder.parent == served.context.media.folder / FOLDER
    nearly_a_day_ago = time.time() - KEPT_SECONDS + 60
    os.utime(folder, (nearly_a_day_ago, nearly_a_day_ago))
    served.context.staging.clean()
    assert waiting.exists()
    os.utime(folder, (nearly_a_day_ago - 120, nearly_a_day_ago - 120))
    served.context.staging.clean()
    assert not waiting.exists()
    assert edit(owner, served.campaign("ab"), media).status_code == 422


def test_it_can_be_named_on_the_next_day_but_not_for_ever(served, owner, monkeypatch):
    campaign, today = served.campaign("ab"), media_view._day()
    media, other = sent(owner, new_png()), sent(owner, new_png())
    monkeypatch.setattr(media_view, "_day", lambda: today + 1)
    assert edit(owner, campaign, media).status_code == 200
    monkeypatch.setattr(media_view, "_day", lambda: today + 2)
    assert edit(owner, campaign, other).status_code == 422
    assert edit(owner, campaign, media, "b").status_code == 200  # it is in the library


def test_it_waits_no_more_when_an_item_shows_it(served, owner):
    media = sent(owner, new_png())
    campaign = served.campaign("ab")
    edit(owner, campaign, media)
    assert places_of(served, media) == {served.context.media.path_of(media)}


def test_items_that_are_refused_can_be_sent_again_without_their_files(served):
    campaign = served.campaign("ab")
    program = served.program(campaign=campaign.id)
    media = sent(program, new_png())
    here = f"/campaigns/{campaign.id}/items"
    assert (
        "already" in program.post(here, {"items": [{"item": "a", "media": media}]}, 422)["detail"]
    )
    program.post(here, {"items": [{"item": "c", "media": media}]}, 201)


# Whose it is


def test_a_name_alone_does_not_show_what_another_campaign_has(served, owner):
    """Names stand where workers see them: whoever passes one on must not pass on the picture."""
    content = new_png()
    media = sent(owner, content)
    theirs, mine = served.campaign("ab"), served.campaign("ab")
    edit(owner, theirs, media)
    stranger = served.program(campaign=mine.id)
    not_there = f"media:{'0' * 64}.png"
    answers = [edit(stranger, mine, name) for name in (media, not_there)]
    assert [answer.status_code for answer in answers] == [422, 422]
    words = [answer.json()["detail"].partition(" is neither")[2] for answer in answers]
    assert words[0] == words[1] != ""
    here = f"/campaigns/{mine.id}/items"
    stranger.post(here, {"items": [{"item": "c", "media": media}]}, 422)
    assert shown(served, stranger, mine, media).status_code == 404
    assert shown(served, stranger, theirs, media).status_code == 404


def test_who_has_the_bytes_may_show_them_and_learns_nothing_of_others(served, owner):
    content, fresh = new_png(), new_png()
    media = sent(owner, content)
    edit(owner, served.campaign("ab"), media)
    mine = served.campaign("ab")
    program = served.program(campaign=mine.id)
    known, unknown = send(program, content), send(program, fresh)
    assert known.status_code == unknown.status_code == 201
    assert {**known.json(), "media": ""} == {**unknown.json(), "media": "", "bytes": len(content)}
    assert edit(program, mine, media).status_code == 200
    assert shown(served, program, mine, media).content == content


def test_what_was_sent_for_one_campaign_is_not_for_another(served, owner):
    mine, other = served.campaign("ab"), served.campaign("ab")
    media = sent(served.program(campaign=mine.id), new_png())
    assert edit(served.program(campaign=other.id), other, media).status_code == 422
    assert edit(owner, other, media).status_code == 422
    assert edit(served.program(campaign=mine.id), mine, media).status_code == 200
    assert edit(owner, other, media).status_code == 200


def test_what_a_campaign_shows_its_tokens_may_name_again(served, owner):
    campaign = served.campaign("abc")
    media = sent(owner, new_png())
    edit(owner, campaign, media)
    program = served.program(campaign=campaign.id)
    assert edit(program, campaign, media, "b").status_code == 200
    assert [item.media for item in campaign.items] == [media, media, ""]


@pytest.mark.parametrize("role", ["judge", "reader"])
def test_only_owners_upload(served, role):
    assert send(served.program(role), new_png()).status_code == 403
