"""Files that earlier code wrote: they open, go on, and rank as they did.

`stored/` has a folder for each commit whose files are opened here, with what that commit itself
made of them; see `stored/make.py`.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import hodgerank as hr
from hodgerank.campaign import Campaign, RemoteCampaign
from hodgerank.errors import CampaignError
from server.served import served
from stored import reading

STORED = sorted(path.parent for path in (Path(__file__).parent / "stored").glob("*/expected.json"))
# Words that stored files hold and that are called otherwise now, such as the name of a sampler.
RENAMED: Mapping[str, str] = {}
TOLERANCE = 1e-4  # at which rankings of few answers end their iteration


@pytest.fixture(params=STORED, ids=lambda folder: folder.name)
def expected(request, tmp_path, monkeypatch) -> dict[str, Any]:
    """What the old code said; the current folder is a copy of its files."""
    copy = tmp_path / request.param.name
    shutil.copytree(request.param, copy)
    monkeypatch.chdir(copy)
    # the model of these rankings takes votes of one worker as independent
    monkeypatch.setattr("hodgerank.estimators.design_effect.FEWEST_CLUSTERS", 10**9)
    return json.loads((copy / "expected.json").read_text(encoding="utf-8"))


def flat(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every single value, and where it stands."""
    if isinstance(value, dict):
        for name in sorted(value):
            yield from flat(value[name], f"{place}/{name}")
    elif isinstance(value, list):
        yield f"{place} has", len(value)
        for k, each in enumerate(value):
            yield from flat(each, f"{place}/{k}")
    else:
        yield place, value


def assert_same(found: Any, expected: Any) -> None:
    """The same values everywhere, numbers as closely as rounding allows."""
    is_, was = dict(flat(reading.plain(found))), dict(flat(expected))
    assert is_.keys() == was.keys()
    for place, value in was.items():
        if isinstance(value, float):
            assert is_[place] == pytest.approx(value, rel=TOLERANCE, abs=TOLERANCE), place
        else:
            assert is_[place] == RENAMED.get(value, value), place


def calls_in(log: str) -> list[tuple[str, str]]:
    """What was asked of whom and replied to, as the old code wrote it down."""
    records = map(json.loads, Path(log).read_text(encoding="utf-8").splitlines())
    return [
        (record["model"], json.dumps(record["messages"]))
        for record in records
        if record["status"] != "failed"
    ]


def asked(calls: list[Any]) -> list[tuple[str, str]]:
    """What was asked of whom now."""
    return [(model, json.dumps(messages)) for model, messages in calls]


def test_there_are_stored_files():
    assert "bb9a080" in [folder.name for folder in STORED]


# Campaigns


def test_campaigns_are_as_they_were(expected):
    assert_same(reading.campaigns(), expected["campaigns"])


def test_campaigns_go_on_as_they_would_have(expected):
    """Tasks that are out, pairs that are chosen next, leases, rules, refusals, ranking."""
    assert_same(reading.continued(), expected["continued"])


def test_logs_become_the_same_campaigns(expected):
    assert_same(reading.campaigns_of_logs(), expected["campaigns"])


def test_campaigns_of_logs_go_on_as_they_would_have(expected):
    assert_same(reading.continued_from_logs(), expected["continued"])


def test_no_setting_is_lost(expected):
    """Settings may come, and names change."""
    found = reading.settings()
    assert found.keys() == expected["settings"].keys()
    for id, values in expected["settings"].items():
        words = {repr(old): repr(new) for old, new in RENAMED.items()}
        lost = Counter(words.get(value, value) for value in values) - Counter(found[id])
        assert not lost - Counter(["1"])  # the version of the settings


def test_a_file_of_settings_begins_a_campaign_like_the_one_it_is_of(expected):
    items = expected["campaigns"]["posters"]["items"]
    with open("items.csv", "w", newline="", encoding="utf-8") as file:
        rows = [(id, text, track) for id, text, _, track in items]
        csv.writer(file).writerows([("id", "text", "track"), *rows])
    words = ["campaign", "new", "items.csv", "--settings", "settings.toml", "-o", "new.db"]
    reading.command(*words)
    with (
        Campaign.open("new.db") as new,
        Campaign.open(reading.DATABASE, "posters") as old,
    ):
        assert new.settings == old.settings


