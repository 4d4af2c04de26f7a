"""hodgerank campaign judge: what it says, and how it is interrupted."""

from __future__ import annotations

import json
import os
import signal

import polars as pl
import pytest

from campaigns import QUESTION, SCORES, TEXTS, asked_in, forget_surroundings, records
from hodgerank.campaign.campaign import Campaign
from hodgerank.judges.fake_llm import FakeLLM, ModelProfile


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a campaign, in which commands are run."""
    forget_surroundings(monkeypatch)
    monkeypatch.chdir(tmp_path)
    with Campaign.create("campaign.db", TEXTS, question=QUESTION):
        pass
    return tmp_path


def words(fake_llm, *more, model="m"):
    """A command that judges, in a few words."""
    first = ["campaign", "judge", "campaign.db", "-m", model, "--base-url", fake_llm.base_url]
    return [*first, *map(str, more)]


def answers():
    with Campaign.open("campaign.db") as campaign:
        return campaign.answers()


def test_models_answer_and_what_came_is_said(run, folder):
    with FakeLLM(SCORES) as fake_llm:
        status, out, err = run(*words(fake_llm, "-m", "y", "--budget", 20))
        assert len(fake_llm.calls) == 20
    assert (status, err) == (0, "")
    assert "20 answers; stopped: budget of 20 votes used" in out
    assert "In progress: 20 votes." in out
    assert "calls saved in campaign.calls.jsonl" in out
    assert len(records(folder / "campaign.calls.jsonl")) == len(answers()) == 20
    assert {row["worker"] for row in answers()} == {"m", "y"}


def test_the_same_command_goes_on_and_a_cap_counts_what_came_before(run):
    with FakeLLM(SCORES) as fake_llm:
        run(*words(fake_llm, "--budget", 10))
        status, out, _ = run(*words(fake_llm, "--max-calls", 15))
        keys = {asked_in(call, fake_llm) for call in fake_llm.calls}
        assert len(keys) == len(fake_llm.calls) == 15
    assert status == 0
    assert "5 answers; stopped: limit of 15 calls reached" in out


def test_json_tells_everything(run, folder):
    profiles = {"y": ModelProfile(abstain=1)}
    with FakeLLM(SCORES, profiles=profiles) as fake_llm:
        arguments = ("-m", "y", "--calls", "log.jsonl", "--json", "--temperature", 0)
        status, out, err = run(*words(fake_llm, *arguments))
    assert (status, err) == (3, "")  # one of them has failed
    told = json.loads(out)
    m, y = told["models"]
    assert (told["answers"], told["counted"], told["calls"]) == (66, 66, "log.jsonl")
    assert (m["n_answers"], m["cost"]["calls"], m["is_failed"]) == (66, 66, False)
    assert (y["n_answers"], y["n_skipped"], y["is_failed"]) == (0, told["skipped"], True)
    assert told["progress"]["n_votes"] == 66
    assert (folder / "log.jsonl").exists()


def test_what_was_skipped_last_is_quoted(run):
    with Campaign.create("few.db", {"a": "Tea.", "b": "Milk."}, question=QUESTION):
        pass
    with FakeLLM({"Tea.": 1, "Milk.": 0}, profiles=ModelProfile(ramble=1)) as fake_llm:
        arguments = words(fake_llm)
        arguments[2] = "few.db"
        status, out, _ = run(*arguments)
        [call] = fake_llm.calls
    assert status == 0
    assert "0 answers, 1 skipped; stopped: m has seen every pair" in out
    assert "last skipped task: unparsable: " in out
    assert call.reply[:20] in " ".join(out.split())  # lines fold


def test_what_does_not_fit_is_refused_before_anybody_is_asked(run):
    with FakeLLM(SCORES) as fake_llm:
        status, _, err = run(*words(fake_llm, "--answers", "tie"))
        assert status == 2
        assert "set ties = true" in err
        assert run(*words(fake_llm, "--max-cost", 5))[0] == 2
        assert run("campaign", "judge", "nowhere.db", "-m", "m")[0] == 3
        assert fake_llm.calls == []
        with Campaign.open("campaign.db") as campaign:
            campaign.change(ties=True)
        assert run(*words(fake_llm, "--answers", "tie", "--budget", 4))[0] == 0


def test_calls_of_a_campaign_at_an_address_need_a_file(run, postgres_url):
    with Campaign.create(postgres_url, TEXTS, question=QUESTION):
        pass
    with FakeLLM(SCORES) as fake_llm:
        arguments = words(fake_llm, "--budget", 4)
        arguments[2] = postgres_url
        status, _, err = run(*arguments)
        assert status == 2
        assert "--calls calls.jsonl" in err
        assert run(*arguments, "--calls", "calls.jsonl")[0] == 0
        assert len(fake_llm.calls) == 4


def test_one_interrupt_waits_for_what_is_out_and_the_same_command_goes_on(run, folder):
    def interrupt(call):
        if len(fake_llm._calls) == 10:
            os.kill(os.getpid(), signal.SIGINT)

    with FakeLLM(SCORES, on_call=interrupt) as fake_llm:
        status, out, err = run(*words(fake_llm, "--concurrency", 6))
        assert status == 130
        assert "waiting for calls in progress, which are paid for" in err
        assert "stopped: interrupted" in out
        assert "Run the same command again to resume." in out
        n_calls = len(fake_llm.calls)
        assert 10 <= n_calls <= 16
        assert len(answers()) == len(records(folder / "campaign.calls.jsonl")) == n_calls
        status, _, _ = run(*words(fake_llm))
        keys = {asked_in(call, fake_llm) for call in fake_llm.calls}
        assert status == 0
        assert len(keys) == len(fake_llm.calls) == len(answers()) == 66
    run("campaign", "export", "campaign.db", "-o", "votes.csv")
    assert pl.read_csv("votes.csv").height == 66
