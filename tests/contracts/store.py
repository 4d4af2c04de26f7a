"""What every store promises; inherit it and say how to open one."""

from __future__ import annotations

from contextlib import suppress
from threading import Event as Signal
from threading import Thread
from time import monotonic

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hodgerank.campaign.events import KINDS, Event, LogChanged
from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.errors import CampaignError, CannotRead, CannotWrite, InvalidArgument

SETTINGS = settings(max_examples=25, suppress_health_check=list(HealthCheck))

texts = st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
numbers = st.floats(allow_nan=False, allow_infinity=False)
items = st.none() | st.integers(0, 2**31 - 1)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
event_fields = st.tuples(
    numbers,
    st.sampled_from(KINDS),
    texts,
    texts,
    items,
    items,
    st.none() | numbers,
    st.none() | numbers,
    st.none() | st.dictionaries(st.text(), json_values, max_size=4),
)


def numbered(fields) -> list[Event]:
    return [Event(seq, *each) for seq, each in enumerate(fields, 1)]


def some_events(first: int, last: int) -> list[Event]:
    return [
        Event(seq, 1000.0 + seq, "answered", f"w{seq % 7}", f"t{seq}", 3, 4, 1.0, 2.5)
        for seq in range(first, last + 1)
    ]


def personal_events() -> list[Event]:
    """Ann and Bob come, and do the same."""
    fields = [
        ("joined", {"data": {"session": "s-ann"}}),
        ("issued", {"task": "t", "left": 0, "right": 1}),
        ("answered", {"task": "t", "outcome": 1.0, "data": {"rules": {"focus": True}}}),
        ("worker_banned", {"data": {"reason": "ann again"}}),
    ]
    return [
        Event(seq, 1000.0 + seq, kind, worker, **more)
        for seq, (worker, (kind, more)) in enumerate(
            [(worker, each) for worker in ("ann", "bob") for each in fields], 1
        )
    ]


def without_ann(events: list[Event]) -> list[Event]:
    return [
        event
        if event.worker != "ann"
        else event._replace(
            worker="x", data=event.data if event.kind in ("issued", "answered") else None
        )
        for event in events
    ]


class Interrupted(Exception):
    """Something that is no error of hodgerank."""


