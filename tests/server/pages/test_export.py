from __future__ import annotations

import json
import tempfile
from io import BytesIO
from pathlib import Path

import polars as pl
import pytest

import hodgerank as hr
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.server.analyses.export import FILES
from server.pages.owning import HOSTILE, answer


def file(owned, campaign, name):
    reply = owned.client.get(f"/c/{campaign.id}/export/{name}")
    assert reply.status_code == 200, reply.text
    assert f"{campaign.id}-{name}" in reply.headers["content-disposition"]
    return reply.content


def test_the_page_leads_to_every_file(owned):
    campaign = owned.campaign()
    html = owned.page("c", campaign.id, "export")
    for name in FILES:
        assert f'href="/c/{campaign.id}/export/{name}"' in html


def test_the_page_names_the_command_that_gives_the_ranking_from_votes(owned):
    campaign = owned.campaign(position_bias="worker")
    answer(campaign, 6)
    html = owned.page("c", campaign.id, "export")
    assert "<code>hodgerank rank votes.csv --position-bias worker</code>" in html
    campaign.change(ranking="plain")
    html = owned.page("c", campaign.id, "export")
    command = "hodgerank rank votes.csv --equal-weights --position-bias worker"
    assert f"<code>{command}</code>" in html


def test_votes_can_be_read_again(owned, tmp_path):
    campaign = owned.campaign()
    answer(campaign, 6)
    for ending in ("csv", "parquet"):
        path = tmp_path / f"votes.{ending}"
        path.write_bytes(file(owned, campaign, f"votes.{ending}"))
        assert hr.read_comparisons(path).n_votes == 6


def test_all_answers_have_those_that_do_not_count(owned):
    campaign = owned.campaign()
    answer(campaign, 6)
    campaign.ban("ann")
    votes = pl.read_csv(file(owned, campaign, "votes.csv"))
    answers = pl.read_csv(file(owned, campaign, "answers.csv"))
    assert (len(votes), len(answers)) == (3, 6)
    assert answers["why_not"].to_list().count("worker banned") == 3


def test_the_log_makes_the_same_campaign_again(owned, tmp_path):
    campaign = owned.campaign()
    answer(campaign, 6)
    path = tmp_path / "log.jsonl"
    path.write_bytes(file(owned, campaign, "log.jsonl"))
    with Campaign.load(None, path) as again:
        assert again.ranking().score_by_item == campaign.ranking().score_by_item


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_ranking_is_that_of_the_campaign(owned, ending):
    campaign = owned.campaign()
    answer(campaign, 6)
    content = file(owned, campaign, f"ranking.{ending}")
    table = pl.read_csv(content) if ending == "csv" else pl.read_parquet(BytesIO(content))
    assert table["item"].to_list() == list(campaign.ranking().items)
    assert "track" not in table.columns


def test_rankings_of_tracks_stand_under_each_other(owned):
    items = [CampaignItem(f"{t}{k}", track=t) for t in ("day", "night") for k in (1, 2)]
    campaign = owned.campaign(items)
    answer(campaign, 2)
    table = pl.read_csv(file(owned, campaign, "ranking.csv"))
    assert table["track"].to_list() == ["day", "day", "night", "night"]
    tracks = json.loads(file(owned, campaign, "ranking.json"))["tracks"]
    assert [track["track"] for track in tracks] == ["day", "night"]
    assert tracks[0]["ranking"]["items"][0]["rank"] == 1


def test_names_that_spreadsheets_would_run_are_guarded(owned):
    campaign = owned.campaign(["=1+1", "b"])
    answer(campaign, 1)
    for name in ("votes.csv", "ranking.csv"):
        assert b"'=1+1" in file(owned, campaign, name)


def test_a_campaign_without_answers_can_be_exported(owned):
    campaign = owned.campaign()
    for name in FILES:
        assert file(owned, campaign, name)


def test_nothing_is_left_on_disk(owned):
    campaign = owned.campaign()
    before = set(Path(tempfile.gettempdir()).glob("hodgerank-*"))
    file(owned, campaign, "votes.csv")
    assert set(Path(tempfile.gettempdir()).glob("hodgerank-*")) == before


def test_other_names_are_no_files(owned):
    campaign = owned.campaign()
    for name in ("votes.exe", "..%2F..%2Fetc%2Fpasswd", "votes"):
        assert owned.client.get(f"/c/{campaign.id}/export/{name}").status_code == 404


def test_the_report_is_a_page_that_runs_nothing(owned):
    campaign = owned.campaign(["a", "b", HOSTILE], title=HOSTILE, question=HOSTILE)
    answer(campaign, 9, ["ann", "bob", HOSTILE[:100]])
    reply = owned.client.get(f"/c/{campaign.id}/report")
    assert reply.status_code == 200
    assert "<script>" not in reply.text
    assert "&lt;script&gt;" in reply.text
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert "script-src" not in policy
    assert "frame-ancestors 'none'" in policy


def test_the_report_has_the_ranking_of_the_other_pages(owned):
    campaign = owned.campaign([f"i{k}" for k in range(5)])
    answer(campaign, 30, ["ann", "bob", "eve"])
    text = owned.client.get(f"/c/{campaign.id}/report").text
    ranking = campaign.ranking()
    assert (
        f'<th scope="row">{ranking.items[0]}<' in text.partition("</tr>")[2].partition("</tr>")[0]
    )


def test_the_report_is_of_one_track_or_of_all(owned):
    items = [CampaignItem(f"{t}{k}", track=t) for t in ("day", "night") for k in (1, 2, 3)]
    campaign = owned.campaign(items)
    answer(campaign, 12, ["ann", "bob"], {item.id: -float(item.id[-1]) for item in items})
    one = owned.client.get(f"/c/{campaign.id}/report", params={"of": "track night"}).text
    assert "night1" in one
    assert "day1" not in one
    both = owned.client.get(f"/c/{campaign.id}/report", params={"of": "all"}).text
    assert "night" in both
    assert "day" in both


def test_without_answers_there_is_no_report(owned):
    campaign = owned.campaign()
    reply = owned.client.get(f"/c/{campaign.id}/report", follow_redirects=False)
    assert reply.headers["location"].endswith("/export?done=no_report")
