"""Where the media of a campaign are on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import local_media
from hodgerank.errors import InvalidArgument

KEPT = f"{'ab' * 32}.png"


def test_what_a_server_keeps_is_beside_the_file(tmp_path):
    with Campaign.create(tmp_path / "campaign.db", ["a", "b"], question="Which?") as campaign:
        found = campaign.media_file(f"media:{KEPT}")
    assert found == tmp_path / "campaign.db-media" / "ab" / KEPT


def test_for_postgresql_it_is_in_the_current_folder():
    found = local_media("postgresql://localhost/votes", f"media:{KEPT}")
    assert found == Path("hodgerank-media", "ab", KEPT)


@pytest.mark.parametrize("path", ["a.png", "/srv/a b.png", "media:x.png", "media:../../a.png"])
def test_everything_else_is_a_path(path):
    assert local_media("campaign.db", path) == Path(path)


@pytest.mark.parametrize("media", ["", "https://example.org/a.png", "http://example.org"])
def test_what_is_elsewhere_is_told(media):
    with pytest.raises(InvalidArgument, match="is not on this machine"):
        local_media("campaign.db", media)
