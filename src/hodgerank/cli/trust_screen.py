"""The trust report on one screen."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from hodgerank.cli.console import (
    count,
    number,
    plain_table,
    show_reading,
    show_warnings,
    verbatim,
)
from hodgerank.estimators.trust import TrustReport
from hodgerank.estimators.workers.assessment import OK, TOO_FEW, WorkerAssessment
from hodgerank.graph.calibration import Noise

NOTEWORTHY = 2.5  # standard errors; the largest of many triangles is large by chance
PARTS = {
    "bias": "position bias",
    "ties": "disagreement on the same pair",
    "gradient": "the ranking",
    "curl": "cycles of three",
    "harmonic": "longer loops",
}


def show_trust(report: TrustReport, console: Console) -> None:
    """Verdict, shares of the energy, cycles, outliers and workers."""
    show_reading(report.votes.report, console)
    parts = report.decomposition
    console.print(
        f"{report.votes.n_items:,} items, {len(report.votes):,} answers, "
        f"{parts.graph.n_edges:,} pairs; "
        f"{count(parts.betti.beta_0, 'component')}, {count(parts.betti.beta_1, 'open loop')}",
        style="dim",
    )
    console.print()
    console.print(verbatim(f"{report.verdict[:1].upper()}{report.verdict[1:]}.", "bold"))
    console.print()
    console.print(_energy_table(report))
    _show_cycles(report, console)
    found = report.outliers
    console.print(
        f"\noutlying answers  {int(found.flagged.sum()):,} of {len(found.flagged):,} "
        f"({found.share:.1%}; {found.criterion})"
    )


def _show_cycles(report: TrustReport, console: Console) -> None:
    """Triangles with the votes behind them, and loops."""
    triangles = [triangle for triangle in report.triangles if triangle.z > NOTEWORTHY]
    if triangles:
        console.print("\n[bold]cycles of three[/] mean answers (and their number), sum, z")
    for triangle in triangles:
        a, b, c = triangle.items
        votes = ", ".join(
            f"{flow:+.2f} ({n:,})" for flow, n in zip(triangle.flows, triangle.answers, strict=True)
        )
        sums = f"{triangle.curl:+.2f}, consistent {triangle.expected:+.2f}, z {triangle.z:.1f}"
        console.print(verbatim(f"  {a} > {b} > {c} > {a}: {votes}; {sums}"), soft_wrap=True)
    if report.loops:
        console.print("\n[bold]longer loops[/] and the sum of their mean answers")
    for loop in report.loops:
        round_trip = " > ".join(str(item) for item in (*loop.items, loop.items[0]))
        console.print(verbatim(f"  {round_trip}: {loop.flow:+.2f}"), soft_wrap=True)


def _energy_table(report: TrustReport) -> Table:
    parts = report.decomposition
    noise: dict[str, Noise] = {"curl": parts.expected.curl, "harmonic": parts.expected.harmonic}
    table = plain_table()
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


def show_workers(assessment: WorkerAssessment | None, most: int, console: Console) -> None:
    """How many are flagged, and the first of them by name."""
    if assessment is None:
        console.print("workers           not recorded")
        return
    flags = [flag for flag in assessment.flag if flag not in (OK, TOO_FEW)]
    counts = {flag: flags.count(flag) for flag in dict.fromkeys(flags)}
    too_few = assessment.flag.count(TOO_FEW)
    words = ", ".join(f"{count:,} {flag}" for flag, count in counts.items()) or "none flagged"
    tail = f"; {too_few:,} with too few answers to say" if too_few else ""
    console.print(f"workers           {len(assessment):,}: {words}{tail}")
    places = {worker: k for k, worker in enumerate(assessment.workers)}
    for worker in assessment.flagged[:most]:
        k = places[worker]
        console.print(
            verbatim(
                f"  {worker}: {assessment.flag[k]} ({assessment.answers[k]:,} answers, "
                f"agreement {number(assessment.agreement[k], '.0%')})"
            )
        )
    show_warnings(assessment.notes, console)


def _p(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
