"""The look that charts share, and charts as files."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import altair as alt
import pytest

import hodgerank as hr
from hodgerank.errors import CannotWrite, InvalidArgument
from hodgerank.plotting import __all__ as public
from hodgerank.plotting import chart_of, ranking_chart, save_chart, with_theme
from hodgerank.plotting.charts import SUFFIXES, svg_of
from hodgerank.plotting.text_width import text_width
from hodgerank.plotting.theme import (
    COLOURS,
    SHADES,
    TITLE_SIZE,
    data_of,
    heading,
    name,
    words_alone,
)
from results import every_result

NAMES = [
    "</script><script>alert(1)</script>",
    "control \x1b[31m\x00\x07 characters",
    "x" * 500,
    "\u202eשלום עולם\u2066",
    "漢字 🙂",
]


def small_chart(names=("a", "b", "c")):
    votes = [(one, other, 1) for k, one in enumerate(names) for other in names[k + 1 :]]
    return ranking_chart(hr.hodge_rank(votes * 9))


def colours_of(part, path=""):
    """Every colour of a specification, by where it stands."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from colours_of(value, f"{path}/{key}")
    elif isinstance(part, str) and re.fullmatch("#[0-9a-fA-F]{6}", part):
        yield path, part


def luminance(colour):
    """Of WCAG 2."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_every_colour_of_text_and_ground_depends_on_the_theme():
    light, dark = (
        dict(colours_of(with_theme(small_chart(), theme).to_dict()["config"]))
        for theme in ("light", "dark")
    )
    assert light.keys() == dark.keys()
    assert len(light) > 10
    assert [place for place in light if light[place] == dark[place]] == []


@pytest.mark.parametrize("theme", SHADES)
def test_text_and_curves_can_be_read_on_their_ground(theme):
    shades = SHADES[theme]
    assert contrast(shades.ink, shades.ground) > 7
    assert contrast(shades.soft, shades.ground) > 4.5
    assert min(contrast(colour, shades.ground) for colour in COLOURS) > 2
    assert contrast(shades.ink, shades.ground) > contrast(shades.soft, shades.ground)
    assert contrast(shades.soft, shades.ground) > contrast(shades.faint, shades.ground)


def test_a_theme_changes_the_look_and_nothing_else():
    chart = small_chart()
    light, dark = (with_theme(chart, theme).to_dict() for theme in ("light", "dark"))
    assert light.pop("config") != dark.pop("config")
    assert light == dark
    assert chart.to_dict()["config"]["background"] == SHADES["light"].ground


def test_charts_without_a_theme_can_be_joined():
    one, other = small_chart(), small_chart(("d", "e"))
    joined = with_theme(one, None) | with_theme(other, None)
    assert len(with_theme(joined, "dark").to_dict()["hconcat"]) == 2
    with pytest.raises(TypeError, match="config"):
        _ = one | other


def test_a_theme_that_is_none_is_refused():
    with pytest.raises(InvalidArgument, match="'light', 'dark' or None"):
        with_theme(small_chart(), "blue")


@pytest.mark.slow
def test_charts_name_no_colour_of_the_ground():
    for result in ("Ranking", "Outliers", "WorkerAssessment", "TopologyTracker", "LearningCurves"):
        specification = every_result()[result].plot().to_dict()
        del specification["config"]
        used = set(re.findall("#[0-9a-fA-F]{6}", json.dumps(specification)))
        assert used <= set(COLOURS), result


def test_long_findings_are_wrapped_and_empty_notes_left_out():
    title = heading("word " * 60, "", "How to read it.", width=600).to_dict()
    assert len(title["text"]) > 2
    assert max(text_width(line, TITLE_SIZE, bold=True) for line in title["text"]) <= 600
    assert title["subtitle"] == ["How to read it."]


def test_names_in_titles_are_cut():
    assert name("tea") == "tea"
    assert name(7) == "7"
    assert len(name("x" * 500)) < 40


def test_words_can_stand_alone():
    assert "nothing was asked" in svg_of(with_theme(words_alone("nothing was asked"), "light"))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_chart_is_saved_in_four_formats_whatever_the_names(tmp_path, suffix):
    path = tmp_path / f"chart{suffix}"
    save_chart(small_chart(NAMES), path)
    content = path.read_bytes()
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE html>"}
    assert content.lstrip().startswith(starts[suffix])
    assert len(content) > 2_000


class Scripts(HTMLParser):
    """What a browser would take for a script."""

    def __init__(self):
        super().__init__()
        self.n, self.inside, self.text = 0, False, ""

    def handle_starttag(self, tag, attrs):
        self.n += tag == "script"
        self.inside = tag == "script"
        assert not any(value and value.startswith("http") for _, value in attrs)

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "script"

    def handle_data(self, data):
        self.text += "" if self.inside else data


def test_no_name_is_a_script_in_a_page_and_the_page_works_offline(tmp_path):
    plain, hostile = Scripts(), Scripts()
    for page, names in ((plain, ("a", "b", "c")), (hostile, NAMES)):
        path = tmp_path / "chart.html"
        save_chart(small_chart(names), path)
        page.feed(path.read_text(encoding="utf-8"))
    assert hostile.n == plain.n
    assert hostile.text.strip() == plain.text.strip()


def test_control_characters_are_written_out():
    drawn = svg_of(small_chart(NAMES))
    assert "\\x1b[31m\\x00\\x07" in drawn
    assert "\x1b" not in drawn
    assert "\u202e" not in drawn


def test_other_formats_and_folders_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(InvalidArgument, match=r"ends in \.html"):
        save_chart(small_chart(), tmp_path / "chart.gif")
    with pytest.raises(CannotWrite):
        save_chart(small_chart(), tmp_path / "no" / "chart.svg")


def test_every_public_name_can_be_had():
    import hodgerank.plotting as plotting

    for each in public:
        assert callable(getattr(plotting, each))
    assert set(public) <= set(dir(plotting))
    with pytest.raises(AttributeError, match="no attribute 'pie_chart'"):
        _ = plotting.pie_chart


def test_what_has_no_chart_says_so():
    with pytest.raises(InvalidArgument, match="there is no chart of a str"):
        chart_of("tea")


def test_data_is_specified_as_altair_would_and_shared_by_charts_that_are_joined():
    values = [{"x": 1.5, "name": "tea"}, {"x": 2, "name": None}]
    data = data_of(values)
    assert data.to_dict() == alt.Data(values=values).to_dict()
    chart = alt.Chart(data).mark_point().encode(x="x:Q")
    joined = alt.layer(chart, chart.mark_line()) | chart
    assert joined.to_dict()["data"] == {"values": values}
    assert joined.data is data
