"""hodgerank demo: a simulated campaign from the first vote to the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np
import typer
from rich.cells import cell_len
from rich.console import Console

from hodgerank.cli.console import results, verbatim
from hodgerank.cli.files import write_table
from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import CommandResult
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.simulate import BEHAVIOURS
from hodgerank.estimators.certainty import expected_tau
from hodgerank.estimators.rank import rank
from hodgerank.metrics import pairwise_accuracy
from hodgerank.sampling.samplers.auto import AutoSampler
from hodgerank.types import Item

if TYPE_CHECKING:
    from hodgerank.reporting.findings import Findings
    from hodgerank.reporting.report import Report

# Pairs of photos of nearly equal quality, so that some of them are statistically tied.
PHOTOS: dict[Item, float] = {
    "Snow on the roof": 2.6,
    "Harbour at dawn": 1.9,
    "First frost": 1.85,
    "Regatta": 1.2,
    "The boathouse": 0.7,
    "Lavender field": 0.62,
    "Lake in the morning": 0.2,
    "Autumn hills": -0.1,
    "Sailing in May": -0.6,
    "The gardener": -1.3,
    "Red valley": -1.4,
    "Two firs": -2.4,
}
HONEST = ["Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gia", "Hal", "Ida", "Jon", "Kay", "Leo"]
PLANTED = {
    "Mia": ("adversarial", "misread the question"),
    "Nic": ("position-biased", "mostly clicks left"),
    "Oz": ("random", "clicks at random"),
}
QUESTION = "Which photo belongs in the calendar?"
VOTES_EACH = 40
VETTING = 8  # votes of each worker on pairs that are not chosen to be close
LOOKS = (15, 30, 60, 120, 240, 420, 600)
TIED = "A bracket joins photos whose order is not settled: neighbours are statistically tied."
BAR, PLOT = 20, 30  # columns of a bar and of the interval plot


@dataclass(frozen=True)
class Look:
    """The ranking after some votes, beside the truth."""

    n_votes: int
    expected: float
    true: float
    leader: str


@dataclass(frozen=True)
class DemoResult(CommandResult):
    """The course of a demonstration: votes, ranking, planted and flagged workers."""

    looks: tuple[Look, ...]
    report: Report
    written: Path
    as_json: bool

    @property
    def _findings(self) -> Findings:
        return cast("Findings", self.report.findings)

    @property
    def _flagged(self) -> list[str]:
        workers = self._findings.trust.workers
        return [] if workers is None else [str(name) for name in workers.flagged]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "looks": [vars(look) for look in self.looks],
            "planted": {name: kind for name, (kind, _) in PLANTED.items()},
            "flagged": self._flagged,
            "votes": str(self.written / "votes.csv"),
            "report": str(self.written / "report.html"),
        }

    def show(self, console: Console) -> None:
        """The ranking with its ties, the workers, and where the report is."""
        console.print("\n[bold]2. The ranking[/bold]  hodgerank rank votes.csv\n")
        for line in _interval_plot(self._findings, console):
            console.print(verbatim(line), no_wrap=True)
        if any(first < last for first, last in self._findings.verdict.tiers):
            console.print(f"\n{TIED}")
        console.print("\n[bold]3. The workers[/bold]  hodgerank workers votes.csv\n")
        planted = _listed([f"{name} {what}" for name, (_, what) in PLANTED.items()])
        console.print(verbatim(f"Planted: {planted}."))
        console.print(verbatim(self._found()))
        console.print("\n[bold]4. The report[/bold]  hodgerank report votes.csv\n")
        for text in self.report.answer:
            console.print(verbatim(str(text)), soft_wrap=True)
        page = (self.written / "report.html").resolve()
        console.print(verbatim(f"Open it in a browser: {page}"), soft_wrap=True)

    def _found(self) -> str:
        """Which of the planted workers were flagged, and who else was."""
        found = [name for name in PLANTED if name in self._flagged]
        missed = [name for name in PLANTED if name not in self._flagged]
        others = [name for name in self._flagged if name not in PLANTED]
        said = f"Found: {_listed(found) if found else 'none of them'}"
        said += f"; not found: {_listed(missed)}" if missed else ""
        said += f"; flagged by mistake: {_listed(others)}" if others else "; nobody else"
        return f"{said}."


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _interval_plot(found: Findings, console: Console) -> list[str]:
    """Places, names and intervals; a bracket joins the items of a tier."""
    ranking, verdict = found.ranking, found.verdict
    is_unicode = (console.encoding or "").lower().startswith("utf")
    line, dot, brackets = ("─", "●", "┌│└ ") if is_unicode else ("-", "o", "/|\\ ")
    width = max(cell_len(str(item)) for item in ranking.items)
    low, high = float(ranking.intervals.min()), float(ranking.intervals.max())

    def column(score: float) -> int:
        return round((PLOT - 1) * (score - low) / (high - low))

    lines = []
    for first, last in verdict.tiers:
        for k in range(first, last + 1):
            mark = brackets[3] if first == last else brackets[0 if k == first else 1 + (k == last)]
            start, end = (column(value) for value in ranking.intervals[k])
            plot = " " * start + line * (end - start + 1)
            at = column(float(ranking.scores[k]))
            plot = plot[:at] + dot + plot[at + 1 :]
            best, worst = verdict.places[k].tolist()
            places = f"{best}" if best == worst else f"{best} to {worst}"
            name = str(ranking.items[k])
            lines.append(f"{places:>8} {mark} {name}{' ' * (width - cell_len(name))}  {plot}")
    return [f"{'place':>8}   {'photo':{width}}  score with 95% interval", *lines]


def _campaign(seed: int, console: Console | None) -> tuple[Comparisons, tuple[Look, ...]]:
    """Every worker compares pairs that an AutoSampler chooses from the votes so far."""
    rng = np.random.default_rng(seed)
    workers = [*HONEST, *PLANTED]
    sampler = AutoSampler(PHOTOS, seed=seed, vetting=VETTING, probes=True)
    turns = [name for _ in range(VOTES_EACH) for name in rng.permutation(workers)]
    looks: list[Look] = []
    for worker in turns:
        pair = sampler.ask(worker=worker)
        odds = np.exp(PHOTOS[pair.left] - PHOTOS[pair.right])
        kind = PLANTED.get(worker, ("honest",))[0]
        outcome = BEHAVIOURS[kind](np.array([odds / (1 + odds)]), rng)
        sampler.tell(pair, float(outcome[0]), worker=worker)
        if sampler.n_votes in LOOKS:
            looks.append(_look(sampler))
            if console is not None:
                console.print(verbatim(_progress(looks[-1], console)), no_wrap=True)
    return sampler.votes, tuple(looks)


def _look(sampler: AutoSampler) -> Look:
    ranking = rank(sampler.votes, components="together")
    expected = (1 + expected_tau(ranking)) / 2
    true = pairwise_accuracy(ranking, PHOTOS)
    return Look(sampler.n_votes, expected, true, str(ranking.items[0]))


def _progress(look: Look, console: Console) -> str:
    is_unicode = (console.encoding or "").lower().startswith("utf")
    full, empty = "█░" if is_unicode else "#."
    filled = round(BAR * (2 * look.true - 1)) if look.true > 0.5 else 0
    bar = full * filled + empty * (BAR - filled)
    shares = f"{int(100 * look.expected):>7}%  {int(100 * look.true):>4}%"
    return f"{look.n_votes:>8,}  {shares} {bar}  {look.leader}"


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulated crowd.")] = 15,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", file_okay=False, help="Folder for the votes and the report."
        ),
    ] = Path("demo"),
    as_json: AsJson = False,
) -> DemoResult:
    """Show the whole of it on a simulated crowd: votes, ranking, workers, report.

    Fifteen simulated people compare twelve photos, two at a time. Three of them are planted: one
    misread the question, one mostly clicks left, one clicks at random. The default seed was picked
    because all three are found with it. In 90 runs with different seeds the first was flagged in
    all, the second in 89, the third in 48, and no other worker was. Writes votes.csv and
    report.html.

    Examples:
      hodgerank demo

      hodgerank demo --seed 8 -o another
    """
    from hodgerank.reporting.report import report

    output.mkdir(parents=True, exist_ok=True)
    console = None if as_json else results()
    if console is not None:
        people = len(HONEST) + len(PLANTED)
        console.print(
            f"{people} simulated people compare {len(PHOTOS)} photos, {VOTES_EACH} pairs each: "
            f"“{QUESTION}”\n"
        )
        console.print("[bold]1. The votes[/bold]  each pair is chosen from the votes so far\n")
        console.print("           pairs in the right order (bar: from 50% to 100%)", style="dim")
        console.print(f"{'votes':>8}  {'expected':>8}  {'true':>5} {'':{BAR}}  first", style="dim")
    votes, looks = _campaign(seed, console)
    write_table(votes.to_frame("polars"), output / "votes.csv")
    page = report(
        output / "votes.csv",
        title="Photos for the calendar",
        question=QUESTION,
        command=f"hodgerank report {output / 'votes.csv'}",
    )
    page.save(output / "report.html")
    return DemoResult(looks, page, output, as_json)
