"""A judged run is a campaign: it has every reply as a vote, and catches up where it is behind."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import signal
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from campaigns import SCORES, TEXTS, few, judge_of, run
from hodgerank.campaign.campaign import Campaign
from hodgerank.data.items.samples import Sample
from hodgerank.errors import CampaignError, InvalidArgument, JudgeFailed
from hodgerank.judges import folder_campaign as module
from hodgerank.judges import judge_campaign, judge_for
from hodgerank.judges.fake_llm import FakeLLM, ModelProfile
from hodgerank.judges.ledger import Caps
from stored import reading

STORED = Path(__file__).parents[1] / "stored" / "bb9a080"
MIXED = ModelProfile(acuity=2, abstain=0.2)


@pytest.fixture
def place(tmp_path):
    return tmp_path / "campaign.db"


def votes_of(found):
    """Of a run: who said what of which pair, as it was shown."""
    return Counter(
        (call.model, *call.pair, call.verdict.outcome)
        for call in found.judged
        if call.verdict.outcome is not None
    )


def votes_in(place):
    """The same of the campaign."""
    with Campaign.open(place, read_only=True) as campaign:
        rows = campaign.answers()
        assert all(row["is_counted"] for row in rows)
        return Counter((row["worker"], row["left"], row["right"], row["outcome"]) for row in rows)


def events_of(place):
    with Campaign.open(place, read_only=True) as campaign:
        return list(campaign.events())


# What it holds


@pytest.mark.parametrize("concurrency", [1, 16])
def test_every_reply_is_a_vote_or_a_skipped_task_of_its_model(place, concurrency):
    with FakeLLM(SCORES, profiles=MIXED) as fake_llm:
        judge = judge_of(fake_llm, models=["x", "y"])
        found = run(judge, 60, concurrency=concurrency, campaign=place)
    assert votes_in(place) == votes_of(found)
    with Campaign.open(place, read_only=True) as campaign:
        summaries = {worker.worker: worker for worker in campaign.workers()}
        assert campaign.settings.question == judge.question
        assert campaign.counts.n_out == 0
        assert {item.id: item.text for item in campaign.items} == TEXTS
    for judged in found.judges:
        assert summaries[judged.model].n_answers == judged.statuses["answered"]
        assert summaries[judged.model].n_skipped == judged.statuses["abstained"]


def test_contexts_orders_and_repetitions_are_votes_of_their_own(place):
    items = {
        name: [Sample(f"{name} {k}", context=f"Prompt {k}.") for k in range(2)] for name in "abc"
    }
    scores = {sample.text: float(k) for k, one in enumerate(items.values()) for sample in one}
    with FakeLLM(scores) as fake_llm:
        options = {"repeats": 2, "parameters": {"temperature": 1}}
        found = run(judge_of(fake_llm, items, **options), 1000, campaign=place)
    assert found.result.n_votes == 24
    assert votes_in(place) == votes_of(found)
    assert votes_in(place).total() == 24
    with Campaign.open(place, read_only=True) as campaign:
        assert sorted({row["weight"] for row in campaign.answers()}) == [0.5, 1.0]


def test_names_that_campaigns_refuse_are_put_in_quotes_and_stay_apart(place):
    names = ["null", '"null"', " tea ", "tea", "x" * 600, "x" * 601]
    items = {name: TEXTS[item] for name, item in zip(names, TEXTS, strict=False)}
    with FakeLLM(SCORES) as fake_llm:
        found = run(judge_of(fake_llm, items, " m "), 30, campaign=place)
        run(judge_of(fake_llm, items, " m "), 30, campaign=place.with_name("other.db"))
    assert found.result.n_votes == votes_in(place).total() == 30
    with Campaign.open(place, read_only=True) as campaign:
        kept = [item.id for item in campaign.items]
        assert [worker.worker for worker in campaign.workers()] == ['" m "']
    assert kept[:4] == ['"null"', '"\\"null\\""', '" tea "', "tea"]
    assert len(set(kept)) == 6


def test_others_can_go_on_with_it_and_the_judge_after_them(tmp_path, place):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=2)) as fake_llm:
        run(judge_of(fake_llm, log=log), 20, campaign=place)
        with Campaign.open(place) as campaign:
            [task] = campaign.lease("ann")
            campaign.answer(task, 1, worker="ann")
            other = judge_for(campaign, "other", base_url=fake_llm.base_url)

            async def work():
                await judge_campaign(other, campaign, budget=7)
                await other.close()

            asyncio.run(work())
        found = run(judge_of(fake_llm, log=log), 30, campaign=place)
        assert len(fake_llm.calls) == 37
    assert found.result.n_votes == 30
    assert Counter(worker for worker, *_ in votes_in(place).elements()) == {
        "m": 30,
        "ann": 1,
        "other": 7,
    }


def test_items_that_join_and_other_texts_are_taken_over(place):
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, few(3)), 2, campaign=place.with_name("first.db"))
        judge = judge_of(fake_llm, few(5), log=place.with_name("calls.jsonl"))
        shutil.copy(place.with_name("first.db"), place)
        with pytest.raises(CampaignError, match="votes that are not in the log of calls"):
            run(judge, 4, campaign=place)
        place.unlink()
        log = place.with_name("calls.jsonl")
        run(judge_of(fake_llm, few(3), log=log), 2, campaign=place)
        run(judge_of(fake_llm, few(5), log=log), 8, campaign=place)
    with Campaign.open(place, read_only=True) as campaign:
        assert [item.id for item in campaign.items] == [*few(5)]
    assert votes_in(place).total() == 8


# Going on


def test_going_on_adds_what_is_new_and_nothing_else(tmp_path, place):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES, profiles=MIXED) as fake_llm:
        run(judge_of(fake_llm, log=log), 15, campaign=place)
        before = events_of(place)
        run(judge_of(fake_llm, log=log), 15, campaign=place)
        assert events_of(place) == before
        found = run(judge_of(fake_llm, log=log), 25, campaign=place)
    assert events_of(place)[: len(before)] == before
    assert votes_in(place) == votes_of(found)


def test_a_reply_that_was_not_handed_in_is_by_the_next_run(tmp_path, place, monkeypatch):
    """As if the process had been killed between the log of calls and the campaign."""
    log, handed_in = tmp_path / "calls.jsonl", []

    async def hand_in(campaign, call):
        handed_in.append(call)
        if len(handed_in) > 5:
            raise JudgeFailed("killed")

    with FakeLLM(SCORES) as fake_llm:
        with monkeypatch.context() as patch:
            patch.setattr("hodgerank.judges.run_on_items.hand_in", hand_in)
            run(judge_of(fake_llm, log=log), 20, concurrency=1, campaign=place)
        assert votes_in(place).total() == 0
        assert len(fake_llm.calls) == 6
        found = run(judge_of(fake_llm, log=log), 10, campaign=place)
        assert len(fake_llm.calls) == 10
    assert votes_in(place) == votes_of(found)


def test_a_campaign_that_is_closed_meanwhile_ends_the_run_and_replies_are_kept(tmp_path, place):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 5, campaign=place)
        with Campaign.open(place) as campaign:
            campaign.close()
        found = run(judge_of(fake_llm, log=log), 50, concurrency=1, campaign=place)
        assert "the campaign is closed" in found.result.reason
        assert found.result.reason.code == "failed"
        assert found.result.n_votes == 5
        assert len(fake_llm.calls) == 6
    assert len(log.read_text().splitlines()) == 6


# What is not ours


def test_a_campaign_of_somebody_else_is_left_alone(place):
    Campaign.create(place, ["a", "b"], question="Which?").leave()
    before = place.read_bytes()
    with FakeLLM(SCORES) as fake_llm:
        with pytest.raises(CampaignError, match="has no campaign 'judge'"):
            run(judge_of(fake_llm), 5, campaign=place)
        assert fake_llm.calls == []
    assert place.read_bytes() == before


def test_a_campaign_whose_calls_are_gone_is_refused_before_they_are_paid_again(tmp_path, place):
    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 5, campaign=place)
        lines = log.read_text().splitlines(keepends=True)
        log.write_text("".join(lines[:-2]))
        with pytest.raises(CampaignError, match="has 2 votes that are not in the log of calls"):
            run(judge_of(fake_llm, log=log), 5, campaign=place)
        place.unlink()
        found = run(judge_of(fake_llm, log=log), 5, campaign=place)
        assert len(fake_llm.calls) == 7
    assert votes_in(place) == votes_of(found)


def test_a_journal_without_its_campaign_is_not_given_to_another(place):
    Path(f"{place}-wal").write_bytes(b"answers")
    with FakeLLM(SCORES) as fake_llm, pytest.raises(CampaignError, match="moved or deleted"):
        run(judge_of(fake_llm), 5, campaign=place)
    assert not place.exists()


@pytest.mark.parametrize("options", [{"concurrency": 0}, {"orders": "all"}, {"budget": 0}])
def test_what_cannot_be_is_refused(place, options):
    with FakeLLM(SCORES) as fake_llm, pytest.raises(InvalidArgument):
        run(judge_of(fake_llm), **{"budget": 5, "campaign": place} | options)


# Folders of earlier versions


@pytest.fixture
def old_folders(tmp_path, monkeypatch):
    """Judge folders that bb9a080 wrote: calls, votes, ranking, report."""
    shutil.copytree(STORED / "judged", tmp_path / "judged")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "judged"


@pytest.mark.parametrize("name", ["finished", "interrupted", "pictures"])
def test_an_old_folder_becomes_a_campaign_and_its_files_stay(old_folders, name):
    calls = old_folders / name / "calls.jsonl"
    before = calls.read_bytes()
    found = reading.judged(name)
    assert calls.read_bytes().startswith(before)
    with Campaign.open(old_folders / name / "campaign.db", read_only=True) as campaign:
        kept = [
            [str(row[part]) for part in ("left", "right", "outcome", "worker")]
            for row in campaign.answers()
        ]
    assert kept == [row[:4] for row in found["votes"]]


def _be_killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def _upgrade_and_be_killed(at):
    setattr(module, at, _be_killed)
    reading.judged("finished")


PREPARED = multiprocessing.get_context("forkserver")


@pytest.mark.parametrize("at", ["_catch_up", "_hand_in", "move_file", "_require_calls"])
def test_an_upgrade_that_is_killed_loses_nothing_and_is_made_again(old_folders, at):
    folder = old_folders / "finished"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    process = PREPARED.Process(target=_upgrade_and_be_killed, args=(at,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    for name, content in before.items():
        assert (folder / name).read_bytes() == content
    found = reading.judged("finished")
    assert found["calls"] == []
    assert (folder / "calls.jsonl").read_bytes() == before["calls.jsonl"]
    assert (folder / "votes.csv").read_bytes() == before["votes.csv"]
    ranking, kept = pl.read_csv(folder / "ranking.csv"), pl.read_csv(before["ranking.csv"])
    kept = kept.rename({"comparisons": "votes"})  # its name in earlier versions
    assert_frame_equal(ranking, kept, rel_tol=1e-9)  # last digits differ between processors
    assert sum(votes_in(folder / "campaign.db").values()) == len(found["votes"])
    assert not [path.name for path in folder.iterdir() if ".new" in path.name]


def test_a_cap_that_ended_a_run_leaves_a_whole_campaign(tmp_path, place):
    with FakeLLM(SCORES) as fake_llm:
        log = tmp_path / "calls.jsonl"
        found = run(judge_of(fake_llm, log=log, caps=Caps(calls=7)), 50, campaign=place)
    assert votes_in(place) == votes_of(found)
    assert votes_in(place).total() == 7
