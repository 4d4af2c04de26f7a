"""Workers over HTTP."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from server.api.served import HERE


def test_workers_are_listed_with_what_they_did(served):
    campaign = served.campaign()
    [task] = campaign.lease("ann")
    campaign.answer(task, 1, seconds=0.1)
    reader = served.program("reader", campaign.id)
    [found] = reader.get(f"/campaigns/{campaign.id}/workers")["workers"]
    [known] = campaign.workers()
    assert found == known.to_dict()
    assert found["marks"] == {"too_fast": 1}


def test_a_ban_ends_the_session_of_a_worker_and_is_undone(served, owner):
    campaign = served.campaign()
    [task] = campaign.lease("ann")
    campaign.answer(task, 1)
    keys = served.context.keys
    session = keys.issue("session", "worker", "ann", campaign=campaign.id)
    of_bob = keys.issue("session", "worker", "bob", campaign=campaign.id)
    here = f"/campaigns/{campaign.id}/workers"
    owner.post(f"{here}/ban", {"worker": "ann", "reason": "tosses coins"}, 204)
    assert campaign.counts.n_votes == 0
    assert campaign.workers()[0].ban_reason == "tosses coins"
    assert asyncio.run(keys.find(session)) is None
    assert asyncio.run(keys.find(of_bob)) is not None
    owner.post(f"{here}/restore", {"worker": "ann"}, 204)
    assert campaign.counts.n_votes == 1
    assert "there is no worker" in owner.post(f"{here}/restore", {"worker": "who"}, 409)["detail"]


def test_who_is_forgotten_has_another_name_and_the_answers_stay(served, owner):
    campaign = served.campaign()
    [task] = campaign.lease("Ann Secret")
    campaign.answer(task, 1)
    served.context.keys.issue("session", "worker", "Ann Secret", campaign=campaign.id)
    here = f"/campaigns/{campaign.id}"
    found = owner.post(f"{here}/workers/forget", {"worker": "Ann Secret"})
    assert found["pseudonym"].startswith("forgotten-")
    assert owner.get(f"{here}/counts")["n_votes"] == 1
    for path in ("workers", "events", "votes"):
        assert "Ann Secret" not in owner.ask("GET", f"{here}/{path}").text
    assert served.context.keys.all(holder="Ann Secret") == []


def test_a_program_that_shows_pairs_to_people_lets_them_come_and_go(served, owner):
    questions = [{"question": "?", "answers": ["x", "y"], "right": "x"}]
    campaign = served.campaign(joining={"questions": questions, "tries": 2})
    here = f"/campaigns/{campaign.id}"
    owner.post(f"{here}/workers/join", {"worker": "ann", "panel": {"study": "s"}}, 204)
    owner.post(f"{here}/workers/join", {"worker": "ann", "panel": {"study": "s"}}, 204)
    assert owner.post(f"{here}/workers/quiz", {"worker": "ann", "passed": False}) == {
        "tries_left": 1
    }
    owner.post(f"{here}/workers/quiz", {"worker": "ann", "passed": True})
    owner.post(f"{here}/workers/finish", {"worker": "ann"}, 204)
    owner.post(f"{here}/workers/finish", {"worker": "ann"}, 204)
    [ann] = campaign.workers()
    assert (ann.outcome, ann.panel) == ("completed", {"study": "s"})
    assert owner.post(f"{here}/tasks", {"worker": "ann"}, 409)["why"] == "left"
    other = owner.post(f"{here}/workers/finish", {"worker": "ann", "outcome": "withdrawn"}, 409)
    assert "already left" in other["detail"]
    wrong = owner.post(f"{here}/workers/finish", {"worker": "ann", "outcome": "bored"}, 422)
    assert wrong["errors"]


def test_a_judge_comes_and_goes_under_its_own_name_only(served):
    campaign = served.campaign()
    judge = served.program("judge", name="gpt")
    here = f"/campaigns/{campaign.id}/workers"
    judge.post(f"{here}/join", {}, 204)
    judge.post(f"{here}/join", {"worker": "gpt:small"}, 204)
    judge.post(f"{here}/join", {"worker": "gptx"}, 403)
    judge.post(f"{here}/finish", {"worker": "ann"}, 403)
    judge.post(f"{here}/quiz", {"worker": "ann", "passed": True}, 403)
    assert [one.worker for one in campaign.workers()] == ["gpt", "gpt:small"]


# Names of persons and of programs


def arrive(served, campaign, name):
    """By the link, in a browser of their own."""
    browser = TestClient(served.program()._client.app, base_url=HERE, headers={"Origin": HERE})
    place = f"/j/{quote(campaign.id)}?worker={name}"
    return browser.post(place, follow_redirects=False).status_code


@pytest.mark.parametrize("name", ["gpt", "gpt:small"])
def test_nobody_joins_by_a_name_that_a_token_may_use(served, name):
    campaign = served.campaign(panel={"kind": "link"})
    judge = served.program("judge", campaign.id, "gpt")
    assert arrive(served, campaign, name) == 403
    judge.post(f"/campaigns/{quote(campaign.id)}/tasks", {"worker": name})
    assert arrive(served, campaign, "gpt-small") == 303


def test_a_judge_never_acts_as_a_person_who_was_there_first(served):
    campaign = served.campaign(panel={"kind": "link"})
    assert arrive(served, campaign, "kim:small") == 303
    [theirs] = campaign.lease("kim:small")
    judge = served.program("judge", campaign.id, "kim")
    place = f"/campaigns/{quote(campaign.id)}"
    for path in ("tasks", "undo", "workers/join", "workers/finish"):
        problem = judge.post(f"{place}/{path}", {"worker": "kim:small"}, 403)
        assert "person" in problem["detail"]
    judge.post(f"/tasks/{theirs.id}/answer", {"outcome": 1}, 404)
    judge.post(f"/tasks/{theirs.id}/skip", {}, 404)
    assert judge.post(f"{place}/tasks", {"worker": "kim"})["tasks"]
    served.program("owner").post(f"{place}/workers/finish", {"worker": "kim:small"}, 204)


def test_persons_of_older_logs_are_known_by_their_sessions(served):
    campaign = served.campaign(panel={"kind": "link"})
    campaign.join("kim:small", {"person": "hand"})
    assert campaign.log.state.worker("kim:small").panel == {"person": "hand"}
    judge = served.program("judge", campaign.id, "kim")
    place = f"/campaigns/{quote(campaign.id)}/tasks"
    judge.post(place, {"worker": "kim:small"})
    served.context.keys.issue("session", "worker", "kim:small", campaign=campaign.id)
    judge.post(place, {"worker": "kim:small"}, 403)


def test_a_ban_of_a_person_leaves_the_token_of_that_name(served):
    campaign = served.campaign(panel={"kind": "link"})
    assert arrive(served, campaign, "kim") == 303
    judge = served.program("judge", campaign.id, "kim")
    campaign.ban("kim")
    judge.post(f"/campaigns/{quote(campaign.id)}/tasks", {"worker": "kim:small"})


def test_who_joined_is_in_the_log(served):
    campaign = served.campaign(panel={"kind": "link"})
    arrive(served, campaign, "Annabel-7")
    owner = served.program("owner", name="console")
    owner.post(f"/campaigns/{quote(campaign.id)}/workers/join", {"panel": {"x": "y"}}, 204)
    joined = [event.data for event in campaign.events() if event.kind == "joined"]
    assert joined == [
        {"person": {"worker": "Annabel-7"}},
        {"x": "y"},
    ]
    campaign.ban("Annabel-7")
    campaign.forget("Annabel-7")
    assert "Annabel-7" not in str(list(campaign.events()))
