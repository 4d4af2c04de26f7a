from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from campaign.trial import Trial
from hodgerank.campaign.items import CampaignItem
from hodgerank.errors import InvalidArgument, NoTask

PAIRS_OF_FOUR = 6


def refusal(trial: Trial, worker: str = "ann", n: int = 1) -> str:
    with pytest.raises(NoTask) as told:
        trial.campaign.lease(worker, n)
    return told.value.why


def pairs(tasks):
    return [frozenset(task.pair) for task in tasks]


def test_a_task_says_who_what_and_until_when():
    trial = Trial("ab", lease_seconds=30)
    [task] = trial.campaign.lease("ann")
    assert {task.left, task.right} == {"a", "b"}
    assert (task.worker, task.track, task.purpose) == ("ann", "", "chosen")
    assert task.expires == trial.clock.now + 30


def test_ids_have_128_bits_and_are_not_given_twice():
    trial = Trial(range(30))
    ids = [task.id for w in range(20) for task in trial.campaign.lease(f"w{w}", 50)]
    assert len(set(ids)) == len(ids) == 1000
    assert {len(bytes.fromhex(id)) for id in ids} == {16}


def test_ids_of_before_are_not_given_again_though_the_random_source_begins_anew():
    trial = Trial("abcd", ids=1)
    [first] = trial.campaign.lease("ann")
    trial.reopen(ids=1)
    [second] = trial.campaign.lease("bob")
    assert first.id != second.id
    trial.campaign.answer(first.id, 1, worker="ann")
    assert trial.campaign.counts.n_out == 1


def test_a_reload_gives_the_same_task():
    trial = Trial()
    first = trial.campaign.lease("ann")
    trial.clock.move(10)
    assert trial.campaign.lease("ann") == first
    trial.reopen()
    assert trial.campaign.lease("ann") == first
    assert trial.campaign.lease("ann", 3)[:1] == first
    assert len(trial.campaign.lease("ann", 3)) == 3
    assert trial.campaign.lease("ann") == first


def test_tasks_that_are_out_come_first_and_are_not_more_than_asked_for():
    trial = Trial()
    five = trial.campaign.lease("ann", 5)
    assert trial.campaign.lease("ann", 2) == five[:2]
    assert len(set(pairs(five))) == 5


@pytest.mark.parametrize("n", [0, -1, 1.0, True, "1", None])
def test_a_number_of_tasks_is_a_whole_number(n):
    with pytest.raises(InvalidArgument, match="number of tasks"):
        Trial().campaign.lease("ann", n)


def test_nobody_sees_a_pair_twice():
    trial, seen = Trial("abcd"), []
    for _ in range(PAIRS_OF_FOUR):
        [task] = trial.campaign.lease("ann")
        seen += pairs([task])
        trial.campaign.answer(task, 1)
    assert len(set(seen)) == PAIRS_OF_FOUR
    assert refusal(trial) == "pairs"
    assert trial.campaign.lease("bob")


def test_a_skipped_pair_does_not_come_back_to_the_same_worker_but_to_others():
    trial, seen = Trial("abcd"), []
    for _ in range(PAIRS_OF_FOUR):
        [task] = trial.campaign.lease("ann")
        trial.campaign.skip(task)
        seen += pairs([task])
        trial.reopen(ids=len(seen) + 5)
    assert len(set(seen)) == PAIRS_OF_FOUR
    assert refusal(trial) == "pairs"
    assert len(trial.campaign.lease("bob", 6)) == 6


def test_a_pair_that_was_skipped_after_its_lease_does_not_come_back_either():
    trial = Trial("abcd", lease_seconds=10)
    [task] = trial.campaign.lease("ann")
    trial.clock.move(11)
    trial.campaign.skip(task)
    assert frozenset(task.pair) not in pairs(trial.campaign.lease("ann", 6))


def test_an_expired_task_goes_to_others():
    trial = Trial("ab", lease_seconds=10, budget=1)
    [task] = trial.campaign.lease("ann")
    assert refusal(trial, "bob") == "busy"
    trial.clock.move(9.9)
    assert refusal(trial, "bob") == "busy"
    trial.clock.move(0.1)
    [other] = trial.campaign.lease("bob")
    assert frozenset(other.pair) == frozenset(task.pair)
    assert other.id != task.id
    assert refusal(trial) == "busy"


def test_leases_end_by_the_clock_though_it_was_wrong_for_a_while():
    trial = Trial("abcd", lease_seconds=10)
    trial.clock.move(1e7)
    trial.campaign.pause()
    trial.campaign.resume()
    trial.clock.move(-1e7)
    trial.campaign.lease("ann")
    trial.clock.move(11)
    assert trial.campaign.expire() == 1


