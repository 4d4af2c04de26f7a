from __future__ import annotations

import errno
import os

import pytest

from hodgerank.campaign.stores import file_lock
from hodgerank.campaign.stores.file_lock import FileLock
from hodgerank.errors import CampaignError, CannotWrite


@pytest.fixture
def path(tmp_path):
    return tmp_path / "campaign.db"


def test_the_lock_says_who_has_it_until_it_is_released(path):
    lock = FileLock(path, "here")
    with pytest.raises(CampaignError, match=f"here is in use by process {os.getpid()} "):
        FileLock(path, "here")
    with pytest.raises(CampaignError, match=r"campaign\.leave\(\)") as error:
        FileLock(path, "here")
    assert "close" not in str(error.value)  # which would end a campaign for good
    lock.release()
    lock.release()
    FileLock(path, "here").release()


def test_a_lock_without_words_is_a_lock(path):
    lock = FileLock(path, "here")
    path.with_name("campaign.db.lock").write_text("")
    with pytest.raises(CampaignError, match="in use by another process"):
        FileLock(path, "here")
    lock.release()


def test_words_of_a_process_that_ended_do_not_matter(path):
    path.with_name("campaign.db.lock").write_text("process 1 since ever, in many words\n")
    FileLock(path, "here").release()
    words = path.with_name("campaign.db.lock").read_text()
    assert words.startswith(f"process {os.getpid()} since ")
    assert "ever" not in words


def test_a_file_system_without_locks_is_refused(path, monkeypatch):
    def take(descriptor):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(file_lock, "_take", take)
    with pytest.raises(CannotWrite, match=r"cannot be locked: .*local disk"):
        FileLock(path, "here")
