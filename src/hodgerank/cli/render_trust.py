"""How the results of trust, workers and outliers look."""

from __future__ import annotations

import math

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hodgerank.cli.outliers import OutliersResult
from hodgerank.cli.trust import TrustResult
from hodgerank.cli.workers import WorkersResult
from hodgerank.estimators.trust import TrustReport
from hodgerank.estimators.worker_assessment import OK, TOO_FEW, WorkerAssessment
from hodgerank.graph.calibration import Noise

NOTEWORTHY = 2.5  # standard errors; the largest of many triangles is large by chance
PARTS = {
    "bias": "position bias",
    "ties": "disagreement on the same pair",
    "gradient": "the ranking",
    "curl": "circles of three",
    "harmonic": "longer loops",
}


def show_trust(result: TrustResult, console: Console) -> None:
    """The whole story on one screen."""
    report = result.report
    parts = report.decomposition
    console.print(
        f"{report.votes.n_items:,} items, {len(report.votes):,} answers, "
        f"{parts.graph.n_edges:,} pairs; "
        f"{_count(parts.betti.beta_0, 'component')}, {_count(parts.betti.beta_1, 'open loop')}",
        style="dim",
    )
    console.print(f"\n[bold]{report.verdict[:1].upper()}{report.verdict[1:]}.[/]\n")
    console.print(_energy_table(report))
    _show_cycles(report, console)
    found = report.outliers
    console.print(
        f"\noutlying answers  {int(found.flagged.sum()):,} of {len(found.flagged):,} "
        f"({found.share:.1%}; {found.criterion})"
    )
    _show_workers_in_trust(report.workers, result.report.n_shown, console)


def _show_cycles(report: TrustReport, console: Console) -> None:
    """Triangles with the votes behind them, and loops."""
    triangles = [triangle for triangle in report.triangles if triangle.z > NOTEWORTHY]
    if triangles:
        console.print("\n[bold]circles of three[/] mean answers (and their number), sum, z")
    for triangle in triangles:
        a, b, c = triangle.items
        votes = ", ".join(
            f"{flow:+.2f} ({n:,})" for flow, n in zip(triangle.flows, triangle.answers, strict=True)
        )
        sums = f"{triangle.curl:+.2f}, consistent {triangle.expected:+.2f}, z {triangle.z:.1f}"
        console.print(Text(f"  {a} > {b} > {c} > {a}: {votes}; {sums}"), soft_wrap=True)
    if report.loops:
        console.print("\n[bold]longer loops[/] and the sum of their mean answers")
    for loop in report.loops:
        round_trip = " > ".join(str(item) for item in (*loop.items, loop.items[0]))
        console.print(Text(f"  {round_trip}: {loop.flow:+.2f}"), soft_wrap=True)


def _energy_table(report: TrustReport) -> Table:
    parts = report.decomposition
    noise: dict[str, Noise] = {"curl": parts.expected.curl, "harmonic": parts.expected.harmonic}
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("what the votes are made of")
    table.add_column("share", justify="right")
    table.add_column("from noise alone", justify="right")
    table.add_column("p", justify="right")
    for name, words in PARTS.items():
        share, expected = parts.energy[name], noise.get(name)
        row = [words, f"{share:.1%}"]
        if name == "bias" and not report.votes.display_known.any():
            row = [words, "display order unknown"]
        elif expected is not None and expected.std > 0:
            row.append(f"{expected.mean:.1%} +- {expected.std:.1%}")
            row.append(_p(expected.p_value(share)))
        table.add_row(*row)
    return table


def _show_workers_in_trust(
    assessment: WorkerAssessment | None, most: int, console: Console
) -> None:
    if assessment is None:
        console.print("workers           not recorded")
        return
    flags = [flag for flag in assessment.flag if flag not in (OK, TOO_FEW)]
    counts = {flag: flags.count(flag) for flag in dict.fromkeys(flags)}
    too_few = assessment.flag.count(TOO_FEW)
    words = ", ".join(f"{count:,} {flag}" for flag, count in counts.items()) or "none flagged"
    tail = f"; {too_few:,} with too few answers to say" if too_few else ""
    console.print(f"workers           {len(assessment):,}: {words}{tail}")
    for worker in assessment.flagged[:most]:
        k = assessment.workers.index(worker)
        console.print(
            Text(
                f"  {worker}: {assessment.flag[k]} ({assessment.answers[k]:,} answers, "
                f"agreement {_number(assessment.agreement[k], '.0%')})"
            )
        )
    for note in assessment.notes:
        console.print(f"[yellow]![/] {note}")


def show_workers(result: WorkersResult, console: Console) -> None:
    """A table of workers, flagged ones first."""
    found = result.assessment
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("worker", overflow="fold")
    table.add_column("flag")
    for name in ("answers", "bias", "agree", "out", "tie", "left", "rely"):
        table.add_column(name, justify="right", no_wrap=True)
    order = sorted(range(len(found)), key=lambda k: (found.flag[k] in (OK, TOO_FEW), k))
    shown = order[: result.top] if result.top else order
    for k in shown:
        stderr = _number(found.position_bias_stderr[k], ".2f")
        bias = _number(found.position_bias[k], "+.2f")
        table.add_row(
            Text(str(found.workers[k])),
            Text(found.flag[k], style="" if found.flag[k] in (OK, TOO_FEW) else "yellow"),
            f"{found.answers[k]:,}",
            f"{bias}±{stderr}" if bias != "-" else "-",
            *(
                _number(values[k], ".0%")
                for values in (
                    found.agreement,
                    found.outlier_share,
                    found.tie_share,
                    found.left_rate,
                )
            ),
            f"{found.reliability[k]:.2f}",
        )
    console.print(table)
    if len(shown) < len(order):
        console.print(f"... and {len(order) - len(shown):,} more (--top 0 shows all)", style="dim")
    innocent = f"; at most {found.false_discovery_rate:.0%} of these are expected to be innocent"
    n_flagged = len(found.flagged)
    console.print(
        f"{n_flagged:,} of {len(found):,} flagged{innocent if n_flagged else ''}", style="dim"
    )
    for note in found.notes:
        console.print(f"[yellow]![/] {note}")
    if result.written is not None:
        console.print(Text(f"written to {result.written}", style="dim"))


def show_outliers(result: OutliersResult, console: Console) -> None:
    """A table of outlying answers."""
    found = result.outliers
    rows = found.to_frame("polars").to_dicts()
    shown = rows[: result.top] if result.top else rows
    table = Table(box=None, header_style="bold", pad_edge=False)
    has_worker = bool(rows) and "worker" in rows[0]
    for name in ("answer", "left", "right", *(["worker"] if has_worker else [])):
        table.add_column(name, overflow="fold")
    for name in ("outcome", "expected", "entry"):
        table.add_column(name, justify="right")
    for row in shown:
        names = ("left", "right", "worker") if has_worker else ("left", "right")
        table.add_row(
            f"{row['answer'] + 1:,}",
            *(Text(str(row[name])) for name in names),
            f"{row['outcome']:+g}",
            f"{row['expected']:+.2f}",
            f"{row['entry']:.2f}",
        )
    console.print(table)
    if len(shown) < len(rows):
        console.print(f"... and {len(rows) - len(shown):,} more (--top 0 shows all)", style="dim")
    console.print(
        f"{len(rows):,} of {len(found.flagged):,} answers ({found.share:.1%}) at penalty "
        f"{found.penalty:.2f}: {found.criterion}",
        style="dim",
    )
    if result.written is not None:
        console.print(Text(f"written to {result.written}", style="dim"))


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _number(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def _p(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
