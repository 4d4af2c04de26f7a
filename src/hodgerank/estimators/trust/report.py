"""TrustReport: how far a ranking can be trusted, all in one place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.outliers import Outliers
from hodgerank.estimators.position.sides import Sides
from hodgerank.estimators.reliability.reliability import Reliability
from hodgerank.estimators.trust import statements as say
from hodgerank.estimators.trust.statements import Statement
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.graph.calibration import Noise
from hodgerank.graph.consistency.result import Consistency, Cycle
from hodgerank.graph.cycles import Loop
from hodgerank.graph.decomposition import PARTS, HodgeDecomposition
from hodgerank.notebook import Charted, Displayed, Preview

CLEAN = "nothing found that one ranking and noise do not explain"


@dataclass(frozen=True, eq=False, repr=False)
class TrustReport(Displayed, Charted):
    """What the votes are made of, and what may be concluded from it.

    Attributes
    ----------
    decomposition
        The Hodge parts, and what noise would give each.
    consistency
        Whether one ranking explains the answers, and the cycles it does not.
    sides
        Whether answers lean to a side.
    outliers
        Answers far from the ranking.
    workers
        None where the votes do not say who answered, or nobody asked.
    reliability
        The statistics of comparative judgement.
    n_shown, with_split_half
        How many cycles and loops are named, and whether halves are ranked and compared too.
    """

    decomposition: HodgeDecomposition
    consistency: Consistency
    sides: Sides
    outliers: Outliers
    workers: WorkerAssessment | None
    reliability: Reliability
    n_shown: int
    with_split_half: bool

    def _headline(self) -> str:
        return self.verdict

    def _preview(self) -> Preview:
        return self.decomposition._preview()

    @property
    def votes(self) -> Comparisons:
        """The answers that were assessed."""
        return self.decomposition.votes

    @property
    def triangles(self) -> tuple[Cycle, ...]:
        """Cycles of three that are sure after allowing for the number of triangles."""
        return self.consistency.triangles[: self.n_shown]

    @cached_property
    def loops(self) -> list[Loop]:
        """The loops that carry most of the harmonic part."""
        return self.decomposition.loops(self.n_shown)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What may be said, a sentence each."""
        parts = self.decomposition
        return (
            *say.about_items(parts),
            *say.about_ranking(parts),
            *say.about_cycles(self.consistency, self.votes.n_items),
            *say.about_noise(self.consistency),
            *say.about_sides(self.sides, parts.expected.n_both_ways),
            *say.about_outliers(self.outliers),
            *say.about_workers(self.workers, self.votes.n_workers),
            *say.about_repetitions(parts.answered),
            *(Statement("reliability", words) for words in self._reliability_words),
        )

    @property
    def _reliability_words(self) -> tuple[str, ...]:
        found = self.reliability
        halves = (found.split_half_statement,) if self.with_split_half else ()
        return (*found.about_scores, *halves)

    @cached_property
    def verdict(self) -> str:
        """What deserves attention, in one sentence."""
        concerns = [str(said) for said in self.statements if said.concern]
        return "; ".join(concerns) or CLEAN

    @property
    def expected(self) -> dict[str, Noise]:
        """What noise alone would give each part of the votes."""
        return {name: getattr(self.decomposition.expected, name) for name in PARTS}

    def p_value(self, part: str) -> float | None:
        """Of a part's share if there were nothing but noise; None where there can be no such part.

        >>> from hodgerank import assess_trust
        >>> assess_trust([("a", "b", 1), ("b", "c", 1)] * 9).p_value("curl") is None
        True
        """
        return self.decomposition.p_value(part)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per part of the votes: its share, and what noise alone would give."""
        from hodgerank.data.sources.frames import build_frame

        columns: dict[str, list[Any]] = {
            "part": list(PARTS),
            "share": [self.decomposition.energy[part] for part in PARTS],
            "expected": [self.expected[part].mean for part in PARTS],
            "std": [self.expected[part].std for part in PARTS],
            "p_value": [self.p_value(part) for part in PARTS],
        }
        return build_frame(columns, backend or self.votes.backend)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        parts, found = self.decomposition, self.outliers
        return {
            "verdict": self.verdict,
            "statements": [said.to_dict() for said in self.statements],
            "items": self.votes.n_items,
            "answers": self.votes.n_answers,
            "beta_0": parts.betti.beta_0,
            "beta_1": parts.betti.beta_1,
            "energy": parts.energy,
            "expected": {
                part: {
                    "mean": noise.mean,
                    "std": noise.std,
                    "z": noise.z(parts.energy[part]),
                    "p_value": self.p_value(part),
                }
                for part, noise in self.expected.items()
            },
            "consistency": self.consistency.to_dict(),
            "sides": self.sides.to_dict(),
            "triangles": [triangle.to_dict() for triangle in self.triangles],
            "loops": [loop.to_dict() for loop in self.loops],
            "outliers": {
                "flagged": found.n_flagged,
                "share": found.share,
                "expected": found.expected.mean,
                "std": found.expected.std,
                "p_value": found.p_value,
                "penalty": found.penalty,
                "criterion": found.criterion,
            },
            "workers": None if self.workers is None else self.workers.to_dict(),
            "reliability": self.reliability.to_dict(
                with_workers=False, with_split_half=self.with_split_half
            ),
        }
