"""Tokens over HTTP: shown once, kept as digests, good for what they say."""

from __future__ import annotations

from pathlib import Path

from hodgerank.server.api_keys import ApiKeys


def test_a_token_is_shown_once_and_kept_as_a_digest(served, owner):
    campaign = served.campaign()
    given = {"role": "judge", "name": "gpt", "campaign": campaign.id, "days": 2}
    response = owner.ask("POST", "/tokens", given)
    assert response.status_code == 201
    made = response.json()
    assert response.headers["Location"] == f"/api/v1/tokens/{made['id']}"
    assert made["expires"] - made["created"] == 2 * 86_400
    token = made.pop("token")
    listed = owner.ask("GET", "/tokens")
    assert made in listed.json()["tokens"]
    assert token not in listed.text
    database = Path(served.context.rules.address)
    for file in (database, database.with_name(f"{database.name}-wal")):
        assert token.encode() not in file.read_bytes()


def test_a_new_token_works_until_it_is_taken_away(served, owner):
    campaign = served.campaign()
    made = owner.post("/tokens", {"role": "reader", "name": "ann"}, 201)
    program = served.program()
    program.token = made["token"]
    assert program.get(f"/campaigns/{campaign.id}")["id"] == campaign.id
    assert owner.ask("DELETE", f"/tokens/{made['id']}").status_code == 204
    response = program.ask("GET", "/campaigns")
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert owner.ask("DELETE", f"/tokens/{made['id']}").status_code == 404


def test_a_token_whose_time_is_over_opens_nothing(served, monkeypatch):
    program = served.program("owner", seconds=60)
    assert program.ask("GET", "/campaigns").status_code == 200
    later = served.context.keys._clock() + 61
    monkeypatch.setattr(served.context.keys, "_clock", lambda: later)
    assert program.ask("GET", "/campaigns").status_code == 401
    assert served.program("owner", seconds=-1).ask("GET", "/campaigns").status_code == 401


def test_roles_do_what_they_may_and_no_more(served):
    campaign = served.campaign()
    here = f"/campaigns/{campaign.id}"
    judge, reader = (served.program(role, campaign.id) for role in ("judge", "reader"))
    for path in ("ranking", "trust", "votes", "events", "workers"):
        assert judge.ask("GET", f"{here}/{path}").status_code == 403
    assert reader.ask("POST", f"{here}/tasks", {}).status_code == 403
    for program in (judge, reader):
        assert program.ask("POST", f"{here}/pause").status_code == 403
        assert program.ask("GET", "/tokens").status_code == 403
        assert "owner" in program.ask("POST", "/tokens", {}).json()["detail"]
        assert program.get(here)["id"] == campaign.id
    assert campaign.counts.status == "open"


def test_an_owner_of_one_campaign_gives_out_tokens_for_that_one_only(served, owner):
    mine, other = served.campaign(), served.campaign()
    served.program("reader", other.id, "somebody else")
    program = served.program("owner", mine.id)
    for campaign in (None, other.id, "nowhere"):
        given = {"role": "owner", "name": "x", "campaign": campaign}
        assert program.ask("POST", "/tokens", given).status_code == 403
    made = program.post("/tokens", {"role": "owner", "name": "x", "campaign": mine.id}, 201)
    names = {(one["name"], one["campaign"]) for one in program.get("/tokens")["tokens"]}
    assert names == {("gpt", mine.id), ("x", mine.id)}
    everybody = owner.get("/tokens")["tokens"]
    others = next(one for one in everybody if one["name"] == "somebody else")
    assert program.ask("DELETE", f"/tokens/{others['id']}").status_code == 404
    assert program.ask("DELETE", f"/tokens/{made['id']}").status_code == 204


def test_sessions_are_not_listed_nor_taken_away_as_tokens(served, owner):
    keys: ApiKeys = served.context.keys
    keys.issue("session", "owner", "in a browser")
    [session] = keys.all(holder="in a browser")
    assert "in a browser" not in owner.ask("GET", "/tokens").text
    assert owner.ask("DELETE", f"/tokens/{session.digest[:16]}").status_code == 404


def test_what_a_token_is_for_has_to_be_there(owner):
    given = {"role": "judge", "name": "gpt", "campaign": "nowhere"}
    assert owner.ask("POST", "/tokens", given).status_code == 404
    wrong = {"role": "worker", "name": "gpt"}, {"role": "judge", "name": " "}, {"role": "judge"}
    for given in wrong:
        assert owner.ask("POST", "/tokens", given).status_code == 422
