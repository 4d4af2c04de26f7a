"""report: from votes to a page that can be forwarded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from hodgerank import __version__
from hodgerank.atomic_write import write_file
from hodgerank.data.groups import VoteGroups
from hodgerank.data.reading.vote_source import read_comparisons
from hodgerank.display import Displayed, visible
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.score_scale import ScaleName, ScoreScale
from hodgerank.reporting.blocks import Document, FirstPage, Section, Text
from hodgerank.reporting.findings import Findings, Tell, find
from hodgerank.reporting.first_page import first_page
from hodgerank.reporting.group_findings import GroupFindings, find_in_groups
from hodgerank.reporting.group_sections import group_answer, group_first_page, group_sections
from hodgerank.reporting.margin_findings import MarginFindings, find_in_margins
from hodgerank.reporting.margin_sections import margin_answer, margin_page, margin_sections
from hodgerank.reporting.messages import name_of, say
from hodgerank.reporting.method_sections import data_section, methods_section
from hodgerank.reporting.options import Provenance, ReportOptions
from hodgerank.reporting.quality_sections import (
    consistency_section,
    covariates_section,
    graph_section,
    outliers_section,
    position_bias_section,
    preference_groups_section,
    workers_section,
)
from hodgerank.reporting.ranking_sections import certainty_section, next_section, ranking_section
from hodgerank.reporting.summary import answer
from hodgerank.types import Item, Pair, VotesLike

SUFFIXES = (".html", ".md", ".json")
RATE = 0.05  # false discovery rate of the workers


@dataclass(frozen=True, eq=False, repr=False)
class Report(Document, Displayed):
    """The answer, and everything it rests on.

    Attributes
    ----------
    title, subtitle
        Title of the page, and the question that was asked or where the votes came from.
    answer
        What is best, how far the order can be relied on, and what to do: a sentence each.
    first_page
        Key figures, the first places, and a verdict each on order, workers and consistency.
    sections
        Words, tables and charts, each section with its conclusion in a line.
    made
        Command, seed and date.
    findings
        The results that all of it was derived from.
    """

    findings: Findings | GroupFindings | MarginFindings

    def _headline(self) -> str:
        return " ".join(map(str, self.answer))

    @property
    def concerns(self) -> tuple[Text, ...]:
        """The verdicts that need a look before the ranking is used."""
        return tuple(line.text for line in self.first_page.lines if line.status == "warning")

    def to_html(self) -> str:
        """One page that needs no other file and makes no request (extra `plot`)."""
        from hodgerank.reporting.html import page

        return page(self)

    def to_markdown(self) -> str:
        """Return the report as Markdown, without charts."""
        from hodgerank.reporting.markdown import page

        return page(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; every sentence has a `code` that stays."""
        return {
            "title": self.title,
            "subtitle": str(self.subtitle),
            "answer": [text.to_dict() for text in self.answer],
            "figures": [figure.to_dict() for figure in self.first_page.figures],
            "lines": [line.to_dict() for line in self.first_page.lines],
            "sections": [
                {"key": section.key, "title": str(section.title), "summary": str(section.summary)}
                for section in self.sections
            ],
            "made": {"version": __version__, **vars(self.made)},
            **self.findings.to_dict(),
        }

    def save(self, path: Path | str) -> None:
        """Write the report as .html, .md or .json, by the name of the file."""
        suffix = Path(path).suffix.lower()
        if suffix not in SUFFIXES:
            raise InvalidArgument(f"{path}: the name of a report ends in {', '.join(SUFFIXES)}")
        write_file(path, self.written(suffix[1:]).encode())

    def written(self, form: str) -> str:
        """The text of a file: 'html', 'md' or 'json'."""
        if form == "json":
            return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        return self.to_html() if form == "html" else self.to_markdown()


