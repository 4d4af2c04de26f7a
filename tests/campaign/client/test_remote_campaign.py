"""A campaign of a server is used as one of this machine."""

from __future__ import annotations

import inspect
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest

from hodgerank.campaign import Campaign, CampaignItem, RemoteCampaign
from hodgerank.errors import (
    CampaignError,
    CannotWrite,
    InvalidArgument,
    InvalidComparisons,
    NoTask,
    UnknownItem,
)

ITEMS = [CampaignItem(f"item {k}", f"words of {k}", track="ab"[k % 2]) for k in range(10)]
SETTINGS: dict[str, Any] = {
    "question": "Which?",
    "pages": {"entrance": "door"},
    "ties": True,
    "stop": "tau >= 0.95",
    "repeat_share": 0.2,
    "gold": [{"better": "item 0", "worse": "item 2"}],
    "attention": {"fastest_seconds": 1.0},
}
NOT_OF_CLIENTS = {
    "create",  # says where by other arguments
    "open",  # is made by its name
    "load",  # a log becomes a campaign on this machine
    "database",
    "log",
    "new_id",  # ids are drawn by the server
    "note",  # which notes by itself
    "begin_noting",
}
VOTES = [("item 0", "item 4", 1, "elsewhere"), ("item 1", "item 3", -0.5, "elsewhere")]
PASSING = ("at", "last_at", "joined_at", "expires", "time", "task", "id", "repeats", "source")


def public(kind: type) -> dict[str, Any]:
    return {name: value for name, value in inspect.getmembers(kind) if not name.startswith("_")}


def test_it_has_every_method_of_a_campaign_with_the_same_arguments():
    here, there = public(Campaign), public(RemoteCampaign)
    assert set(here) - NOT_OF_CLIENTS <= set(there)
    for name, method in here.items():
        if name in NOT_OF_CLIENTS:
            continue
        if isinstance(method, property):
            assert isinstance(there[name], property)
        else:
            assert inspect.signature(there[name]) == inspect.signature(method), name
        assert inspect.getdoc(there[name])


