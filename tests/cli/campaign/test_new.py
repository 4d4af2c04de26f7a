"""hodgerank campaign new: what is understood, what is created, what is refused."""

from __future__ import annotations

import json

import pytest

from hodgerank.campaign.campaign import Campaign

IMAGE = b"\x89PNG\r\n\x1a\n"  # as far as anybody looks here


def test_it_says_what_was_understood_and_what_to_do_next(new, folder):
    out = new("--ties", "--grades", 3, "--budget", 500, "--stop", "tau >= 0.9")
    assert "5 items" in out
    assert "question: Which is clearer?" in out
    assert "left or right, in 3 grades, or a tie" in out
    assert "500 votes or tau >= 0.9" in out
    assert "created campaign in campaign.db" in out
    assert "hodgerank campaign answer campaign.db --worker NAME" in out
    with Campaign.open("campaign.db", read_only=True) as found:
        assert found.settings.question == "Which is clearer?"
        assert found.items[0].text == "text 1"


def test_json_has_all_settings(new):
    told = json.loads(
        new("--json", "--name", "second", "--seed", 7, "--ranking", "plain",
            "--position-bias", "worker", "--answers-per-worker", 9, "--lease-seconds", 60,
            "--repeat-share", 0.2, "--sampler", "random", "--title", "Texts")
    )  # fmt: skip
    assert (told["campaign"], told["database"]) == ("second", "campaign.db")
    assert (told["is_created"], told["n_items"], told["tracks"]) == (True, 5, {})
    settings = told["settings"]
    assert (settings["seed"], settings["ranking"], settings["position_bias"]) == (
        7,
        "plain",
        "worker",
    )
    assert (settings["answers_per_worker"], settings["lease_seconds"]) == (9, 60)
    assert (settings["repeat_share"], settings["sampler"]) == (0.2, "random")
    assert (settings["title"], settings["budget"]) == ("Texts", "none")


def test_a_dry_run_creates_nothing(campaign, folder):
    out = campaign("new", "items.csv", "-q", "Which?", "--dry-run")
    assert "nothing created" in out
    assert not json.loads(campaign("new", "items.csv", "-q", "?", "--dry-run", "--json"))[
        "is_created"
    ]
    assert [path.name for path in folder.iterdir()] == ["items.csv"]


def test_options_have_the_last_word_over_a_settings_file(new, campaign, folder):
    (folder / "settings.toml").write_text("budget = 40\nties = true\n[attention]\nsame_side = 9\n")
    options = ("--settings", "settings.toml", "--budget", 50, "--no-ties")
    told = json.loads(new(*options, "--set", "attention.fastest_seconds=1", "--json"))["settings"]
    assert (told["budget"], told["ties"]) == (50, False)
    assert (told["attention"]["same_side"], told["attention"]["fastest_seconds"]) == (9, 1.0)
    campaign("settings", "campaign.db", "-o", "written.toml")
    again = campaign("new", "items.csv", "--settings", "written.toml", "--dry-run", "--json")
    assert json.loads(again)["settings"] == told


def test_tracks_are_named_with_their_sizes(new, folder):
    (folder / "items.csv").write_text(
        "id,text,track\na,x,one\nb,y,one\nc,z,two\nd,w,two\ne,v,two\n"
    )
    assert "2 tracks: one (2), two (3)" in new()


def test_a_track_column_need_not_be_used(new, folder):
    (folder / "items.csv").write_text("id,text,track\na,x,one\nb,y,one\nc,z,two\n")
    assert "tracks" not in new("--track", "")


def test_the_media_of_a_folder_of_images_are_its_paths(new, folder):
    images = folder / "images"
    images.mkdir()
    for name in ("one.png", "two.png"):
        (images / name).write_bytes(IMAGE)
    (images / "notes.pdf").write_bytes(b"%PDF")
    assert "left out: notes.pdf" in new(items="images")
    with Campaign.open("campaign.db", read_only=True) as found:
        assert [item.media for item in found.items] == [
            str(images / "one.png"), str(images / "two.png")
        ]  # fmt: skip


def test_the_context_of_a_text_stands_above_it(new, folder):
    (folder / "items.csv").write_text("id,text,prompt\na,x,Say a letter.\nb,y,Say a letter.\n")
    new()
    with Campaign.open("campaign.db", read_only=True) as found:
        assert found.items[0].text == "Say a letter.\n\nx"


def test_gold_pairs_come_from_a_table(new, folder):
    (folder / "gold.csv").write_text("better,worse\nitem-1,item-2\nitem-3,item-4\n")
    assert "2 pairs, in 10% of the tasks" in new("--gold", "gold.csv")
    with Campaign.open("campaign.db", read_only=True) as found:
        assert found.settings.gold[0].better == "item-1"


