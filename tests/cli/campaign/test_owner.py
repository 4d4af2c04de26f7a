"""What owners do: settings, items, workers, and whether a campaign runs."""

from __future__ import annotations

import json
import sys

import pytest

from hodgerank.campaign.campaign import Campaign


def test_settings_are_shown_as_toml_and_json(new, campaign):
    new("--budget", 40)
    assert "budget = 40" in campaign("settings", "campaign.db")
    assert json.loads(campaign("settings", "campaign.db", "--json"))["budget"] == 40
    assert "[attention]" in campaign("settings", "campaign.db", "-o", "-")


def test_settings_are_changed_by_name(new, campaign):
    new("--budget", 40)
    out = campaign(
        "settings", "campaign.db", "--set", "budget=none", "--set", "attention.same_side=7",
        "--set", "title=A title", "--set", 'attention.exclude=["gold"]',
    )  # fmt: skip
    assert "4 settings of campaign changed" in out
    told = json.loads(campaign("settings", "campaign.db", "--json"))
    assert (told["budget"], told["title"]) == ("none", "A title")
    assert (told["attention"]["same_side"], told["attention"]["exclude"]) == (7, ["gold"])
    assert told["attention"]["fastest_seconds"] == 0.4


def test_settings_of_groups_are_changed_by_name(new, campaign):
    new()
    out = campaign(
        "settings", "campaign.db", "--set", "panel.kind=prolific", "--set", "panel.completed=C1",
        "--set", "panel.return_to=https://example.org/?cc={code}", "--set", "pages.language=de",
        "--set", 'joining.practice=[{ better = "item-1", worse = "item-2", because = "a" }]',
        "--set", 'joining.questions=[{ question = "b", answers = ["c", "d"], right = "d" }]',
    )  # fmt: skip
    assert "6 settings of campaign changed" in out
    told = json.loads(campaign("settings", "campaign.db", "--json"))
    assert (told["panel"]["kind"], told["panel"]["completed"]) == ("prolific", "C1")
    assert told["joining"]["practice"] == [{"better": "item-1", "worse": "item-2", "because": "a"}]
    campaign("settings", "campaign.db", "-o", "kept.toml")
    campaign("new", "items.csv", "-o", "other.db", "--settings", "kept.toml")
    assert json.loads(campaign("settings", "other.db", "--json")) == told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--set", "bugdet=1"], "did you mean budget"),
        (["--set", "budget=many"], "budget must be a whole number"),
        (["--set", "=1"], "write NAME=VALUE"),
        (["--set", "attention.sameside=1"], "attention.sameside"),
        (["--set", "budget.most=1"], "budget must be a whole number"),
        (["--set", "panel.kind=mturk"], "panel.kind 'mturk' is not one of none, prolific"),
        (["--set", "panel.return_to=http://example.org"], "begins with https://"),
        (["--set", "pages.entrance=a/b"], "pages.entrance may only have letters, digits"),
        (["-o", "settings.json"], "must end in .toml"),
        (["-o", "-", "--json"], "choose one"),
    ],
)
def test_bad_settings_are_refused(new, campaign, options, words):
    new()
    assert words in " ".join(campaign("settings", "campaign.db", *options, status=2).split())


def test_items_join_and_retire(new, campaign, folder):
    new()
    (folder / "more.csv").write_text("id,text\nitem-6,text 6\n")
    assert "1 item added to campaign, which now has 6" in campaign("add", "campaign.db", "more.csv")
    assert "item-6 exists already" in campaign("add", "campaign.db", "more.csv", status=2)
    out = campaign("retire", "campaign.db", "item-6", "item-1")
    assert "2 of 6 items retired" in out
    told = json.loads(campaign("unretire", "campaign.db", "item-6", "--json"))
    assert told["retired"] == ["item-1"]
    assert "item-9" in campaign("retire", "campaign.db", "item-2", "item-9", status=3)
    with Campaign.open("campaign.db", read_only=True) as found:
        assert found.retired == ["item-1"]


def test_items_with_numbers_for_names_are_found(campaign):
    Campaign.create("campaign.db", [1, 2, 3], question="Which?").leave()
    assert json.loads(campaign("retire", "campaign.db", "2", "--json"))["retired"] == [2]


def test_a_ban_is_lifted(new, answer, campaign):
    new()
    answer(["1", "2"])
    out = campaign("ban", "campaign.db", "ann", "--reason", "tosses coins")
    assert "ann banned: 2 votes no longer counted" in out
    assert json.loads(campaign("status", "campaign.db", "--json"))["n_votes"] == 0
    told = json.loads(campaign("restore", "campaign.db", "ann", "--json"))
    assert (told["worker"], told["is_banned"], told["n_votes"]) == ("ann", False, 2)
    assert "there is no worker anne" in campaign("restore", "campaign.db", "anne", status=3)


def test_a_pause(new, answer, campaign):
    new()
    told = json.loads(campaign("pause", "campaign.db", "--json"))
    assert told == {"campaign": "campaign", "database": "campaign.db", "status": "paused"}
    assert json.loads(answer(["1"], "--json"))["ended_by"] == "paused"
    assert "campaign resumed" in campaign("resume", "campaign.db")
    assert json.loads(answer(["1"], "--json"))["n_saved"] == 1


def test_closing_and_resetting_need_a_word(new, answer, campaign):
    new()
    answer(["1", "2"])
    for command in ("reset", "close"):
        assert "add --yes to confirm" in campaign(command, "campaign.db", status=2)
    assert "2 votes discarded, kept in the log only" in campaign("reset", "campaign.db", "--yes")
    assert json.loads(campaign("status", "campaign.db", "--json"))["n_given"] == 0
    assert json.loads(campaign("close", "campaign.db", "--yes", "--json"))["status"] == "closed"
    for command in ("pause", "resume", "reset --yes"):
        assert "closed" in campaign(
            command.split()[0], "campaign.db", *command.split()[1:], status=3
        )


@pytest.mark.parametrize(("said", "status"), [(True, "closed"), (False, "open")])
def test_on_a_terminal_they_ask(new, campaign, monkeypatch, said, status):
    new()
    asked = []
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda text, **_: asked.append(text) or said)
    told = json.loads(campaign("close", "campaign.db", "--json"))
    assert (told["status"], told["done"]) == (status, said)
    assert asked == ["Close campaign permanently, with 0 votes?"]


def test_an_interrupt_at_the_question_is_one(new, run, monkeypatch):
    import typer

    def abort(*_, **__):
        raise typer.Abort

    new()
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", abort)
    assert run("campaign", "reset", "campaign.db")[0] == 130


@pytest.mark.parametrize("module", ["sqlalchemy", "tomli_w"])
def test_missing_packages_name_what_to_install(new, campaign, monkeypatch, module):
    new()
    for name in [name for name in sys.modules if name.startswith("hodgerank.campaign.stores.sql")]:
        if module == "sqlalchemy":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    err = campaign("settings", "campaign.db", status=3)
    assert 'pip install ".[campaign]"' in " ".join(err.split())
