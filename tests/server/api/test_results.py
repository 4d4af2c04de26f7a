"""Results over HTTP: what the library finds, as of a place in the log."""

from __future__ import annotations

import json
import re

import pytest

from hodgerank.campaign.items import CampaignItem
from hodgerank.estimators.trust import assess_trust

TWO_TRACKS = [
    CampaignItem(name, track=track) for track in "xy" for name in (f"{track}1", f"{track}2")
]


def answered(served, items="abcdef", n=12, **settings):
    """A campaign with some answers: the alphabet is the truth."""
    campaign = served.campaign(items, **settings)
    for k in range(n):
        [task] = campaign.lease(f"w{k % 3}")
        campaign.answer(task, 1 if str(task.left) < str(task.right) else -1)
    return campaign


@pytest.fixture(scope="module")
def reader(served):
    return served.program("reader")


def with_library_names(found):
    """Return a response of the API with `votes` where it says comparisons or answers."""
    text = json.dumps(found)
    return json.loads(re.sub('"(comparisons|answers)":', '"votes":', text))


def test_the_ranking_is_that_of_the_library(served, reader):
    campaign = answered(served)
    found = reader.get(f"/campaigns/{campaign.id}/ranking")
    assert (found.pop("as_of"), found.pop("track")) == (campaign.counts.seq, "")
    found = with_library_names(found)
    wanted = json.loads(json.dumps(campaign.ranking().to_dict()))
    assert "worker_weights" not in found
    del wanted["worker_weights"]
    rows, same_rows = found.pop("items"), wanted.pop("items")
    for row, same in zip(rows, same_rows, strict=True):
        assert row.pop("item") == same.pop("item")
        assert row == pytest.approx(same, rel=1e-9)
    assert {**found, "ridge": 0, "residual": 0} == {**wanted, "ridge": 0, "residual": 0}


def test_what_was_answered_before_is_in_it(served, reader):
    campaign = served.campaign("ab")
    here = f"/campaigns/{campaign.id}/ranking"
    assert reader.get(here)["items"][0]["comparisons"] == 0
    [task] = campaign.lease("ann")
    campaign.answer(task, 1)
    found = reader.get(here)
    assert found["items"][0]["item"] == task.left
    assert found["as_of"] == campaign.counts.seq


def test_trust_is_that_of_the_library(served, reader):
    campaign = answered(served)
    found = reader.get(f"/campaigns/{campaign.id}/trust")
    assert (found.pop("as_of"), found.pop("track")) == (campaign.counts.seq, "")
    known = json.loads(json.dumps(assess_trust(campaign.votes()).to_dict()))
    assert with_library_names(found) == known


def test_without_an_answer_there_is_nothing_to_trust(served, reader):
    campaign = served.campaign()
    response = reader.ask("GET", f"/campaigns/{campaign.id}/trust")
    assert response.status_code == 409
    assert "no votes to assess yet" in response.json()["detail"]


def test_progress_is_that_of_the_library_and_enough_is_noted(served):
    campaign = answered(served, "ab", 3, stop="tau >= 0.1")
    judge = served.program("judge", campaign.id)
    found = judge.get(f"/campaigns/{campaign.id}/progress", params={"forecast": "true"})
    assert found["is_enough"]
    assert "enough" in [event.kind for event in campaign.events()]
    assert found["as_of"] == found["seq"] == campaign.counts.seq - 1
    known = json.loads(json.dumps(campaign.progress(with_forecast=True).to_dict()))
    for place in ("seq", "at"):
        known.pop(place)
    assert known.items() <= found.items()
    assert found["tracks"][0]["forecast"]["answers"] == 0


def test_tracks_are_named_where_there_are_several(served, reader):
    campaign = answered(served, TWO_TRACKS, 4)
    here = f"/campaigns/{campaign.id}"
    assert "name one of" in reader.ask("GET", f"{here}/ranking").json()["detail"]
    found = reader.get(f"{here}/ranking", params={"track": "y"})
    assert [row["item"] for row in found["items"]] == ["y1", "y2"]
    assert [track["track"] for track in reader.get(f"{here}/progress")["tracks"]] == ["x", "y"]
    only = reader.get(f"{here}/progress", params={"track": "y"})
    assert [track["track"] for track in only["tracks"]] == ["y"]
    for what in ("ranking", "trust", "progress", "votes"):
        response = reader.ask("GET", f"{here}/{what}", params={"track": "z"})
        assert (response.status_code, response.json()["error"]) == (409, "CampaignError")


@pytest.mark.parametrize("query", [{"tracks": "x"}, {"forecast": "perhaps"}])
def test_what_is_not_understood_is_refused(served, reader, query):
    campaign = served.campaign()
    response = reader.ask("GET", f"/campaigns/{campaign.id}/progress", params=query)
    assert response.status_code == 422
    assert response.json()["errors"][0]["where"] == f"query/{next(iter(query))}"


def test_the_ranking_is_on_the_scale_of_the_campaign(served, reader):
    campaign = answered(served)
    plain = reader.get(f"/campaigns/{campaign.id}/ranking")
    campaign.change(score_scale="elo")
    elo = reader.get(f"/campaigns/{campaign.id}/ranking")
    assert plain["scale"]["name"] == "model"
    assert elo["scale"] == {
        "name": "elo", "unit": "Elo points", "anchor": None, "baseline": None
    }  # fmt: skip
    assert [row["item"] for row in elo["items"]] == [row["item"] for row in plain["items"]]
    scores = [row["score"] for row in elo["items"]]
    assert sum(scores) / len(scores) == pytest.approx(1000)