def test_the_commands_of_campaigns_open_them(expected):
    reading.command("campaign", "pause", reading.DATABASE, "--name", "posters")
    printed = reading.command("campaign", "list", reading.DATABASE)
    assert all(id in printed for id in expected["campaigns"])
    for id, told in expected["campaigns"].items():
        words = ["--name", id, "--workers", "--no-forecast"]
        printed = reading.command("campaign", "status", reading.DATABASE, *words)
        assert all(str(item) in printed for item, *_ in told["items"])


def test_what_is_exported_now_is_what_was_exported(expected):
    for id in expected["campaigns"]:
        with Campaign.open(reading.DATABASE, id) as campaign:
            campaign.export("now.csv")
        now, then = (hr.read_comparisons(file) for file in ("now.csv", f"{id}.votes.csv"))
        assert now.items == then.items
        assert now.outcome.tolist() == then.outcome.tolist()


def test_media_are_found_by_their_old_names(expected):
    with Campaign.open(reading.DATABASE, "posters") as campaign:
        kept = [item.media for item in campaign.items if item.media.startswith("media:")]
        content = [campaign.media_file(media).read_bytes() for media in kept]
    assert [f"media:{sha256(one).hexdigest()}.png" for one in content] == kept
    assert len(kept) == 1


def test_old_tokens_open_what_they_opened(expected):
    with served("--database", reading.DATABASE, folder=Path.cwd()) as server:

        def campaign(id: str, number: int) -> RemoteCampaign:
            return RemoteCampaign(server.url, id, token=f"token-{number}")

        with campaign("posters", 1) as owned, campaign("drinks", 3) as read:
            for one in (owned, read):
                for track, ranking in expected["campaigns"][one.id]["rankings"].items():
                    assert_same(reading.ranked(one.ranking(track)), ranking)
            [task] = owned.lease("ann")
            assert owned.answer(task, 1, worker="ann").task == task.id
        with campaign("posters", 2) as judged:
            assert judged.lease("gpt")
        with pytest.raises(CampaignError, match="token"):  # its time was over at once
            campaign("posters", 4)


# Votes, states and runs


def test_exported_votes_give_the_same_rankings(expected):
    assert_same(reading.votes(), expected["votes"])


def test_states_take_further_votes_and_know_those_they_have(expected):
    assert_same(reading.states(), expected["states"])


def test_runs_go_on_from_their_answers(expected):
    """The same pairs are asked next, and none of those that were answered again."""
    assert_same(reading.runs(), expected["runs"])


def test_a_line_that_was_cut_off_is_asked_again_alone(expected):
    file = Path("run.answers.jsonl")
    file.write_bytes(file.read_bytes()[:-20])
    n_before = len(file.read_text(encoding="utf-8").splitlines()) - 1
    result = reading.run("run", file, n_before + 1, reading.judged_by_score)
    assert result.n_votes == n_before + 1


# Judges


@pytest.mark.parametrize("name", ["finished", "pictures"])
def test_a_finished_judge_folder_calls_nobody(name, expected):
    found = reading.PARTS[name]()
    assert found["calls"] == []
    assert_same(found, expected[name])


def test_an_interrupted_judge_folder_makes_the_missing_calls_only(expected):
    before = calls_in("judged/interrupted/calls.jsonl")
    found = reading.interrupted()
    now = asked(found["calls"])
    assert now
    assert not set(now) & set(before)
    assert len(set(now)) == len(now)
    assert_same(found, expected["interrupted"])


def test_a_judge_folder_whose_last_line_was_cut_off_repeats_that_call_alone(expected):
    log = Path("judged/interrupted/calls.jsonl")
    *before, cut = calls_in(str(log))
    log.write_bytes(log.read_bytes()[:-50])
    now = asked(reading.interrupted()["calls"])
    assert now.count(cut) == 1
    assert not set(now) & set(before)
    assert len(now) == len(expected["interrupted"]["calls"]) + 1


def test_models_that_have_finished_a_campaign_are_not_called_again(expected):
    found = reading.models_at_the_end()
    assert found["calls"] == []
    assert_same(found, expected["models_at_the_end"])


def test_models_that_broke_off_hand_in_what_they_replied_and_go_on(expected):
    before = calls_in("models/broken.calls.jsonl")
    found = reading.models_that_broke_off()
    now = asked(found["calls"])
    assert now
    assert not set(now) & set(before)
    assert_same(found, expected["models_that_broke_off"])
