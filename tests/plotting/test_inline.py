from __future__ import annotations

import re

import pytest

import hodgerank as hr
from hodgerank.plotting import graph_chart, ranking_chart
from hodgerank.plotting.charts import chart_style, figure_of
from hodgerank.plotting.curves import curve_chart
from hodgerank.plotting.theme import BLUE, SHADES
from results import HOSTILE


@pytest.fixture(scope="module")
def chart():
    return ranking_chart(hr.hodge_rank([("<b>tea", "milk", 1), ("milk", "cola", 1)] * 3))


def test_title_and_notes_are_html_and_describe_the_drawing(chart):
    figure = figure_of(chart, "one-")
    caption = re.search("<figcaption>.*</figcaption>", figure)[0]
    assert caption.startswith("<figcaption><strong>&lt;b&gt;tea ranks first")
    assert "Lines separate groups" in caption
    assert "Lines separate groups" not in figure.replace(caption, "")
    assert re.search(r'role="img" tabindex="0" aria-label="&lt;b&gt;tea[^"]+">', figure)
    assert 'aria-label="other words"' in figure_of(chart, "one-", "other words")


def test_a_legend_is_a_list_whose_marks_follow_the_page():
    votes = [("a", "b", 1), ("b", "<c>", 1), ("a", "<c>", 1)] * 3 + [("<c>", "a", 1)] * 5
    figure = figure_of(graph_chart(hr.decompose(votes)), "one-")
    assert re.findall("<li>.*?</svg>(.*?)</li>", figure) == [
        "agrees with the ranking",
        "contradicts the ranking",
    ]
    assert f'stroke="{BLUE}" stroke-width="3"' in figure
    assert "agrees with the ranking" not in figure[figure.index("</ul>") :]


def test_names_in_a_legend_are_text():
    rows = [{"x": x, "series": HOSTILE, "mean": x, "stderr": 0.1} for x in range(3)]
    figure = figure_of(curve_chart(rows, x="x", y="y", series=[HOSTILE]), "one-")
    assert "<b>tea" not in figure
    assert "&lt;b&gt;tea" in figure


def test_a_drawing_is_as_wide_as_its_letters_are_large(chart):
    assert re.search(
        r'<svg aria-hidden="true" [^>]*width="[\d.]+em" viewBox=', figure_of(chart, "")
    )


def test_names_within_two_drawings_do_not_meet(chart):
    names = [set(re.findall(r'id="([^"]+)"', figure_of(chart, prefix))) for prefix in ("a-", "b-")]
    assert not names[0] & names[1]


def test_a_drawing_has_no_styles_that_a_strict_page_refuses(chart):
    assert "style=" not in figure_of(chart, "one-")


def test_every_shade_of_the_ground_follows_the_page():
    rules = chart_style()
    for name, colour in SHADES["light"]._asdict().items():
        assert f'svg [fill="{colour}"] {{ fill: var(--{name}); }}' in rules
