"""The page on the paper lists every numbered thing in it, with names that exist here."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.docs.pages import DOCS

import hodgerank
from hodgerank.cli.app import MAIN_TABLE
from hodgerank.reproduce.verdict import Status

PAGE = DOCS / "explanations" / "paper.md"
PUBLISHED = Path(inspect.getfile(hodgerank)).parent / "reproduce" / "published"
# Numbered in the published paper: equations in the order in which they are printed, where eqs. (13)
# and (14) are two lines of one display, and so are (17) and (18).
NUMBERED = {
    *(f"Eq. ({k})" for k in range(1, 19)),
    "Theorem 1",
    "Proposition 1",
    "Proposition 2",
    "Remark 1",
    "Algorithm 1",
    "Algorithm 2",
    *(f"Figure {k}" for k in range(1, 8)),
    "Table 1",
    "Table 2",
    *(f"Appendix {letter}" for letter in "ABC"),
}
LABEL = re.compile(
    r"(?:Eq\. \(\d+\)|(?:Theorem|Proposition|Remark|Algorithm|Figure|Table) \d+|Appendix [A-C])"
)
CODE = re.compile(r"`([^`]+)`")
CALL = re.compile(r"^([\w.]+)(?:\((.*)\))?$")
VERDICTS = (
    "as printed",
    "corrected",
    "settled",
    "extended",
    "reproduced",
    "in part",
    "not reproduced",
)


def rows() -> Iterator[list[str]]:
    """Cells of all rows of the tables."""
    for line in PAGE.read_text(encoding="utf-8").split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if (
            line.startswith("| ")
            and not set(line) <= set("|- ")
            and cells[0] not in ("in the paper", "claim")
        ):
            yield cells


def implemented() -> list[tuple[str, str]]:
    """Each name in a row of five cells, with what it implements."""
    return [(row[0], name) for row in rows() if len(row) == 5 for name in CODE.findall(row[2])]


def claimed() -> list[str]:
    """Identifiers of the claims in the tables."""
    return [row[0] for row in rows() if len(row) == 4]


def test_every_numbered_thing_of_the_paper_has_a_row():
    found = [label for row in rows() if len(row) == 5 for label in LABEL.findall(row[0])]
    assert sorted(set(found)) == sorted(NUMBERED)
    assert len(found) == len(NUMBERED)


@pytest.mark.parametrize(("what", "name"), implemented(), ids=lambda value: str(value))
def test_names_exist_with_the_arguments_that_are_shown(what, name):
    if name.startswith("hodgerank "):
        _, command, *experiment = name.split()
        assert command in MAIN_TABLE
        assert all((PUBLISHED / f"{one}.json").exists() for one in experiment)
        return
    path, arguments = CALL.match(name).groups()
    value: Any = hodgerank
    for part in path.split("."):
        value = getattr(value, part, None) or _field(value, part)
        assert value is not None, f"{what}: there is no {path}"
    given = re.findall(r"(\w+)=(\"[^\"]*\"|\w+)", arguments or "")
    signature = inspect.signature(value) if given else None
    for parameter, literal in given:
        assert parameter in signature.parameters, f"{path} has no argument {parameter}"
        hints = str(signature.parameters[parameter].annotation)
        if literal.startswith('"') and "Literal" in hints:
            assert literal.strip('"') in hints


def _field(value: Any, name: str) -> Any:
    """An attribute of the instances of a dataclass."""
    return getattr(value, "__dataclass_fields__", {}).get(name)


def test_every_row_says_where_it_is_documented_and_a_verdict():
    for row in rows():
        if len(row) == 5:
            assert re.search(r"\]\([^)]+\.md(#[\w-]+)?\)", row[3]), row[0]
            assert row[4].startswith(VERDICTS), row[0]
        else:
            assert len(row) == 4, row
            assert row[3] in [*Status, "see results"], row[0]


def test_every_claim_of_the_reproduction_is_listed():
    claims = {
        f"`{claim['id']}`"
        for path in PUBLISHED.glob("*.json")
        for claim in json.loads(path.read_text(encoding="utf-8"))["claims"]
    }
    assert sorted(claimed()) == sorted(claims)
