"""Whatever happens in whatever order, no answer is lost, invented or counted twice."""

from __future__ import annotations

import os
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import polars
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from campaign.folded import anatomy, asked_next, folded, plain
from campaign.naive_campaign import NaiveCampaign, NaiveTask, Refused
from campaign.trial import QUESTION, Clock
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.database import Database
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.results import rank_votes
from hodgerank.campaign.saved_snapshot import decode_state, encode_state
from hodgerank.data.reading.vote_source import read_comparisons
from hodgerank.errors import CampaignError, InvalidArgument, InvalidComparisons, NoTask

WORKERS = ("ann", "bob", "=cy()", "dö 🦉")
EXAMPLES = int(os.environ.get("HODGERANK_EXAMPLES", "0"))
NUMBERS = count()

which = st.integers(0, 1)
workers = st.sampled_from(WORKERS)
picks = st.integers(0, 10**6)
limits = st.none() | st.integers(1, 40)


class Kept:
    """A campaign beside what it should be."""

    def __init__(self, campaign: Campaign, naive: NaiveCampaign) -> None:
        self.campaign, self.naive, self.seq = campaign, naive, 0
        self.n_ids = 0


class AnyOrder(RuleBasedStateMachine):
    """Two campaigns in one database, and everything that can be done with them."""

    address: Any = None
    reached: Counter[str]

    @initialize(
        budget=limits,
        most=limits,
        per_item=st.none() | st.integers(1, 3),
        repeat_share=st.sampled_from([0.0, 0.3, 0.5]),
        has_gold=st.booleans(),
        ranking=st.sampled_from(["robust", "plain"]),
        sampler=st.sampled_from(["auto", "auto", "rank", "crowd-bt", "random"]),
        vetting=st.sampled_from([0, 0, 2]),
        n_before=st.sampled_from([0, 0, 60, 170]),
        n_worked=st.sampled_from([0, 6, 18]),
    )
    def begin(
        self,
        budget,
        most,
        per_item,
        repeat_share,
        has_gold,
        ranking,
        sampler,
        vetting,
        n_before,
        n_worked,
    ):
        self.clock, self.random = Clock(), Random(next(NUMBERS))
        self.database = Database(self.address)
        self.kept: list[Kept] = []
        for tracks in (
            dict.fromkeys(range(7), ""),
            {"a": "x", "b": "x", "c": "x", "y": "y", "z": "y"},
        ):
            pair = list(tracks)[:2]
            options = {
                "budget": budget,
                "answers_per_worker": most,
                "open_per_item": per_item,
                "open_per_worker": 4,
                "repeat_share": repeat_share,
                "gold": [{"better": pair[0], "worse": pair[1]}] if has_gold else [],
                "gold_share": 0.3,
                "lease_seconds": 10.0,
                "ties": True,
                "ranking": ranking,
                "sampler": sampler,
                "vetting": vetting if sampler == "auto" else 0,
                "attention": {"same_side": 4, "most_contradictions": 0.2},
            }
            campaign = Campaign.create(
                self.database,
                [CampaignItem(item, track=track) for item, track in tracks.items()],
                options,
                question=QUESTION,
                id=f"campaign {next(NUMBERS)}",
                clock=self.clock,
                random=self.random,
            )
            naive = NaiveCampaign(
                tracks,
                {
                    **options,
                    "exclude": (),
                    "same_side": 4,
                    "most_contradictions": 0.2,
                    "fastest_seconds": 0.4,
                },
            )
            self.kept.append(Kept(campaign, naive))
        draw = Random(n_before)
        for k in range(2 if n_before else 0):  # so many that samplers are not replaced at once
            self.import_votes(k, [draw.randrange(10**6) for _ in range(n_before)], "long ago")
            self.change_limits(k, None if budget is None else n_before + budget, most)
        for kept in self.kept:
            self.read_news(kept)
        for k in range(2):  # of two workers, one takes the same side all the time
            self.work(k, "ann", [2 * draw.randrange(10**6) for _ in range(n_worked)])
            self.work(k, "bob", [draw.randrange(10**6) for _ in range(n_worked)])

    # Who works

    @rule(k=which, worker=workers, n=st.sampled_from([1, 1, 1, 2, 6]))
    def lease(self, k, worker, n):
        kept = self.kept[k]
        naive = kept.naive
        naive.expire(self.clock.now)
        had = [task.id for task in naive.open_of(worker)]
        try:
            tasks = kept.campaign.lease(worker, n)
        except NoTask as refusal:
            assert not had or naive.status == "closed" or worker in naive.banned
            self.read_news(kept)
            if refusal.why == "budget":
                assert naive.n_counted >= naive.settings["budget"]
            return
        assert naive.status != "closed"
        assert worker not in naive.banned
        assert not naive.has_left(worker)
        new = self.read_news(kept, worker)
        got = [task.id for task in tasks]
        assert set(had[:n]) <= set(got) or len(had) > n
        assert set(got) <= {*had, *new}
        assert 1 <= len(got) <= n
        if new:
            assert naive.status == "open"
            assert len(naive.open_of(worker)) <= max(4, len(had))
            most = naive.settings["answers_per_worker"]
            if most is not None:
                assert len(naive.answers_of(worker)) + len(naive.open_of(worker)) <= most
            if naive.settings["budget"] is not None:
                assert naive.n_places <= naive.settings["budget"]

    def known_task(self, kept: Kept, pick: int, prefer_open: bool) -> NaiveTask | None:
        tasks = kept.naive.tasks
        if prefer_open:
            tasks = [task for task in tasks if task.status == "open"] or tasks
        return tasks[pick % len(tasks)] if tasks else None

    @rule(
        k=which,
        pick=picks,
        prefer_open=st.sampled_from([True, True, True, False]),
        outcome=st.sampled_from([1.0, 1.0, -1.0, 0.0]),
        seconds=st.sampled_from([None, 0.1, 3.0]),
        is_focused=st.sampled_from([None, True, True, False]),
        says_who=st.booleans(),
    )
    def answer(self, k, pick, prefer_open, outcome, seconds, is_focused, says_who):
        kept = self.kept[k]
        task = self.known_task(kept, pick, prefer_open)
        if task is not None:
            self.answer_task(kept, task, outcome, seconds, is_focused, says_who)

    def answer_task(self, kept, task, outcome, seconds, is_focused, says_who):
        naive = kept.naive
        naive.expire(self.clock.now)
        before = naive.n_counted
        try:
            is_news = naive.answer(task, outcome, seconds, is_focused)
        except Refused:
            with pytest.raises(CampaignError):
                kept.campaign.answer(task.id, outcome)
            self.read_news(kept)
            return
        receipt = kept.campaign.answer(
            task.id,
            outcome,
            worker=task.worker if says_who else None,
            seconds=seconds,
            is_focused=is_focused,
        )
        assert receipt.is_repeated == (not is_news)
        assert receipt.is_counted == naive.counts(task)
        assert receipt.is_late == task.is_late
        assert set(receipt.marks) == set(task.marks)
        assert bool(receipt.why_not) == (not receipt.is_counted)
        budget = naive.settings["budget"]
        if budget is not None:
            assert naive.n_counted <= max(budget, before)
        self.read_news(kept)

    @rule(k=which, worker=workers, picks=st.lists(picks, min_size=1, max_size=6))
    def work(self, k, worker, picks):
        for pick in picks:
            self.lease(k, worker, 1)
            self.answer(
                k, pick, True, (1.0, -1.0)[pick % 2], (None, 0.1, 3.0)[pick % 3], None, True
            )

    @rule(k=which, late=workers, other=workers, pick=picks)
    def be_late(self, k, late, other, pick):
        """A lease ends, somebody else may get the place, and then the answer comes."""
        kept = self.kept[k]
        self.lease(k, late, 1)
        mine = [task for task in kept.naive.tasks if task.worker == late and task.status == "open"]
        self.time_goes(11)
        if pick % 3:
            self.lease(k, other, 6)
        for task in mine[-1:]:
            self.answer_task(kept, task, (1.0, -1.0)[pick % 2], 3.0, None, True)

    @rule(k=which, pick=picks, outcome=st.sampled_from([0.5, -2, 7.0, float("nan"), "x", None]))
    def answer_nonsense(self, k, pick, outcome):
        kept = self.kept[k]
        task = self.known_task(kept, pick, True)
        if task is None:
            return
        kept.naive.expire(self.clock.now)
        with pytest.raises((InvalidArgument, InvalidComparisons)):
            kept.campaign.answer(task.id, outcome)
        self.read_news(kept)

    @rule(k=which, pick=picks)
    def answer_for_somebody_else(self, k, pick):
        kept = self.kept[k]
        kept.naive.expire(self.clock.now)
        task = self.known_task(kept, pick, True)
        id, worker = (task.id, f"not {task.worker}") if task else ("no task", "ann")
        with pytest.raises(CampaignError):
            kept.campaign.answer(id, 1, worker=worker)
        with pytest.raises(CampaignError):  # of the other campaign
            self.kept[1 - k].campaign.answer(id, 1)
        for each in self.kept:
            each.naive.expire(self.clock.now)
            self.read_news(each)

    @rule(k=which, pick=picks)
    def skip(self, k, pick):
        kept = self.kept[k]
        task = self.known_task(kept, pick, True)
        if task is None:
            return
        kept.naive.expire(self.clock.now)
        try:
            kept.naive.skip(task)
        except Refused:
            with pytest.raises(CampaignError):
                kept.campaign.skip(task.id)
        else:
            kept.campaign.skip(task.id)
        self.read_news(kept)

    @rule(k=which, worker=workers)
    def undo(self, k, worker):
        kept = self.kept[k]
        naive = kept.naive
        naive.expire(self.clock.now)
        try:
            last = naive.undo(worker)
        except Refused:
            with pytest.raises(CampaignError):
                kept.campaign.undo(worker)
            self.read_news(kept)
            return
        task = kept.campaign.undo(worker)
        assert {task.left, task.right} == last.pair
        assert (task.purpose, task.worker) == (last.purpose, worker)
        [new] = self.read_news(kept, worker, is_undo=True)
        assert new == task.id
        assert kept.campaign.lease(worker) == [task]

    @rule(k=which, worker=workers, panel=st.sampled_from([{}, {"study": "s"}, {"study": "t"}]))
    def join(self, k, worker, panel):
        kept = self.kept[k]
        try:
            kept.naive.join(worker)
        except Refused:
            with pytest.raises(NoTask):
                kept.campaign.join(worker, panel)
        else:
            kept.campaign.join(worker, panel)

    def is_unknown(self, kept: Kept, worker: str) -> bool:
        return kept.campaign.log.state.worker(worker) is None

    @rule(k=which, worker=workers, passed=st.booleans())
    def quiz(self, k, worker, passed):
        kept = self.kept[k]
        if self.is_unknown(kept, worker):
            with pytest.raises(CampaignError, match="no worker"):
                kept.campaign.quiz(worker, passed)
            return
        try:
            n_left = kept.naive.quiz(worker, passed)
        except Refused:
            with pytest.raises(NoTask):
                kept.campaign.quiz(worker, passed)
        else:
            assert kept.campaign.quiz(worker, passed) == n_left

    @precondition(lambda self: any(kept.seq > 30 for kept in self.kept))
    @rule(
        k=which,
        worker=workers,
        outcome=st.sampled_from(["completed", "completed", "screened_out", "withdrawn"]),
    )
    def finish(self, k, worker, outcome):
        kept = self.kept[k]
        if self.is_unknown(kept, worker):
            with pytest.raises(CampaignError, match="no worker"):
                kept.campaign.finish(worker, outcome)
            return
        try:
            kept.naive.finish(worker, outcome)
        except Refused:
            with pytest.raises(CampaignError):
                kept.campaign.finish(worker, outcome)
        else:
            kept.campaign.finish(worker, outcome)

    @precondition(lambda self: any(kept.seq > 30 for kept in self.kept))
    @rule(k=which, worker=workers)
    def forget(self, k, worker):
        kept = self.kept[k]
        if self.is_unknown(kept, worker):
            with pytest.raises(CampaignError, match="no worker"):
                kept.campaign.forget(worker)
            return
        pseudonym = kept.campaign.forget(worker)
        kept.naive.forget(worker, pseudonym)
        assert worker not in {event.worker for event in kept.campaign.events()}
        assert kept.campaign.forget(pseudonym) == pseudonym

    @rule(k=which)
    def expire(self, k):
        kept = self.kept[k]
        assert kept.campaign.expire() == kept.naive.expire(self.clock.now)
        self.read_news(kept)

    @rule(seconds=st.sampled_from([1, 3, 5, 11, 30, 0, -7, -100]))
    def time_goes(self, seconds):
        self.clock.move(seconds)

    # Who owns it

    @rule(k=which, worker=workers)
    def ban(self, k, worker):
        self.kept[k].campaign.ban(worker, "why not")
        self.kept[k].naive.ban(worker)

    @rule(k=which, worker=workers)
    def restore(self, k, worker):
        kept = self.kept[k]
        if self.is_unknown(kept, worker):
            with pytest.raises(CampaignError):
                kept.campaign.restore(worker)
        else:
            kept.campaign.restore(worker)
            kept.naive.banned.discard(worker)

    @rule(k=which, track=st.sampled_from(["", "x", "y", "new"]))
    def add(self, k, track):
        kept = self.kept[k]
        n = len(kept.naive.tracks)
        item = n if k == 0 else f"item {n}"
        if kept.naive.status == "closed":
            with pytest.raises(CampaignError):
                kept.campaign.add([item])
        elif len(kept.naive.tracks) < 12:
            kept.campaign.add([CampaignItem(item, track=track)])
            kept.naive.tracks[item] = track

    @rule(k=which, pick=picks, text=st.sampled_from(["", "words", "=other\n"]))
    def edit(self, k, pick, text):
        kept = self.kept[k]
        item = list(kept.naive.tracks)[pick % len(kept.naive.tracks)]
        kept.campaign.edit(item, text=text)
        kept.naive.texts[item] = text

    @rule(k=which, pick=picks)
    def retire(self, k, pick):
        kept = self.kept[k]
        item = list(kept.naive.tracks)[pick % len(kept.naive.tracks)]
        kept.campaign.retire(item)
        kept.naive.retired.add(item)

    @rule(k=which, pick=picks)
    def restore_item(self, k, pick):
        kept = self.kept[k]
        item = list(kept.naive.tracks)[pick % len(kept.naive.tracks)]
        kept.campaign.restore_item(item)
        kept.naive.retired.discard(item)

    @rule(k=which, to=st.sampled_from(["paused", "open", "open"]))
    def pause_or_resume(self, k, to):
        kept = self.kept[k]
        act = kept.campaign.pause if to == "paused" else kept.campaign.resume
        if kept.naive.status == "closed":
            with pytest.raises(CampaignError):
                act()
        else:
            act()
            kept.naive.status = to

    @precondition(lambda self: self.kept[0].seq > 60)
    @rule()
    def close(self):
        self.kept[0].naive.expire(self.clock.now)
        self.kept[0].campaign.close()
        self.kept[0].naive.status = "closed"

    @precondition(lambda self: any(kept.seq > 30 for kept in self.kept))
    @rule(k=which)
    def reset(self, k):
        kept = self.kept[k]
        try:
            kept.naive.reset()
        except Refused:
            with pytest.raises(CampaignError):
                kept.campaign.reset()
        else:
            kept.campaign.reset()

    @rule(k=which, budget=limits, most=limits)
    def change_limits(self, k, budget, most):
        kept = self.kept[k]
        kept.campaign.change(budget=budget, answers_per_worker=most)
        kept.naive.settings |= {"budget": budget, "answers_per_worker": most}

    @rule(
        k=which,
        exclude=st.lists(
            st.sampled_from(["too_fast", "focus", "same_side", "gold", "contradicts"]), unique=True
        ),
    )
    def change_what_is_excluded(self, k, exclude):
        kept = self.kept[k]
        kept.campaign.change(attention={"exclude": exclude})
        kept.naive.settings["exclude"] = tuple(exclude)

    @rule(
        k=which,
        change=st.sampled_from(
            [
                {"seed": 5},
                {"sampler": "auto"},
                {"display": "random"},
                {"sampler": "auto", "position_bias": "common"},
                {"sampler": "random", "position_bias": None, "vetting": 0},
                {"stop": "tau >= 0.9"},
                {"stop": None},
            ]
        ),
    )
    def change_who_chooses(self, k, change):
        self.kept[k].campaign.change(**change)

    @rule(k=which, picks=st.lists(picks, min_size=1, max_size=4), worker=st.none() | workers)
    def import_votes(self, k, picks, worker):
        kept = self.kept[k]
        naive = kept.naive
        votes = []
        for pick in picks:
            items = list(naive.tracks)
            left = items[pick % len(items)]
            others = [x for x in items if x != left and naive.tracks[x] == naive.tracks[left]]
            if others:
                votes.append((left, others[pick % len(others)], 1.0 - 2 * (pick // 7 % 2), worker))
        if not votes:
            return
        rows = [vote if worker else vote[:3] for vote in votes]
        if naive.status == "closed":
            with pytest.raises(CampaignError):
                kept.campaign.import_votes(rows, again=True)
            return
        assert kept.campaign.import_votes(rows, again=True) == len(rows)
        naive.imported += votes

    @rule(k=which)
    def look_at_progress(self, k):
        self.kept[k].campaign.progress()

    @rule()
    def restart(self):
        if self.address is not None:
            self.database.close()
            self.database = Database(self.address)
        for kept in self.kept:
            kept.campaign = Campaign.open(
                self.database, kept.campaign.id, clock=self.clock, random=self.random
            )

    # What is always so

    def read_news(self, kept: Kept, worker: str | None = None, *, is_undo: bool = False) -> list:
        """Tasks that were given since; each may be given."""
        new = []
        naive = kept.naive
        names = list(naive.tracks)
        for event in kept.campaign.events(kept.seq):
            kept.seq = event.seq
            if event.kind != "issued":
                continue
            assert event.worker == worker
            data = event.data or {}
            task = NaiveTask(
                id=event.task,
                worker=event.worker,
                left=names[event.left],
                right=names[event.right],
                purpose=data.get("purpose", "chosen"),
                expires=event.at + event.seconds,
                repeats=data.get("repeats"),
                expected=data.get("expected"),
                is_given_back=data.get("again", False),
            )
            assert task.id not in {each.id for each in naive.tasks}
            assert task.left != task.right
            assert naive.tracks[task.left] == naive.tracks[task.right]
            if not is_undo:
                assert not naive.retired & task.pair
                if task.purpose == "chosen":
                    assert task.pair not in naive.seen_by(worker)
                elif task.purpose == "repeat":
                    [of] = [each for each in naive.tasks if each.id == task.repeats]
                    assert (of.left, of.right) == (task.right, task.left)
                    assert of.status == "answered"
                    assert of.worker == worker
            naive.issue(task)
            new.append(task.id)
        return new

    @invariant()
    def the_state_is_what_the_log_says(self):
        for kept in getattr(self, "kept", ()):
            live, again = kept.campaign.log.state, folded(kept.campaign)
            assert plain(live) == plain(again)
            saved = decode_state(encode_state(again))
            assert plain(saved) == plain(again)
            assert anatomy(saved) == anatomy(again)
            assert [list(each) for each in (saved.open, *saved.out)] == [
                list(each) for each in (again.open, *again.out)
            ]

    @invariant()
    def what_counts_is_what_should(self):
        for kept in getattr(self, "kept", ()):
            self.read_news(kept)
            naive, state = kept.naive, kept.campaign.log.state
            assert sum(state.n_counted) == naive.n_counted
            assert state.n_places == naive.n_places
            answered = [event for event in kept.campaign.events() if event.kind == "answered"]
            assert len({event.task for event in answered}) == len(answered)
            rows = [row for row in kept.campaign.answers() if row["is_counted"]]
            found = Counter((r["left"], r["right"], r["outcome"], r["worker"]) for r in rows)
            assert found == Counter(naive.votes())
            for worker in state.workers:
                assert worker.has_left == naive.has_left(worker.name)
                assert worker.outcome == naive.outcomes.get(worker.name)
                assert worker.is_banned == (worker.name in naive.banned)
                assert (worker.joined_at is not None) == (worker.name in naive.joined)
            for item in state.items.items:
                assert item.text == naive.texts.get(item.id, "")
            tallies = {rule: tally for rule, tally in state.tallies.items() if any(tally)}
            assert tallies == {rule: given for rule, given in naive.given.items() if any(given)}

    @rule()
    def what_is_asked_next_hangs_on_the_log_alone(self):
        for kept in self.kept:
            assert asked_next(kept.campaign.log.state) == asked_next(folded(kept.campaign))

    def teardown(self):
        try:
            for kept in getattr(self, "kept", ()):
                self.is_as_the_log_says(kept)
        finally:
            if hasattr(self, "database"):
                self.database.close()

    def is_as_the_log_says(self, kept: Kept) -> None:
        for event in kept.campaign.events():
            data = event.data or {}
            self.reached.update([event.kind, data.get("purpose", "")])
            self.reached.update(["late"] * ("late" in data), displaced="displaced" in data)
            self.reached.update(data.get("rules", ()))
        assert asked_next(kept.campaign.log.state) == asked_next(folded(kept.campaign))
        self.ranking_is_that_of_exported_votes(kept)

    def ranking_is_that_of_exported_votes(self, kept: Kept) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "votes.parquet"
            kept.campaign.export(path)
            exported = polars.read_parquet(path)
        for track in kept.campaign.tracks:
            names = kept.campaign.log.state.items.names(kept.campaign.tracks.index(track))
            ours = exported.filter(
                polars.col("left").cast(str).is_in([str(name) for name in names])
            )
            votes = read_comparisons(ours, scale=(-1, 1)) if len(ours) else None
            if votes is None or votes.n_items < len(names):
                continue  # who has no vote is not in the table
            self.reached["ranking compared"] += 1
            again = rank_votes(votes, kept.campaign.settings).score_by_item
            by_name = {str(item): score for item, score in again.items()}
            served = kept.campaign.ranking(track).score_by_item
            for item, score in served.items():
                assert score == pytest.approx(by_name[str(item)], abs=1e-6)


def run(address: Any, examples: int, steps: int = 50) -> Counter[str]:
    """Try so many orders; how often what was reached."""
    reached: Counter[str] = Counter()
    machine = type("AnyOrderHere", (AnyOrder,), {"address": address, "reached": reached})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=EXAMPLES or examples,
            derandomize=not EXAMPLES,  # soak tries others
            stateful_step_count=steps,
            deadline=None,
            report_multiple_bugs=False,
            phases=list(Phase) if EXAMPLES else [Phase.generate],  # to shrink takes minutes
            suppress_health_check=list(HealthCheck),
        ),
    )
    return reached


def test_any_order_in_memory():
    reached = run(None, 5)
    assert reached["answered"] > 20
    assert reached["ranking compared"]


@pytest.mark.slow
def test_many_orders_in_memory():
    reached = run(None, 16)
    assert reached["answered"] > 40
    seldom = ("late", "displaced", "repeat", "gold") if EXAMPLES else ()  # soak has more orders
    attending = ("joined", "quizzed", "left", "worker_forgotten", "item_changed")
    for what in ("undone", "expired", "ranking compared", *attending, *seldom):
        assert reached[what], f"{what} was never reached: the test says nothing about it"


def test_any_order_on_sqlite(tmp_path):
    run(tmp_path / "campaigns.db", 2)


@pytest.mark.slow
def test_any_order_on_postgresql(postgres_url):
    run(postgres_url, 2)
