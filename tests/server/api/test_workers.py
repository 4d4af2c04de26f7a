"""Workers over HTTP."""

from __future__ import annotations

import asyncio


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
