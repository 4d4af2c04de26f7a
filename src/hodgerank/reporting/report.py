"""report: votes to a page that can be forwarded."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
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
from hodgerank.reporting.blocks import Document, Paragraph, Section
from hodgerank.reporting.findings import Findings, Tell, find
from hodgerank.reporting.group_findings import GroupFindings, find_in_groups
from hodgerank.reporting.messages import say, words
from hodgerank.reporting.method_sections import about_reading, methods_section, reading_section
from hodgerank.reporting.options import Provenance, ReportOptions
from hodgerank.reporting.quality_sections import (
    about,
    consistency_section,
    outliers_section,
    sides_section,
    topology_section,
    workers_section,
)
from hodgerank.reporting.ranking_sections import (
    certainty_section,
    group_consistency_section,
    group_next_section,
    group_rankings_section,
    next_section,
    no_groups_section,
    ranking_section,
)
from hodgerank.reporting.summary import answer
from hodgerank.types import Pair, VotesLike

SUFFIXES = (".html", ".md", ".json")
RATE = 0.05  # false discovery rate of the workers


@dataclass(frozen=True, eq=False, repr=False)
class Report(Document, Displayed):
    """The answer, and everything behind it.

    Attributes
    ----------
    title
        Of the page.
    answer
        What is best, how sure that is, and what to do about it: a sentence each.
    concerns
        What should be looked at before the ranking is used.
    sections
        What stands below, in words, tables and charts.
    made
        By what command, with which seed, when.
    findings
        What all of it was taken from.
    """

    findings: Findings | GroupFindings

    def _headline(self) -> str:
        return " ".join(map(str, self.answer))

    def to_html(self) -> str:
        """One page that needs no other file and makes no request (extra `plot`)."""
        from hodgerank.reporting.html import page

        return page(self)

    def to_markdown(self) -> str:
        """The same without charts."""
        from hodgerank.reporting.markdown import page

        return page(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "title": self.title,
            "answer": [str(text) for text in self.answer],
            "concerns": [str(text) for text in self.concerns],
            "made": {"version": __version__, **vars(self.made)},
            **self.findings.to_dict(),
        }

    def save(self, path: Path | str) -> None:
        """Write it as the name says: .html, .md or .json."""
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
    confidence: float = 0.95,
    with_forecast: bool = True,
    seed: int = 0,
    command: str = "hodgerank.report(votes)",
    on_step: Tell | None = None,
    further: Callable[[Findings], Sequence[Section]] = lambda found: (),
    candidates: Sequence[Pair] | None = None,
    max_votes: int | None = None,
    **options: Any,
) -> Report:
    """Everything about votes on one page: the answer first, then what it rests on.

    Parameters
    ----------
    votes
        Comparisons, what `read_comparisons` takes, or groups (`read_comparisons(...,
        group=...)`).
    title
        Of the page.
    confidence
        Level of all intervals.
    with_forecast
        Whether it is foreseen what more answers would buy, which takes seconds; up to 60 items.
    seed
        Of the sampler that proposes pairs, and of the forecast.
    command
        What is printed as the way to repeat it.
    on_step
        Called with what is being done.
    further
        Sections to put before what to ask next, in view of what was found; not of groups.
    candidates, max_votes
        Pairs that can be asked, and how many more answers can be had, where there are limits.
    options
        Of `rank`, such as `position_bias="common"` or `model="hodgerank"`.

    Examples
    --------
    >>> votes = [("tea", "milk", 1), ("milk", "cola", 1), ("tea", "cola", 1)] * 9
    >>> print(report(votes, with_forecast=False).answer[0])
    tea is the best of 3 items.
    """
    options = {name: value for name, value in options.items() if value is not None}
    settings = ReportOptions(
        {"confidence": confidence, **options},
        with_forecast,
        seed,
        candidates=candidates,
        max_votes=max_votes,
    )
    tell = on_step or (lambda step: None)
    made = Provenance(command, seed, date.today().isoformat())
    read = votes if isinstance(votes, VoteGroups) else read_comparisons(votes)
    if isinstance(read, VoteGroups):  # a file beside the votes may name their groups
        return _of_groups(find_in_groups(read, settings, tell), title, made)
    found = find(read, settings, tell)
    rate = RATE if found.trust.workers is None else found.trust.workers.false_discovery_rate
    said = answer(found)
    sections = (
        reading_section(found),
        ranking_section(found, said[0]),
        certainty_section(found),
        consistency_section(found),
        topology_section(found),
        workers_section(found),
        outliers_section(found),
        sides_section(found),
        no_groups_section(),
        *further(found),
        next_section(found),
        methods_section(found.votes, found.ranking, rate, made),
    )
    concerns = tuple(words(str(said)) for said in found.concerns)
    return Report(_title(title, found), said, concerns, sections, made, found)


def _of_groups(found: GroupFindings, title: str | None, made: Provenance) -> Report:
    workers = found.workers
    said = (
        [Paragraph((say("workers.unknown"),))]
        if workers is None
        else about(workers, found.votes.n_workers, None)
    )
    ranking = next(iter(found.rankings.values()), None)
    sections = (
        Section("read", say("read.title"), about_reading(found.votes.report)),
        group_rankings_section(found),
        group_consistency_section(found),
        Section("workers", say("workers.title_of_groups"), tuple(said)),
        group_next_section(found),
        methods_section(found.votes, ranking, RATE, made),
    )
    return Report(_title(title, found), found.answer(), (), sections, made, found)


def _title(title: str | None, found: Findings | GroupFindings) -> str:
    return visible(title or str(say("page.title", source=found.votes.report.source)))
