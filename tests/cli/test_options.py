"""Commands are alike: the same name for the same thing, in the same order."""

from __future__ import annotations

import json

import pytest

from commands import all_commands
from hodgerank.cli.app import CAMPAIGN_TABLE, MAIN_TABLE

COMMANDS = all_commands()
LAST = ["seed", "truth", "top", "show", "output", "state", "again", "as_json"]


def own_options(name: str) -> list[str]:
    """Names of the options that are not about reading, in the order of the help."""
    return [
        option.name
        for option in COMMANDS[name].params
        if getattr(option, "rich_help_panel", None) is None and option.name != "files"
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_prints_json_and_shows_examples(run, name):
    assert "as_json" in own_options(name)
    status, out, _ = run(*name.split(), "--help")
    assert status == 0
    assert f"hodgerank {name}" in out.partition("Examples:")[2]


def test_the_list_of_commands_shows_the_first_sentence_of_their_help():
    listed = MAIN_TABLE | {f"campaign {name}": row for name, row in CAMPAIGN_TABLE.items()}
    assert {name: row.summary for name, row in listed.items()} == {
        name: command.help.partition("\n\n")[0] for name, command in COMMANDS.items()
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_common_options_come_last_and_in_one_order(name):
    options = [option for option in own_options(name) if (name, option) != ("plan", "top")]
    common = [option for option in options if option in LAST]
    assert common == sorted(common, key=LAST.index)
    assert options[len(options) - len(common) :] == common


def test_the_same_option_has_the_same_short_name_everywhere():
    shorts = {
        (option.name, *option.opts)
        for command in COMMANDS.values()
        for option in command.params
        if len(option.opts) > 1
    }
    assert len({name for name, *_ in shorts}) == len(shorts)
    assert len({short for _, _, short in shorts}) == len(shorts)


def test_json_of_every_command_tells_what_was_read(run, tmp_path):
    votes = tmp_path / "votes.csv"
    status, out, _ = run("simulate", "--items", 6, "--votes", 200, "-o", votes, "--json")
    assert status == 0
    content = json.loads(out)
    assert content == {
        "items": 6, "votes": 200, "workers": 10, "written": str(votes), "truth_written": None
    }  # fmt: skip
    for command in ("rank", "trust", "workers", "outliers", "describe", "plan --target 0",
                    "replay --runs 1 --votes 5"):  # fmt: skip
        name, *options = command.split()
        content = json.loads(run(name, votes, *options, "--json")[1])
        assert (content["source"], content["rows"]) == (str(votes), 200)


def test_options_in_a_file_beside_the_votes_hold_unless_the_command_line_says_otherwise(
    run, tmp_path
):
    votes, beside = tmp_path / "survey.csv", tmp_path / "survey.toml"
    votes.write_text("A,B,grade,scene\nx,y,7,s1\ny,z,1,s2\nx,z,6,s1\nx,y,5,s2\n")
    beside.write_text('left = "A"\nright = "B"\noutcome = "grade"\nscale = [1, 7]\n')
    status, out, _ = run("rank", votes, "--json")
    assert status == 0
    found = json.loads(out)
    assert found["source"] == f"{votes} with survey.toml"
    assert found["items"][0]["item"] == "x"
    reverse = json.loads(run("rank", votes, "--scale", 7, 1, "--json")[1])
    assert reverse["items"][-1]["item"] == "x"
    status, _, err = run("rank", votes, "--no-options-file")
    assert status != 0
    assert "not a number in [-1, 1]" in err
    beside.write_text(beside.read_text() + 'group = "scene"\n')
    assert len(json.loads(run("rank", votes, "--json")[1])["groups"]) == 2
    status, _, err = run("rank", votes, "--compare", "scene")
    assert status != 0
    assert "--by and --compare cannot be combined" in err
