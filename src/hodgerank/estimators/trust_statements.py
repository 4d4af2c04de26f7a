"""What the trust report says, in the words that commands, JSON and documents share.

A word of judgement needs a test. Cycles and misfit, which are seldom said by mistake and have few
redraws behind them in large graphs, are said at `LEVEL`, all else at `SURE`. How often each is
said of crowds that do not deserve it is measured by `python -m benchmarks calibration`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hodgerank.display import p_words
from hodgerank.estimators.workers.assessment import (
    FAULTS,
    HABITS,
    NOT_KNOWN,
    TOO_FEW,
    WorkerAssessment,
)
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.consistency import Consistency
from hodgerank.graph.repetitions import repeat_themselves

if TYPE_CHECKING:
    from hodgerank.estimators.outliers import Outliers
    from hodgerank.estimators.position_bias.assess import PositionBiasReport
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
    words
        What is said.
    concern
        Whether it should be looked at before the ranking is used.
    how
        The argument and the option that allow for it, for who writes code or commands; `str` of a
        statement has it behind the words.
    """

    about: str
    words: str
    concern: bool = False
    how: str = ""

    def __str__(self) -> str:
        return f"{self.words} ({self.how})" if self.how else self.words

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"about": self.about, "words": str(self), "concern": self.concern}


def about_items(parts: HodgeDecomposition) -> list[Statement]:
    """Whether all can be compared."""
    n = parts.betti.beta_0
    if n < 2:
        return []
    return [Statement("items", f"{n:,} groups of items cannot be compared with each other", True)]


def chance_of_ranking(parts: HodgeDecomposition) -> float:
    """How often coin tosses would show as much of one."""
    p = parts.p_value("gradient")
    return 1.0 if p is None else p


def about_ranking(parts: HodgeDecomposition) -> list[Statement]:
    """Whether there is one."""
    p = chance_of_ranking(parts)
    if SURE <= p < LEVEL:
        words = f"a ranking shows, but not surely: coin tosses seldom give it ({p_words(p)})"
        return [Statement("ranking", words)]
    if p < SURE:
        words = f"a ranking shows in the answers: coin tosses would hardly give it ({p_words(p)})"
        return [Statement("ranking", words)]
    words = f"no ranking shows in the answers: coin tosses would give as much ({p_words(p)})"
    return [Statement("ranking", words, True)]


def about_cycles(found: Consistency, n_items: int) -> list[Statement]:
    """Whether one ranking can be behind the answers; of two items none other could."""
    if n_items == 2:
        return [Statement("cycles", "two items cannot run in a cycle")]
    if found.cycles is None:
        words = f"whether preferences run in cycles cannot be checked: {found.reason}"
        return [Statement("cycles", words, True)]
    p = found.cycles.p_value
    if p < LEVEL:
        words = f"preferences run in cycles that no single ranking explains ({p_words(p)})"
        return [Statement("cycles", words, True)]
    words = f"no cycles beyond what one ranking and noise explain ({p_words(p)})"
    return [Statement("cycles", words)]


def about_noise(found: Consistency) -> list[Statement]:
    """Whether the noise is of one kind, and how clear pairs are answered."""
    said = []
    if found.misfit is not None and found.misfit.p_value < LEVEL:
        words = (
            "one ranking with equal noise does not explain all answers "
            f"({p_words(found.misfit.p_value)}): some items, pairs or workers are noisier than "
            "others, or tastes differ"
        )
        said.append(Statement("noise", words))
    shape = found.shape
    if shape is not None and shape.departure is not None:
        words = (
            f"{shape.departure}: {shape.happened:.1%} of these answers go with the ranking, where "
            f"the usual models expect {shape.promised:.1%}"
        )
        said.append(Statement("noise", words))
    return said


