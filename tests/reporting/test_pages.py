"""The report as HTML, Markdown and JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest

import hodgerank as hr

HOSTILE = (
    "</title></script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "| pipe | `code` **bold** [link](http://x.example) <b>",
    "line\nbreak\x1b[31m",
    "日本語 العربية",
    "a very long name " * 40,
)
SECTIONS = (
    "data", "ranking", "certainty", "next", "consistency", "graph", "workers", "outliers",
    "position_bias", "methods",
)  # fmt: skip
VOID = {"meta", "br", "img", "rect", "path", "line", "circle", "use", "link", "hr", "image"}


class Page(HTMLParser):
    """Tags, their attributes and ids, and whether all are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        for name, value in attributes:
            if name == "id":
                self.ids[value] += 1
            if name in ("href", "src", "xlink:href"):
                self.links.append(value)
            if name.startswith("on"):
                self.handlers.append(name)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@cache
def hostile_report():
    votes = hr.simulate_comparisons(
        HOSTILE, 600, spread=2, workers={"honest": 5, "adversarial": 1}, rng=1
    )
    return hr.report(votes, with_forecast=False, title="<script>alert(2)</script>")


@cache
def html() -> str:
    return hostile_report().to_html()


@cache
def page() -> Page:
    return Page(html())


def test_names_are_data():
    assert page().tags["script"] == 0
    assert page().tags["img"] == 0
    assert page().handlers == []
    assert any(HOSTILE[0] in words for words in page().words)


def test_every_tag_is_closed_and_every_id_is_one():
    assert page().open == []
    assert max(page().ids.values()) == 1


def test_nothing_is_fetched():
    assert all(link.startswith(("#", "data:")) for link in page().links)
    assert "default-src 'none'" in html()
    assert "url(http" not in html()


def test_every_section_that_applies_is_there_folded_to_its_conclusion():
    assert [section.key for section in hostile_report().sections] == list(SECTIONS)
    assert page().tags["details"] == len(SECTIONS)
    assert all(key in page().ids for key in SECTIONS)
    assert all(str(section.summary) for section in hostile_report().sections)


def test_actions_lead_to_sections():
    assert any(link.startswith("#") for link in page().links)
    assert all(link[1:] in page().ids for link in page().links if link.startswith("#"))


def test_what_was_not_recorded_has_no_section_but_a_line():
    report = hr.report([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 9, with_forecast=False)
    keys = [section.key for section in report.sections]
    assert "workers" not in keys
    assert [line.title.code for line in report.first_page.lines] == [
        "order.title", "consistency.title",
    ]  # fmt: skip
    assert "Workers and display order were not recorded." in report.to_markdown()


def test_a_page_has_no_style_attributes():
    body = html().partition("</style>")[2]
    drawn = body.partition('class="folds"')[0]
    assert "style=" not in drawn


def test_charts_stand_in_the_page():
    assert page().tags["svg"] >= 4


def test_clip_paths_of_one_chart_are_not_those_of_another():
    for used in html().split("url(#")[1:]:
        assert used.split(")")[0] in page().ids


def test_markdown_has_no_html_and_whole_tables():
    text = hostile_report().to_markdown()
    assert "<script" not in text.replace("\\<", "")
    tables = [line for line in text.split("\n") if line.startswith("| ")]
    rows = [line.replace("\\|", "").count("|") for line in tables]
    assert min(rows) >= 3
    assert "\x1b" not in text
    assert "## Methods" in text


def test_json_is_plain_and_holds_the_whole_ranking():
    content = json.loads(hostile_report().written("json"))
    assert [text["code"].split(".")[0] for text in content["answer"]][:2] == ["answer", "answer"]
    assert all(text["text"] for text in content["answer"])
    assert len(content["ranking"]["items"]) == len(HOSTILE)
    assert content["made"]["seed"] == 0
    assert {line["about"] for line in content["lines"]} == {"order", "workers", "consistency"}
    assert content["verdict"]["state"]


def test_it_can_be_repeated():
    votes = [("a", "b", 1)] * 5
    text = hr.report(
        votes, with_forecast=False, command="hodgerank report x.csv", seed=3
    ).to_markdown()
    assert "hodgerank report x.csv" in text
    assert "| seed | 3 |" in text
    assert hr.__version__ in text


def test_the_same_votes_have_the_same_fingerprint():
    from hodgerank.reporting.method_sections import fingerprint

    rows = [("a", "b", 1), ("b", "c", -1)]
    one, two = hr.read_comparisons(rows), hr.read_comparisons(rows)
    other = hr.read_comparisons([("a", "b", 1), ("b", "c", 0)])
    assert fingerprint(one) == fingerprint(two) != fingerprint(other)


def test_groups_are_reported_side_by_side(tmp_path):
    votes = hr.simulate_comparisons(4, 400, spread=2, workers={"honest": 4}, rng=2)
    groups = hr.VoteGroups.split(votes, (HOSTILE[0], "beach"), votes.worker > 1, "scene")
    report = hr.report(groups)
    content = Page(report.to_html())
    assert content.tags["script"] == 0
    assert content.open == []
    assert len(report.answer) == 3
    assert len(json.loads(report.written("json"))["findings"]) == 2
    assert "beach" in report.to_markdown()


def test_a_group_whose_items_are_disconnected_is_named():
    rows = [("x", "a", "b", 1), ("x", "c", "d", 1), ("y", "a", "b", 1), ("y", "a", "b", 1)]
    names = ("scene", "left", "right", "outcome")
    votes = hr.read_comparisons([dict(zip(names, row, strict=True)) for row in rows], group="scene")
    report = hr.report(votes)
    assert "1 group could not be ranked:" in report.to_markdown()
    assert report.first_page.board.rows[0][3] == "not ranked"


@pytest.mark.slow
def test_of_many_items_a_hundred_rows_are_shown_and_all_can_be_taken_away():
    votes = hr.simulate_comparisons(110, 1000, rng=1)
    report = hr.report(votes, with_forecast=False)
    assert "100 of 110 rows shown" in report.to_markdown()
    assert 'download="ranking.csv"' in report.to_html()


def test_it_is_saved_as_its_name_says(tmp_path):
    report = hr.report([("a", "b", 1)] * 5, with_forecast=False)
    for suffix, start in ((".html", "<!doctype"), (".md", "# "), (".json", "{")):
        report.save(tmp_path / f"r{suffix}")
        assert (tmp_path / f"r{suffix}").read_text().startswith(start)
    with pytest.raises(hr.errors.InvalidArgument, match=r"ends in \.html"):
        report.save(tmp_path / "r.pdf")


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("/tmp/some/codec_test-votes.csv", "Codec test votes"),
        ("votes.csv", "Votes"),
        ("memory", "Ranking"),
    ],
)
def test_the_title_is_the_name_of_the_file_made_readable(source, title):
    votes = hr.read_comparisons([("a", "b", 1)] * 5)
    named = replace(votes, report=replace(votes.report, source=source))
    report = hr.report(named, with_forecast=False)
    assert report.title == title
    assert "/tmp" not in str(report.subtitle)


