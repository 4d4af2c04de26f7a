"""Campaigns of one database do not wait for each other, and answers not for samplers."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from campaign.folded import asked_next, folded, plain
from campaign.trial import Trial
from hodgerank.campaign import Campaign, Database, campaign, votes
from hodgerank.campaign.commands import owner
from hodgerank.campaign.commands.leases import lease
from hodgerank.errors import CampaignError, CannotRead
from hodgerank.sampling.samplers.auto import AutoSampler

SOON = 5.0  # seconds; without a loaded machine it takes milliseconds


@pytest.fixture
def learning(monkeypatch):
    """Set when samplers may learn what they are told at once."""
    may_learn = Event()
    tell_many = AutoSampler.tell_many

    def tell_when_allowed(self, votes):
        assert may_learn.wait(60)
        tell_many(self, votes)

    monkeypatch.setattr(AutoSampler, "tell_many", tell_when_allowed)
    yield may_learn
    may_learn.set()


def soon(campaign: Campaign, worker: str) -> Any:
    """A task; it fails if it does not come soon."""
    return asking(campaign, worker).result(SOON)[0]


def asking(campaign: Campaign, worker: str) -> Future[Any]:
    return campaign.log.begin(lambda state, now: lease(state, now, campaign.new_id, worker, 1))


def two_campaigns(learning: Event, where: Any = None) -> tuple[Trial, Trial]:
    """One that is in use, and one with votes in the same database whose sampler knows none."""
    learning.set()
    database = Database(where)
    busy, cold = Trial(range(8), database, id="a"), Trial(range(12), database, id="b")
    busy.answer_all("ann", 3)
    for worker in ("ben", "cem", "dan"):
        cold.answer_all(worker, 10)
    learning.clear()
    cold.campaign = Campaign.open(database, "b", clock=cold.clock)
    return busy, cold


@pytest.mark.parametrize("is_file", [False, True])
def test_nobody_waits_while_the_sampler_of_another_campaign_learns(learning, tmp_path, is_file):
    busy, cold = two_campaigns(learning, tmp_path / "campaigns.db" if is_file else None)
    first = asking(cold.campaign, "eva")
    for _ in range(3):
        task = soon(busy.campaign, "ann")
        busy.campaign.log.begin(lambda state, now: None).result(SOON)
        assert busy.campaign.answer(task, 1).is_counted
    assert not first.done()
    learning.set()
    [task] = first.result(SOON)
    assert task.worker == "eva"
    busy.campaign.database.close()


def test_answers_are_saved_while_the_sampler_of_their_campaign_learns(learning):
    learning.set()
    trial = Trial(range(12))
    trial.answer_all("ann", 20)
    [task] = trial.campaign.lease("ben")
    learning.clear()
    trial.reopen()
    first = asking(trial.campaign, "eva")
    assert trial.campaign.answer(task, 1).is_counted
    assert not first.done()
    learning.set()
    assert first.result(SOON)


@pytest.mark.parametrize("change", ["reset", "change"])
def test_nobody_waits_after_a_reset_or_another_sampler(learning, change):
    busy, cold = two_campaigns(learning)
    learning.set()
    cold.campaign.lease("eva")
    learning.clear()
    cold.campaign.change(seed=5) if change == "change" else cold.campaign.reset()
    first = asking(cold.campaign, "fay")
    assert busy.campaign.answer(soon(busy.campaign, "ann"), 1).is_counted
    learning.set()
    assert first.result(SOON)


def test_who_waited_gets_the_pair_that_the_log_says(learning):
    _, cold = two_campaigns(learning)
    learning.set()
    [(a, b)] = asked_next(folded(cold.campaign))
    [task] = cold.campaign.lease("eva")
    assert set(task.pair) == {a, b}


def test_who_waits_for_a_pair_is_told_that_the_database_was_closed(learning):
    busy, cold = two_campaigns(learning)
    first = asking(cold.campaign, "eva")
    assert soon(busy.campaign, "ann")
    busy.campaign.database.close()
    learning.set()
    with pytest.raises(CannotRead, match="closed"):
        first.result(SOON)


# Imports


MANY_VOTES = [(f"{k % 7}", f"{(k + 1 + k % 5) % 7}", 1 - 2 * (k % 3 == 0)) for k in range(95)]


class Interrupted(Exception):
    """The process ended."""


@pytest.fixture
def pieces(monkeypatch):
    """Import ten votes at a time; set `left` to be interrupted after so many pieces."""
    monkeypatch.setattr(votes, "PIECE", 10)
    import_piece, calls = votes.import_votes, SimpleNamespace(left=1000)

    def one_piece(*given, **options):
        calls.left -= 1
        if calls.left < 0:
            raise Interrupted
        return import_piece(*given, **options)

    monkeypatch.setattr(campaign, "import_votes", one_piece)
    return calls


def imported(trial: Trial) -> list[Any]:
    return [(r["left"], r["right"], r["outcome"]) for r in trial.campaign.answers()]


def seven() -> Trial:
    return Trial([str(k) for k in range(7)])


def test_many_votes_are_imported_in_pieces_in_their_order(pieces):
    trial = seven()
    assert trial.campaign.import_votes(MANY_VOTES) == 95
    assert pieces.left == 1000 - 10
    assert imported(trial) == MANY_VOTES
    with pytest.raises(CampaignError, match="imported before"):
        trial.campaign.import_votes(MANY_VOTES)
    assert trial.campaign.import_votes(MANY_VOTES, again=True) == 95
    assert imported(trial) == 2 * MANY_VOTES


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("n_pieces", [1, 6, 9])
def test_an_import_that_was_interrupted_resumes(pieces, n_pieces, again):
    trial = seven()
    pieces.left = n_pieces
    with pytest.raises(Interrupted):
        trial.campaign.import_votes(MANY_VOTES, again=again)
    assert len(imported(trial)) == 10 * n_pieces
    trial.reopen()
    pieces.left = 1000
    with pytest.raises(CampaignError, match="another order"):
        trial.campaign.import_votes(MANY_VOTES[::-1])
    assert trial.campaign.import_votes(MANY_VOTES, again=again) == 95
    assert imported(trial) == MANY_VOTES
    assert plain(trial.campaign.log.state) == plain(folded(trial.campaign))


def test_who_imports_the_same_at_the_same_time_adds_what_is_missing(pieces, monkeypatch):
    trial, import_piece, calls = seven(), campaign.import_votes, []

    def with_others(state, now, given, n_done):
        calls.append(n_done)
        if n_done == 30:  # the same command of another process comes first
            import_piece(state, now, given=given, n_done=0)
        return import_piece(state, now, given=given, n_done=n_done)

    monkeypatch.setattr(campaign, "import_votes", with_others)
    assert trial.campaign.import_votes(MANY_VOTES) == 95
    assert calls == [0, 10, 20, 30, 50, 60, 70, 80, 90]
    assert imported(trial) == MANY_VOTES


def test_an_import_ends_when_the_campaign_is_reset(pieces, monkeypatch):
    trial, import_piece = seven(), campaign.import_votes

    def reset_after_three(state, now, **options):
        if pieces.left == 997:
            owner.reset(state, now)
        return import_piece(state, now, **options)

    monkeypatch.setattr(campaign, "import_votes", reset_after_three)
    with pytest.raises(CampaignError, match="was reset"):
        trial.campaign.import_votes(MANY_VOTES)
    assert trial.campaign.counts.n_votes == 0


def test_votes_of_another_campaign_are_answered_between_the_pieces_of_an_import(pieces):
    database = Database()
    busy, other = Trial(range(8), database, id="a"), Trial(map(str, range(7)), database, id="b")
    seen = []
    import_piece = campaign.import_votes

    def piece_by_piece(*given, **options):
        done = import_piece(*given, **options)
        seen.append(asking(busy.campaign, f"worker {done}"))
        return done

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(campaign, "import_votes", piece_by_piece)
        other.campaign.import_votes(MANY_VOTES)
    assert len(seen) == 10
    assert all(task.done() for task in seen[:-2])
