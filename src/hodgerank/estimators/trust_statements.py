"""Statements of the trust report, worded once for commands, JSON and reports.

Every statement rests on a test. Cycles and misfit are stated at `LEVEL`: their tests are
conservative and have few simulations in large graphs. All others are stated at `SURE`. The rates of
false statements are measured by `python -m benchmarks calibration`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hodgerank.display import p_words
from hodgerank.estimators.workers.assessment import (
    NOT_KNOWN,
    NOTES,
    TOO_FEW,
    WARNINGS,
    WorkerAssessment,
)
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.consistency import Consistency
from hodgerank.graph.repetitions import repeat_themselves

if TYPE_CHECKING:
    from hodgerank.estimators.outliers import Outliers
    from hodgerank.estimators.position_bias.assess import PositionBiasReport
    from hodgerank.estimators.votes_to_win import VotesToWin
    from hodgerank.graph.decomposition import HodgeDecomposition


SURE = 0.01
LEVEL = 0.05


@dataclass(frozen=True)
class Statement:
    """One sentence of the report.

    Attributes
    ----------
    about
        'items', 'ranking', 'cycles', 'noise', 'position_bias', 'outliers', 'workers' or
        'reliability'.
    code
        Stable identifier of the finding, for programs; it stays when the wording changes.
    words
        The sentence.
    concern
        Whether it needs attention before the ranking is used.
    how
        The argument and the command-line option that account for it; `str(statement)` appends it in
        parentheses.
    """

    about: str
    code: str
    words: str
    concern: bool = False
    how: str = ""

    def __str__(self) -> str:
        return f"{self.words} ({self.how})" if self.how else self.words

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "about": self.about,
            "code": self.code,
            "words": str(self),
            "concern": self.concern,
        }


def about_items(parts: HodgeDecomposition) -> list[Statement]:
    """State whether the items are connected."""
    n = parts.betti.beta_0
    if n < 2:
        return []
    words = f"the items form {n:,} disconnected groups, which cannot be compared with each other"
    return [Statement("items", "disconnected", words, True)]


def chance_of_ranking(parts: HodgeDecomposition) -> float:
    """Return the p-value of the ranking under random votes."""
    p = parts.p_value("gradient")
    return 1.0 if p is None else p


def about_ranking(parts: HodgeDecomposition) -> list[Statement]:
    """State whether the votes contain a significant ranking."""
    p = chance_of_ranking(parts)
    if SURE <= p < LEVEL:
        words = f"the votes contain a ranking, significant at 5% but not at 1% ({p_words(p)})"
        return [Statement("ranking", "weakly_significant", words)]
    if p < SURE:
        words = f"the votes contain a significant ranking ({p_words(p)})"
        return [Statement("ranking", "significant", words)]
    words = f"no significant ranking ({p_words(p)}): the order could be chance"
    return [Statement("ranking", "not_significant", words, True)]


def about_winner(found: Sequence[VotesToWin]) -> list[Statement]:
    """State how few votes would put another item first, and how few workers."""
    if not found:
        return []
    words = str(found[0])
    for other in found[1:]:
        workers = "worker" if other.of == 1 else "workers"
        words += f"; so would removing {other.n:,} of {other.of:,} {workers}"
    return [Statement("ranking", "votes_to_win", words)]


def about_cycles(found: Consistency, n_items: int) -> list[Statement]:
    """State whether there are significant cycles."""
    if n_items == 2:
        return [Statement("cycles", "impossible", "two items cannot form a cycle")]
    if found.cycles is None:
        words = f"cycles cannot be checked: {found.reason}"
        return [Statement("cycles", "unchecked", words, True)]
    p = found.cycles.p_value
    if p < LEVEL:
        words = f"significant cycles, which no single ranking explains ({p_words(p)})"
        return [Statement("cycles", "significant", words, True)]
    return [Statement("cycles", "not_significant", f"no significant cycles ({p_words(p)})")]


def about_noise(found: Consistency) -> list[Statement]:
    """State whether the noise is homogeneous, and whether clear pairs fit the usual models."""
    said = []
    if found.misfit is not None and found.misfit.p_value < LEVEL:
        words = (
            "one ranking with equal noise does not explain all votes "
            f"({p_words(found.misfit.p_value)}); possible reasons: items, pairs or workers that "
            "are noisier than others, or different tastes"
        )
        said.append(Statement("noise", "misfit", words))
    shape = found.shape
    if shape is not None and shape.departure is not None:
        words = (
            f"{shape.departure}: {shape.happened:.1%} of these votes agree with the ranking, "
            f"{shape.promised:.1%} expected under the usual models"
        )
        said.append(Statement("noise", "shape", words))
    return said


def about_position_bias(found: PositionBiasReport, n_both_ways: int) -> list[Statement]:
    """State whether there is position bias, and how it affects the ranking."""
    if not found.n_known:
        why = f" ({found.doubt})" if found.doubt else ""
        words = f"position bias cannot be assessed: the display order is unknown{why}"
        return [Statement("position_bias", "unknown_display", words)]
    if found.estimate is None:
        words = "position bias cannot be assessed: too few votes"
        return [Statement("position_bias", "too_few", words)]
    bias = found.estimate
    numbers = (
        f"{bias.value:+z.2f}, 95% CI {bias.lower:+z.2f} to {bias.upper:+z.2f}, "
        f"{p_words(bias.p_value)}; -1 is always right, +1 always left"
    )
    if not n_both_ways:
        numbers += "; from the model alone, since no worker saw a pair in both orders"
    side = "left" if bias.value > 0 else "right"
    if bias.p_value >= SURE and bias.lower <= 0 <= bias.upper:
        words = f"no significant position bias ({numbers})"
        return [Statement("position_bias", "not_significant", words)]
    if bias.p_value >= SURE:
        words = f"possible position bias to the {side}, not significant at 1% ({numbers})"
        return [Statement("position_bias", "weakly_significant", words)]
    words, moves = f"significant position bias to the {side} ({numbers})", found.moves
    if moves is None:
        return [Statement("position_bias", "significant", words, True)]
    how = f"position_bias={moves.position_bias!r}, --position-bias {moves.position_bias}"
    return [Statement("position_bias", "significant", f"{words}; {moves}", True, how)]


def about_outliers(found: Outliers) -> list[Statement]:
    """State whether there are more outliers than expected by chance."""
    return [Statement("outliers", found.code, found.verdict, found.are_too_many)]


def about_workers(found: WorkerAssessment | None, n_workers: int) -> list[Statement]:
    """List workers with warnings and with notes; nothing if workers were not assessed."""
    if not n_workers:
        return [Statement("workers", "unknown", "workers are not recorded")]
    if found is None:
        return []
    said = []
    for flags, code, verbs, concern in (
        (WARNINGS, "warnings", ("has a warning", "have a warning"), True),
        (NOTES, "notes", ("has a note", "have a note"), False),
    ):
        counts = {flag: found.flag.count(flag) for flag in flags if flag in found.flag}
        n = sum(counts.values())
        if n:
            listed = ", ".join(f"{count:,} {flag}" for flag, count in counts.items())
            words = f"{n:,} of {len(found):,} workers {verbs[n > 1]}: {listed}"
            said.append(Statement("workers", code, words, concern))
    return [*said, *_the_others(found, bool(said))]


def _the_others(found: WorkerAssessment, some_stand_out: bool) -> list[Statement]:
    """State how many workers could not be assessed, and whether no worker was flagged."""
    n, few = len(found), found.flag.count(TOO_FEW)
    if n == few:
        who = "the only worker has" if n == 1 else f"all {n:,} workers have"
        return [Statement("workers", "too_few", f"{who} too few votes to be assessed")]
    words = [f"{few:,} of {n:,} workers have too few votes to be assessed"] if few else []
    unknown = found.flag.count(NOT_KNOWN)
    if unknown:
        who = f"{unknown:,} of {n:,} workers"
        words.append(
            "the only worker cannot be compared with others"
            if n == 1
            else f"{who} cannot be assessed: no others agree with each other"
        )
    if not some_stand_out and few + unknown < n:
        checked = found.n_checked
        words.append(f"no worker was flagged ({checked:,} checked)")
    said = [Statement("workers", "others", "; ".join(words))] if words else []
    if found.hides_random_workers:
        said.append(Statement("workers", "random_hidden", found.random_hidden))
    return said


def about_repetitions(answered: AnsweredGraph) -> list[Statement]:
    """Warn if repeated votes of one worker on a pair are correlated: intervals ignore that."""
    if not repeat_themselves(answered):
        return []
    words = (
        "votes of one worker on the same pair are correlated: standard errors are too small unless "
        "they are clustered by worker"
    )
    how = "covariance='worker', --covariance worker"
    return [Statement("workers", "correlated", words, True, how)]