def test_the_question_stands_below_the_title():
    report = hr.report([("a", "b", 1)] * 5, with_forecast=False, question="Which <b>?")
    assert str(report.subtitle) == "“Which <b>?”"
    assert "“Which &lt;b&gt;?”" in report.to_html()


def test_the_axis_is_the_probability_to_be_chosen_over_an_average_item():
    votes = hr.simulate_comparisons(4, 200, spread=2, rng=1)
    report = hr.report(votes, with_forecast=False)
    ranking = report.findings.ranking
    rows = [row for tier in report.first_page.board.tiers for row in tier]
    assert [row.name for row in rows] == [str(item) for item in ranking.items]
    assert all(row.lower < row.chosen < row.upper for row in rows)
    assert rows[0].chosen > 0.5 > rows[-1].chosen


def test_without_an_order_no_places_are_shown():
    votes = hr.simulate_comparisons(6, 300, spread=0, rng=3)
    report = hr.report(votes, with_forecast=False)
    rows = [row for tier in report.first_page.board.tiers for row in tier]
    assert not any(row.place or row.could_be for row in rows)
    assert "could be place" not in report.to_markdown().lower()
    assert "certainty" not in [section.key for section in report.sections]


SCALED = [("a", "b", 1), ("b", "a", 1), ("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 4


def test_the_full_ranking_is_on_the_scale_and_says_what_it_means():
    page = hr.report(SCALED, score_scale="elo", anchor=("b", 1000), with_forecast=False)
    text = page.to_markdown()
    assert "| Elo (b at 1000) | 95% interval |" in text
    assert "| b | 1000 |" in text
    assert "Scores are Elo points, b at 1000; 191 more means preferred in 75% of the votes." in text
    assert "Scores sum to zero" not in text
    assert "Elo (b at 1000)" in page.to_html()
    ranking = json.loads(page.written("json"))["ranking"]
    assert ranking["scale"]["name"] == "elo"
    assert {row["item"]: row["score"] for row in ranking["items"]}["b"] == 1000
    plain = hr.report(SCALED, with_forecast=False)
    assert page.answer == plain.answer
    assert "Scores sum to zero; only differences are meaningful." in plain.to_markdown()


def test_groups_are_reported_on_the_scale():
    rows = [
        {"scene": scene, "left": a, "right": b, "outcome": y}
        for scene in ("day", "night")
        for a, b, y in SCALED
    ]
    votes = hr.read_comparisons(rows, group="scene")
    page = hr.report(votes, score_scale="win-probability", baseline="c", with_forecast=False)
    for ranking in page.findings.rankings.values():
        assert ranking["c"].score == 0.5
    found = json.loads(page.written("json"))["findings"]
    assert {part["ranking"]["scale"]["name"] for part in found} == {"win-probability"}


def test_a_leader_with_few_votes_is_told_with_a_code():
    few = [("new", "a", 1)] * 2 + [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 6
    page = hr.report(few, with_forecast=False)
    assert page.findings.ranking.items[0] == "new"
    [order] = [line for line in page.first_page.lines if line.title.code == "order.title"]
    [said] = [text for text in order.detail if text.code.startswith("order.few_votes")]
    assert said.code == "order.few_votes_leave_out"
    assert str(said) == (
        "“new” ranks first with only 2 votes: collect more votes on it, or leave out items with "
        "few votes (--min-votes 3)."
    )
    assert said.code in page.written("json")
    assert page.to_markdown().count("only 2 votes") == 1
    done = hr.report(few, with_forecast=False, max_votes=0)
    assert "order.few_votes_leave_out" not in done.written("json")
    assert '"order.few_votes"' in done.written("json")


def test_votes_to_win_are_left_to_their_command_where_there_are_many_items():
    votes = hr.simulate_comparisons(101, 900, spread=3, rng=1)
    report = hr.report(votes, with_forecast=False)
    assert report.findings.to_win == ()
    assert report.findings.verdict.has_order
    assert "stated for up to 100 items and 10,000 votes" in report.to_markdown()
