"""How results look: tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from functools import singledispatch
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hodgerank.cli.describe import DescribeResult
from hodgerank.cli.outliers import OutliersResult
from hodgerank.cli.plan import PlanResult
from hodgerank.cli.rank import RankResult
from hodgerank.cli.replay import ReplayResult
from hodgerank.cli.reproduce import ReproduceResult
from hodgerank.cli.simulate import SimulateResult
from hodgerank.cli.trust import TrustResult
from hodgerank.cli.workers import WorkersResult
from hodgerank.data.comparisons import ReadReport
from hodgerank.graph.description import Description, Spread


def show(result: Any) -> None:
    """Print a command's result."""
    if result.as_json:
        json.dump(result.to_dict(), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
        sys.stdout.write("\n")
    else:
        _show(result, Console(highlight=False))


def complain(error: Exception) -> None:
    """Print an error where it does not mix with results."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"[bold red]error:[/] {escape(str(error))}")


@singledispatch
def _show(result: Any, console: Console) -> None:
    raise TypeError(f"no rendering for {type(result).__name__}")


@_show.register
def _(result: RankResult, console: Console) -> None:
    ranking = result.ranking
    _show_reading(result.report, console)
    n_workers = f", {result.n_workers:,} workers" if result.n_workers else ""
    prior = f", ridge {ranking.ridge:g}" if ranking.ridge else ""
    console.print(
        f"{len(ranking):,} items, {result.n_answers:,} answers{n_workers}; "
        f"{ranking.model}, {ranking.link} link{prior}; "
        f"{100 * ranking.confidence:g}% intervals, {ranking.uncertainty}",
        style="dim",
    )
    warnings = [*ranking.notes]
    if ranking.n_components > 1:
        warnings.append(
            f"{ranking.n_components:,} groups were never compared with each other: "
            "each has its own ranking below"
        )
    for names, what in ((ranking.undefeated, "undefeated"), (ranking.winless, "winless")):
        if names:
            more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
            warnings.append(f"{what}: {', '.join(map(str, names[:8]))}{more}")
    _show_warnings(warnings, console)
    shown = len(ranking) if not result.top else min(result.top, len(ranking))
    _show_table(result, shown, console)
    if shown < len(ranking):
        console.print(f"... and {len(ranking) - shown:,} more (--top 0 shows all)", style="dim")
    if result.kendall_tau is not None:
        console.print(f"Kendall's tau against the truth: {result.kendall_tau:.3f}")
    if result.written is not None:
        console.print(f"written to {escape(str(result.written))}", style="dim")


def _show_table(result: RankResult, shown: int, console: Console) -> None:
    ranking = result.ranking
    table = Table(box=None, header_style="bold", pad_edge=False)
    several = ranking.n_components > 1
    if several:
        table.add_column("group", justify="right")
    table.add_column("rank", justify="right")
    table.add_column("item", overflow="fold")
    for name in ("score", f"{100 * ranking.confidence:g}% interval", "ranks", "comparisons"):
        table.add_column(name, justify="right", no_wrap=True)
    for k in range(shown):
        (low, high), (best, worst) = ranking.intervals[k], ranking.rank_intervals[k]
        if several and k and ranking.components[k] != ranking.components[k - 1]:
            table.add_section()
        table.add_row(
            *([str(ranking.components[k] + 1)] if several else []),
            str(ranking.ranks[k]),
            Text(str(ranking.items[k])),
            _signed(ranking.scores[k]),
            f"{_signed(low)} to {_signed(high)}",
            str(best) if best == worst else f"{best} to {worst}",
            f"{ranking.comparisons[k]:,}",
        )
    console.print()
    console.print(table)
    console.print()


@_show.register
def _(result: DescribeResult, console: Console) -> None:
    _show_reading(result.report, console)
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    for name, value in _facts(result.description):
        table.add_row(name, value)
    console.print()
    console.print(table)


def _facts(d: Description) -> list[tuple[str, str]]:
    anonymous = f", {d.anonymous_answers:,} answers without a worker" if d.anonymous_answers else ""
    groups = "connected" if d.components == 1 else f"{d.components:,} groups never compared"
    facts = [
        ("items", f"{d.items:,} ({groups})"),
        ("workers", f"{d.workers:,}{anonymous}" if d.workers else "not recorded"),
        ("answers", f"{d.answers:,} ({d.ties:,} ties, {d.graded:,} graded)"),
        ("pairs asked", f"{d.pairs_asked:,} of {d.pairs_possible:,} ({d.coverage:.1%} coverage)"),
        ("answers per pair", f"{_spread(d.answers_per_pair)}; {d.unanimous_pairs:,} unanimous"),
        ("answers per item", _spread(d.answers_per_item)),
    ]
    if d.answers_per_worker is not None:
        facts.append(("answers per worker", _spread(d.answers_per_worker)))
    order = d.display_order
    if order is None:
        facts.append(("display order", "not recorded: position bias cannot be estimated"))
        return facts
    if order.left_preferred is not None:
        left = f"{order.left_preferred:.1%} +- {order.left_preferred_stderr:.1%}"
        facts.append(("left preferred", f"{left} of decided answers"))
    if order.both_orders is not None:
        both = f"{order.both_orders:.1%} of the pairs with several answers"
        facts.append(("shown both ways", both))
    if order.most_one_sided is not None:
        side = f"{order.most_one_sided:.1%} of its appearances on one side"
        facts.append(("most one-sided item", side))
    return facts


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # -0.000 is 0


def _spread(spread: Spread) -> str:
    return f"{spread.least:,.0f} to {spread.most:,.0f}, median {spread.median:,.1f}"


@_show.register
def _(result: SimulateResult, console: Console) -> None:
    where = ", ".join(str(path) for path in result.written)
    if where:
        console.print(
            f"{len(result.votes):,} answers on {result.votes.n_items:,} items by "
            f"{result.votes.n_workers:,} workers written to {escape(where)}"
        )


@_show.register
def _(result: TrustResult, console: Console) -> None:
    from hodgerank.cli.render_trust import show_trust

    _show_reading(result.report.votes.report, console)
    show_trust(result, console)


@_show.register
def _(result: WorkersResult, console: Console) -> None:
    from hodgerank.cli.render_trust import show_workers

    show_workers(result, console)


@_show.register
def _(result: OutliersResult, console: Console) -> None:
    from hodgerank.cli.render_trust import show_outliers

    show_outliers(result, console)


@_show.register
def _(result: PlanResult, console: Console) -> None:
    from hodgerank.cli.render_sampling import show_plan

    _show_reading(result.report, console)
    show_plan(result, console)


@_show.register
def _(result: ReplayResult, console: Console) -> None:
    from hodgerank.cli.render_sampling import show_replay

    show_replay(result, console)


@_show.register
def _(result: ReproduceResult, console: Console) -> None:
    from hodgerank.cli.render_reproduce import show_reproduction

    show_reproduction(result, console)


def _show_reading(report: ReadReport, console: Console) -> None:
    console.print(escape(str(report)), style="dim")
    rejected = [f"dropped: {reason}" for reason in report.rejections]
    _show_warnings([*rejected, *report.notes], console)


def _show_warnings(warnings: list[str], console: Console) -> None:
    for warning in warnings:
        console.print(f"[yellow]![/] {escape(warning)}")
