from __future__ import annotations

import string
import tomllib
from importlib.resources import files
from typing import get_args, get_type_hints

import pytest

from hodgerank.campaign.page_settings import PageSettings
from hodgerank.server.texts import Texts

TEXTS = files("hodgerank.server.texts")
LANGUAGES = get_args(get_type_hints(PageSettings)["language"])


def flat(table, prefix=""):
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from flat(value, f"{name}.")
        else:
            yield name, value


def catalogue(language, part):
    return dict(flat(tomllib.loads((TEXTS / language / f"{part}.toml").read_text("utf-8"))))


def places(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("part", ["worker", "problem"])
@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_what_workers_read_exists_in_every_language(language, part):
    english, other = catalogue("en", part), catalogue(language, part)
    assert english.keys() == other.keys()
    assert {key: places(text) for key, text in other.items()} == {
        key: places(text) for key, text in english.items()
    }


def test_every_language_of_the_settings_has_a_folder():
    assert all((TEXTS / language).is_dir() for language in LANGUAGES)


def test_a_text_that_a_language_does_not_have_is_in_english():
    assert Texts("de").say("owner.new") == Texts("en").say("owner.new")


def test_a_text_that_does_not_exist_is_an_error():
    with pytest.raises(KeyError, match=r"no text owner\.nothing"):
        Texts().say("owner.nothing")