class StoreContract:
    """Subclasses have a fixture `store`, open and empty."""

    def write(self, store, first, last, campaign="votes"):
        with store.writing(campaign) as writing:
            writing.append(some_events(first, last))

    @SETTINGS
    @given(fields=st.lists(event_fields, max_size=5), parts=st.integers(1, 3))
    def test_events_come_back_as_they_were(self, store, fields, parts):
        events = numbered(fields)
        campaign = f"campaign {len(store.campaigns())} of {len(events)}"
        for part in range(parts):
            with store.writing(campaign) as writing:
                size = -(-len(events) // parts)
                writing.append(events[part * size : (part + 1) * size])
        found = list(store.read(campaign))
        assert found == events
        assert all(type(event) is Event for event in found)
        assert [list(map(type, event)) for event in found] == [
            list(map(type, event)) for event in events
        ]

    @pytest.mark.parametrize("number", [5e-324, -1.7976931348623157e308, 0.1 + 0.2, 1e16 + 2, -0.0])
    def test_numbers_of_any_size_are_kept_to_the_last_bit(self, store, number):
        event = Event(1, abs(number), "answered", "é", "😀", 0, 2**31 - 1, number, number)
        with store.writing("votes") as writing:
            writing.append([event])
        assert list(store.read("votes")) == [event]

    def test_data_is_what_it_was_when_appended(self, store):
        data = {"marks": ["fast"], "half": "\ud83d", "nothing": "\0", "deep": [{"a": [None, 1.5]}]}
        with store.writing("votes") as writing:
            writing.append([Event(1, 1.0, "answered", data=data)])
            data["marks"].append("late")
        assert next(store.read("votes")).data == data | {"marks": ["fast"]}

    def test_numbers_of_other_libraries_are_kept_as_numbers(self, store):
        np = pytest.importorskip("numpy")
        event = Event(1, np.float32(2.5), "answered", left=np.int64(3), right=np.int32(4))
        with store.writing("votes") as writing:
            writing.append([event._replace(seq=np.int64(1), outcome=np.float32(0.5))])
        (found,) = store.read("votes")
        assert found == Event(1, 2.5, "answered", left=3, right=4, outcome=0.5)
        assert list(map(type, found))[5:8] == [int, int, float]

    @pytest.mark.parametrize(
        "fields",
        [
            {"worker": "a\0b"},
            {"worker": "a\ud800"},
            {"task": "é\udfff"},
            {"task": "é\0"},
            {"outcome": float("nan")},
            {"seconds": float("inf")},
            {"data": {"a": float("nan")}},
            {"data": {"a": {1}}},
        ],
        ids=str,
    )
    def test_what_cannot_be_kept_is_refused_alone(self, store, fields):
        with store.writing("votes") as writing:
            with pytest.raises(InvalidArgument):
                writing.append([*some_events(1, 1), Event(2, 1.0, "answered", **fields)])
            writing.append(some_events(1, 2))
        assert list(store.read("votes")) == some_events(1, 2)

    @pytest.mark.parametrize("numbers", [[2], [0], [1, 1], [1, 3], [2, 1], [1, 2, 4]])
    def test_numbers_go_on_from_the_last_one(self, store, numbers):
        events = [Event(seq, 1.0, "paused") for seq in numbers]
        with pytest.raises(CannotWrite, match="does not follow"), store.writing("v") as writing:
            writing.append(events)
        assert list(store.read("v")) == []
        self.write(store, 1, 4, "v")
        with pytest.raises(CannotWrite, match="does not follow"):
            self.write(store, 4, 5, "v")
        self.write(store, 5, 5, "v")
        assert list(store.read("v")) == some_events(1, 5)

    def test_reading_begins_where_it_is_told(self, store):
        self.write(store, 1, 5000)
        for after in (0, 1, 1999, 2000, 2001, 4999):
            assert list(store.read("votes", after)) == some_events(after + 1, 5000)
        assert list(store.read("votes", 5000)) == list(store.read("votes", 9000)) == []
        assert list(store.read("others")) == []

    def test_what_is_news_is_known_within_a_transaction(self, store):
        self.write(store, 1, 2500)
        with store.writing("votes") as writing:
            assert list(writing.news(2500)) == []
            assert list(writing.news(0)) == some_events(1, 2500)
            writing.append(some_events(2501, 2503))
            assert list(writing.news(2498)) == some_events(2499, 2503)
            assert list(writing.news(2502)) == some_events(2503, 2503)
            writing.append(some_events(2504, 2504))
            assert list(writing.news(2503)) == some_events(2504, 2504)
            assert list(writing.news(2504)) == []
        with store.writing("new") as writing:
            assert list(writing.news(0)) == []

    def test_campaigns_are_apart_and_the_oldest_comes_first(self, store):
        self.write(store, 1, 2, "late")
        with store.writing("early") as writing:
            writing.append([Event(1, 5.0, "created"), Event(2, 2000.0, "paused")])
        with store.writing("empty") as writing:
            writing.append([])
        assert store.campaigns() == ["early", "late"]
        assert [event.kind for event in store.read("early")] == ["created", "paused"]
        assert list(store.read("late")) == some_events(1, 2)
        self.write(store, 3, 3, "late")
        assert store.campaigns() == ["early", "late"]

    @pytest.mark.parametrize("error", [Interrupted, KeyboardInterrupt, CampaignError])
    def test_a_block_that_raises_leaves_nothing(self, store, error):
        def write_and_raise(campaign, first):
            with store.writing(campaign) as writing:
                writing.append(some_events(first, first + 3))
                raise error("in the middle")

        self.write(store, 1, 2)
        for campaign, first in (("votes", 3), ("new", 1)):
            with pytest.raises(error):
                write_and_raise(campaign, first)
        assert store.campaigns() == ["votes"]
        assert list(store.read("votes")) == some_events(1, 2)
        self.write(store, 3, 3)
        assert list(store.read("votes")) == some_events(1, 3)

    def test_a_name_is_replaced_with_all_that_is_personal(self, store):
        events = personal_events()
        gone = Event(9, 2000.0, "worker_forgotten", "x", data={"number": 0})
        for campaign in ("votes", "others"):
            with store.writing(campaign) as writing:
                writing.append(events[:3])
            with store.writing(campaign) as writing:
                writing.append(events[3:])
                if campaign == "votes":
                    writing.append([gone])
                    writing.forget("ann", "x")
                    assert list(writing.news(0)) == [*without_ann(events), gone]
        store.wipe()
        assert list(store.read("votes")) == [*without_ann(events), gone]
        assert list(store.read("others")) == events
        self.write(store, 10, 12)
        store.wipe()
        assert list(store.read("votes", 9)) == some_events(10, 12)

    def test_a_name_stays_where_the_block_raises(self, store):
        events = personal_events()

        def forget_and_raise():
            with store.writing("votes") as writing:
                writing.append(events[4:])
                writing.forget("ann", "x")
                raise Interrupted

        with store.writing("votes") as writing:
            writing.append(events[:4])
        with pytest.raises(Interrupted):
            forget_and_raise()
        assert list(store.read("votes")) == events[:4]

    def with_keys(self, store):
        """Ann's session and her token as a judge come first, then keys of others."""
        keys = [
            AccessKey(str(k), kind, role, campaign, holder, float(k), None)
            for k, (kind, role, campaign, holder) in enumerate(
                [
                    ("session", "worker", "votes", "ann"),
                    ("token", "judge", "votes", "ann"),
                    ("session", "worker", "votes", "bob"),
                    ("session", "worker", "others", "ann"),
                    ("token", "judge", None, "ann"),
                    ("token", "reader", "votes", "ann"),
                    ("token", "owner", "votes", "ann"),
                ]
            )
        ]
        for key in keys:
            store.keys.add(key)
        return keys

    def test_the_keys_of_who_is_forgotten_go(self, store):
        keys = self.with_keys(store)
        with store.writing("votes") as writing:
            writing.append(personal_events())
            writing.forget("ann", "x")
        assert store.keys.all() == keys[2:]

    def test_keys_go_with_the_events_of_their_transaction(self, store):
        keys, n_before = self.with_keys(store), store.keys.n_removals

        def revoke_and_raise() -> None:
            with store.writing("votes") as writing:
                writing.append(personal_events())
                writing.revoke("ann", ("session", "token"))
                raise Interrupted

        with pytest.raises(Interrupted):
            revoke_and_raise()
        assert (store.keys.all(), store.keys.n_removals) == (keys, n_before)
        with store.writing("votes") as writing:
            writing.append(personal_events())
            writing.revoke("ann", ("session", "token"))
        assert store.keys.all() == keys[2:]
        assert store.keys.n_removals > n_before

    def test_keys_go_without_an_event_too_by_their_kind(self, store):
        keys = self.with_keys(store)
        with store.writing("votes") as writing:
            writing.revoke("ann", ("session",))
        assert store.keys.all() == keys[1:]

    def test_a_reading_in_which_names_change_is_not_mixed(self, store):
        self.write(store, 1, 5000)
        reading = store.read("votes")
        seen = [next(reading).worker for _ in range(7)]
        with store.writing("votes") as writing:
            writing.append([Event(5001, 1.0, "worker_forgotten", "x", data={"number": 1})])
            writing.forget("w1", "x")
        with suppress(LogChanged):
            seen += [event.worker for event in reading]
        assert "w1" in seen
        assert "x" not in seen
        later = {event.worker for event in store.read("votes")}
        assert "x" in later
        assert "w1" not in later

    def test_readers_see_only_what_is_committed(self, store):
        self.write(store, 1, 3000)
        reading = store.read("votes")
        assert next(reading).seq == 1
        with store.writing("votes") as writing:
            writing.append(some_events(3001, 3002))
            assert sum(1 for _ in store.read("votes")) == 3000
            assert not store.wait("votes", 3000, 0)
        assert [event.seq for event in reading] == list(range(2, 3001))
        assert list(store.read("votes", 3000)) == some_events(3001, 3002)

    def test_a_reading_that_is_left_blocks_nobody(self, store):
        self.write(store, 1, 5000)
        readings = [store.read("votes") for _ in range(30)]
        assert [next(reading).seq for reading in readings] == [1] * 30
        self.write(store, 5001, 5001)
        assert [next(reading).seq for reading in readings] == [2] * 30

    def test_threads_read_while_one_writes(self, store):
        self.write(store, 1, 10)
        troubles, done = [], Signal()

        def look():
            while not done.is_set():
                seen = [event.seq for event in store.read("votes")]
                if seen != list(range(1, len(seen) + 1)):
                    troubles.append(seen)

        threads = [Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for seq in range(11, 61):
            self.write(store, seq, seq)
        done.set()
        for thread in threads:
            thread.join()
        assert troubles == []

    def test_waiting_ends_at_once_when_there_are_events(self, store):
        self.write(store, 1, 2)
        assert store.wait("votes", 0, 60)
        assert store.wait("votes", 1, 60)
        assert not store.wait("votes", 2, 0.05)
        assert not store.wait("others", 0, 0)

    def test_who_waits_is_woken_by_a_commit(self, store):
        self.write(store, 1, 1)
        woken = []
        threads = [
            Thread(target=lambda: woken.append(store.wait("votes", 1, 60))) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        self.write(store, 1, 5, "others")
        began = monotonic()
        self.write(store, 2, 2)
        for thread in threads:
            thread.join()
        assert woken == [True] * 3
        assert monotonic() - began < 30

    def test_who_waits_is_woken_by_the_end(self, store):
        self.write(store, 1, 1)
        woken = []

        def wait():
            with suppress(CannotRead):
                woken.append(store.wait("votes", 1, 60))

        thread = Thread(target=wait)
        thread.start()
        store.close()
        thread.join()
        assert woken in ([False], [])

    def test_a_closed_store_says_so(self, store):
        self.write(store, 1, 1)
        store.close()
        store.close()
        for use in (
            store.campaigns,
            lambda: store.read("votes"),
            lambda: store.wait("votes", 0, 0),
            lambda: self.write(store, 2, 2),
        ):
            with pytest.raises(CannotRead, match="closed"):
                use()

    def test_a_forked_child_is_refused(self, store, monkeypatch):
        self.write(store, 1, 1)
        with monkeypatch.context() as patch:
            patch.setattr("os.getpid", lambda: -1)
            for use in (
                store.campaigns,
                lambda: store.read("votes"),
                lambda: store.wait("votes", 0, 0),
                lambda: self.write(store, 2, 2),
            ):
                with pytest.raises(CampaignError, match="fork"):
                    use()
        self.write(store, 2, 2)
        assert list(store.read("votes")) == some_events(1, 2)


class DurableStoreContract(StoreContract):
    """Of stores that outlive the process; `reopened` opens the same place again."""

    def test_what_was_written_is_there_when_it_is_opened_again(self, store):
        self.write(store, 1, 3)
        self.write(store, 1, 2, "others")
        store.close()
        again = self.reopened(store)
        assert list(again.read("votes")) == some_events(1, 3)
        assert list(again.read("others")) == some_events(1, 2)
        self.write(again, 4, 4)
        assert list(again.read("votes", 3)) == some_events(4, 4)

    def test_closing_in_a_forked_child_leaves_the_parent_alone(self, store, monkeypatch):
        self.write(store, 1, 1)
        with monkeypatch.context() as patch:
            patch.setattr("os.getpid", lambda: -1)
            store.close()
        self.write(store, 2, 2)
        assert list(store.read("votes")) == some_events(1, 2)
