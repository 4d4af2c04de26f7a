"""The printed tables, and the CSV file."""

from __future__ import annotations

import csv
import io

import numpy as np

from benchmarks.judging.players import PLAYERS, USUAL
from benchmarks.judging.reaching import TARGETS
from benchmarks.judging.result import JudgingResult, Saving

OURS = [name for name in PLAYERS if not name.startswith("usual")]


def as_markdown(result: JudgingResult) -> str:
    """Calls of everybody until each target, and what is saved."""
    pieces = [f"### Calls to judges, {result.runs} runs each, seed {result.seed}"]
    for target in TARGETS:
        pieces += [f"Calls until tau {target:g}:", _calls(result, target)]
        pieces += [f"Calls of '{USUAL}' over those of others, tau {target:g}:"]
        pieces += [_savings(result, target)]
    return "\n\n".join([*pieces, *result.notes]) + "\n"


def _calls(result: JudgingResult, target: float) -> str:
    """Medians, with the runs that got there where not all did."""
    lines = ["| | most | " + " | ".join(PLAYERS) + " |", "|---|---:|" + "---:|" * len(PLAYERS)]
    for scenario in result.scenarios:
        cells = [f"{result.most[scenario.name]:,}"]
        for player in PLAYERS:
            median, reached = result.of(scenario.name, player, target)
            there = result.gets_there(scenario.name, player, target)
            shown = f"{median:,.0f}" if there else "-"
            cells.append(shown if reached == result.runs else f"{shown} ({reached})")
        lines.append(f"| {scenario.about} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _savings(result: JudgingResult, target: float) -> str:
    lines = ["| | " + " | ".join(OURS) + " |", "|---|" + "---:|" * len(OURS)]
    groups = {scenario.about: [scenario.name] for scenario in result.scenarios}
    for kind in dict.fromkeys(scenario.kind for scenario in result.scenarios):
        names = [scenario.name for scenario in result.scenarios if scenario.kind == kind]
        if len(names) > 1:
            groups[f"**{kind}, together**"] = names
    for about, names in groups.items():
        savings = [result.saving(names, player, USUAL, target) for player in OURS]
        lines.append(f"| {about} | " + " | ".join(map(_shown, savings)) + " |")
    return "\n".join(lines)


def _shown(saving: Saving | None) -> str:
    if saving is None:
        return "-"
    return f"{saving.bound} {saving.ratio:.2f} ({saving.low:.2f} to {saving.high:.2f})".strip()


def as_csv(result: JudgingResult) -> str:
    """A line for each run, player and target; no number of calls where it was never reached."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["scenario", "run", "player", "target", "calls", "most"])
    for scenario in result.scenarios:
        for player in PLAYERS:
            for target in TARGETS:
                values = result.values(scenario.name, player, target)
                for run, value in enumerate(values):
                    calls = f"{value:.1f}" if np.isfinite(value) else ""
                    row = [scenario.name, run, player, target, calls, result.most[scenario.name]]
                    writer.writerow(row)
    return file.getvalue()
