from __future__ import annotations

import os
import resource
import time
from io import BytesIO

import pytest

from hodgerank.errors import CannotWrite
from hodgerank.server.uploads.staging import FOLDER, KEPT_SECONDS, Staging

CSV = b"id,text\na,Tea\nb,Milk\n"


@pytest.fixture
def staging(tmp_path):
    return Staging(tmp_path)


def keep(staging, content=CSV, name="items.csv", who="me"):
    return staging.keep([(name, BytesIO(content))], who)


def test_files_can_be_had_again_under_the_names_they_came_with(staging):
    found = staging.find(keep(staging), "me")
    assert [item.id for item in found.items] == ["a", "b"]


def test_another_process_finds_them_too(staging, tmp_path):
    id = keep(staging)
    assert len(Staging(tmp_path).find(id, "me").items) == 2


def test_nobody_else_gets_them(staging):
    assert staging.find(keep(staging), "you") is None


@pytest.mark.parametrize("id", ["", "0" * 32, "../../etc", "x" * 32, "a" * 31])
def test_what_is_not_there_is_not_found(staging, id):
    assert staging.find(id, "me") is None
    staging.drop(id)


def test_columns_can_be_named(staging):
    id = keep(staging, b"one,two\na,Tea\nb,Milk\n")
    assert len(staging.find(id, "me", {"id": "one", "text": "two"}).items) == 2


def test_an_encoding_can_be_named(staging):
    id = keep(staging, "id,text\na,caf\xe9\nb,Milk\n".encode("cp1252"))
    assert staging.find(id, "me").items == ()
    assert staging.find(id, "me", encoding="cp1252").items[0].text == "café"


def test_it_is_had_again_as_it_was_last_understood(staging, tmp_path):
    id = keep(staging, b"one,two\na,Tea\nb,Milk\n")
    assert staging.find_again(id, "me") is None
    for columns in ({"id": "one", "text": "two"}, {"id": "two"}, {"id": "one", "text": "two"}):
        found = staging.find(id, "me", columns)
        assert Staging(tmp_path).find_again(id, "me") == staging.find_again(id, "me") == found
    assert staging.find_again(id, "you") is None


def test_files_are_added_to_others_and_replace_those_of_their_names(staging):
    texts = staging.keep([("a.txt", BytesIO(b"Tea")), ("b.txt", BytesIO(b"Milk"))], "me")
    more = staging.keep([("b.txt", BytesIO(b"Cola")), ("c.txt", BytesIO(b"Rum"))], "me", texts)
    assert [item.text for item in staging.find(more, "me").items] == ["Tea", "Cola", "Rum"]
    assert len(staging.find(texts, "me").items) == 2


def test_another_table_replaces_the_table(staging):
    first = keep(staging)
    second = staging.keep([("new.csv", BytesIO(b"id,text\nc,Rum\nd,Gin\n"))], "me", first)
    assert [item.id for item in staging.find(second, "me").items] == ["c", "d"]


def test_nothing_is_added_to_what_is_of_somebody_else(staging):
    theirs = keep(staging, who="you")
    mine = staging.keep([("a.txt", BytesIO(b"Tea"))], "me", theirs)
    assert [item.id for item in staging.find(mine, "me").items] == ["a"]


def test_hostile_names_lead_nowhere(staging, tmp_path):
    id = staging.keep([("../../../evil.csv", BytesIO(CSV)), ("/etc/x.csv", BytesIO(CSV))], "me")
    assert sorted(os.listdir(tmp_path / FOLDER / id)) == ["0", "1", "names.json"]
    assert sorted(os.listdir(tmp_path)) == [FOLDER]
    staging.find(id, "me")


def test_what_is_dropped_is_gone(staging, tmp_path):
    id = keep(staging)
    staging.find(id, "me")
    staging.drop(id)
    assert staging.find(id, "me") is None
    assert os.listdir(tmp_path / FOLDER) == []


def test_what_nobody_came_back_for_is_removed_after_a_day(staging, tmp_path):
    old, new = keep(staging), keep(staging)
    ago = time.time() - KEPT_SECONDS - 1
    os.utime(tmp_path / FOLDER / old, (ago, ago))
    Staging(tmp_path)
    assert os.listdir(tmp_path / FOLDER) == [new]


def test_a_full_disk_is_told_and_nothing_stays(staging, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(CannotWrite, match="no room for the upload"):
            keep(staging, b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.listdir(tmp_path / FOLDER) == []