def test_expiring_by_hand_takes_nothing_that_is_not_over():
    trial = Trial("abcd", lease_seconds=10)
    trial.campaign.lease("ann", 2)
    trial.clock.move(5)
    trial.campaign.lease("bob")
    assert trial.campaign.expire() == 0
    trial.clock.move(5)
    assert trial.campaign.expire() == 2
    assert trial.campaign.counts.n_out == 1


def test_leases_after_an_early_end_last_as_long_as_any():
    trial = Trial("abcd", lease_seconds=10)
    trial.campaign.lease("ann")
    assert trial.campaign.expire(trial.clock.now + 1e6) == 1
    [task] = trial.campaign.lease("ann")
    assert task.expires == trial.clock.now + 10


def test_a_worker_has_so_many_tasks_at_once_and_answers_so_many():
    trial = Trial(range(10), open_per_worker=3, answers_per_worker=5)
    assert len(trial.campaign.lease("ann", 50)) == 3
    for _ in range(5):
        trial.campaign.answer(trial.campaign.lease("ann")[0], 1)
    assert refusal(trial) == "limit"
    trial.campaign.undo("ann")
    assert trial.campaign.lease("ann")
    assert len(trial.campaign.lease("ann", 50)) == 1
    assert len(trial.campaign.lease("bob", 50)) == 3


def test_nobody_answers_more_than_their_share_by_being_late():
    trial = Trial("abcd", lease_seconds=10, answers_per_worker=1)
    late = trial.campaign.lease("ann")
    trial.clock.move(11)
    trial.answer_all("ann", 1)
    receipt = trial.campaign.answer(late[0], 1)
    assert not receipt.is_counted
    assert trial.campaign.counts.n_votes == 1


def test_an_item_is_in_so_many_tasks_at_once():
    trial = Trial(range(8), open_per_item=2)
    random, most = Random(1), Counter()
    for step in range(60):
        try:
            [task] = trial.campaign.lease(f"w{step}")
        except NoTask:
            continue
        out = [event for event in trial.campaign.events() if event.kind == "issued"]
        answered = {event.task for event in trial.campaign.events() if event.kind == "answered"}
        most = Counter(side for e in out if e.task not in answered for side in (e.left, e.right))
        assert max(most.values()) <= 2
        if random.random() < 0.5:
            trial.campaign.answer(task, 1)
    assert most


def test_the_budget_is_never_passed_by_tasks_that_are_out():
    trial = Trial(range(10), budget=7)
    assert len(trial.campaign.lease("ann", 5)) == 5
    assert len(trial.campaign.lease("bob", 5)) == 2
    assert refusal(trial, "cy") == "busy"
    for worker in ("ann", "bob"):
        for task in trial.campaign.lease(worker, 5):
            trial.campaign.answer(task, 1)
    assert refusal(trial, "cy") == "budget"
    assert trial.campaign.counts.n_votes == 7
    trial.campaign.change(budget=8)
    assert trial.campaign.lease("cy")


def test_an_open_task_is_given_while_paused_but_no_other():
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    trial.campaign.pause()
    assert trial.campaign.lease("ann", 3) == [task]
    assert refusal(trial, "bob") == "paused"
    trial.campaign.resume()
    assert len(trial.campaign.lease("ann", 3)) == 3


def test_a_closed_campaign_and_a_banned_worker_have_no_tasks():
    trial = Trial()
    trial.campaign.lease("ann")
    trial.campaign.ban("ann")
    assert refusal(trial) == "banned"
    trial.campaign.close()
    assert refusal(trial, "bob") == "closed"


def test_tracks_share_the_crowd_by_their_items():
    items = [
        CampaignItem(f"{track}{k}", track=track)
        for track, n in (("x", 4), ("y", 8), ("z", 1))
        for k in range(n)
    ]
    trial, found = Trial(items), Counter()
    for step in range(60):
        [task] = trial.campaign.lease(f"w{step % 7}")
        found[task.track] += 1
        assert task.left[0] == task.right[0] == task.track
        trial.campaign.answer(task, 1)
    assert found == {"x": 20, "y": 40}


