"""A folder with items, and a campaign in it."""

from __future__ import annotations

from io import StringIO

import pytest

ITEMS = "id,text\n" + "".join(f"item-{k},text {k}\n" for k in range(1, 6))
QUESTION = "Which is clearer?"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where commands are run: items.csv is there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.csv").write_text(ITEMS)
    return tmp_path


@pytest.fixture
def campaign(run):
    """Run a command of campaigns; a failure is one of the test unless a status is expected."""

    def run_command(*arguments, status=0):
        found, out, err = run("campaign", *arguments)
        assert found == status, out + err
        return out if status in (0, 130) else err

    return run_command


@pytest.fixture
def new(campaign):
    """Begin a campaign in campaign.db."""

    def begin(*options, items="items.csv", where="campaign.db"):
        return campaign("new", items, "-q", QUESTION, "-o", where, *options)

    return begin


@pytest.fixture
def answer(campaign, monkeypatch):
    """Answer with keys, one on each line."""

    def press(keys, *options, worker="ann", where="campaign.db", status=0):
        monkeypatch.setattr("sys.stdin", StringIO("".join(f"{key}\n" for key in keys)))
        return campaign("answer", where, "--worker", worker, *options, status=status)

    return press
