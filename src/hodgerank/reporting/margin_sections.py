"""The first page and the sections of a report on margins."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import ceil, floor, log10

import numpy as np

from hodgerank.display import p_number, p_words
from hodgerank.plotting.outliers import outliers_chart
from hodgerank.reporting.blocks import (
    Bullets,
    Figure,
    FirstPage,
    KeyFigure,
    Paragraph,
    Section,
    Standing,
    Standings,
    Status,
    Table,
    Text,
    VerdictLine,
)
from hodgerank.reporting.first_page import (
    MOST_PLACES,
    STATUS_OF_ORDER,
    board_of,
    could_be,
    joining,
    n_places,
    settled_neighbours,
)
from hodgerank.reporting.margin_findings import MarginFindings
from hodgerank.reporting.messages import level, name_of, probability, quoted, say, words
from hodgerank.reporting.method_sections import data_section, repeatable
from hodgerank.reporting.options import Provenance
from hodgerank.reporting.quality_sections import covariates_section, graph_section
from hodgerank.reporting.ranking_sections import certainty_section, ranking_section
from hodgerank.reporting.summary import headline, order_sentence

MOST_OUTLIERS = 10


def margin_answer(found: MarginFindings, page: FirstPage) -> tuple[Text, Text, Text]:
    """Three sentences: what is best, how much of the order is right, and what to do."""
    actions = [line.action for line in page.lines if line.status == "warning" and line.action]
    actions += [line.action for line in page.lines if line.action]
    return headline(found), order_sentence(found), (*actions, say("answer.enough"))[0]


def margin_page(found: MarginFindings) -> FirstPage:
    """The result on one sheet."""
    lines = [_order_line(found), _consistency_line(found)]
    if found.bias is not None:
        lines.append(_bias_line(found))
    figures = {"votes": f"{found.votes.n_votes:,}", "items": f"{len(found.ranking):,}"}
    if found.verdict.has_order:
        figures["pairs"] = probability(found.verdict.pairs_in_order)
    if found.ranking.residual_sd is not None:
        figures["noise"] = f"{amount(found, found.ranking.residual_sd)} {found.unit}"
    shown = (KeyFigure(say(f"figures.{name}"), value) for name, value in figures.items())
    return FirstPage(tuple(shown), _standings(found), tuple(lines))


def margin_sections(found: MarginFindings, made: Provenance) -> Iterator[Section]:
    """The sections that apply to margins."""
    yield data_section(found)
    yield ranking_section(found)
    if found.verdict.has_order:
        yield certainty_section(found)
    yield _consistency_section(found)
    yield graph_section(found.decomposition)
    if found.outliers.n_flagged:
        yield _outliers_section(found)
    if found.bias is not None:
        yield _bias_section(found)
    covariates = covariates_section(found.ranking)
    if covariates is not None:
        yield covariates
    ranking = found.ranking
    texts = [
        say("margins.ranking", model=ranking.model, level=level(ranking.confidence)),
        say("margins.decomposition"),
        say("methods.outliers"),
    ]
    yield repeatable(texts, found.votes, made)


def amount(found: MarginFindings, value: float) -> str:
    """An amount in the unit of the margins, without a sign."""
    return f"{value:,.{found.ranking.scale.decimals}f}"


def _signed(found: MarginFindings, value: float) -> str:
    return found.ranking.scale.text(value)


def _standings(found: MarginFindings) -> Standings:
    """The first places with their scores and intervals."""
    ranking, verdict = found.ranking, found.verdict
    k, known = n_places([name_of(item) for item in ranking.items[:MOST_PLACES]]), verdict.has_order
    end = _round_end(float(np.abs(ranking.intervals[:k]).max(initial=0.0)))
    rows = [
        Standing(
            f"{row.rank:,}" if known else "",
            name_of(row.item),
            (1 + row.score / end) / 2,
            (1 + row.lower / end) / 2,
            (1 + row.upper / end) / 2,
            could_be(verdict, place) if known else "",
            _signed(found, row.score),
            f"{_signed(found, row.lower)} to {_signed(found, row.upper)}",
        )
        for place, row in zip(range(k), ranking, strict=False)
    ]
    level_ = level(ranking.confidence)
    return board_of(
        rows,
        ranking,
        verdict,
        say("margins.reading", unit=found.unit, level=level_),
        header={"chosen": say("margins.score", level=level_)},
        ticks=(f"-{end:g}", "0", f"+{end:g}"),
    )


def _round_end(largest: float) -> float:
    """Return a round number, at least the largest value of an axis.

    >>> _round_end(2.3), _round_end(0.061), _round_end(870.0)
    (3.0, 0.07, 900.0)
    """
    if not largest:
        return 1.0
    step = 10.0 ** floor(log10(largest))
    return round(ceil(largest / step) * step, 12)


def _order_line(found: MarginFindings) -> VerdictLine:
    """Whether the best is settled."""
    verdict = found.verdict
    detail: list[Text] = []
    if verdict.state in ("settled", "tied"):
        leader = quoted(found.ranking.items[0])
        detail.append(say("order.certainty", leader=leader, sure=probability(verdict.certainty)))
        if len(found.ranking) > 2:
            detail.append(say("order.tiers", **settled_neighbours(verdict)))
    if verdict.state != "disconnected":
        detail.append(say("order.p", p=p_words(found.chance)))
    actions = {
        "tied": say("margins.collect"),
        "chance": say("margins.no_ranking"),
        "level": say("margins.no_ranking"),
    }
    action = actions.get(verdict.state)
    if verdict.state == "disconnected":
        action = joining(found.decomposition.graph, found.ranking)
    return VerdictLine(
        say("order.title"),
        STATUS_OF_ORDER.get(verdict.state, "warning"),
        say(f"order.{verdict.state}"),
        tuple(detail),
        action,
        "ranking",
    )


def _consistency_line(found: MarginFindings) -> VerdictLine:
    """Whether one ranking explains the mean margins, by an F test where pairs were repeated."""
    title, lack = say("consistency.title"), found.decomposition.lack_of_fit
    if lack is None:
        return VerdictLine(title, "open", say("margins.unchecked"), (), None, "consistency")
    detail = (say("margins.p", p=p_words(lack)),)
    if found.has_cycles:
        action = say("margins.look_at_parts")
        text = say("margins.inconsistent")
        return VerdictLine(title, "warning", text, detail, action, "consistency")
    return VerdictLine(title, "good", say("margins.consistent"), detail, None, "consistency")


def _bias_text(found: MarginFindings) -> Text:
    bias = found.bias
    assert bias is not None
    return say(
        "margins.bias" if found.is_biased else "margins.no_bias",
        bias=_signed(found, bias.value),
        lower=_signed(found, bias.lower),
        upper=_signed(found, bias.upper),
        unit=found.unit,
        level=level(found.ranking.confidence),
        p=p_words(bias.p_value),
    )


def _bias_line(found: MarginFindings) -> VerdictLine:
    """Position bias, and whether the model has a term for it."""
    title, text = say("position_bias.title"), _bias_text(found)
    if found.settings.position_bias is not None:
        detail = (say("margins.bias_in_model"),)
        return VerdictLine(title, "good", text, detail, None, "position_bias")
    status: Status = "warning" if found.is_biased else "good"
    action = None
    if found.is_biased:
        action = say("consistency.model_position_bias", position_bias="common")
    return VerdictLine(title, status, text, (), action, "position_bias")


def _bias_section(found: MarginFindings) -> Section:
    assert found.bias is not None
    summary = say(
        "margins.bias_significant" if found.is_biased else "margins.bias_not_significant",
        bias=_signed(found, found.bias.value),
        unit=found.unit,
        p=p_words(found.bias.p_value),
    )
    note = Paragraph((say("margins.bias_note"),), "note")
    blocks = (Paragraph((_bias_text(found),)), note)
    return Section("position_bias", say("position_bias.title"), summary, blocks)


def _consistency_section(found: MarginFindings) -> Section:
    """The parts of the margins with their F tests."""
    parts, line = found.decomposition, _consistency_line(found)
    meanings, within = parts.part_words, parts.energy["bias"] + parts.energy["ties"]
    rows = [(str(say("margins.within")), f"{within:.1%}", "")]
    for part in ("gradient", "curl", "harmonic"):
        shown = p_number(found.chance) if part == "gradient" else ""
        rows.append((meanings[part], f"{parts.energy[part]:.1%}", shown))
    header = [say(f"consistency.{name}") for name in ("part", "share", "p")]
    blocks = (
        Bullets((line.text, *line.detail)),
        Table(header, rows, frozenset({1, 2})),
        Paragraph((say("margins.parts"),), "note"),
    )
    return Section("consistency", line.title, line.text, blocks)


def _outliers_section(found: MarginFindings) -> Section:
    """The largest residuals."""
    outliers = found.outliers
    frame = outliers.to_frame("polars", extra=False).head(MOST_OUTLIERS)
    names = ["row", "left", "right", "vote", "expected", *(["worker"] * ("worker" in frame))]
    rows = []
    # Outliers were found without position bias; the table shows the votes of the file.
    bias = dict(zip(found.votes.rows.tolist(), found.modelled_bias.tolist(), strict=True))
    for row in frame.iter_rows(named=True):
        added = bias[row["row"]]
        cells = [f"{row['row']:,}", name_of(row["left"]), name_of(row["right"])]
        cells += [_signed(found, row[name] + added) for name in ("outcome", "expected")]
        if "worker" in row:
            cells.append("" if row["worker"] is None else name_of(row["worker"]))
        rows.append(cells)
    header = [say(f"outliers.{name}") for name in names]
    blocks = (
        Paragraph((words(outliers.verdict),)),
        Figure(partial(outliers_chart, outliers, n_named=0)),
        Paragraph((say("outliers.worst"),)),
        Table(header, rows, frozenset({0, 3, 4})),
        Paragraph((say("outliers.criterion", criterion=outliers.criterion),), "note"),
    )
    summary = say(
        "margins.outliers",
        n=outliers.n_flagged,
        votes=outliers.votes.n_votes,
        share=outliers.share,
    )
    return Section("outliers", say("outliers.title"), summary, blocks)
