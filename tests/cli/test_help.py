"""Help: of every command, and of how files are read, which is told once."""

from __future__ import annotations

import pytest

from commands import all_commands
from hodgerank.cli.reading_options import PANEL, POINTER, reading_parameters

COMMANDS = all_commands()
TAKE_VOTES = [
    name
    for name, command in COMMANDS.items()
    if any(getattr(option, "rich_help_panel", None) == PANEL for option in command.params)
]
SCREENS = 2 * 50  # lines, of 80 columns


def reading_flags() -> set[str]:
    options = (option for option in COMMANDS["rank"].params)
    about_reading = (p for p in options if getattr(p, "rich_help_panel", None) == PANEL)
    return {flag for option in about_reading for flag in (*option.opts, *option.secondary_opts)}


def test_one_page_tells_how_files_are_read(run):
    status, out, err = run("help", "reading")
    assert (status, err) == (0, "")
    assert reading_flags() <= set(out.split())
    assert "hodgerank rank" in out.partition("Examples:")[2]


def test_every_field_becomes_an_option():
    assert len(reading_parameters()) == 33
    assert len(reading_flags()) == 40  # seven can be turned off


@pytest.mark.parametrize("name", TAKE_VOTES)
def test_help_of_a_command_points_there(run, monkeypatch, name):
    _, out, _ = run(name, "--help")
    assert POINTER in " ".join(out.split())
    assert not {"--display-known", "--encoding", "--no-header"} & set(out.split())
    monkeypatch.setenv("COLUMNS", "80")
    assert len(run(name, "--help")[1].splitlines()) <= SCREENS


@pytest.mark.parametrize("words", [(), ("rank",), ("campaign",), ("campaign", "new")], ids=str)
def test_help_of_something_is_what_its_option_shows(run, words):
    assert run("help", *words) == run(*words, "--help")


def test_help_of_what_is_not_there_names_what_is(run):
    status, _, err = run("help", "rnk")
    assert (status, "Did you mean 'rank'?" in err) == (2, True)


def test_help_is_listed_and_options_that_are_not_listed_are_still_proposed(run, write):
    assert "help reading" in run("--help")[1]
    status, _, err = run("rank", write("left,right,label\na,b,1\n"), "--skip-invald")
    assert status == 2
    assert "--skip-invalid" in err