def report(
    votes: VotesLike | VoteGroups,
    *,
    title: str | None = None,
    question: str | None = None,
    confidence: float = 0.95,
    score_scale: ScaleName = "model",
    anchor: tuple[Item, float] | None = None,
    baseline: Item | None = None,
    with_forecast: bool = True,
    with_groups: bool = False,
    seed: int = 0,
    command: str = "hodgerank.report(votes)",
    on_step: Tell | None = None,
    further: Callable[[Findings], Sequence[Section]] = lambda found: (),
    candidates: Sequence[Pair] | None = None,
    max_votes: int | None = None,
    **options: Any,
) -> Report:
    """Report on votes: the answer first, then everything it rests on.

    Parameters
    ----------
    votes
        Comparisons, what `read_comparisons` takes, or groups (`read_comparisons(...,
        group=...)`).
    title
        Title of the page. Default: the name of the file.
    question
        The question that was asked, shown below the title.
    confidence
        Level of all intervals. The best item is settled from the two-sided level on: 97.5% at 95%.
    score_scale, anchor, baseline
        Scale of the scores: see `Ranking.on_scale`.
    with_forecast
        Forecast how many more votes are needed, which takes seconds; up to 60 items.
    with_groups
        Look for preference groups (`find_preference_groups`), which takes seconds; not for groups
        of votes.
    seed
        Seed of the sampler that proposes pairs, of the forecast and of preference groups.
    command
        The command or call that is printed as the way to reproduce it.
    on_step
        Called with the name of each step.
    further
        Sections to put before the next votes, given the findings; not for groups.
    candidates, max_votes
        Pairs that can be asked, and how many more votes can be had, where there are limits.
    options
        Options of `rank`, such as `position_bias="common"` or `model="hodgerank"`.

    Examples
    --------
    >>> votes = [("tea", "milk", 1), ("milk", "cola", 1), ("tea", "cola", 1)] * 9
    >>> print(report(votes, with_forecast=False).answer[0])
    “tea” is the best of 3 items.
    """
    options = {name: value for name, value in options.items() if value is not None}
    settings = ReportOptions(
        {"confidence": confidence, **options},
        with_forecast,
        seed,
        candidates=candidates,
        max_votes=max_votes,
        scale=ScoreScale(score_scale, anchor, baseline),
        with_groups=with_groups,
    )
    tell = on_step or (lambda step: None)
    made = Provenance(command, seed, date.today().isoformat())
    read = votes if isinstance(votes, VoteGroups) else read_comparisons(votes)
    if not isinstance(read, VoteGroups) and read.report.margin_unit is not None:
        return _report_on_margins(find_in_margins(read, settings, tell), title, question, made)
    if isinstance(read, VoteGroups):  # a file beside the votes may name their groups
        if with_groups:
            raise InvalidArgument(
                "preference groups are looked for in votes that belong together: report each group "
                "by itself, or leave out with_groups (--groups)"
            )
        found = find_in_groups(read, settings, tell)
        return _report_on_groups(found, _titles(title, question, found), made)
    found_in_all = find(read, settings, tell)
    page = first_page(found_in_all)
    return Report(
        *_titles(title, question, found_in_all),
        answer(found_in_all, page.lines),
        page,
        tuple(_sections(found_in_all, page, further, made)),
        made,
        found_in_all,
    )


def _sections(
    found: Findings,
    page: FirstPage,
    further: Callable[[Findings], Sequence[Section]],
    made: Provenance,
) -> Iterator[Section]:
    """The sections that apply to these votes."""
    workers = found.trust.workers
    yield data_section(found)
    yield ranking_section(found)
    if found.verdict.has_order:
        yield certainty_section(found)
    yield next_section(found)
    yield consistency_section(found)
    yield graph_section(found.trust.decomposition)
    if workers is not None:
        line = next(line for line in page.lines if line.title.code == "workers.title")
        yield workers_section(line, workers, line.title)
    if found.groups is not None:
        yield preference_groups_section(found.groups)
    for section in (
        outliers_section(found),
        position_bias_section(found),
        covariates_section(found.ranking),
    ):
        if section is not None:
            yield section
    yield from further(found)
    rate = RATE if workers is None else workers.false_discovery_rate
    yield methods_section(found.votes, found.ranking, rate, made)


def _report_on_margins(
    found: MarginFindings, title: str | None, question: str | None, made: Provenance
) -> Report:
    page, titles = margin_page(found), _titles(title, question, found)
    sections = tuple(margin_sections(found, made))
    return Report(*titles, margin_answer(found, page), page, sections, made, found)


def _report_on_groups(found: GroupFindings, titles: tuple[str, Text], made: Provenance) -> Report:
    ranking = next(iter(found.rankings.values()), None)
    methods = methods_section(found.votes, ranking, RATE, made)
    sections = (*group_sections(found), methods)
    return Report(*titles, group_answer(found), group_first_page(found), sections, made, found)


def _titles(
    title: str | None, question: str | None, found: Findings | GroupFindings | MarginFindings
) -> tuple[str, Text]:
    """The title, from the name of the file if none is given, and the question or the source."""
    source = found.votes.report.source
    stem = re.sub(r"[\W_]+", " ", Path(source).stem).strip() if Path(source).suffix else ""
    readable = f"{stem[:1].upper()}{stem[1:]}" or str(say("page.title"))
    if question:
        below = say("page.question", question=name_of(question))
    else:
        below = say("page.source", n=found.votes.n_votes, source=name_of(Path(source).name))
    return visible(title or readable), below
