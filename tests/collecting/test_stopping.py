"""Stopping rules in words."""

from __future__ import annotations

import pytest

import hodgerank as hr
from hodgerank.collecting.stopping import read_rule
from hodgerank.errors import InvalidArgument

TAU, TOP, RANKS = hr.ExpectedTau(0.9), hr.TopKCertain(3, 0.95), hr.RanksWithin(2)


@pytest.mark.parametrize(
    "text", ["tau >= 0.9", "tau>=.9", "tau = 0.9", "tau 0.9", "TAU >= 90%", " Expected  tau 0.9 "]
)
def test_tau_is_written_in_several_ways(text):
    assert read_rule(text) == TAU


@pytest.mark.parametrize(
    "text",
    ["top 3", "top3", "top 3 >= 0.95", "top 3 >= 95 %", "Top 3 certain to 95%", "top 3 at .95"],
)
def test_the_top_is_certain_to_95_percent_unless_it_is_said(text):
    assert read_rule(text) == TOP


def test_the_top_may_be_more_or_less_certain():
    assert read_rule("top 12 >= 80%") == hr.TopKCertain(12, 0.8)


@pytest.mark.parametrize("text", ["ranks <= 2", "ranks<=2", "ranks within 2", "Ranks 2"])
def test_ranks_are_written_in_several_ways(text):
    assert read_rule(text) == RANKS


@pytest.mark.parametrize("rule", [TAU, TOP, RANKS])
def test_a_rule_is_read_as_it_is_printed(rule):
    assert read_rule(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("tau >= 0.9 and top 3", TAU & TOP),
        ("tau >= 0.9 or top 3", TAU | TOP),
        ("tau >= 0.9 AND top 3 And ranks <= 2", TAU & TOP & RANKS),
        ("tau >= 0.9 and top 3 or ranks <= 2", TAU & TOP | RANKS),
        ("tau >= 0.9 or top 3 and ranks <= 2", TAU | TOP & RANKS),
    ],
)
def test_and_binds_closer_than_or(text, rule):
    assert str(read_rule(text)) == str(rule)


def test_brackets_are_heeded_or_refused():
    """Never read as if they were not there."""
    try:
        rule = read_rule("(tau >= 0.9 or top 3) and ranks <= 2")
    except InvalidArgument:
        return
    assert str(rule) == str((TAU | TOP) & RANKS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "tau",
        "tau >= high",
        "tau <= 0.9",
        "tau > -0.9",
        "tau >= 0.9 0.8",
        "tau >= 0.9, top 3",
        "tau >= 0.9 and",
        "or tau >= 0.9",
        "tau >= 0.9 or or top 3",
        "top",
        "top of 3",
        "bottom 3",
        "ranks <= 2.5",
        "ranks >= 2",
        "ranks",
        "400",
        "tau >= 0.9; rm -rf /",
        "((tau >= 0.9",
        "top 25%",
        "top 3.5",
        "x" * 10_000,
    ],
)
def test_what_is_no_rule_is_refused_with_examples(text):
    with pytest.raises(InvalidArgument) as caught:
        read_rule(text)
    assert "is not a stopping rule: write 'tau >= 0.9'" in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text",
    ["tau >= 1", "tau >= 0", "tau >= 95", "top 0", "top 3 >= 1", "top 3 >= 95", "ranks <= 0"],
)
def test_targets_that_cannot_be_reached_are_refused(text):
    with pytest.raises(InvalidArgument):
        read_rule(text)


def test_numbers_without_end_are_refused():
    for text in (f"top {'9' * 5000}", f"ranks <= {'9' * 5000}", f"tau >= {'9' * 5000}"):
        with pytest.raises(InvalidArgument):
            read_rule(text)
