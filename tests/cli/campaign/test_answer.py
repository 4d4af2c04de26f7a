"""hodgerank campaign answer: keys become answers that are kept."""

from __future__ import annotations

import json
import re

import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem


def pairs_shown(out: str) -> list[tuple[str, str]]:
    """The texts that stood side by side."""
    return re.findall(r"^(text \d) +(text \d) *$", out, re.MULTILINE)


def answers(name: str | None = None) -> list[dict]:
    with Campaign.open("campaign.db", name, read_only=True) as campaign:
        return campaign.answers()


def test_one_and_two_are_left_and_right(new, answer):
    new("--budget", 40)
    out = answer(["1", "2", "\x1b[D", "\x1b[C", "q"])
    assert [row["outcome"] for row in answers()] == [1, -1, 1, -1]
    assert {row["worker"] for row in answers()} == {"ann"}
    shown = [(row["left"], row["right"]) for row in answers()]
    assert pairs_shown(out)[:4] == [
        tuple(name.replace("item-", "text ") for name in pair) for pair in shown
    ]
    assert "left, saved: 1 vote, of at most 40" in out
    assert "right, saved: 4 votes, of at most 40" in out
    assert "4 answers by ann saved" in out


def test_the_time_that_an_answer_took_is_kept(new, answer):
    new()
    answer(["1"])
    assert 0 <= answers()[0]["seconds"] < 60


def test_who_leaves_gets_the_open_pair_again(new, answer):
    new()
    first = answer(["q"])
    assert "run the same command to continue" in first
    assert pairs_shown(answer([])) == pairs_shown(first)
    assert pairs_shown(answer(["1", "q"]))[0] == pairs_shown(first)[0]
    assert len(answers()) == 1


def test_an_answer_is_taken_back(new, answer):
    new()
    out = answer(["1", "u", "2", "q"])
    assert pairs_shown(out)[2] == pairs_shown(out)[0]
    assert "undone: the pair is shown again" in out
    assert [row["outcome"] for row in answers() if row["is_counted"]] == [-1]
    told = json.loads(answer(["u", "q"], "--json"))
    assert (told["n_saved"], told["n_undone"], told["ended_by"]) == (0, 1, "quit")
    assert not any(row["is_counted"] for row in answers())


def test_with_nothing_to_take_back_the_pair_stays(new, answer):
    new()
    out = answer(["u", "1", "q"])
    assert "has no answer to undo" in out
    assert len(answers()) == 1


def test_a_tie_is_an_answer_only_where_that_is_allowed(new, answer):
    new()
    out = answer(["0", "1", "q"])
    assert "unknown key '0'. Keys: 1 or left arrow, 2 or right arrow, s skip, u undo, q quit" in out
    assert [row["outcome"] for row in answers()] == [1]


def test_a_tie(new, answer):
    new("--ties")
    assert "0 equally good" in answer(["0", "q"])
    assert [row["outcome"] for row in answers()] == [0]


def test_grades_are_a_second_key(new, answer):
    new("--grades", 3)
    out = answer(["1", "2", "2", "3", "1", "7", "1", "x", "2", "1", "q"])
    assert "left: how much better? 1 (slightly) to 3 (much)" in out
    assert out.count("which of the two?") == 2
    outcomes = [row["outcome"] for row in answers()]
    assert outcomes == pytest.approx([2 / 3, -1, -1 / 3])


def test_many_grades_and_any_outcome(new, answer):
    new("--grades", 12)
    answer(["1", "11", "q"])
    assert answers()[0]["outcome"] == pytest.approx(11 / 12)
    new("--grades", 0, "--name", "numbers")
    answer(["2", "q"], "--name", "numbers")
    assert answers("numbers")[0]["outcome"] == -1


def test_a_skipped_pair_does_not_come_back(new, answer):
    new()
    out = answer(["s"] * 10)
    assert len(set(map(frozenset, pairs_shown(out)))) == 10
    assert "ann has seen every pair" in out
    assert "skipped: cannot decide" in out
    assert "0 answers by ann saved, 10 skipped" in out


