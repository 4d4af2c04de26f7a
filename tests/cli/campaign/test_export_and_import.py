"""hodgerank campaign export and import: votes go out, logs and votes come in."""

from __future__ import annotations

import json
import math
from random import Random

import polars as pl
import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem


@pytest.fixture
def answered(new, answer):
    """A campaign with answers, one taken back."""
    new("--budget", 40)
    answer(["1", "2", "1", "u", "2", "s", "q"])


def test_votes_are_read_by_other_commands(answered, campaign, run):
    out = campaign("export", "campaign.db", "-o", "votes.csv")
    assert "votes of campaign written to votes.csv" in out
    assert pl.read_csv("votes.csv").height == 3
    assert run("rank", "votes.csv", "--model", "bayes")[0] == 0
    campaign("export", "campaign.db", "-o", "votes.parquet")
    assert pl.read_parquet("votes.parquet").height == 3


def test_votes_are_printed(answered, campaign):
    out = campaign("export", "campaign.db", "-o", "-")
    assert out.startswith("left,right,outcome,worker")
    assert len(out.splitlines()) == 4


def test_everything_has_what_became_of_each_answer(answered, campaign):
    out = campaign("export", "campaign.db", "--everything", "-o", "-")
    assert "why_not" in out.splitlines()[0]
    campaign("ban", "campaign.db", "ann")
    assert len(campaign("export", "campaign.db", "-o", "-").splitlines()) == 1
    assert "worker banned" in campaign("export", "campaign.db", "--everything", "-o", "-")


def test_json_tells_where_it_went(answered, campaign):
    told = json.loads(campaign("export", "campaign.db", "-o", "log.jsonl", "--json"))
    assert told == {"campaign": "campaign", "exported": "log", "written": "log.jsonl"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "a file is needed"),
        (["-o", "votes.txt"], "must end in .csv, .parquet, .jsonl"),
        (["-o", "no/votes.csv"], "does not exist"),
        (["-o", "-", "--json"], "choose one"),
        (["-o", "log.jsonl", "--everything"], "holds everything"),
    ],
)
def test_exports_that_make_no_sense_are_refused(answered, campaign, options, words):
    assert words in " ".join(campaign("export", "campaign.db", *options, status=2).split())


def test_a_log_makes_the_campaign_again(answered, campaign):
    campaign("export", "campaign.db", "-o", "log.jsonl")
    out = campaign("import", "log.jsonl", "-o", "copy.db")
    assert "campaign imported into copy.db: 5 items, 3 votes" in out
    with (
        Campaign.open("campaign.db", read_only=True) as one,
        Campaign.open("copy.db", read_only=True) as other,
    ):
        assert one.answers() == other.answers()
    campaign("import", "log.jsonl", "-o", "campaign.db", "--name", "twin")
    told = json.loads(campaign("list", "campaign.db", "--json"))["campaigns"]
    assert [one["n_votes"] for one in told] == [3, 3]
    campaign("import", "log.jsonl", "-o", "copy.db", status=3)
    assert "--again" in campaign("import", "log.jsonl", "-o", "x.db", "--again", status=2)


