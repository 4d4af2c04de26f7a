"""Votes over HTTP: files go out and come in."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import polars as pl
import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.data.reading.vote_source import read_comparisons

CSV = {"content-type": "text/csv"}
LINES = {"content-type": "application/jsonl"}


@pytest.fixture
def campaign(served):
    campaign = served.campaign(attention={"exclude": ["too_fast"]})
    for k in range(6):
        [task] = campaign.lease("=cmd|' /C calc'!A0")
        campaign.answer(task, 1, seconds=0.1 if k == 0 else 2.0)
    return campaign


def get(program, campaign, **query):
    response = program.ask("GET", f"/campaigns/{campaign.id}/votes", params=query)
    assert response.status_code == 200, response.text
    return response


def test_votes_as_tables_are_what_the_campaign_exports(served, campaign, tmp_path):
    reader = served.program("reader")
    for form in ("csv", "parquet"):
        for everything in (False, True):
            campaign.export(tmp_path / f"votes.{form}", everything=everything)
            response = get(reader, campaign, format=form, everything=str(everything).lower())
            assert response.content == (tmp_path / f"votes.{form}").read_bytes()
            assert f".{form}" in response.headers["content-disposition"]
    table = get(reader, campaign).text
    assert "'=cmd" in table
    assert len(read_comparisons(pl.read_csv(table.encode()))) == 5


def test_the_log_makes_the_same_campaign_again(served, campaign, tmp_path):
    log = get(served.program("reader"), campaign, format="jsonl")
    assert log.headers["content-type"] == "application/jsonl"
    (tmp_path / "log.jsonl").write_bytes(log.content)
    with Campaign.load(None, tmp_path / "log.jsonl") as again:
        assert again.ranking().score_by_item == campaign.ranking().score_by_item
        assert list(again.events()) == list(campaign.events())


def test_a_log_is_always_whole(served, campaign):
    response = served.program("reader").ask(
        "GET", f"/campaigns/{campaign.id}/votes", params={"format": "jsonl", "track": ""}
    )
    assert response.status_code == 422


def test_nothing_is_left_on_disk(served, owner, campaign, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    get(owner, campaign)
    owner.ask("GET", f"/campaigns/{campaign.id}/votes", params={"track": "nowhere"})
    post = f"/campaigns/{campaign.id}/votes"
    owner.post(post, content="left,right,outcome\na,b,1\n", headers=CSV)
    owner.post(post, status=422, content="left,right,outcome\na,b,7\n", headers=CSV)
    assert list(tmp_path.iterdir()) == []


def test_votes_that_were_collected_elsewhere_are_counted_once(served, owner):
    campaign = served.campaign()
    here = f"/campaigns/{campaign.id}/votes"
    votes = "left,right,outcome,worker\na,b,1,ann\nc,d,-1,bob\n"
    assert owner.post(here, content=votes, headers=CSV) == {"n_imported": 2}
    assert "before" in owner.post(here, status=409, content=votes, headers=CSV)["detail"]
    again = owner.post(here, content=votes, headers=CSV, params={"again": "true"})
    assert again == {"n_imported": 2}
    assert campaign.counts.n_votes == 4


def test_lines_of_json_say_everything(served, owner):
    campaign = served.campaign([1, 2, 3])
    lines = [
        {"left": 1, "right": 2, "outcome": 0.5, "worker": "ann", "weight": 2.0},
        {"left": 3, "right": 2, "outcome": -1, "is_display_known": False},
    ]
    content = "\n".join(map(json.dumps, lines))
    owner.post(f"/campaigns/{campaign.id}/votes", content=content, headers=LINES)
    votes = campaign.votes()
    assert votes.outcome.tolist() == [0.5, -1.0]
    assert votes.weight.tolist() == [2.0, 1.0]
    assert votes.display_known.tolist() == [True, False]
    assert [votes.items[k] for k in votes.left] == [1, 3]
    assert [row["worker"] for row in campaign.answers()] == ["ann", None]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"left": "a", "right": "b"}', "line 2: outcome: Field required"),
        ('{"left": "a", "right": "b", "outcome": 2}', "line 2: outcome"),
        ('{"left": "a", "right": "b", "outcome": NaN}', "line 2: outcome"),
        ('{"left": "a", "right": "b", "outcome": 1, "x": 1}', "line 2: x"),
        ("[]", "line 2"),
        ("left,right", "line 2"),
        ('{"left": "a", "right": "a", "outcome": 1}', "with itself"),
        ('{"left": "a", "right": "nobody", "outcome": 1}', "not among the items"),
    ],
)
def test_a_line_that_is_no_vote_is_named_and_nothing_is_counted(served, owner, line, words):
    campaign = served.campaign()
    content = '{"left": "a", "right": "b", "outcome": 1}\n' + line
    response = owner.ask("POST", f"/campaigns/{campaign.id}/votes", content=content, headers=LINES)
    assert response.status_code in (404, 422)
    assert words in response.json()["detail"]
    assert campaign.counts.n_votes == 0


def test_a_file_that_is_no_votes_is_told_without_its_place_on_the_server(served, owner):
    campaign = served.campaign()
    here = f"/campaigns/{campaign.id}/votes"
    found = owner.post(here, status=422, content="left,right,outcome\na,b,7\n", headers=CSV)
    assert found["detail"].startswith("the file")
    assert str(Path(tempfile.gettempdir())) not in found["detail"]
    kind = {"content-type": "application/x-zip"}
    assert "text/csv" in owner.post(here, status=415, content="x", headers=kind)["detail"]


def test_a_file_may_be_larger_than_other_bodies(served, owner):
    campaign = served.campaign()
    rows = "".join(f"a,b,1,{'long name ' * 40}{k}\n" for k in range(3000))
    content = f"left,right,outcome,worker\n{rows}"
    assert len(content) > 1 << 20
    found = owner.post(f"/campaigns/{campaign.id}/votes", content=content, headers=CSV)
    assert found == {"n_imported": 3000}
    assert owner.ask("POST", "/campaigns", content=content, headers=CSV).status_code == 413