def test_a_reason_to_skip_is_a_second_key(new, answer):
    new("--set", 'skip_reasons=["too close", "not shown"]')
    out = answer(["s", "2", "s", "9", "1", "q"])
    assert "why? 1 too close, 2 not shown" in out
    assert "skipped: not shown" in out
    assert "which of the two?" in out
    with Campaign.open("campaign.db", read_only=True) as campaign:
        reasons = [event.data["reason"] for event in campaign.events() if event.kind == "skipped"]
    assert reasons == ["not shown"]
    assert len(answers()) == 1


def test_where_skipping_is_not_allowed_there_is_no_such_key(new, answer):
    new("--set", "skip_reasons=[]")
    out = answer(["s", "q"])
    assert "unknown key 's'" in out
    assert "s skip" not in out


def test_it_ends_with_the_words_of_the_reason_and_status_0(new, answer, campaign):
    new("--budget", 2)
    told = json.loads(answer(["1", "1", "1"], "--json"))
    assert told == {
        "campaign": "campaign", "worker": "ann", "n_saved": 2, "n_undone": 0, "n_skipped": 0,
        "ended_by": "budget", "words": "the campaign has all 2 votes of its budget",
    }  # fmt: skip
    new("--name", "other")
    campaign("pause", "campaign.db", "--name", "other")
    assert "paused: try again later" in answer(["1"], "--name", "other")
    campaign("ban", "campaign.db", "bob", "--name", "other")
    assert "bob is banned" in answer(["1"], "--name", "other", worker="bob")
    campaign("close", "campaign.db", "--name", "other", "--yes")
    assert "the campaign is closed" in answer(["1"], "--name", "other")


def test_a_stopping_rule_is_looked_at_every_so_many_answers(new, answer, monkeypatch):
    monkeypatch.setattr("hodgerank.cli.campaign.answer.LOOK_EVERY", 3)
    new("--stop", "tau >= 0.01")
    told = json.loads(answer(["1"] * 9, "--json"))
    assert (told["n_saved"], told["ended_by"]) == (3, "enough")


def test_a_stopping_rule_is_looked_at_first(new, answer):
    new("--stop", "tau >= 0.01")
    answer(["1"] * 3)
    told = json.loads(answer(["1"], "--json", worker="bob"))
    assert (told["n_saved"], told["ended_by"]) == (0, "enough")


def test_gold_pairs_cannot_be_told_from_others(new, answer, folder):
    (folder / "gold.csv").write_text("better,worse\nitem-1,item-2\n")
    new("--gold", "gold.csv", "--set", "gold_share=0.5", "--budget", 40)
    out = answer(["1", "1", "1", "1"])
    said = [line for line in out.splitlines() if "saved:" in line]
    assert said == [f"left, saved: {n} answer{'s' * (n > 1)} so far" for n in (1, 2, 3, 4)]
    assert {row["purpose"] for row in answers()} == {"gold", "chosen"}


def test_a_limit_of_answers_is_told(new, answer):
    new("--answers-per-worker", 2)
    out = answer(["1", "1", "1"])
    assert "2 answers so far, of at most 2" in out
    assert "ann has given all 2 answers" in out


def test_the_login_name_is_said(new, campaign, monkeypatch):
    from io import StringIO

    new()
    monkeypatch.setenv("LOGNAME", "eve")
    monkeypatch.setattr("sys.stdin", StringIO("1\n"))
    assert "campaign, worker eve" in campaign("answer", "campaign.db")
    assert answers()[0]["worker"] == "eve"


def test_without_a_login_name_one_is_asked_for(new, campaign, monkeypatch):
    def nobody():
        raise OSError

    new()
    monkeypatch.setattr("getpass.getuser", nobody)
    assert "--worker NAME" in campaign("answer", "campaign.db", status=2)


def test_title_and_instructions_are_read_first(new, answer):
    new("--title", "Letters", "--set", "instructions=Take your time.\nRead twice.")
    out = answer([])
    assert out.index("Letters") < out.index("Take your time.\nRead twice.") < out.index("Which is")


def test_with_json_the_conversation_is_not_on_standard_output(new, run, monkeypatch):
    from io import StringIO

    new()
    monkeypatch.setattr("sys.stdin", StringIO("1\nq\n"))
    status, out, err = run("campaign", "answer", "campaign.db", "--worker", "ann", "--json")
    assert (status, json.loads(out)["n_saved"]) == (0, 1)
    assert "Which is clearer?" in err


