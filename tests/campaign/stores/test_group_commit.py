from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event as Signal

import pytest

from hodgerank.campaign.events import Event
from hodgerank.campaign.stores import group_commit
from hodgerank.campaign.stores.group_commit import MOST_WORKS, GroupCommit
from hodgerank.campaign.stores.memory import MemoryStore
from hodgerank.errors import CampaignError, CannotRead, CannotWrite, NoTask


class CountingStore(MemoryStore):
    """Remembers the transactions; the next commits fail where `failing` says so."""

    def __init__(self):
        super().__init__()
        self.transactions = []
        self.failing = 0

    @contextmanager
    def writing(self, campaign):
        with super().writing(campaign) as writing:
            yield writing
            if self.failing:
                self.failing -= 1
                raise CannotWrite("the disk is full")
        self.transactions.append((campaign, len(writing.rows)))


@pytest.fixture
def store():
    return CountingStore()


@pytest.fixture
def commits(store):
    commits = GroupCommit(store)
    yield commits
    commits.close()


@pytest.fixture
def held(commits, store):
    """The thread is busy until this is set; what is submitted meanwhile waits."""
    busy, go_on = Signal(), Signal()
    commits.submit("other", lambda writing: (busy.set(), go_on.wait()))
    busy.wait()
    yield go_on
    go_on.set()


def one_more(writing):
    number = 1 + sum(1 for _ in writing.news(0))
    writing.append([Event(number, 1.0, "answered")])
    return number


def refuse(writing):
    raise NoTask("busy", "try again later")


def fail(writing):
    writing.append([Event(1 + sum(1 for _ in writing.news(0)), 1.0, "paused")])
    raise ZeroDivisionError("a bug")


def test_a_work_is_answered(commits, store):
    assert commits.submit("votes", one_more).result() == 1
    assert commits.submit("votes", one_more).result() == 2
    assert store.transactions == [("votes", 1), ("votes", 1)]


def test_what_waits_shares_a_transaction(commits, store, held):
    futures = [commits.submit("votes", one_more) for _ in range(50)]
    assert not any(future.done() for future in futures)
    held.set()
    assert [future.result() for future in futures] == list(range(1, 51))
    assert store.transactions == [("other", 0), ("votes", 50)]


@pytest.fixture
def patient(commits, store, held, monkeypatch):
    """Three came together, and as many will be waited for, for as long as it takes."""
    monkeypatch.setattr(group_commit, "GATHERING_SECONDS", 1e6)
    futures = [commits.submit("votes", one_more) for _ in range(3)]
    held.set()
    assert [future.result() for future in futures] == [1, 2, 3]


def test_as_many_as_came_together_are_waited_for(commits, store, patient):
    futures = [commits.submit("votes", one_more) for _ in range(3)]
    assert [future.result() for future in futures] == [4, 5, 6]
    assert store.transactions[-1] == ("votes", 3)


def test_they_are_not_waited_for_where_another_campaign_waits(commits, store, patient):
    futures = [commits.submit("votes", one_more), commits.submit("more votes", one_more)]
    assert [future.result() for future in futures] == [4, 1]
    assert commits.submit("votes", one_more).result() == 5  # one came last


def test_they_are_not_waited_for_when_nothing_more_can_come(commits, patient):
    future = commits.submit("votes", one_more)
    commits.close()
    assert future.result() == 4


def test_they_are_waited_for_a_moment_only(commits, patient, monkeypatch):
    monkeypatch.setattr(group_commit, "GATHERING_SECONDS", 0.001)
    assert commits.submit("votes", one_more).result() == 4


def test_campaigns_take_turns(commits, store, held):
    for campaign in "abacab":
        commits.submit(campaign, one_more)
    held.set()
    commits.close()
    assert store.transactions[1:] == [("a", 3), ("b", 2), ("c", 1)]


def test_a_transaction_has_an_end(commits, store, held):
    for _ in range(MOST_WORKS + 5):
        commits.submit("votes", lambda writing: None)
    commits.submit("late", lambda writing: None)
    held.set()
    commits.close()
    assert [campaign for campaign, _ in store.transactions] == ["other", "votes", "late", "votes"]


def test_who_is_refused_is_refused_alone(commits, held):
    works = [one_more, refuse, one_more, refuse]
    futures = [commits.submit("votes", work) for work in works]
    held.set()
    assert [futures[0].result(), futures[2].result()] == [1, 2]
    for future in (futures[1], futures[3]):
        with pytest.raises(NoTask, match="try again"):
            future.result()
    assert commits.failures.total() == 0


