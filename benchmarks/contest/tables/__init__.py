"""A contest as Markdown."""

from __future__ import annotations

from benchmarks.contest.estimators import ESTIMATORS
from benchmarks.contest.measuring import BEST, OWN, RECALL, TAU
from benchmarks.contest.players import REFERENCE, TOP_K, K
from benchmarks.contest.result import ContestResult, Entry
from benchmarks.contest.tables.comparison import by_regime, over_regimes
from benchmarks.contest.tables.losses import losses
from benchmarks.contest.tables.times import times

__all__ = ["as_markdown"]


def as_markdown(result: ContestResult) -> str:
    """All tables."""
    auto = Entry(REFERENCE, REFERENCE, TAU)
    rivals = [Entry(name, name, TAU) for name in result.players if name not in (REFERENCE, TOP_K)]
    usual = Entry(OWN, REFERENCE, OWN)
    estimators = [Entry(name, REFERENCE, name) for name in ESTIMATORS]
    parts = [
        f"### A contest of samplers, {result.runs} runs each",
        "\n".join(f"- {note}" for note in result.notes),
        "Kendall's tau of auto, and how far others are ahead of it in the same runs: mean "
        "difference ± standard error (z). Columns are answers per item.",
        by_regime(result, auto, rivals),
        "#### Mean over regimes",
        over_regimes(result, auto, rivals),
        "#### Where another sampler is ahead",
        losses(result, auto, rivals),
        f"#### Recall of the {K} best",
        _about_the_best(result, RECALL),
        "#### Chance that the true best is first",
        _about_the_best(result, BEST),
        "#### Estimators, on auto's answers",
        by_regime(result, usual, estimators),
        over_regimes(result, usual, estimators),
        "#### Milliseconds per answer, to choose the pair and to learn from it",
        times(result),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _about_the_best(result: ContestResult, measured: str) -> str:
    auto = Entry(REFERENCE, REFERENCE, measured)
    aiming = [Entry(TOP_K, TOP_K, measured)] if TOP_K in result.players else []
    return by_regime(result, auto, aiming) + "\n\n" + over_regimes(result, auto, aiming)
