"""How much room text takes."""

from __future__ import annotations

import pytest

from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.ranking import ranking_chart
from hodgerank.plotting.text_room import with_room
from hodgerank.plotting.text_width import fitted, fitted_apart, text_width, wrapped

# In DejaVu Sans at 100 pixels.
MEASURED = {"item-08": 389, "0.25": 223, "significant (p = .03)": 996, "WIDE": 269, "漢字": 200}


@pytest.mark.parametrize(("text", "width"), MEASURED.items())
def test_there_is_room_for_the_widest_common_fonts_and_little_more(text, width):
    assert 1.03 * width <= text_width(text, 100) <= 1.15 * width


def test_bold_and_wide_letters_take_more_room_and_marks_none():
    assert text_width("tea", bold=True) > text_width("tea")
    assert text_width("漢字") > text_width("ab")
    assert text_width("🙂") > text_width("漢")
    assert text_width("é") == text_width("e\u0301") == text_width("e")
    assert text_width("") == 0


@pytest.mark.parametrize("name", ["tea", "x" * 500, "漢字" * 40, "a\x00b" * 30, "W" * 60])
def test_names_are_made_to_fit(name):
    label = fitted(name, 150)
    assert text_width(label) <= 150
    assert label == name or (label[0] == name[0] and label[-1] == name[-1])
    assert "\x00" not in label


def test_names_that_look_the_same_once_they_fit_stay_apart():
    names = [f"{'x' * 50}{k}{'y' * 50}" for k in range(3)]
    labels = fitted_apart(names, 100)
    assert len(set(labels)) == 3
    assert len({label.rstrip("\u200b") for label in labels}) == 1


@pytest.mark.parametrize("text", ["word " * 40, "漢字" * 90, "", "one"])
def test_lines_fit_and_lose_nothing(text):
    lines = wrapped(text, 200)
    assert all(text_width(line) <= 200 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_drawing_grows_to_where_its_text_ends():
    text = '<text transform="translate(90,5) rotate(-90)" font-size="10px">x</text>'
    text += '<g transform="translate(80,20)"><text font-size="10px" text-anchor="end">m</text></g>'
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="40" viewBox="0 0 100 40">'
    ground = '<rect width="100" height="40" fill="white"/>'
    drawn = with_room(f"{head}{ground}{text}</svg>")
    assert 'width="100" height="43" viewBox="0 -3 100 43"' in drawn
    assert '<rect x="0" y="-3" width="100" height="43"' in drawn


def test_a_drawing_that_is_large_enough_stays_as_it_is():
    import hodgerank as hr

    drawn = svg_of(ranking_chart(hr.hodge_rank([("a", "b", 1)] * 3)))
    assert with_room(drawn) == drawn