def test_nobody_is_answered_before_the_commit(commits, store, held):
    seen = []
    futures = [commits.submit("votes", one_more) for _ in range(3)]

    def look(writing):
        seen.extend(future.done() for future in futures)
        seen.append(len(list(store.read("votes"))))

    commits.submit("votes", look)
    held.set()
    assert futures[0].result() == 1
    assert seen == [False, False, False, 0]


def test_a_failed_commit_fails_for_all(commits, store, held):
    futures = [commits.submit("votes", work) for work in (one_more, refuse, one_more)]
    store.failing = 2  # the one of the thread that is held, too
    failures_when_told = []
    futures[0].add_done_callback(lambda _: failures_when_told.append(commits.failures.total()))
    held.set()
    for future in futures:
        with pytest.raises(CannotWrite, match="disk is full"):
            future.result()
    assert futures[0].exception() is not futures[2].exception()
    assert failures_when_told == [2]
    assert list(store.read("votes")) == []
    assert commits.submit("votes", one_more).result() == 1


def test_a_bug_fails_for_all_and_is_shown_to_whose_it_is(commits, store, held):
    futures = [commits.submit("votes", work) for work in (one_more, fail, one_more)]
    held.set()
    with pytest.raises(ZeroDivisionError):
        futures[1].result()
    for future in (futures[0], futures[2]):
        with pytest.raises(CannotWrite, match="try again"):
            future.result()
        assert isinstance(future.exception().__cause__, ZeroDivisionError)
    assert commits.failures.total() == 1
    assert list(store.read("votes")) == []
    assert commits.submit("votes", one_more).result() == 1


def test_a_work_that_cannot_write_fails_for_all(commits, store, held):
    """Its transaction is broken, so what others did in it is lost too."""
    works = [one_more, lambda writing: writing.append([Event(9, 1.0, "paused")]), one_more]
    futures = [commits.submit("votes", work) for work in works]
    held.set()
    for future in futures:
        with pytest.raises(CannotWrite, match="does not follow"):
            future.result()
    assert commits.failures.total() == 1


def test_a_store_that_is_closed_answers_nobody(commits, store):
    store.close()
    with pytest.raises(CannotWrite, match="closed"):
        commits.submit("votes", one_more).result()


def test_who_has_gone_away_is_not_served(commits, store, held):
    futures = [commits.submit("votes", one_more) for _ in range(3)]
    assert futures[1].cancel()
    alone = commits.submit("new", one_more)
    assert alone.cancel()
    held.set()
    assert [futures[0].result(), futures[2].result()] == [1, 2]
    with pytest.raises(CancelledError):
        futures[1].result()
    commits.close()
    assert "new" not in dict(store.transactions)


def test_closing_finishes_what_was_submitted(commits, held):
    futures = [commits.submit("votes", one_more) for _ in range(20)]
    held.set()
    commits.close()
    assert all(future.done() for future in futures)
    with pytest.raises(CannotRead, match="closed"):
        commits.submit("votes", one_more)
    commits.close()


def test_a_work_may_close(commits):
    assert commits.submit("votes", lambda writing: commits.close()).result() is None
    with pytest.raises(CannotRead, match="closed"):
        commits.submit("votes", one_more)


def test_many_threads_get_a_number_each(commits, store):
    with ThreadPoolExecutor(20) as pool:
        numbers = pool.map(lambda _: commits.submit("votes", one_more).result(), range(400))
        assert sorted(numbers) == list(range(1, 401))
    assert len(store.transactions) <= 400


def test_nothing_is_kept_of_what_is_done(commits):
    class Result:
        pass

    result = commits.submit("votes", lambda writing: Result()).result()
    gone = weakref.ref(result)
    del result
    commits.submit("votes", lambda writing: None).result()
    gc.collect()
    assert gone() is None


def test_a_forked_child_is_refused(commits, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("os.getpid", lambda: -1)
        with pytest.raises(CampaignError, match="fork"):
            commits.submit("votes", one_more)
        commits.close()
    assert commits.submit("votes", one_more).result() == 1


def test_the_interpreter_ends_without_waiting_for_it():
    code = (
        "from hodgerank.campaign.stores.group_commit import GroupCommit\n"
        "from hodgerank.campaign.stores.memory import MemoryStore\n"
        "commits = GroupCommit(MemoryStore())\n"
        "print(commits.submit('votes', lambda writing: 7).result())\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert (ended.stdout, ended.stderr) == ("7\n", "")
