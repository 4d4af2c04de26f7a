"""Names of items, workers and files are data: nothing in them is markup, an emoji, or an order."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from hodgerank.cli.console import LONGEST_LINE, MOST_LINES, complain
from hodgerank.display import visible
from hodgerank.errors import DisconnectedGraph, UnknownItem

ORDERS = "\x1b]0;pwned\x07\x9b31m\u202etxt\u2066\x7f"
NAMES = [f"esc{ORDERS}", ":cat:", "[/red]x", "[bold]y", "</script><script>alert(1)</script>"]
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture
def votes(tmp_path):
    """Votes of hostile workers on hostile items, in a hostile file."""
    path = tmp_path / "\x1b[31m[/red]:cat:.csv"
    path.parent.mkdir()
    rows = [
        f"{a},{b},{1 if (k + n) % 3 else -1},{'w' + ORDERS if n % 2 else ':dog:[/]'}"
        for n in range(12)
        for k, a in enumerate(NAMES)
        for b in NAMES[k + 1 :]
    ]
    path.write_text("\n".join(["left,right,label,worker", *rows]))
    return path


@pytest.mark.parametrize(
    "command",
    [
        ["rank"],
        ["trust"],
        ["workers", "--top", "0"],
        ["outliers", "--false-positive-rate", "0.5"],
        ["describe"],
        ["plan", "--target", "0"],
        ["replay", "--runs", "1", "--votes", "10"],
    ],
    ids=lambda command: command[0],
)
def test_names_are_shown_as_they_are_and_do_nothing(run, votes, command):
    output = [] if command[0] in ("trust", "describe") else ["-o", votes.parent / ":ox:\x9b.csv"]
    status, out, err = run(*command, votes, *output)
    assert status == 0, err
    assert not UNSAFE.search(out + err)
    shown = "".join(out.split())
    if command[0] in ("rank", "plan"):
        assert all(name in shown for name in NAMES[1:])
    if command[0] == "rank":  # in narrower columns it is folded
        assert r"esc\x1b]0;pwned\x07\x9b31m\u202etxt\u2066\x7f" in shown
    if command[0] == "workers":
        assert ":dog:[/]" in shown
    if output:
        assert r":ox:\x9b.csv" in shown


def test_json_gives_no_orders_and_loses_nothing(run, votes):
    status, out, _ = run("rank", votes, "--json")
    assert status == 0
    assert not UNSAFE.search(out)
    assert {row["item"] for row in json.loads(out)["items"]} == set(NAMES)


def test_errors_give_no_orders(run, write, tmp_path):
    path = write(f"left,right,label\na{ORDERS},b,1\nc,:cat:[/red],1\n", f"x{ORDERS}.csv")
    for arguments in (
        ("rank", path),
        ("rank", tmp_path / f"no{ORDERS}.csv"),
        ("plan", path, "--exclude", f"no{ORDERS}"),
        ("rank", path, "-o", tmp_path / f"no{ORDERS}" / "x.csv"),
        ("rank", path, "--left", f"no{ORDERS}"),
    ):
        status, out, err = run(*arguments)
        assert status > 1
        assert not UNSAFE.search(out + err), arguments
        assert r"\x1b]0;pwned" in err
    assert ":cat:[/red]" in run("rank", path)[2]


def test_long_messages_are_cut(capsys):
    complain("x" * 10**6)
    complain("\n".join("line" for _ in range(10_000)))
    err = capsys.readouterr().err
    assert len(err) < 10 * LONGEST_LINE
    assert f"and {10_000 - MOST_LINES:,} more lines" in err


def test_long_names_in_errors_are_cut():
    name = "n" * 10**6
    assert len(str(UnknownItem(name, [name + "x", "y"]))) < 300
    groups = [(name, name + "b")] * 10_000
    assert len(str(DisconnectedGraph(groups, [(name, name)] * 9_999))) < 2_000


def test_many_long_columns_make_a_short_error(run, write):
    path = write(",".join(f"{'c' * 100}{k}" for k in range(1000)) + "\n" + "1," * 999 + "1\n")
    for arguments in (("rank", path), ("rank", write("left,right,label\na,b,1\n", "v.csv"),
                                       "--truth", path)):  # fmt: skip
        status, _, err = run(*arguments)
        assert status == 3
        assert len(err) < 5 * LONGEST_LINE


class Scripts(HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self._inside = [], False

    def handle_starttag(self, tag, attrs):
        self._inside = tag == "script"
        if self._inside:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.scripts[-1] += data


def test_no_name_ends_the_script_of_a_chart(run, votes, tmp_path):
    page = tmp_path / "x.html"
    assert run("rank", votes, "-o", page)[0] == 0
    text, parser = page.read_text(), Scripts()
    parser.feed(text)
    assert "<script>alert" not in text
    drawing = parser.scripts[-1]
    start = re.search(r"(var|const) spec = ", drawing).end()
    spec, _ = json.JSONDecoder().raw_decode(drawing, start)
    rows = next(layer for layer in spec["layer"] if "data" in layer)["data"]["values"]
    assert {row["item"] for row in rows} == {visible(name) for name in NAMES}
    assert "cdn.jsdelivr" not in "".join(re.findall(r"<script[^>]*src=[^>]*>", text))
