"""The texts of the report stand in one file, and all of them are used."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from string import Formatter

import pytest

import hodgerank.judges
import hodgerank.reporting
from hodgerank.reporting.blocks import Text
from hodgerank.reporting.messages import say
from hodgerank.reporting.method_sections import REFERENCES

HOMES = (hodgerank.reporting, hodgerank.judges)
SOURCE = "\n".join(
    path.read_text() for home in HOMES for path in Path(home.__file__).parent.rglob("*.py")
)
TEXTS = tomllib.loads((files("hodgerank.reporting") / "texts" / "en.toml").read_text("utf-8"))
KEYS = [f"{section}.{name}" for section, texts in TEXTS.items() for name in texts]
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("key", re.findall(r'(?:say\(|key = )"([a-z_]+\.[a-z_]+)"', SOURCE))
def test_every_text_that_is_asked_for_is_there(key):
    assert key in KEYS


@pytest.mark.parametrize("key", KEYS)
def test_every_text_is_used(key):
    section, name = key.split(".")
    by_name = re.search(rf'say\(f"{section}\.{{name}}', SOURCE) and f'"{name}"' in SOURCE
    assert f'"{key}"' in SOURCE or f"'{key}'" in SOURCE or by_name


def test_both_forms_of_a_text_have_the_same_blanks():
    for section, texts in TEXTS.items():
        for name, text in texts.items():
            if isinstance(text, dict):
                one, other = (
                    {field for _, field, _, _ in Formatter().parse(text[form])} - {None, "n"}
                    for form in ("one", "other")
                )
                assert one == other, f"{section}.{name}"


def test_a_text_with_two_forms_counts():
    assert "1 flagged worker;" in str(say("answer.workers_lost", n=1))
    assert "2 flagged workers;" in str(say("answer.workers_lost", n=2))


def test_what_is_filled_in_is_escaped_and_the_rest_by_its_own_rule():
    text = Text("a < {name}", {"name": "b < c"})
    assert text.written(lambda t: t.replace("<", "&lt;")) == "a < b &lt; c"
    assert text.written(str.upper, str.upper) == "A < B < C"


@pytest.mark.parametrize("key", REFERENCES)
def test_references_are_those_of_the_documentation(key):
    plain = (ROOT / "docs" / "references.md").read_text().replace("*", "")
    assert f"[{key}]" in plain
    assert REFERENCES[key] in plain
