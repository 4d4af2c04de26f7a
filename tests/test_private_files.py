from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from hodgerank.campaign import Campaign
from hodgerank.judges.call_log import CallLog
from hodgerank.private_files import exposed
from hodgerank.server.context import ServerConfig, ServerContext
from server.media.made import png

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct, autouse=True)
def umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
    }


def serve_in(folder: Path, **options: bool) -> dict[str, int]:
    """Files of a server that is running, after an upload."""
    context = ServerContext(ServerConfig(str(folder / "a.db"), **options))
    try:
        if not context.database.campaigns():
            Campaign.create(context.database, ["a", "b"], question="?", id="c").leave()
        context.media.add(png(1), "a.png")
        with context.staging.scratch() as scratch:
            (scratch / "file").touch()
            return modes(folder)
    finally:
        context.close()


def test_only_the_owner_reads_what_a_server_keeps(tmp_path):
    found = serve_in(tmp_path)
    assert {"a.db", "a.db-wal", "a.db-shm", "a.db.lock", "a.db-media"} < found.keys()
    staged = {name: mode for name, mode in found.items() if not name.startswith("a.db-media/.")}
    for name, mode in staged.items():
        assert mode == (0o700 if (tmp_path / name).is_dir() else 0o600), name
    assert found["a.db-media/.staged"] == 0o700  # nobody gets to the files in it


def test_the_group_reads_it_where_that_is_asked_for(tmp_path):
    serve_in(tmp_path)
    found = serve_in(tmp_path, group_readable=True)
    assert found.pop("a.db-media/.staged") == 0o700
    kept = {name: mode for name, mode in found.items() if "/." not in name}
    for name, mode in kept.items():
        assert mode == (0o750 if (tmp_path / name).is_dir() else 0o640), name
    assert exposed([tmp_path / "a.db", tmp_path / "a.db-media"]) == ""


def test_the_calls_of_judges_are_private(tmp_path):
    log = CallLog(tmp_path / "calls.jsonl")
    log.close()
    assert modes(tmp_path) == {"calls.jsonl": 0o600}


def test_what_all_can_read_is_told_with_the_remedy(tmp_path):
    serve_in(tmp_path)
    places = [tmp_path / "a.db", tmp_path / "a.db-media"]
    assert exposed(places) == ""
    places[0].chmod(0o644)
    assert exposed(places) == f"chmod -R o= {places[0]}"
