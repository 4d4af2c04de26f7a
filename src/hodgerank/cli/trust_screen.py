"""The trust report on one screen."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from hodgerank.cli.console import (
    count,
    number,
    show_reading,
    verbatim,
)
from hodgerank.cli.fitting import add_numbers, plain_table, show_table
from hodgerank.estimators.trust.report import TrustReport
from hodgerank.estimators.trust.statements import Statement
from hodgerank.estimators.workers.assessment import FAULTS, WorkerAssessment
from hodgerank.graph.decomposition import PART_WORDS

EXPECTED_OF = (
    "to expect: of position bias if sides were dealt at random, of the ranking from coin tosses, "
    "of the others from one ranking and noise. What does not add up need not be a cycle: "
    "preferences saturate, and pairs differ. Position bias is seen where a worker saw a pair both "
    "ways, to whichever side."
)


def show_trust(report: TrustReport, console: Console) -> None:
    """Verdict, shares of the energy, cycles, and everything else that may be said."""
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
    show_table(_energy_table(report), console)
    console.print(EXPECTED_OF, style="dim")
    _show_cycles(report, console)
    console.print()
    show_statements([said for said in report.statements if not said.concern], console)


def show_statements(statements: list[Statement], console: Console) -> None:
    """Each beside what it is about."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    previous = ""
    for said in statements:
        table.add_row("" if said.about == previous else said.about, verbatim(str(said)))
        previous = said.about
    console.print(table)


def _show_cycles(report: TrustReport, console: Console) -> None:
    """Cycles of three that are sure, with the votes behind them, and the strongest loops."""
    if report.triangles:
        console.print(
            "\n[bold]cycles of three[/] with mean answers, their number, and p after allowing for "
            "all triangles"
        )
    for cycle in report.triangles:
        a, b, c = cycle.items
        votes = ", ".join(
            f"{flow:+.2f} ({n:,})" for flow, n in zip(cycle.flows, cycle.answers, strict=True)
        )
        words = f"  {a} > {b} > {c} > {a}: {votes}; p {_p(cycle.p_value)}"
        console.print(verbatim(words), soft_wrap=True)
    more = report.consistency.n_named - len(report.triangles)
    if more > 0:
        console.print(f"  and {more:,} more", style="dim")
    if report.loops and _is_small(report.p_value("harmonic")):
        console.print("\n[bold]longer loops[/] and the sum of their mean answers")
        for loop in report.loops:
            round_trip = " > ".join(str(item) for item in (*loop.items, loop.items[0]))
            console.print(verbatim(f"  {round_trip}: {loop.flow:+.2f}"), soft_wrap=True)


def _is_small(p_value: float | None) -> bool:
    return p_value is not None and p_value < 0.01


def _energy_table(report: TrustReport) -> Table:
    table = plain_table()
    table.add_column("what the votes are made of")
    add_numbers(table, "share")
    table.add_column("to expect", justify="right")
    add_numbers(table, "p")
    for part, words in PART_WORDS.items():
        noise, p_value = report.decomposition.noise(part), report.p_value(part)
        row = [words, f"{report.decomposition.energy[part]:.1%}"]
        unseen = report.decomposition.unseen_bias
        if part == "bias" and unseen is not None:
            row = [words, "unseen", unseen]
        elif p_value is not None:
            expected = "-" if noise is None else f"{noise.mean:.1%} +- {noise.std:.1%}"
            row += [expected, _p(p_value)]
        table.add_row(*row)
    return table


def show_workers(assessment: WorkerAssessment, most: int, console: Console) -> None:
    """The first of those with faults, by name."""
    faulty = [k for k, flag in enumerate(assessment.flag) if flag in FAULTS]
    if faulty:
        console.print("\n[bold]workers to look at[/]")
    for k in faulty[:most]:
        console.print(
            verbatim(
                f"  {assessment.workers[k]}: {assessment.flag[k]} ({assessment.answers[k]:,} "
                f"answers, agreement {number(assessment.agreement[k], '.0%')})"
            )
        )
    if len(faulty) > most:
        console.print(f"  and {len(faulty) - most:,} more: hodgerank workers", style="dim")


def _p(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