def plain(value: Any) -> Any:
    """A value without times, ids and fingerprints, which differ."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if hasattr(value, "__dataclass_fields__"):
        value = {name: getattr(value, name) for name in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items() if name not in PASSING}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def live_through(campaign: Any, folder: Any) -> dict[str, Any]:
    """A bit of everything; all that it said."""
    random, said = Random(5), []
    campaign.join("w0", {"study": "s"})
    said.append(campaign.quiz("w0", True))
    for step in range(40):
        worker = f"w{random.randrange(4)}"
        try:
            tasks = campaign.lease(worker, random.choice([1, 2]))
        except NoTask as refusal:
            tasks = []
            said.append((refusal.why, str(refusal)))
        for task in tasks:
            said.append(plain(task))
            if random.random() < 0.1:
                campaign.skip(task, worker=worker)
            else:
                outcome = random.choice([-1, 0, 1, 1])
                receipt = campaign.answer(task, outcome, seconds=random.choice([0.5, 2.0, None]))
                said.append(plain(receipt))
        if step % 10 == 9:
            with suppress(CampaignError):
                said.append(plain(campaign.undo(worker)))
    campaign.ban("w3", "no reason")
    campaign.restore("w3")
    campaign.ban("w2")
    campaign.add([CampaignItem("item 100", track="a"), CampaignItem("item 101", track="b")])
    campaign.add([])
    campaign.edit("item 1", text="other words", media="https://example.org/1.png")
    campaign.retire("item 4")
    campaign.retire("item 6")
    campaign.restore_item("item 6")
    said.append(campaign.import_votes(VOTES))
    campaign.change(budget=300, attention={"focus": False}, panel={"kind": "prolific"})
    campaign.pause()
    said.append(campaign.counts.status)
    campaign.resume()
    said.append(campaign.expire(1e11))
    campaign.finish("w0")
    forgotten = campaign.forget("w1")
    known = {
        "said": said,
        "settings": campaign.settings,
        "items": campaign.items,
        "retired": campaign.retired,
        "tracks": campaign.tracks,
        "counts": plain(campaign.counts),
        "workers": plain(campaign.workers()),
        "votes": plain(campaign.votes("a")),
        "ranking": campaign.ranking("a").to_dict(),
        "trust": campaign.trust("b").to_dict(),
        "progress": plain(campaign.progress()),
        "answers": plain(campaign.answers()),
        "log": plain(list(campaign.events())),
        "end": plain(list(campaign.events(30))),
        "waited": [campaign.wait(0, 5), campaign.wait(10_000, 0.01)],
    }
    for name in ("votes.csv", "log.jsonl", "votes.parquet"):
        campaign.export(folder / name)
    with Campaign.load(None, folder / "log.jsonl") as loaded:
        known["loaded"] = loaded.ranking("a").to_dict()
    campaign.reset()
    known["reset"] = campaign.counts.n_votes
    campaign.close()
    known["closed"] = campaign.counts.status
    campaign.leave()
    return {name: _renamed(value, forgotten) for name, value in known.items()}


def _renamed(value: Any, forgotten: str) -> Any:
    """With one name for who was forgotten, which was drawn by lot."""
    if isinstance(value, list):
        return [_renamed(one, forgotten) for one in value]
    if isinstance(value, dict):
        return {name: _renamed(one, forgotten) for name, one in value.items()}
    return "who was forgotten" if value == forgotten else value


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """What a campaign in memory says."""
    campaign = Campaign.create(None, ITEMS, SETTINGS)
    return live_through(campaign, tmp_path_factory.mktemp("here"))


@pytest.mark.parametrize("part", ["said", "known", "found", "log"])
def test_a_script_does_not_care_where_it_runs(part, here, there):
    names = {
        "said": ["said", "waited", "reset", "closed"],
        "known": ["settings", "items", "retired", "tracks", "counts", "workers"],
        "found": ["votes", "ranking", "trust", "progress", "answers"],
        "log": ["log", "end", "loaded"],
    }[part]
    for name in names:
        assert there[name] == here[name], name


@pytest.fixture(scope="module")
def there(live, tmp_path_factory):
    """What the same campaign says over HTTP."""
    token = live.context.keys.issue("token", "owner", "gpt")
    campaign = RemoteCampaign.create(live.url, ITEMS, SETTINGS, token=token, id="script")
    return live_through(campaign, tmp_path_factory.mktemp("there"))


@pytest.mark.slow
def test_forecasts_come_back_as_they_are(live, clients, few_futures):
    campaign = live.campaign(["a", "b"], stop="tau >= 0.9")
    client = clients.of(campaign)
    [found] = client.progress(with_forecast=True).tracks
    [known] = campaign.progress(with_forecast=True).tracks
    assert (found, str(found.forecast)) == (known, str(known.forecast))


# How it is found


def test_the_address_of_its_page_is_enough(live, clients):
    campaign = live.campaign()
    with RemoteCampaign(f"{live.url}/c/{campaign.id}", token=clients.token()) as client:
        assert client.id == campaign.id
        assert client.address == live.url
        assert repr(client) == f"RemoteCampaign({campaign.id} at {live.url})"
    with pytest.raises(CampaignError, match="is closed: open it again"):
        client.lease("ann")


def test_a_token_of_one_campaign_needs_no_name(live, clients):
    campaign = live.campaign()
    token = clients.token("reader", campaign=campaign.id)
    assert clients.keep(RemoteCampaign(live.url, token=token)).id == campaign.id
    with pytest.raises(CampaignError, match="campaigns: name one of"):
        RemoteCampaign(live.url, token=clients.token())


def test_what_is_not_there_is_said_at_once(live, clients):
    campaign = live.campaign()
    with pytest.raises(CampaignError, match="there is no campaign nowhere"):
        RemoteCampaign(live.url, "nowhere", token=clients.token())
    with pytest.raises(CampaignError, match="no such campaign, or the token"):
        RemoteCampaign(live.url, "nowhere", token=clients.token(campaign=campaign.id))
    with pytest.raises(CampaignError, match="does not accept this token"):
        RemoteCampaign(live.url, campaign.id, token="wrong")


def test_a_campaign_that_is_none_is_refused_as_here(live, clients):
    token = clients.token()
    with pytest.raises(InvalidArgument, match="question is empty"):
        RemoteCampaign.create(live.url, ["a", "b"], token=token)
    with pytest.raises(InvalidArgument, match="there is no setting budgett"):
        RemoteCampaign.create(live.url, ["a", "b"], token=token, question="?", budgett=3)
    with pytest.raises(InvalidArgument):
        RemoteCampaign.create(live.url, ["a"], token=token, question="?")
    RemoteCampaign.create(live.url, ["a", "b"], token=token, question="?", id="taken").leave()
    with pytest.raises(CampaignError, match="of this name exists already"):
        RemoteCampaign.create(live.url, ["a", "b"], token=token, question="?", id="taken")


def test_many_items_go_in_several_requests(live, clients):
    texts = {f"item {k}": "long words " * 10 for k in range(5000)}
    given = {"question": "?", "sampler": "random"}
    made = RemoteCampaign.create(live.url, texts, given, token=clients.token(), id="many")
    client = clients.keep(made)
    assert {item.id: item.text for item in client.items} == texts


# What is refused


def test_errors_are_those_of_a_campaign(live, clients):
    campaign = live.campaign({"a": "one", "b": "two"})
    client = clients.of(campaign)
    [task] = client.lease("ann")
    with pytest.raises(InvalidComparisons, match="an outcome is a number"):
        client.answer(task, float("nan"))
    with pytest.raises(InvalidArgument, match="not an allowed answer"):
        client.answer(task, 0.5)
    with pytest.raises(InvalidArgument, match="seconds"):
        client.answer(task, 1, seconds=True)
    with pytest.raises(InvalidArgument, match="cannot be sent"):
        client.answer(task, 1, seconds=float("inf"))
    with pytest.raises(InvalidArgument, match="is not one of"):
        client.skip(task, "bored")
    with pytest.raises(CampaignError, match="is not assigned to bob"):
        client.answer(task, 1, worker="bob")
    with pytest.raises(CampaignError, match="there is no task nope/x\\?y"):
        client.answer("nope/x?y", 1)
    with pytest.raises(UnknownItem, match="'x' is not among the items"):
        client.retire("x")
    with pytest.raises(UnknownItem):
        client.change(gold=[{"better": "a", "worse": "x"}])
    with pytest.raises(InvalidArgument, match="at most 50"):
        client.change(grades=99)
    with pytest.raises(InvalidArgument, match="neither an address"):
        client.edit("a", media=f"media:{'0' * 64}.png")
    with pytest.raises(InvalidArgument):
        client.lease("")
    with pytest.raises(InvalidArgument):
        client.lease("ann", 0)
    client.answer(task, 1)
    with pytest.raises(NoTask, match="has seen every pair") as none:
        client.lease("ann", 10**6)
    assert none.value.why == "pairs"
    with pytest.raises(CampaignError, match="no track 'x'"):
        client.ranking("x")


def test_what_could_not_be_written_is_told_as_such(live, clients, monkeypatch):
    campaign = live.campaign()
    client = clients.of(campaign)
    [task] = client.lease("ann")

    def fail(*_: Any) -> None:
        raise CannotWrite("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("hodgerank.campaign.commands.answers.answer", fail)
        with pytest.raises(CannotWrite, match="the disk is full"):
            client.answer(task, 1)
    assert client.answer(task, 1).is_counted


def test_a_judge_does_its_work_and_is_not_told_the_rest(live, clients):
    campaign = live.campaign(gold=[{"better": "item-0", "worse": "item-1"}], gold_share=0.5)
    judge = clients.of(campaign, "judge", "gpt")
    tasks = judge.lease("gpt", 6) + judge.lease("gpt:small")
    assert {task.purpose for task in tasks} == {""}
    judge.answer(tasks[0], 1, worker="gpt")
    judge.undo("gpt")
    assert judge.settings.gold == ()
    assert judge.settings.question == campaign.settings.question
    assert judge.items == campaign.items
    assert judge.progress().counts.n_workers == 2
    assert judge.wait(0, 1)
    for forbidden in (judge.ranking, judge.workers, judge.answers, judge.pause):
        with pytest.raises(
            CampaignError, match="does not allow this: this requires the role owner"
        ):
            forbidden()
    with pytest.raises(CampaignError, match="may act as gpt"):
        judge.lease("ann")


def test_votes_of_any_kind_are_imported_as_they_are(live, clients):
    from hodgerank.data.reading.vote_source import read_comparisons

    votes = read_comparisons([(1, 2, 0.5), (2, 3, -1)], display_known=False)
    campaign = live.campaign([1, 2, 3])
    client = clients.of(campaign)
    assert client.import_votes(votes) == 2
    assert client.votes().items == (1, 2, 3)
    assert client.votes().outcome.tolist() == [0.5, -1.0]
    assert not client.votes().display_known.any()
    with pytest.raises(CampaignError, match="imported before"):
        client.import_votes(votes)
    assert client.import_votes(votes, again=True) == 2


def test_only_what_is_new_is_fetched(live, clients, monkeypatch):
    campaign = live.campaign()
    client = clients.of(campaign)
    asked: list[int] = []
    lines = client._connection.lines

    def watched(*path: str, query: Any) -> Any:
        asked.append(query["after"])
        return lines(*path, query=query)

    monkeypatch.setattr(client._connection, "lines", watched)
    client.ranking()
    [task] = campaign.lease("ann")
    campaign.answer(task, 1)
    assert client.ranking().items[0] == task.left
    assert asked == [0, 9]


def test_who_was_forgotten_meanwhile_is_not_remembered(live, clients):
    campaign = live.campaign()
    client = clients.of(campaign)
    for worker in ("ann", "bob"):
        [task] = campaign.lease(worker)
        campaign.answer(task, 1)
    assert set(client.votes().workers) == {"ann", "bob"}
    pseudonym = campaign.forget("ann")
    [task] = campaign.lease("bob")
    campaign.answer(task, 1)
    assert set(client.votes().workers) == {pseudonym, "bob"}
