"""Consistency: whether one ranking explains the answers, and the cycles that it cannot."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from hodgerank.types import Item


@dataclass(frozen=True)
class Evidence:
    """An observed statistic beside those of redrawn crowds.

    Attributes
    ----------
    statistic
        Of the answers.
    mean, std
        Of the redrawn crowds.
    p_value
        Share of crowds, the one at hand among them, that show at least as much.
    n_redraws
        How many were redrawn.
    """

    statistic: float
    mean: float
    std: float
    p_value: float
    n_redraws: int


@dataclass(frozen=True)
class LinkShape:
    """How likely an answer is to go against the ranking, as pairs get clearer.

    Attributes
    ----------
    lapses
        Estimated share of answers that are coins, however clear the pair.
    saturation
        Estimated share of answers that err on none but the closest pairs.
    departure
        'slips even on clear pairs' or 'more unanimous on clear pairs than close pairs promise',
        where that is sure and a fifth more answers slip than would, or fewer; otherwise None.
    promised, happened
        Of the answers to clear pairs, the share that would and that did go with the ranking;
        promised by the plain link that comes closest, Bradley-Terry or Thurstone. None where there
        are no clear pairs.
    p_value
        Of that difference.
    """

    lapses: float
    saturation: float
    departure: str | None
    promised: float | None
    happened: float | None
    p_value: float | None


@dataclass(frozen=True)
class Cycle:
    """Three items preferred in a cycle: items[0] over items[1] over items[2] over items[0].

    Attributes
    ----------
    flows, answers
        Mean sign and number of answers of the three pairs that are no ties, in the direction of
        the cycle: all flows are positive.
    strength
        The least of the three flows in standard errors.
    p_value
        Share of consistent crowds with a cycle as strong as this anywhere.
    """

    items: tuple[Item, Item, Item]
    flows: tuple[float, float, float]
    answers: tuple[int, int, int]
    strength: float
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Consistency:
    """Do the answers follow one ranking with one link, and is there a cycle?

    Attributes
    ----------
    misfit
        Whether answers depart from one ranking with any single monotone link and any share of
        lapses. Items or workers that are noisier than others make a misfit too, without any cycle.
    cycles
        Whether preferences run in cycles, which no ranking explains, whatever the noise.
    shape
        Of the link that suits the answers best.
    triangles
        The strongest cycles that are sure after allowing for the number of triangles; none where
        it is not sure that there is any cycle.
    n_named
        How many such there are.
    repeat_correlation
        How far a worker's answers to the same pair repeat each other, from 0 to 1, as far as it
        was allowed for; None where nobody was asked the same twice, or only one worker answered.
    reason
        Why nothing can be checked, in words; None where it can. The tests are then None.
    """

    misfit: Evidence | None
    cycles: Evidence | None
    shape: LinkShape | None
    triangles: tuple[Cycle, ...]
    n_named: int
    repeat_correlation: float | None
    reason: str | None

    @property
    def checkable(self) -> bool:
        """Whether the answers could show a cycle at all."""
        return self.reason is None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"checkable": self.checkable, **asdict(self)}
