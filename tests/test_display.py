"""Every result shows itself in a line and in a notebook, names of items escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import hodgerank as hr
from hodgerank.display import Charted, Displayed, Preview, TextTable
from results import HOSTILE, every_result


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.text += data


def results_that_are(kind):
    """By name; computed when a test asks for them, not when tests are collected."""
    return {name: result for name, result in every_result().items() if isinstance(result, kind)}


def test_a_repr_is_one_short_line():
    for name, result in every_result().items():
        text = repr(result)
        assert text.startswith(name), name
        assert "\n" not in text, name
        assert len(text) < 400, name


def test_a_notebook_shows_a_table_and_nothing_of_the_names_is_markup():
    shown = results_that_are(Displayed)
    assert len(shown) > 20
    for name, result in shown.items():
        page = Tags()
        page.feed(result._repr_html_())
        assert page.tags <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td"}, name
        assert name in page.text, name


def test_samplers_and_results_with_rows_have_a_table():
    shown = results_that_are(Displayed)
    for name in ("Ranking", "Comparisons", "AutoSampler", "WorkerAssessment", "RunResult"):
        assert "<td" in shown[name]._repr_html_(), name
    page = Tags()
    page.feed(shown["Ranking"]._repr_html_())
    assert HOSTILE in page.text


def test_long_tables_are_cut_and_say_so():
    class Long(Displayed):
        def _headline(self):
            return "x" * 5

        def _preview(self):
            return Preview(("a",), ([k] for k in range(1000)), 1000)

    html = Long()._repr_html_()
    assert html.count("<td") == 10
    assert "and 990 more" in html


def test_one_item_of_a_ranking_is_had_by_name():
    ranking = every_result()["Ranking"]
    row = ranking[HOSTILE]
    frame = ranking.to_frame("polars").filter(item=HOSTILE).row(0, named=True)
    assert {name: frame[name] for name in row._fields} == row._asdict()
    assert HOSTILE in ranking
    assert "nobody" not in ranking
    assert [each.item for each in ranking] == list(ranking.items)
    assert ranking.score_by_item == dict(zip(ranking.items, ranking.scores, strict=True))
    with pytest.raises(hr.errors.UnknownItem):
        ranking["nobody"]


def test_results_with_a_chart_plot_it():
    plotted = results_that_are(Charted)
    assert len(plotted) > 5
    for name, result in plotted.items():
        assert "mark" in str(result.plot().to_dict()), name


NASTY = '<img src=x onerror=alert(1)> | a_b & 100% $x$ [y](z) \\input{f} `c` *d* # ~ ^ "e"\n\x1b[2J'


def test_no_name_is_markdown_or_html_in_a_markdown_table():
    table = TextTable(("name", "votes"), [(NASTY, "3")], frozenset({1}))
    head, rules, row = table.to_markdown().splitlines()
    assert (head, rules) == ("| name | votes |", "| --- | ---: |")
    assert not {"<", "\x1b"} & set(row)
    assert row.startswith(
        "| &lt;img src=x onerror=alert(1)\\> \\| a\\_b &amp; 100% \\$x\\$ \\[y\\](z)"
    )
    unescaped = re.findall(r"(?<!\\)\|", row)
    assert len(unescaped) == 3  # those of the table


def test_no_name_is_a_command_in_a_latex_table():
    table = TextTable(("name", "votes"), [(NASTY, "3"), ("[2cm]", "*"), ("−1", "2–3")], frozenset())
    lines = table.to_latex().splitlines()
    assert lines[0] == r"\begin{tabular}{ll}"
    row = lines[4]
    assert r"\textbackslash{}input\{f\}" in row
    assert r"100\% \$x\$ {[}y{]}(z)" in row
    assert r"a\_b \& " in row
    assert row.endswith(r" & 3 \\")
    assert len(re.findall(r"(?<!\\)&", row)) == 1
    assert lines[5] == r"{[}2cm{]} & {*} \\"
    assert lines[6] == r"$-$1 & 2--3 \\"
