"""How plans and learning curves look on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hodgerank.cli.plan import PlanResult
from hodgerank.cli.replay import ReplayResult
from hodgerank.sampling.replay import Replay

HEIGHT, WIDTH = 14, 60
MARKS = "●○▲△■□◆◇"


def show_plan(result: PlanResult, console: Console) -> None:
    """The pairs, best first, and what they lead to."""
    console.print(
        f"{result.n_items:,} items, {result.n_answers:,} answers so far; "
        f"strategy {result.strategy}",
        style="dim",
    )
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("", justify="right", style="dim")
    table.add_column("left", overflow="fold")
    table.add_column("right", overflow="fold")
    table.add_column("gain", justify="right")
    shown = len(result.pairs) if not result.top else min(result.top, len(result.pairs))
    for k in range(shown):
        pair = result.pairs[k]
        table.add_row(
            str(k + 1), Text(str(pair.left)), Text(str(pair.right)), f"{result.gains[k]:.3g}"
        )
    console.print()
    console.print(table)
    console.print()
    if shown < len(result.pairs):
        console.print(
            f"... and {len(result.pairs) - shown:,} more (--top 0 shows all)", style="dim"
        )
    if result.forecast is not None:
        console.print(f"forecast: {result.forecast}")
    if result.written is not None:
        console.print(f"written to {escape(str(result.written))}", style="dim")


def show_replay(result: ReplayResult, console: Console) -> None:
    """A chart of characters, and the numbers."""
    curves = result.curves
    n_runs = curves.taus.shape[1]
    console.print(f"Kendall's tau against {curves.truth}, mean of {n_runs:,} runs", style="dim")
    console.print()
    for line in _chart(curves):
        console.print(line, no_wrap=True)
    console.print()
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("answers", justify="right")
    for name in curves.strategies:
        table.add_column(name, justify="right")
    mean, stderr = curves.mean, curves.stderr
    looks = range(len(curves.answers) - 1, -1, -max(1, len(curves.answers) // 5))
    for look in reversed(looks):
        cells = [
            f"{mean[s, look]:.3f}" + (f" ±{stderr[s, look]:.3f}" if n_runs > 1 else "")
            for s in range(len(curves.strategies))
        ]
        table.add_row(f"{curves.answers[look]:,}", *cells)
    console.print(table)
    if result.written is not None:
        console.print(f"written to {escape(str(result.written))}", style="dim")


def _chart(curves: Replay) -> list[Text]:
    """Tau from 0 (or lower) to 1 upwards, answers to the right; each strategy has its mark."""
    mean = curves.mean
    low = min(0.0, float(mean.min()))
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    last = int(curves.answers[-1])
    for s in range(len(curves.strategies) - 1, -1, -1):
        for look, answers in enumerate(curves.answers.tolist()):
            x = min(WIDTH - 1, round((WIDTH - 1) * answers / last))
            y = round((HEIGHT - 1) * (float(mean[s, look]) - low) / (1 - low))
            rows[HEIGHT - 1 - y][x] = MARKS[s % len(MARKS)]
    lines = []
    for k, row in enumerate(rows):
        value = 1 - (1 - low) * k / (HEIGHT - 1)
        label = f"{value:5.2f}" if k % 3 == 0 or k == HEIGHT - 1 else "     "
        lines.append(Text(f"{label} │{''.join(row)}"))
    lines.append(Text("      └" + "─" * WIDTH))
    lines.append(Text(f"       0{'answers':^{WIDTH - len(str(last)) - 1}}{last}"))
    legend = "   ".join(
        f"{MARKS[s % len(MARKS)]} {name}" for s, name in enumerate(curves.strategies)
    )
    lines.append(Text(f"       {legend}"))
    return lines