def test_gold_pairs_of_items_with_numbers_for_names(new, folder):
    (folder / "items.csv").write_text("id,text\n1,x\n2,y\n")
    (folder / "gold.csv").write_text("better,worse\n1,2\n")
    assert "gold:     1 pair, in 10% of the tasks" in new("--gold", "gold.csv")


def test_nothing_is_overwritten(new, campaign, folder):
    new()
    before = (folder / "campaign.db").read_bytes()
    err = campaign("new", "items.csv", "-q", "Other?", "-o", "campaign.db", status=3)
    assert "a campaign of this name exists already" in err
    assert (folder / "campaign.db").read_bytes() == before
    new("--name", "other")
    told = json.loads(campaign("list", "campaign.db", "--json"))["campaigns"]
    assert [one["campaign"] for one in told] == ["campaign", "other"]


def test_an_existing_file_of_another_kind_is_left_alone(campaign, folder):
    before = (folder / "items.csv").read_bytes()
    campaign("new", "items.csv", "-q", "Which?", "-o", "items.csv", status=3)
    assert (folder / "items.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "words", "status"),
    [
        ([], "question is empty", 2),
        (["-q", "Which?"], "a file for the campaign is needed: -o campaign.db", 2),
        (["-q", "Which?", "-o", "c.db", "--stop", "soon"], "is not a stopping rule", 2),
        (["-q", "Which?", "-o", "c.db", "--budget", "0"], "budget must be a whole number", 2),
        (["-q", "Which?", "-o", "c.db", "--sampler", "magic"], "magic", 2),
        (["-q", "Which?", "-o", "c.db", "--set", "bugdet=3"], "did you mean budget", 2),
        (["-q", "Which?", "-o", "c.db", "--set", "budget"], "write NAME=VALUE", 2),
        (["-q", "Which?", "-o", "c.db", "--settings", "none.toml"], "cannot be read", 2),
        (["-q", "Which?", "-o", "c.db", "--settings", "items.csv"], "is not TOML", 2),
        (["-q", "Which?", "-o", "c.db", "--gold", "items.csv"], "better and worse are needed", 3),
        (["-q", "Which?", "-o", "no/c.db"], "no", 3),
        (["-q", "Which?", "-o", "c.db", "--name", ""], "empty name", 2),
        (["-q", "Which?", "-o", "c.db", "--id", "nobody"], "has no column 'nobody'", 2),
    ],
)  # fmt: skip
def test_bad_options_are_refused_and_leave_no_file(campaign, folder, options, words, status):
    err = campaign("new", "items.csv", *options, status=status)
    assert words in " ".join(err.split())
    assert [path.name for path in folder.iterdir()] == ["items.csv"]


def test_gold_pairs_are_of_items_that_are_there(campaign, folder):
    (folder / "gold.csv").write_text("better,worse\nitem-1,item-9\n")
    options = ("-q", "Which?", "-o", "c.db", "--gold", "gold.csv")
    assert "item-9" in campaign("new", "items.csv", *options, status=3)
    assert not (folder / "c.db").exists()


def test_items_with_several_samples_are_refused(campaign, folder):
    (folder / "items.csv").write_text("id,text,prompt\na,x,1\na,y,2\nb,x,1\nb,y,2\n")
    err = campaign("new", "items.csv", "-q", "Which?", "-o", "c.db", status=3)
    assert "a is in row 1 and in row 2" in " ".join(err.split())
    assert "hodgerank judge" in " ".join(err.split())


def test_one_item_cannot_be_compared(campaign, folder):
    (folder / "items.csv").write_text("id,text\na,x\n")
    err = campaign("new", "items.csv", "-q", "Which?", "-o", "c.db", status=2)
    assert "two items in one track are needed" in err


def test_columns_of_a_folder_are_refused(campaign, folder):
    (folder / "texts").mkdir()
    (folder / "texts" / "a.txt").write_text("x")
    err = campaign("new", "texts", "-q", "Which?", "--id", "name", "--dry-run", status=2)
    assert "a folder has none" in err


def test_the_link_for_workers_has_a_random_key_unless_it_is_named(new, folder):
    keys = []
    for number, more in enumerate([[], [], ["--set", 'pages.entrance=""']]):
        told = json.loads(new("--json", "--name", f"n{number}", *more))
        keys.append(told["settings"]["pages"]["entrance"])
    assert keys[2] == ""
    assert keys[0] != keys[1]
    assert min(map(len, keys[:2])) >= 12
