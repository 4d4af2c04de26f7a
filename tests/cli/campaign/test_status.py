"""hodgerank campaign status and list: looking on."""

from __future__ import annotations

import json

import pytest

from hodgerank.campaign.campaign import Campaign


def test_without_answers_there_is_no_ranking(new, campaign):
    new("--budget", 40)
    out = campaign("status", "campaign.db")
    assert "In progress: 0 votes of at most 40." in out
    assert "no votes yet" in out
    told = json.loads(campaign("status", "campaign.db", "--json"))
    assert told["tracks"][0]["ranking"] is None


def test_the_sentence_the_ranking_and_the_rules(new, answer, campaign):
    new("--budget", 10, "--stop", "tau >= 0.9")
    answer(["1"] * 6)
    out = campaign("status", "campaign.db", "--top", 2, "--no-forecast")
    assert "campaign: Which is clearer? (open, 5 items, 1 worker, 1 task in progress" in out
    assert "In progress: 6 votes of at most 10." in out
    assert "95% interval" in out
    assert "... and 3 more (--top 0 shows all)" in out
    assert "too_fast" in out


def test_an_alarm_of_a_rule_is_told(new, answer, campaign):
    new()
    for worker in ("ann", "bob", "eve"):
        answer(["1", "2"] * 4, worker=worker)
    out = " ".join(campaign("status", "campaign.db").split())
    assert (
        "! attention check too_fast failed for 24 of 24 answers: check whether its limit is right"
        in out
    )


@pytest.mark.usefixtures("few_futures")
def test_a_forecast_is_made_where_a_rule_is_set(new, answer, campaign):
    new("--stop", "tau >= 0.6")
    answer(["1"] * 4)
    told = json.loads(campaign("status", "campaign.db", "--json"))
    assert told["tracks"][0]["forecast"] is not None
    told = json.loads(campaign("status", "campaign.db", "--json", "--no-forecast"))
    assert told["tracks"][0]["forecast"] is None


def test_json_has_numbers_rankings_and_workers(new, answer, campaign):
    new("--budget", 10)
    answer(["1"] * 3)
    told = json.loads(campaign("status", "campaign.db", "--workers", "--top", 2, "--json"))
    assert (told["campaign"], told["database"]) == ("campaign", "campaign.db")
    assert (told["n_votes"], told["budget"], told["status"]) == (3, 10, "open")
    assert told["is_enough"] is False
    assert len(told["tracks"][0]["ranking"]["items"]) == 2
    assert told["workers"][0]["worker"] == "ann"
    assert told["rules"][0]["rule"] == "too_fast"
    assert "workers" not in json.loads(campaign("status", "campaign.db", "--json"))


def test_workers_are_a_table(new, answer, campaign):
    new()
    answer(["1", "2", "s"], worker="[red]ann")
    answer(["1"], worker="bob")
    campaign("ban", "campaign.db", "bob", "--reason", "tosses coins")
    out = campaign("status", "campaign.db", "--workers")
    assert "[red]ann" in out
    assert "tosses coins" in out


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_tables_fit_the_terminal(new, answer, campaign, monkeypatch, width):
    new("--budget", 40)
    answer(["1", "2", "s"], worker="somebody with a long name")
    monkeypatch.setenv("COLUMNS", str(width))
    for words in ("status", "list"):
        more = ["--workers"] if words == "status" else []
        out = campaign(words, "campaign.db", *more)
        assert "…" not in out
        assert max(map(len, out.splitlines())) <= width


def test_tracks_are_ranked_apart(new, answer, campaign, folder):
    (folder / "items.csv").write_text("id,text,track\na,x,one\nb,y,one\nc,z,two\nd,w,two\n")
    new()
    answer(["1"])
    out = campaign("status", "campaign.db")
    assert "one: 2 items, 1 vote" in out
    assert "two: 2 items, 0 votes" in out
    assert "no votes yet" in out


def test_looking_on_writes_nothing_while_another_collects(new, campaign, folder):
    new()
    with Campaign.open("campaign.db") as collecting:
        [task] = collecting.lease("ann")
        collecting.answer(task, 1)
        assert "1 vote" in campaign("status", "campaign.db")
        assert json.loads(campaign("list", "campaign.db", "--json"))["campaigns"][0]["n_votes"]
        campaign("export", "campaign.db", "-o", "votes.csv")
        campaign("settings", "campaign.db")
        last = collecting.counts.seq
    assert last == json.loads(campaign("status", "campaign.db", "--json"))["seq"]


def test_several_campaigns_are_listed_and_one_is_to_be_named(new, campaign):
    new("--budget", 30)
    new("--name", "[b]other")
    out = campaign("list", "campaign.db")
    assert "[b]other" in out
    assert "last activity" in out
    told = json.loads(campaign("list", "campaign.db", "--json"))["campaigns"]
    assert [(one["campaign"], one["budget"]) for one in told] == [
        ("campaign", 30), ("[b]other", None)
    ]  # fmt: skip
    assert set(told[0]) == {
        "campaign", "status", "n_items", "n_votes", "budget", "n_workers", "last_activity"
    }  # fmt: skip
    err = campaign("status", "campaign.db", status=3)
    assert "has 2 campaigns: name one of campaign, [b]other" in err
    assert "has no campaign 'third'" in campaign(
        "status", "campaign.db", "--name", "third", status=3
    )
    assert "[b]other" in campaign("status", "campaign.db", "--name", "[b]other")


def test_what_is_no_campaign_is_refused_in_words(campaign, folder):
    for where in ("none.db", "items.csv", "."):
        for command in ("status", "list"):
            assert "Traceback" not in campaign(command, where, status=3)
    assert not (folder / "none.db").exists()
