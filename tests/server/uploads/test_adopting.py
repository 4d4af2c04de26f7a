"""Media that are files of this machine come into the library."""

from __future__ import annotations

from hodgerank.campaign.items import CampaignItem, read_campaign_items
from hodgerank.server.adopt_media import adopt
from hodgerank.server.media.library import MediaLibrary
from server.media.kept import names_in
from server.media.made import SVG, png


def test_a_folder_of_pictures_comes_into_the_library(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for seed, name in enumerate(("one.png", "two.png")):
        (folder / name).write_bytes(png(seed))
    items = read_campaign_items(str(folder), {}, None).items
    library = MediaLibrary(tmp_path / "library")
    adopted = adopt(items, library)
    assert list(adopted.changes) == ["one", "two"]
    assert adopted.refusals == {}
    assert library.path_of(adopted.changes["two"]).read_bytes() == png(1)


def test_what_is_in_the_library_or_elsewhere_stays(tmp_path):
    library = MediaLibrary(tmp_path)
    items = [
        CampaignItem("a", "only words"),
        CampaignItem("b", media=library.add(png(), "b")),
        CampaignItem("c", media="https://example.org/c.png"),
    ]
    assert adopt(items, library) == adopt([], library)


def test_what_cannot_be_taken_is_told_by_item(tmp_path):
    (tmp_path / "drawing.svg").write_bytes(SVG)
    library = MediaLibrary(tmp_path / "library")
    items = [
        CampaignItem("gone", media=str(tmp_path / "gone.png")),
        CampaignItem("folder", media=str(tmp_path)),
        CampaignItem(7, media=str(tmp_path / "drawing.svg")),
    ]
    adopted = adopt(items, library)
    assert adopted.changes == {}
    assert "No such file" in adopted.refusals["gone"]
    assert "it is not a file" in adopted.refusals["folder"]
    assert "SVG can carry scripts: save it as PNG or WebP" in adopted.refusals[7]
    assert names_in(library.folder) == []