def about_position_bias(sides: PositionBiasReport, n_both_ways: int) -> list[Statement]:
    """Whether answers lean to one, and what that does to the ranking."""
    if not sides.n_known:
        why = f" ({sides.doubt})" if sides.doubt else ""
        words = f"the display order is not known{why}: nothing can be said about sides"
        return [Statement("position_bias", words)]
    unseen = (
        ""
        if n_both_ways
        else "no worker's votes have a pair both ways round, so this is the model's word alone: "
    )
    if sides.lean is None:
        words = "whether answers lean to a side cannot be told from so few"
        return [Statement("position_bias", words)]
    lean = sides.lean
    numbers = (
        f"{lean.value:+.2f} on a scale of -1 (always right) to +1 (always left), "
        f"95 %: {lean.lower:+.2f} to {lean.upper:+.2f}, {p_words(lean.p_value)}"
    )
    side = "left" if lean.value > 0 else "right"
    if lean.p_value >= SURE and lean.lower <= 0 <= lean.upper:
        return [Statement("position_bias", f"{unseen}no lean to a side is sure ({numbers})")]
    if lean.p_value >= SURE:
        words = f"{unseen}answers may lean to the {side}, which is not sure at 1 % ({numbers})"
        return [Statement("position_bias", words)]
    words, moves = f"{unseen}answers lean to the {side} ({numbers})", sides.moves
    if moves is None:
        return [Statement("position_bias", words, True)]
    how = f"position_bias={moves.position_bias!r}, --position-bias {moves.position_bias}"
    return [Statement("position_bias", f"{words}; {moves}", True, how)]


def about_outliers(found: Outliers) -> list[Statement]:
    """Whether answers stray further from the ranking than those of a consistent crowd."""
    return [Statement("outliers", found.verdict, found.are_too_many)]


def about_workers(found: WorkerAssessment | None, n_workers: int) -> list[Statement]:
    """Who should be looked at, and who has habits worth knowing; nothing if nobody asked."""
    if not n_workers:
        return [Statement("workers", "who answered is not recorded")]
    if found is None:
        return []
    said = []
    for flags, verbs, concern in (
        (FAULTS, ("deserves a look", "deserve a look"), True),
        (HABITS, ("has a habit worth knowing", "have habits worth knowing"), False),
    ):
        counts = {flag: found.flag.count(flag) for flag in flags if flag in found.flag}
        n = sum(counts.values())
        if n:
            listed = ", ".join(f"{count:,} {flag}" for flag, count in counts.items())
            words = f"{n:,} of {len(found):,} workers {verbs[n > 1]}: {listed}"
            said.append(Statement("workers", words, concern))
    return [*said, *_the_others(found, bool(said))]


def _the_others(found: WorkerAssessment, some_stand_out: bool) -> list[Statement]:
    """How many could not be looked at, and that nobody else stands out."""
    n, few = len(found), found.flag.count(TOO_FEW)
    if n == few:
        who = "the only worker has" if n == 1 else f"all {n:,} workers have"
        return [Statement("workers", f"{who} too few answers to say anything of them")]
    words = [f"{few:,} of {n:,} have too few answers to say"] if few else []
    unknown = found.flag.count(NOT_KNOWN)
    if unknown:
        who = f"{unknown:,} of {n:,} workers"
        words.append(
            "there is nobody to measure the only worker by"
            if n == 1
            else f"nothing is known of {who}: no others agree enough to measure them by"
        )
    if not some_stand_out and few + unknown < n:
        others = "no other worker" if few or unknown else f"none of {n:,} workers"
        words.append("the worker does not stand out" if n == 1 else f"{others} stands out")
    return [Statement("workers", "; ".join(words))] if words else []


def about_repetitions(answered: AnsweredGraph) -> list[Statement]:
    """Whether a worker's answers to a pair hang together, which intervals take for news."""
    if not repeat_themselves(answered):
        return []
    words = (
        "answers of one worker to the same pair hang together: standard errors take that for news "
        "unless they are clustered"
    )
    return [Statement("workers", words, True, "covariance='worker', --covariance worker")]
