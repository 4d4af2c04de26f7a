"""Tasks over HTTP: each answer counts once, and nobody answers for others."""

from __future__ import annotations

import pytest


def leased(program, campaign, **given):
    return program.post(f"/campaigns/{campaign.id}/tasks", given)["tasks"]


def test_a_task_is_leased_shown_and_answered(served):
    campaign = served.campaign({"a": "one", "b": "two"})
    judge = served.program("judge", campaign.id, "gpt")
    [task] = leased(judge, campaign)
    assert task["worker"] == "gpt"
    assert {task["left"]["text"], task["right"]["text"]} == {"one", "two"}
    assert "purpose" not in task
    receipt = judge.post(f"/tasks/{task['id']}/answer", {"outcome": 1, "seconds": 3})
    assert receipt == {
        "task": task["id"],
        "is_counted": True,
        "why_not": "",
        "marks": [],
        "is_late": False,
        "is_repeated": False,
    }
    [row] = campaign.answers()
    assert (row["left"], row["outcome"], row["worker"], row["seconds"]) == (
        task["left"]["item"],
        1.0,
        "gpt",
        3.0,
    )


def test_a_lease_that_is_asked_for_again_is_the_same(served):
    campaign = served.campaign()
    judge = served.program("judge")
    tasks = leased(judge, campaign, n=3)
    assert leased(judge, campaign, n=3) == tasks
    assert leased(judge, campaign, n=1) == tasks[:1]


def test_owners_are_told_the_purpose_and_may_act_as_anybody(served, owner):
    campaign = served.campaign(gold=[{"better": "a", "worse": "b"}], gold_share=0.5)
    tasks = leased(owner, campaign, worker="anybody", n=6)
    assert {task["purpose"] for task in tasks} == {"chosen", "gold"}
    assert {task["worker"] for task in tasks} == {"anybody"}
    assert leased(owner, campaign)[0]["worker"] == "gpt"  # the name of the token


@pytest.mark.parametrize("n", [0, -1, 1001, 1.5, True, "2", None])
def test_a_number_of_tasks_is_within_bounds(served, owner, n):
    campaign = served.campaign()
    found = owner.post(f"/campaigns/{campaign.id}/tasks", {"n": n}, 422)
    assert found["errors"][0]["where"] == "body/n"


def test_where_there_is_no_task_it_says_why(served):
    campaign = served.campaign("ab", ties=True)
    judge = served.program("judge")
    [task] = leased(judge, campaign, n=5)
    judge.post(f"/tasks/{task['id']}/answer", {"outcome": 0})
    here = f"/campaigns/{campaign.id}/tasks"
    assert judge.post(here, {}, 409)["why"] == "pairs"
    campaign.pause()
    found = judge.post(here, {"worker": "gpt:other"}, 409)
    assert (found["why"], found["error"]) == ("paused", "NoTask")
    campaign.ban("gpt")
    assert judge.post(here, {}, 409)["why"] == "banned"


def test_the_same_answer_again_changes_nothing_and_another_is_refused(served):
    campaign = served.campaign()
    judge = served.program("judge")
    [task] = leased(judge, campaign)
    here = f"/tasks/{task['id']}/answer"
    assert not judge.post(here, {"outcome": 1})["is_repeated"]
    assert judge.post(here, {"outcome": 1})["is_repeated"]
    assert "different answer" in judge.post(here, {"outcome": -1}, 409)["detail"]
    assert campaign.counts.n_votes == 1


def test_a_tie_an_abstention_and_an_error_are_three_things(served):
    campaign = served.campaign(ties=True, skip_reasons=["cannot decide", "failed"])
    judge = served.program("judge")
    tie, abstention, error = leased(judge, campaign, n=3)
    judge.post(f"/tasks/{tie['id']}/answer", {"outcome": 0})
    judge.post(f"/tasks/{abstention['id']}/skip", {"reason": "failed"}, 204)
    judge.post(f"/tasks/{error['id']}/answer", {"outcome": 0.3}, 422)
    counts = campaign.counts
    assert (counts.n_votes, counts.n_out) == (1, 1)
    [worker] = campaign.workers()
    assert worker.n_skipped == 1
    skipped = next(event for event in campaign.events() if event.kind == "skipped")
    assert skipped.data == {"reason": "failed"}
    assert leased(judge, campaign, n=1)[0]["id"] == error["id"]


