"""What is done to a campaign has the same effect in Python, on a page, over HTTP and by command.

Each verb runs on equal copies of one campaign, once through each adapter that has it. Then the logs
are the same apart from times and ids, and the same keys are gone. A new method of `Campaign`, a new
command, a new route and a new command of the terminal each need a place in the tables below.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx
import pytest

from campaign.verbs import (
    CHANGE_NOTHING,
    HELPERS,
    MAKERS,
    OTHER_COMMANDS,
    OTHER_ROUTES,
    VERBS,
    VOTES,
    Copy,
    Step,
)
from hodgerank.campaign import Campaign, RemoteCampaign
from hodgerank.campaign.commands import answers, leases, owner, workers
from hodgerank.campaign.database import Database
from hodgerank.campaign.workers import arrival_of
from hodgerank.cli import main
from hodgerank.cli.app import CAMPAIGN_TABLE
from hodgerank.server.auth import _cookie_name
from hodgerank.server.routes import ROUTES
from server.live_server import LiveServer, live_server

# Every verb has a place


def test_every_method_of_a_campaign_is_tried_or_changes_nothing():
    public = {name for name, _ in inspect.getmembers(Campaign) if not name.startswith("_")}
    tried = {name for verb in VERBS.values() for name in verb.methods.split()}
    assert public == tried | CHANGE_NOTHING
    assert not tried & CHANGE_NOTHING


def test_every_command_is_tried():
    known = {
        name
        for module in (owner, workers, answers, leases)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }
    assert known == {name for verb in VERBS.values() for name in verb.commands.split()} | HELPERS


def test_every_route_that_may_change_something_is_tried():
    steps = [step for verb in VERBS.values() for step in (*verb.page, *verb.api)]
    tried = {(step.method, step.path) for step in steps if step.method != "GET"}
    known = {(route.method, route.path) for route in ROUTES if route.method != "GET"}
    assert known == tried | OTHER_ROUTES


def test_every_command_of_the_terminal_is_tried():
    tried = {verb.command for verb in VERBS.values()} - {""}
    assert set(CAMPAIGN_TABLE) == tried | set(OTHER_COMMANDS)


# Every adapter has the same effect


@dataclass(frozen=True)
class Effect:
    """A campaign after a verb: its log, and which keys went and came."""

    log: list[Any]
    gone: Counter[Any]
    new: Counter[Any]


class Looking:
    """At a campaign before and after a verb."""

    def __init__(self, database: Database, copy: Copy) -> None:
        self.copy = copy
        self._before = self._keys(database)

    def effect(self, database: Database) -> Effect:
        after = self._keys(database)
        events = list(database.store.read(self.copy.subject))
        return Effect(self._log(events), self._before - after, after - self._before)

    def _keys(self, database: Database) -> Counter[Any]:
        return Counter(
            (key.kind, key.role, str(key.campaign).replace(self.copy.id, "this"), key.holder)
            for key in database.store.keys.all()
        )

    def _log(self, events: list[Any]) -> list[Any]:
        """Without times, and with numbers instead of ids."""
        tasks: dict[Any, int] = {None: -1}
        found = []
        for event in events:
            plain = event._asdict()
            plain["task"] = tasks.setdefault(event.task, len(tasks))
            if str(event.worker).startswith("forgotten-"):
                plain["worker"] = "forgotten"
            if event.kind == "joined":  # pages add that a person came
                plain["data"], _ = arrival_of(event.data)
            found.append({name: plain[name] for name in plain if name != "at"})
        text = json.dumps(found, default=dict).replace(self.copy.id, "this")
        return [_without(entry) for entry in json.loads(text)]


def _without(value: Any) -> Any:
    """What differs by chance."""
    if isinstance(value, dict):
        return {
            name: _without(one) for name, one in value.items() if name not in ("entrance", "source")
        }
    return [_without(one) for one in value] if isinstance(value, list) else value


numbers = count(1)


def copy_for(database: Database, name: str) -> tuple[Copy, Looking, Campaign]:
    """An equal campaign, ready for the verb."""
    copy = Copy(database, f"copy-{next(numbers)}-z")
    campaign = Campaign.open(database, copy.id)
    VERBS[name].before(campaign)
    if name in MAKERS:
        copy.subject = f"{copy.id}-made"
    return copy, Looking(database, copy), campaign


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with live_server(tmp_path_factory.mktemp("verbs")) as server:
        yield server


@pytest.fixture(scope="module")
def in_python(live: LiveServer) -> Callable[[str], Effect]:
    """What a verb does to a copy by `Campaign`, once for all who compare."""
    known: dict[str, Effect] = {}

    def effect(name: str) -> Effect:
        if name not in known:
            database = live.context.database
            copy, looking, campaign = copy_for(database, name)
            VERBS[name].do(campaign, copy)
            known[name] = looking.effect(database)
        return known[name]

    return effect


def sent(live: LiveServer, copy: Copy, step: Step, token: str = "") -> httpx.Response:
    """Send a request as a program with this token, or as a browser."""
    names = {"campaign": copy.id, "task": copy.task, "subject": copy.subject, **step.values}
    address = f"{live.url}{step.path.format(**names)}?{step.query}"
    given = json.loads(_filled(json.dumps(step.given), names))
    if token:
        headers = {"Authorization": f"Bearer {token}"}
        if step.path.endswith("/votes"):
            headers["Content-Type"] = "text/csv"
            rows = "".join(f"{left},{right},{y},{who}\n" for left, right, y, who in VOTES)
            content = f"left,right,outcome,worker\n{rows}"
            return httpx.request(step.method, address, headers=headers, content=content)
        return httpx.request(step.method, address, headers=headers, json=given or None)
    place = live.url.removeprefix("http://")
    cookies = {_cookie_name(place, None): live.owner_session()}
    if step.worker:
        cookies = {_cookie_name(place, copy.id): copy.tokens[step.worker]}
    headers = {"Origin": live.url, "Accept": "text/html" if step.form else "application/json"}
    body = {"data": given} if step.form else {"json": given}
    with httpx.Client(headers=headers, cookies=cookies) as browser:
        return browser.post(address, **body)


def _filled(text: str, names: dict[str, Any]) -> str:
    for name, value in names.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def same(found: Effect, expected: Effect) -> None:
    assert found.log == expected.log
    assert found.gone == expected.gone
    assert found.new == expected.new


@pytest.mark.parametrize("name", [name for name in VERBS if VERBS[name].page])
def test_a_page_does_the_same(live, in_python, name):
    verb, database = VERBS[name], live.context.database
    copy, looking, _ = copy_for(database, name)
    for step in verb.page:
        answer = sent(live, copy, step)
        assert answer.status_code in (200, 303, 422 if name == "quiz" else 200), answer.text
    found = looking.effect(database)
    own = Counter({("session", "owner", "None", "owner"): found.new.total()})
    if verb.signs_in:
        own[("session", "worker", "this", verb.signs_in)] = 1
        assert ("session", "worker", "this", verb.signs_in) in found.new
    same(Effect(found.log, found.gone, found.new - own), in_python(name))


@pytest.mark.parametrize("name", [name for name in VERBS if VERBS[name].api])
def test_the_api_does_the_same(live, in_python, name):
    database = live.context.database
    token = live.context.keys.issue("token", "owner", "program")
    copy, looking, campaign = copy_for(database, name)
    for step in VERBS[name].api:
        answer = sent(live, copy, step, token)
        assert answer.status_code in (200, 201, 204), answer.text
    campaign.log.transact(lambda state, now: None)  # after what was begun and not waited for
    same(looking.effect(database), in_python(name))


@pytest.mark.parametrize("name", [name for name in VERBS if VERBS[name].is_remote])
def test_the_client_does_the_same(live, in_python, name):
    database = live.context.database
    token = live.context.keys.issue("token", "owner", "program")
    copy, looking, campaign = copy_for(database, name)
    copy.token = token
    with RemoteCampaign(live.url, copy.id, token=token) as remote:
        VERBS[name].do(remote, copy)
    campaign.log.transact(lambda state, now: None)
    same(looking.effect(database), in_python(name))


@pytest.mark.parametrize("name", [name for name in VERBS if VERBS[name].cli])
def test_the_command_does_the_same(tmp_path, in_python, capsys, name):
    verb, path = VERBS[name], tmp_path / "campaigns.db"
    with Database(path) as database:
        copy, looking, _ = copy_for(database, name)
    assert verb.cli is not None
    words = ["campaign", *map(str, verb.cli(copy, path))]
    if "--name" not in words:
        words += ["--name", copy.id]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert not ended.value.code, capsys.readouterr().err
    with Database(path, read_only=True) as database:
        found = looking.effect(database)
    same(found, in_python(name))


# What the effect is


def test_a_ban_takes_all_keys_with_which_the_worker_answers_here_and_no_others(in_python):
    assert in_python("ban ann").gone == Counter(
        {("session", "worker", "this", "ann"): 1, ("token", "judge", "this", "ann"): 1}
    )
    assert in_python("ban gpt").gone == Counter(
        {("session", "worker", "this", "gpt"): 1, ("token", "judge", "this", "gpt"): 1}
    )


def test_who_is_forgotten_keeps_no_key_here(in_python):
    assert in_python("forget").gone == in_python("ban gpt").gone


def test_who_is_let_in_again_loses_the_session_and_keeps_the_token(in_python):
    assert in_python("admit").gone == Counter({("session", "worker", "this", "gpt"): 1})


@pytest.mark.parametrize(
    "name", [name for name in VERBS if not name.startswith(("ban", "forget", "admit"))]
)
def test_nothing_else_takes_keys_away_or_gives_any(in_python, name):
    assert not in_python(name).gone
    assert not in_python(name).new
