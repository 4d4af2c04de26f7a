from __future__ import annotations

import re

import pytest

import hodgerank as hr
from hodgerank.plotting import ranking_chart
from hodgerank.plotting.charts import colour_rules, figure_of
from hodgerank.plotting.theme import SHADES


@pytest.fixture(scope="module")
def chart():
    return ranking_chart(hr.hodge_rank([("<b>tea", "milk", 1), ("milk", "cola", 1)] * 3))


def test_a_figure_says_its_title_to_who_cannot_see_it(chart):
    figure = figure_of(chart, "one-")
    assert re.search(r'<figure role="img" tabindex="0" aria-label="&lt;b&gt;tea[^"]+">', figure)
    assert 'aria-label="other words"' in figure_of(chart, "one-", "other words")


def test_names_within_two_drawings_do_not_meet(chart):
    names = [set(re.findall(r'id="([^"]+)"', figure_of(chart, prefix))) for prefix in ("a-", "b-")]
    assert not names[0] & names[1]


def test_a_drawing_has_no_styles_that_a_strict_page_refuses(chart):
    assert "style=" not in figure_of(chart, "one-")


def test_every_shade_of_the_ground_follows_the_page():
    rules = colour_rules()
    for name, colour in SHADES["light"]._asdict().items():
        assert f'svg [fill="{colour}"] {{ fill: var(--{name}); }}' in rules
