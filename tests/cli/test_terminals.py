"""Whatever the terminal: wide or narrow, plain or coloured, of a person or of a log."""

from __future__ import annotations

import os
import pty
import subprocess
from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from hodgerank.cli.console import add_names, add_numbers, plain_table, show_table
from hodgerank.cli.progress import doing, telling_progress
from processes import COMMAND, hodgerank

NAMES = [
    "предмет-8",
    "一つの非常に長い名前のアイテム番号六",
    "a long descriptive title of a photo",
    "x",
]
COMMANDS = {
    "rank": ["rank", "item", "score", "95% interval", "ranks", "votes"],
    "rank --by scene": ["scene", "items", "votes", "leader", "certain"],
    "rank --compare scene": ["item", "rank, beach", "rank, street", "difference", "p"],
    "workers": [
        "worker", "flag", "votes", "bias", "agreement", "outliers", "tie", "left", "reliability",
    ],
    "outliers --false-positive-rate 0.5": [
        "row", "left", "right", "worker", "outcome", "expected", "entry",
    ],
    "trust": ["share", "p"],
    "plan --target 0 -n 3": ["pair", "left", "right", "gain"],
    "replay --runs 2 --votes 10": ["votes", "auto", "random"],
    "describe": [],
}  # fmt: skip


@pytest.fixture
def votes(write):
    """Votes on items with names of many kinds, in two scenes."""
    pairs = [(a, b) for k, a in enumerate(NAMES) for b in NAMES[k + 1 :]]
    scenes = ("beach", "street")
    rows = [
        f"{a},{b},{1 if (k + n) % 4 else -1},a-worker-with-a-name-{n % 3},{scenes[n % 2]}"
        for n in range(12)
        for k, (a, b) in enumerate(pairs)
    ]
    return write("\n".join(["left,right,outcome,worker,scene", *rows]))


@pytest.mark.parametrize(
    "width", [40, 80, *(pytest.param(width, marks=pytest.mark.slow) for width in (60, 200))]
)
@pytest.mark.parametrize("command", COMMANDS)
def test_columns_are_whole_or_said_to_be_missing(run, votes, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    name, *options = command.split()
    status, out, _ = run(name, votes, *options)
    assert status == 0
    assert "…" not in out
    assert max(cell_len(line) for line in out.splitlines()) <= width
    shown = " ".join(out.split())
    assert width < 80 or "no room" not in shown
    for header in COMMANDS[command]:
        assert all(word in shown for word in header.split())


@pytest.mark.parametrize("width", [40, 60])
def test_names_are_shown_to_their_last_letter(run, votes, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    out = run("rank", votes)[1]
    table = out[out.index("rank  item") :].splitlines()
    column = table[0].index("item")
    cells = "".join(line[column : column + 14].strip() for line in table)
    assert "предмет-8" in cells
    for name in NAMES:
        assert all(part in out for part in name.split()) or cell_len(name) > 14


def test_what_does_not_fit_is_left_out_in_the_order_of_least_use(run, votes, monkeypatch):
    monkeypatch.setenv("COLUMNS", "52")
    said = " ".join(run("rank", votes)[1].split())
    assert "52 columns are too narrow for votes: use a wider terminal, or --json" in said
    monkeypatch.setenv("COLUMNS", "40")
    said = " ".join(run("rank", votes)[1].split())
    assert (
        "40 columns are too narrow for votes, 95% interval: use a wider terminal, or --json" in said
    )


def shown(width: int, *, spare: tuple[str, ...] = ()) -> str:
    console = Console(file=StringIO(), width=width, emoji=False, highlight=False)
    table = plain_table()
    add_names(table, "name")
    table.add_column("words")
    add_numbers(table, "first", "second")
    table.add_row("n" * 30, "two words", "1,000,000", "2,000,000")
    show_table(table, console, spare)
    return console.file.getvalue()


def test_a_table_gives_way_step_by_step():
    assert shown(80).splitlines()[1].split() == ["n" * 30, "two", "words", "1,000,000", "2,000,000"]
    narrow = shown(41)
    assert narrow.splitlines()[1] == "nnnnnnnnnn  two      1,000,000  2,000,000"
    without = shown(34, spare=("second", "first"))
    assert "1,000,000" in without
    assert "2,000,000" not in without
    assert "too narrow for second" in " ".join(without.split())
    folded = shown(12)
    assert "…" not in folded
    assert folded.count("n") == 30 + "name second".count("n")


@pytest.mark.parametrize("width", [1, 5, 20])
def test_a_tiny_terminal_is_no_error(run, votes, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for command in ("rank", "workers", "replay --runs 1 --votes 10"):
        name, *options = command.split()
        assert run(name, votes, *options)[0] == 0


def test_a_width_that_is_none_is_ignored(run, votes, monkeypatch):
    monkeypatch.delenv("COLUMNS")
    plain = run("rank", votes)
    assert plain[0] == 0
    for width in ("0", "000", "-5", "wide", "²", ""):
        monkeypatch.setenv("COLUMNS", width)
        assert run("rank", votes) == plain, width


@pytest.mark.parametrize(
    "width", [60, *(pytest.param(width, marks=pytest.mark.slow) for width in (40, 80, 120))]
)
def test_help_names_options_in_full(width):
    options = {"env": os.environ | {"COLUMNS": str(width)}}
    out = hodgerank("rank", "--help", **options).stdout
    assert "…" not in out
    for option in ("--exclude-workers", "--largest-component", "--json"):
        assert option in out
    page = hodgerank("help", "reading", **options).stdout
    assert "…" not in page
    assert "--display-unknown" in page
    assert "--install-completion" in hodgerank("--help", **options).stdout


@pytest.mark.parametrize(
    ("settings", "is_coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False),
    ],
    ids=str,
)
def test_colours_are_for_those_who_want_them(run, votes, monkeypatch, settings, is_coloured):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    status, out, err = run("workers", votes)
    assert status == 0
    assert ("\x1b[33m" in out or "\x1b[2m" in out) is (is_coloured or "NO_COLOR" in settings)
    assert ("\x1b[3" in out) is is_coloured
    assert err == ""
    assert "\x1b" not in run("workers", votes, "--json")[1]


def on_a_terminal(*arguments: object, term: str = "xterm") -> tuple[str, str]:
    """What a command prints where standard error is a terminal, and standard output a pipe."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": term, "COLUMNS": "80"}
    command = [*COMMAND, *map(str, arguments)]
    with subprocess.Popen(command, stdout=-1, stderr=theirs, env=environment) as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 4096):
                seen += part
        except OSError:  # what Linux says when the other end is closed
            pass
        out = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0
    return out.decode(), seen.decode()


@pytest.mark.slow
def test_a_person_is_told_what_is_being_done(votes):
    out, err = on_a_terminal("plan", votes, "-n", 3, "--target", 0.6, "-o", "-")
    assert "reading" in err
    assert "forecasting: expected tau 0.6" in err
    assert "\x1b[2K\x1b[33m! \x1b[0mcolumn" in err  # the line is gone when more is said
    assert out.startswith("pair,left,right")
    assert "\x1b" not in out
    assert "\x1b" not in on_a_terminal("describe", votes, term="dumb")[1]


def test_a_log_is_told_nothing_of_it(run, votes, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # which does not make a file a terminal
    for command in ("rank --compare scene", "replay --runs 1 --votes 10"):
        name, *options = command.split()
        assert run(name, votes, *options)[2] == ""


def test_progress_takes_any_words():
    with telling_progress():
        doing("reading [/red] :cat: \x1b[31m", 3)()