def test_a_skip_is_idempotent_and_its_reason_is_one_of_the_campaign(served):
    campaign = served.campaign()
    judge = served.program("judge")
    [task] = leased(judge, campaign)
    here = f"/tasks/{task['id']}/skip"
    assert "is not one of" in judge.post(here, {"reason": "bored"}, 422)["detail"]
    judge.post(here, {}, 204)
    judge.post(here, {}, 204)
    assert campaign.workers()[0].n_skipped == 1


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"outcome": None},
        {"outcome": "1"},
        {"outcome": True},
        {"outcome": 1.01},
        {"outcome": 1, "seconds": -1},
        {"outcome": 1, "seconds": True},
        {"outcome": 1, "weight": 0},
        {"outcome": 1, "weight": "2"},
        {"outcome": 1, "is_focused": 1},
        {"outcome": 1, "worker": ""},
        {"outcome": 1, "worker": "w" * 501},
        {"outcome": 1, "left": "a"},
    ],
)
def test_an_answer_that_is_none_is_refused_and_the_task_stays(served, owner, given):
    campaign = served.campaign()
    [task] = leased(owner, campaign)
    found = owner.post(f"/tasks/{task['id']}/answer", given, 422)
    assert found["errors"]
    assert campaign.counts.n_out == 1


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000])
def test_what_is_no_number_is_refused(served, owner, number):
    campaign = served.campaign()
    [task] = leased(owner, campaign)
    response = owner.ask(
        "POST",
        f"/tasks/{task['id']}/answer",
        content=f'{{"outcome": {number}}}',
        headers={"content-type": "application/json"},
    )
    assert response.status_code in (400, 422)
    assert campaign.counts.n_given == 0


def test_the_last_answer_is_taken_back(served):
    campaign = served.campaign()
    judge = served.program("judge")
    [task] = leased(judge, campaign)
    judge.post(f"/tasks/{task['id']}/answer", {"outcome": 1})
    again = judge.post(f"/campaigns/{campaign.id}/undo", {})
    assert (again["left"], again["right"]) == (task["left"], task["right"])
    assert again["id"] != task["id"]
    assert campaign.counts.n_votes == 0
    assert "no answer" in judge.post(f"/campaigns/{campaign.id}/undo", {}, 409)["detail"]


def test_leases_are_taken_back_by_the_owner(served, owner):
    campaign = served.campaign()
    leased(owner, campaign, n=3)
    here = f"/campaigns/{campaign.id}/tasks/expire"
    assert owner.post(here, {}) == {"n_expired": 0}
    assert owner.post(here, {"by": 1e11}) == {"n_expired": 3}


# Whose task it is


def test_a_judge_acts_as_itself_and_as_what_begins_with_its_name_and_a_colon(served):
    campaign = served.campaign()
    judge = served.program("judge", name="gpt")
    here = f"/campaigns/{campaign.id}/tasks"
    assert leased(judge, campaign, worker="gpt:small")[0]["worker"] == "gpt:small"
    for other in ("ann", "gpt2", "GPT", "gpt small", ":gpt", "gpt\u0000"):
        assert "may act as gpt" in judge.post(here, {"worker": other}, 403)["detail"]
    judge.post(f"/campaigns/{campaign.id}/undo", {"worker": "ann"}, 403)
    assert [one.worker for one in campaign.workers()] == ["gpt:small"]


def test_tasks_of_others_are_not_there(served, owner):
    campaign, elsewhere = served.campaign(), served.campaign()
    judge, other = served.program("judge", campaign.id, "gpt"), served.program("judge", name="ann")
    stranger = served.program("judge", elsewhere.id, "gpt")
    [task] = leased(judge, campaign)
    unknown = other.post("/tasks/0123/answer", {"outcome": 1}, 404)["detail"]
    for program in (other, stranger):
        for what, given in (("answer", {"outcome": 1}), ("skip", {})):
            found = program.post(f"/tasks/{task['id']}/{what}", given, 404)
            assert found["detail"].replace(task["id"], "0123") == unknown
    assert owner.post(f"/tasks/{task['id']}/answer", {"outcome": 1, "worker": "ann"}, 409)
    judge.post(f"/tasks/{task['id']}/answer", {"outcome": 1, "worker": "ann"}, 403)
    assert owner.post(f"/tasks/{task['id']}/answer", {"outcome": 1})["is_counted"]


def test_a_task_is_found_in_a_campaign_that_nobody_opened_since_the_start(served):
    """And in one that another process has given out tasks of."""
    campaign = served.campaign()
    [task] = campaign.lease("gpt")
    assert campaign.id not in [opened.id for opened in served.context.opened()]
    judge = served.program("judge", name="gpt")
    assert judge.post(f"/tasks/{task.id}/answer", {"outcome": 1})["is_counted"]
    [other] = campaign.lease("gpt")  # by an object that the server does not know
    assert judge.post(f"/tasks/{other.id}/answer", {"outcome": 1})["is_counted"]
