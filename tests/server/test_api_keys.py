from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from hodgerank.campaign import Campaign, Database
from hodgerank.campaign.stores.access_keys import MemoryKeys
from hodgerank.server.api_keys import REMEMBERED_SECONDS, ApiKeys, SignedOut


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["file", "postgresql", "memory"])
def database(request, tmp_path):
    match request.param:
        case "file":
            address = tmp_path / "campaigns.db"
        case "postgresql":
            address = request.getfixturevalue("postgres_url")
        case _:
            address = None
    with Database(address) as database:
        yield database


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def keys(database, clock):
    return ApiKeys(database.store.keys, clock)


def find(keys, token):
    return asyncio.run(keys.find(token))


def test_a_token_opens_what_it_was_made_for(keys):
    token = keys.issue("token", "judge", "gpt", campaign="cups", seconds=60)
    key = find(keys, token)
    assert (key.kind, key.role, key.holder, key.campaign) == ("token", "judge", "gpt", "cups")
    assert find(keys, token + "x") is None
    assert find(keys, "\ud800 ") is None


def test_tokens_are_long_and_all_different(keys):
    tokens = {keys.issue("session", "worker", "ann") for _ in range(50)}
    assert len(tokens) == 50
    assert min(map(len, tokens)) >= 43  # 256 bits


def test_the_database_does_not_have_the_token(tmp_path):
    path = tmp_path / "campaigns.db"
    with Database(path) as database:
        token = ApiKeys(database.store.keys).issue("token", "owner", "me")
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"access_keys" in held
    assert token.encode() not in held


def test_a_token_ends_at_its_time(keys, clock):
    token = keys.issue("session", "owner", "me", seconds=60)
    clock.now += 59
    assert find(keys, token) is not None
    clock.now += 2
    assert find(keys, token) is None
    assert keys.all(role="owner") == []


def test_a_token_that_was_taken_away_opens_nothing_at_once(keys):
    token = keys.issue("session", "worker", "ann", campaign="cups")
    assert find(keys, token) is not None
    assert keys.revoke(kind="session", holder="ann", campaign="cups") == 1
    assert find(keys, token) is None


def test_a_token_that_is_taken_away_while_it_is_looked_up_is_not_remembered(keys, monkeypatch):
    token = keys.issue("session", "worker", "ann", campaign="cups")
    look = keys._kept.find

    def look_and_lose(digest):
        found = look(digest)
        keys.revoke(holder="ann")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(keys._kept, "find", look_and_lose)
        find(keys, token)
    assert find(keys, token) is None


def test_another_process_hears_of_it_within_seconds(database, clock):
    here, there = (ApiKeys(database.store.keys, clock) for _ in range(2))
    token = here.issue("session", "worker", "ann", campaign="cups")
    assert find(there, token) is not None
    here.revoke(holder="ann")
    clock.now += REMEMBERED_SECONDS + 0.1
    assert find(there, token) is None


def test_only_those_that_are_named_are_taken_away(keys):
    kept = [
        keys.issue("session", "worker", "ann", campaign="bowls"),
        keys.issue("session", "worker", "bob", campaign="cups"),
        keys.issue("token", "owner", "ann"),
    ]
    keys.issue("session", "worker", "ann", campaign="cups")
    assert keys.revoke(holder="ann", campaign="cups") == 1
    assert all(find(keys, token) for token in kept)
    assert keys.revoke(campaign=None) == 1
    assert find(keys, kept[2]) is None


def test_a_link_is_good_once(keys):
    link = keys.issue("link", "owner", "me", seconds=60)
    with ThreadPoolExecutor(8) as threads:
        got = list(threads.map(lambda _: keys.redeem(link), range(8)))
    assert sum(key is not None for key in got) == 1


def test_a_link_that_is_too_old_is_good_for_nothing(keys, clock):
    link = keys.issue("link", "owner", "me", seconds=60)
    clock.now += 61
    assert keys.redeem(link) is None


def test_what_is_no_link_is_not_used_up(keys):
    token = keys.issue("session", "owner", "me")
    assert keys.redeem(token) is None
    assert find(keys, token) is not None


def test_owners_are_signed_out_and_workers_and_programs_are_not(keys, clock):
    for seconds in (10, 60, 60):
        keys.issue("session", "owner", "me", seconds=seconds)
    link = keys.issue("link", "owner", "me", seconds=60)
    kept = [
        keys.issue("session", "worker", "ann", campaign="cups"),
        keys.issue("token", "owner", "me"),
        keys.issue("token", "judge", "gpt", campaign="cups"),
    ]
    clock.now += 11  # one was over before
    assert keys.sign_out_owners() == SignedOut(n_sessions=2, n_links=1)
    assert keys.owner_sessions() == keys.owner_links() == []
    assert keys.redeem(link) is None
    assert all(find(keys, token) for token in kept)


def test_an_owner_who_signs_out_all_others_stays(keys):
    mine, other = (keys.issue("session", "owner", "me", seconds=60) for _ in range(2))
    this = find(keys, mine)
    assert keys.sign_out_owners(but=this.digest) == SignedOut(n_sessions=1, n_links=0)
    assert find(keys, other) is None
    assert find(keys, mine) == this
    assert keys.owner_sessions() == [this]


def test_another_process_signs_owners_out_within_seconds(database, clock):
    here, there = (ApiKeys(database.store.keys, clock) for _ in range(2))
    token = here.issue("session", "owner", "me", seconds=60)
    assert find(there, token) is not None
    here.sign_out_owners()
    clock.now += REMEMBERED_SECONDS + 0.1
    assert find(there, token) is None


def test_keys_outlive_the_process(tmp_path):
    path = tmp_path / "campaigns.db"
    with Database(path) as database:
        token = ApiKeys(database.store.keys).issue("session", "worker", "ann", campaign="cups")
    with Database(path) as database:
        assert find(ApiKeys(database.store.keys), token).holder == "ann"


def test_a_key_that_a_command_takes_away_opens_nothing_from_then_on(database, clock):
    campaign = Campaign.create(database, ["a", "b"], question="Which?", id="cups")
    keys = ApiKeys(database.store.keys, clock)
    token = keys.issue("session", "worker", "ann", campaign="cups")
    assert find(keys, token) is not None  # and is remembered
    campaign.ban("ann")
    assert find(keys, token) is None


def test_expired_keys_are_deleted_and_others_stay(tmp_path):
    with Database(tmp_path / "a.db") as database:
        for kept in (database.store.keys, MemoryKeys()):
            now = [1000.0]
            keys = ApiKeys(kept, lambda now=now: now[0])
            for seconds in (10, 20, 100_000, None):
                keys.issue("session", "worker", "ann", campaign="c", seconds=seconds)
            assert keys.remove_expired() == 0
            now[0] += 10_000
            assert kept.remove_expired(now[0], 1) == 1
            assert keys.remove_expired() == 1
            assert [key.expires for key in kept.all()] == [101_000.0, None]
