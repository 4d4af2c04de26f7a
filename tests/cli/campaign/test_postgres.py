"""Campaigns in PostgreSQL: several processes at once, and no password in what is said."""

from __future__ import annotations

import json
import subprocess

import pytest

from hodgerank.campaign.campaign import Campaign
from processes import COMMAND


def test_everything_works_with_an_address(new, answer, campaign, postgres_url):
    out = new("--budget", 40, where=postgres_url)
    assert "created campaign in postgresql" in " ".join(out.split())
    answer(["1", "2", "u", "q"], where=postgres_url)
    told = json.loads(campaign("status", postgres_url, "--json"))
    assert (told["n_votes"], told["n_out"]) == (1, 2)
    assert len(json.loads(campaign("list", postgres_url, "--json"))["campaigns"]) == 1
    campaign("export", postgres_url, "-o", "log.jsonl")
    campaign("import", "log.jsonl", "-o", "copy.db")
    assert json.loads(campaign("status", "copy.db", "--json"))["n_votes"] == 1
    campaign("close", postgres_url, "--yes")


@pytest.mark.slow
def test_several_people_answer_at_once(new, answer, postgres_url):
    new(where=postgres_url)
    command = [*COMMAND, "campaign", "answer", postgres_url, "--worker", "ann"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        while "q quit" not in process.stdout.readline():
            pass
        answer(["1", "2"], worker="bob", where=postgres_url)
        process.communicate("1\nq\n", timeout=60)
    with Campaign.open(postgres_url, read_only=True) as found:
        assert sorted(row["worker"] for row in found.answers()) == ["ann", "bob", "bob"]


def test_an_item_that_joins_in_the_middle_is_shown(new, answer, postgres_url, monkeypatch):
    from hodgerank.campaign.items import CampaignItem

    new(where=postgres_url)
    given = Campaign.answer

    def join_and_answer(self, *arguments, **options):
        names = {item.id for item in self.items}
        if "late" not in names:
            with Campaign.open(postgres_url) as other:
                other.add([CampaignItem("late", "text 9")])
        return given(self, *arguments, **options)

    monkeypatch.setattr(Campaign, "answer", join_and_answer)
    assert "text 9" in answer(["1"] * 12, where=postgres_url)


def test_a_password_is_not_repeated(campaign):
    address = "postgresql://ann:very-secret@127.0.0.1:9/none"
    err = campaign("status", address, status=3)
    assert "very-secret" not in err