def test_gold_and_repeats_come_at_their_share():
    gold = [{"better": "0", "worse": "1"}, {"better": "2", "worse": "3"}]
    trial = Trial(list(map(str, range(40))), gold=gold, gold_share=0.2, repeat_share=0.2)
    found = Counter()
    for worker in range(20):
        for _ in range(50):
            [task] = trial.campaign.lease(f"w{worker}")
            found[task.purpose] += 1
            is_gold = set(task.pair) in ({"0", "1"}, {"2", "3"})
            assert is_gold == (task.purpose == "gold")
            trial.campaign.answer(task, 1)
    assert found["gold"] == pytest.approx(200, abs=10)
    assert found["repeat"] == pytest.approx(200, abs=40)
    assert trial.campaign.counts.n_votes == found["chosen"]
    assert len({s.gold_seen for s in trial.campaign.workers()}) <= 2


def test_no_gold_without_pairs_and_no_repeats_without_a_share():
    trial = Trial(range(20), gold_share=0.5)
    tasks = [trial.campaign.lease("ann")[0]]
    for _ in range(40):
        trial.campaign.answer(tasks[-1], 1)
        tasks += trial.campaign.lease("ann")
    assert {task.purpose for task in tasks} == {"chosen"}


def test_a_repeat_shows_an_earlier_pair_with_its_sides_swapped_once():
    trial, shown, repeated = Trial(range(20), repeat_share=0.3), [], []
    for _ in range(60):
        [task] = trial.campaign.lease("ann")
        if task.purpose == "repeat":
            assert (task.right, task.left) in shown[:-4]
            repeated.append(frozenset(task.pair))
        else:
            shown.append((task.left, task.right))
        trial.campaign.answer(task, 1)
    assert len(repeated) > 10
    assert len(set(repeated)) == len(repeated)


def test_gold_pairs_have_either_side():
    gold = [{"better": "a", "worse": "b"}]
    trial, sides = Trial("abcdefgh", gold=gold, gold_share=0.5), Counter()
    for worker in range(30):
        for task in trial.campaign.lease(f"w{worker}", 6):
            if task.purpose == "gold":
                sides[task.left] += 1
    assert min(sides["a"], sides["b"]) > 5


def test_retired_items_are_not_asked_about_and_restored_ones_are():
    trial = Trial("abcd")
    trial.campaign.retire("a")
    assert {i for t in trial.campaign.lease("ann", 6) for i in t.pair} == set("bcd")
    trial.campaign.restore_item("a")
    assert {i for t in trial.campaign.lease("ann", 6) for i in t.pair} == set("abcd")


def test_items_that_join_are_asked_about():
    trial = Trial("ab")
    trial.answer_all("ann", 1)
    assert refusal(trial) == "pairs"
    trial.campaign.add(["c", CampaignItem("z", track="other")])
    found = {item for task in trial.campaign.lease("ann", 9) for item in task.pair}
    assert found == set("abc")
    trial.campaign.add([CampaignItem("y", track="other")])
    assert any(task.track == "other" for task in trial.campaign.lease("ann", 9))


def test_where_there_is_enough_nobody_is_asked():
    trial = Trial("abc", stop="tau >= 0.5", ranking="plain")
    for worker in range(12):
        for _ in range(3):
            [task] = trial.campaign.lease(f"w{worker}")
            trial.campaign.answer(task, 1 if task.left < task.right else -1)
    assert trial.campaign.progress().is_enough
    assert refusal(trial, "new") == "enough"
    trial.campaign.change(stop=None)
    assert trial.campaign.lease("new")


def test_enough_is_over_when_the_answers_are_taken_away():
    trial = Trial("abc", stop="tau >= 0.5", ranking="plain")
    for _ in range(3):
        for worker in ("ann", "bob"):
            [task] = trial.campaign.lease(worker)
            trial.campaign.answer(task, 1 if task.left < task.right else -1)
    assert trial.campaign.progress().is_enough
    for worker in ("ann", "bob"):
        trial.campaign.ban(worker)
    assert not trial.campaign.progress().is_enough
    assert trial.campaign.lease("new")


def test_enough_is_over_when_answers_that_were_out_say_so():
    trial = Trial("abc", stop="tau >= 0.5", ranking="plain")
    late = [trial.campaign.lease(f"late{k}")[0] for k in range(3)]
    while not trial.campaign.progress().is_enough:
        [task] = trial.campaign.lease(f"w{trial.campaign.counts.seq}")
        trial.campaign.answer(task, 1 if task.left < task.right else -1)
    reached = trial.campaign.progress()
    assert refusal(trial, "new") == "enough"
    for task in late:
        trial.campaign.answer(task, -1 if task.left < task.right else 1)
    assert not trial.campaign.progress().is_enough
    assert trial.campaign.lease("new")
    trial.campaign.note(reached)  # which is older
    assert trial.campaign.lease("another")
    kinds = [event.kind for event in trial.campaign.events()]
    assert [kind for kind in kinds if "enough" in kind] == ["enough", "not_enough"]