def test_a_log_that_was_cut_is_refused_and_makes_no_file(answered, campaign, folder):
    campaign("export", "campaign.db", "-o", "log.jsonl")
    whole = (folder / "log.jsonl").read_text()
    (folder / "cut.jsonl").write_text(whole[: len(whole) // 2])
    assert "cut.jsonl, line" in campaign("import", "cut.jsonl", "-o", "copy.db", status=3)
    assert not (folder / "copy.db").exists()


def test_votes_from_elsewhere_count(answered, campaign, folder):
    (folder / "votes.csv").write_text(
        "left,right,outcome,worker\nitem-1,item-2,1,bob\nitem-3,item-2,-1,bob\n"
    )
    out = campaign("import", "votes.csv", "-o", "campaign.db")
    assert "2 votes imported from votes.csv into campaign, which now has 5 votes" in out
    err = campaign("import", "votes.csv", "-o", "campaign.db", status=3)
    assert "--again" in err
    told = json.loads(campaign("import", "votes.csv", "-o", "campaign.db", "--again", "--json"))
    assert (told["n_imported"], told["n_votes"], told["is_created"]) == (2, 7, False)


def test_items_with_numbers_for_names_are_known_again(new, answer, campaign, folder):
    (folder / "items.csv").write_text("id,text\n1,x\n2,y\n3,z\n")
    new()
    answer(["1", "2"])
    campaign("export", "campaign.db", "-o", "votes.csv")
    assert "2 votes" in campaign("import", "votes.csv", "-o", "campaign.db", "--again")


def test_votes_about_other_items_are_refused(answered, campaign, folder):
    (folder / "votes.csv").write_text("left,right,outcome\nitem-1,item-9,1\n")
    assert "item-9" in campaign("import", "votes.csv", "-o", "campaign.db", status=3)


def test_imports_that_make_no_sense_are_refused(answered, campaign, folder):
    assert "-o campaign.db" in campaign("import", "items.csv", status=2)
    campaign("import", "none.csv", "-o", "campaign.db", status=3)
    (folder / "votes.csv").write_text("left,right,outcome\nitem-1,item-2,1\n")
    campaign("import", "votes.csv", "-o", "none.db", status=3)
    assert not (folder / "none.db").exists()


SETTINGS = {
    "plain": {"ranking": "plain"},
    "robust": {"ranking": "robust"},
    "robust, sides in the model": {"ranking": "robust", "position_bias": "worker"},
    "not adaptive": {"ranking": "plain", "sampler": "random"},
}


def collected(**settings):
    """Answers of honest workers, and of one each who tosses coins, goes left and is contrary."""
    random = Random(1)
    with Campaign.create("campaign.db", list("abcdefghijkl"), question="?", **settings) as campaign:
        for k in range(360):
            worker = k % 9
            [task] = campaign.lease(f"w{worker}")
            chance = 1 / (1 + math.exp(ord(task.left) - ord(task.right)))
            honest = 1 if random.random() < chance else -1
            tricks = {0: random.choice([-1, 1]), 1: 1, 2: -honest}
            campaign.answer(task, tricks.get(worker, honest), seconds=2)
        return {track: campaign.ranking(track) for track in campaign.tracks}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_the_command_of_the_status_gives_the_served_ranking(campaign, run, settings):
    [served] = collected(**settings).values()
    campaign("export", "campaign.db", "-o", "votes.csv")
    command = json.loads(campaign("status", "campaign.db", "--json", "--no-forecast"))[
        "repeated_by"
    ]
    assert command in " ".join(campaign("status", "campaign.db", "--no-forecast").split())
    status, out, err = run(*command.split()[1:], "--json")
    assert status == 0, err
    found = {row["item"]: row for row in json.loads(out)["items"]}
    assert found.keys() == set(served.items)
    for row in served:
        assert found[row.item]["score"] == pytest.approx(row.score, abs=1e-6)
        assert found[row.item]["stderr"] == pytest.approx(row.stderr, abs=1e-6)
        assert found[row.item]["votes"] == row.votes
    assert sum(row.votes for row in served) == 720


def test_the_command_of_several_tracks_ranks_each(campaign, run):
    items = [CampaignItem(f"{track}{k}", track=track) for track in "xy" for k in range(3)]
    with Campaign.create("campaign.db", items, question="?") as begun:
        for track in "xy":
            begun.import_votes([(f"{track}0", f"{track}1", 1), (f"{track}1", f"{track}2", 1)] * 4)
        served = {track: begun.ranking(track).score_by_item for track in "xy"}
    campaign("export", "campaign.db", "-o", "votes.csv")
    command = json.loads(campaign("status", "campaign.db", "--json", "--no-forecast"))[
        "repeated_by"
    ]
    assert command == "hodgerank rank votes.csv --model bayes --robust --by track"
    status, out, err = run(*command.split()[1:], "--json")
    assert status == 0, err
    for group in json.loads(out)["groups"]:
        scores = {row["item"]: row["score"] for row in group["items"]}
        assert scores == pytest.approx(served[group["track"]], abs=1e-6)
