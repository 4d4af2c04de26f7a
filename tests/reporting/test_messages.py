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
from hodgerank.collecting.forecast import Forecast
from hodgerank.collecting.stopping import TopKCertain
from hodgerank.reporting.blocks import Text
from hodgerank.reporting.messages import listed, probability, say, vote_range
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
    assert str(say("workers.unchecked", n=1)) == "1 worker could not be checked."
    assert str(say("workers.unchecked", n=2)) == "2 workers could not be checked."


@pytest.mark.parametrize(
    ("n", "words"),
    [(1, "“1”"), (2, "“1” and “2”"), (3, "“1”, “2” and “3”"), (5, "“1”, “2”, “3” and 2 others")],
)
def test_names_are_quoted_and_many_are_counted(n, words):
    assert str(listed(range(1, n + 1))) == words


@pytest.mark.parametrize(
    ("votes", "lower", "upper", "words"),
    [
        (122, 51, 501, "50 to 500 more votes"),
        (122, 90, 200, "About 120 (90 to 200) more votes"),
        (300, 80, float("inf"), "At least 80 more votes"),
    ],
)
def test_a_forecast_is_a_range_and_its_middle_only_where_that_is_narrow(votes, lower, upper, words):
    outlook = Forecast(TopKCertain(1), 0.5, votes, lower, upper)
    assert str(vote_range(outlook)) == words


def test_a_probability_is_never_rounded_up_to_a_level():
    assert probability(0.9499) == "94%"
    assert probability(0.95) == "95%"


def test_what_is_filled_in_is_escaped_and_the_rest_by_its_own_rule():
    text = Text("a < {name}", {"name": "b < c"})
    assert text.written(lambda t: t.replace("<", "&lt;")) == "a < b &lt; c"
    assert text.written(str.upper, str.upper) == "A < B < C"


@pytest.mark.parametrize("key", REFERENCES)
def test_references_are_those_of_the_documentation(key):
    plain = (ROOT / "docs" / "references.md").read_text().replace("*", "")
    assert f"[{key}]" in plain
    assert REFERENCES[key] in plain
