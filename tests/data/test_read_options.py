"""The options for reading are declared once, and what repeats them agrees."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from typing import get_type_hints

from hodgerank.data.reading.options import COLUMN_OPTIONS, ReadOptions
from hodgerank.data.reading.vote_source import read_comparisons


def test_the_function_for_users_takes_the_same_options_in_the_same_order():
    source, *parameters = signature(read_comparisons).parameters.values()
    assert source.name == "source"
    assert [(p.name, p.default) for p in parameters] == [
        (option.name, option.default) for option in fields(ReadOptions)
    ]
    taken, declared = get_type_hints(read_comparisons), get_type_hints(ReadOptions)
    assert {p.name: taken[p.name] for p in parameters} == declared


def test_every_option_has_a_help_text_that_is_a_sentence():
    for option in fields(ReadOptions):
        assert option.metadata["help"].rstrip('"').endswith(".")


def test_options_that_name_columns_are_options():
    assert set(COLUMN_OPTIONS) <= {option.name for option in fields(ReadOptions)}