def test_enough_is_not_doubted_by_who_looked_before_it_was_reached():
    trial = Trial("abc", stop="tau >= 0.5", ranking="plain")
    before = trial.campaign.progress()
    while not trial.campaign.progress().is_enough:
        [task] = trial.campaign.lease(f"w{trial.campaign.counts.seq}")
        trial.campaign.answer(task, 1 if task.left < task.right else -1)
    trial.campaign.note(before)
    assert refusal(trial, "new") == "enough"


def test_a_track_of_one_item_does_not_keep_a_campaign_from_its_end():
    trial = Trial(["a", "b", CampaignItem("z", track="alone")], stop="tau >= 0.5", ranking="plain")
    for worker in range(20):
        [task] = trial.campaign.lease(f"w{worker}")
        trial.campaign.answer(task, 1 if task.left < task.right else -1)
        if trial.campaign.progress().is_enough:
            break
    assert trial.campaign.progress().is_enough
    assert refusal(trial, "new") == "enough"


def test_who_has_seen_every_pair_is_told_so_though_others_have_tasks():
    trial = Trial("ab")
    trial.answer_all("ann", 1)
    trial.campaign.lease("bob")
    assert refusal(trial) == "pairs"


@pytest.mark.parametrize(
    "name", ["", "  ", "\0", "a\nb", "a\ud800", "x" * 501, "\u202eann", 5, None]
)
def test_names_that_cannot_be_kept_or_shown_are_refused(name):
    trial = Trial()
    seq = trial.campaign.counts.seq
    with pytest.raises(InvalidArgument):
        trial.campaign.lease(name)
    assert trial.campaign.counts.seq == seq


@pytest.mark.parametrize(
    "name",
    [
        "'; DROP TABLE events; --",
        "=cmd()",
        "{0}%s",
        "<script>",
        "é",
        "e\u0301",
        "🦉",
        "x" * 500,
    ],
)
def test_names_of_any_kind_are_kept_as_they_are(name, tmp_path):
    trial = Trial([name, f"{name[:400]} 2"], tmp_path / "campaign.db", id=name)
    trial.answer_all(name, 1)
    trial.reopen()
    assert [summary.worker for summary in trial.campaign.workers()] == [name]
    assert trial.campaign.items[0].id == name
    trial.campaign.leave()


def share_of_honest(n_answers: int, **settings) -> tuple[float, int]:
    """Share of the answers by honest workers, of whom half are, and how often somebody waited."""
    random = Random(5)
    trial = Trial(range(12), sampler="d-optimal", open_per_worker=1, **settings)
    workers = [f"honest {k}" for k in range(4)] + [f"random {k}" for k in range(4)]
    by, n_waits = Counter[str](), 0
    while by.total() < n_answers:
        worker = random.choice(workers)
        trial.clock.move(1.0)
        try:
            [task] = trial.campaign.lease(worker)
        except NoTask as told:
            if told.why == "pairs":
                workers.remove(worker)
            n_waits += told.why == "waiting"
            continue
        better = 1 if task.left > task.right else -1
        trial.campaign.answer(task.id, better if "honest" in worker else random.choice([-1, 1]))
        by[worker.split()[0]] += 1
    return by["honest"] / n_answers, n_waits


def test_workers_wait_for_better_ones_only_if_the_owner_wants_it():
    share, n_waits = share_of_honest(300)
    assert n_waits == 0
    chosen, n_waits = share_of_honest(300, choose_workers=True)
    assert n_waits > 30
    assert chosen > share + 0.1


def test_nobody_waits_for_long_or_alone():
    trial = Trial(range(8), sampler="rounds", choose_workers=True, open_per_worker=1)
    for _ in range(12):
        [task] = trial.campaign.lease("ann")
        trial.campaign.answer(task.id, 1)
    for worker in ("bob", "cy", "dee"):  # new workers never wait
        [task] = trial.campaign.lease(worker)
        trial.campaign.answer(task.id, -1)
    waiting = set()
    for worker in ("ann", "bob", "cy", "dee"):
        try:
            trial.campaign.lease(worker)
        except NoTask as told:
            waiting.add((worker, told.why))
    assert {why for _, why in waiting} == {"waiting"}
    assert 0 < len(waiting) < 4
    trial.clock.move(61)
    for worker, _ in waiting:
        assert trial.campaign.lease(worker)