def test_closed_standard_input_is_its_end(new, campaign, monkeypatch):
    new()
    monkeypatch.setattr("sys.stdin", None)
    told = json.loads(campaign("answer", "campaign.db", "--worker", "ann", "--json"))
    assert told["ended_by"] == "end of input"


@pytest.mark.parametrize("width", [30, 60, 100, 300])
def test_hostile_texts_do_not_disturb_the_terminal(new, answer, monkeypatch, width):
    hostile = [
        CampaignItem("a", "\x1b[2J\x1b]0;title\x07[bold red]markup[/bold red] :smile:\r\x08"),
        CampaignItem("b", "\u202ereversed \u2066\x9b31m and " + "x" * 100_000),
        CampaignItem("c", "lines\nof\ttext\r\n" + "many\n" * 50, "https://x/[link]\x1b[0m"),
        CampaignItem("[d]", "  "),
    ]
    question = "Which\x1b[31m [blink]is[/] it?"
    Campaign.create("campaign.db", hostile, question=question, title="\x1b[H").leave()
    out = answer(["1"] * 6)
    monkeypatch.setenv("COLUMNS", str(width))
    narrow = answer(["1"] * 6, worker="bob")
    for shown in (out, narrow):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", shown)
    assert "[bold red]markup[/bold" in out
    assert ":smile:" in out
    assert "\\x1b[2J" in out
    assert "[blink]is[/] it?" in out
    assert "90,0" in out
    assert len(out) < 200_000
    assert "[d]" in out
    assert max(map(len, narrow.splitlines())) <= width


def test_on_narrow_terminals_items_stand_one_under_the_other(new, answer, monkeypatch):
    new()
    monkeypatch.setenv("COLUMNS", "60")
    out = answer(["q"])
    assert re.search(r"1: left\ntext \d\n\n2: right\ntext \d\n", out)


def test_media_are_shown_by_their_path_or_address(answer):
    items = [CampaignItem("a", "words", "https://x/a.png"), CampaignItem("b", "", "/b.mp4")]
    Campaign.create("campaign.db", items, question="Which?").leave()
    out = answer(["q"])
    assert "https://x/a.png" in out
    assert "/b.mp4" in out
    assert "words" in out


@pytest.mark.parametrize("worker", ["", " ", "\x1b[2J", "x" * 501])
def test_names_that_cannot_be_kept_are_refused(new, answer, worker):
    new()
    assert "the worker" in answer(["1"], worker=worker, status=2)


def test_a_disk_that_is_full_is_no_answer(new, run, answer, monkeypatch):
    from hodgerank.errors import CannotWrite

    def full(*_, **__):
        raise CannotWrite("campaign.db cannot be written: the disk is full")

    new()
    monkeypatch.setattr(Campaign, "answer", full)
    for options in ((), ("--json",)):
        told = answer(["1"], *options, status=3)
        assert told.endswith("error: campaign.db cannot be written: the disk is full\n")
        assert "standard output" not in told
    assert answers() == []


def test_an_interrupt_leaves_the_pair_open(new, answer, monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    new()
    with monkeypatch.context() as patch:
        patch.setattr("hodgerank.cli.campaign.keyboard.LineKeyReader.read", interrupt)
        out = answer([], status=130)
    assert "run the same command to continue" in out
    assert pairs_shown(answer(["q"])) == pairs_shown(out)


def test_pictures_that_a_server_keeps_are_shown_by_their_paths(answer, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")  # one under the other
    kept, lost = f"{'ab' * 32}.png", f"{'cd' * 32}.png"
    items = [CampaignItem("a", media=f"media:{kept}"), CampaignItem("b", media=f"media:{lost}")]
    Campaign.create("campaign.db", items, question="Which?").leave()
    place = folder / "campaign.db-media" / "ab" / kept
    place.parent.mkdir(parents=True)
    place.write_bytes(b"a picture")
    out = "".join(answer(["q"]).split())
    assert f"campaign.db-media/ab/{kept}" in out
    assert f"media:{kept}" not in out
    assert f"media:{lost}" in out
