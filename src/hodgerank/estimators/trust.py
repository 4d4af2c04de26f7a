"""assess_trust: how far a ranking can be trusted, all in one place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.source import read_comparisons
from hodgerank.estimators.outliers import Outliers, outliers_among
from hodgerank.estimators.workers.assess import assess_answers
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.calibration import n_cycles
from hodgerank.graph.cycles import InconsistentTriangle, Loop
from hodgerank.graph.decomposition import HodgeDecomposition, decompose_answers
from hodgerank.notebook import Displayed, Preview
from hodgerank.types import VotesLike

SURPRISING = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class TrustReport(Displayed):
    """Consistency of the votes with what noise alone would give, outliers and workers.

    `workers` is None where the votes do not say who answered, or nobody asked.
    """

    decomposition: HodgeDecomposition
    outliers: Outliers
    workers: WorkerAssessment | None
    n_shown: int

    def _headline(self) -> str:
        return self.verdict

    def _preview(self) -> Preview:
        return self.decomposition._preview()

    @property
    def votes(self) -> Comparisons:
        """The answers that were assessed."""
        return self.decomposition.votes

    @cached_property
    def triangles(self) -> list[InconsistentTriangle]:
        """The most inconsistent triangles."""
        return self.decomposition.triangles(self.n_shown)

    @cached_property
    def loops(self) -> list[Loop]:
        """The loops that carry most of the harmonic part."""
        return self.decomposition.loops(self.n_shown)

    @cached_property
    def verdict(self) -> str:
        """What deserves attention, in one sentence."""
        parts, problems = self.decomposition, []
        expected = parts.expected
        if not n_cycles(parts.graph):
            problems.append("no pairs close a cycle, so consistency cannot be checked")
        if parts.energy["bias"] > parts.energy["gradient"]:
            problems.append("the display order explains more of the answers than the ranking")
        if parts.betti.beta_0 > 1:
            problems.append(f"{parts.betti.beta_0:,} groups of items cannot be compared")
        if expected.curl.p_value(parts.energy["curl"]) < SURPRISING:
            problems.append("preferences run in cycles of three more than noise explains")
        if expected.harmonic.p_value(parts.energy["harmonic"]) < SURPRISING:
            problems.append("preferences run round long loops more than noise explains")
        if self.outliers.share > 2 * self.outliers.false_positive_rate:
            problems.append("there are more outlying answers than in a consistent crowd")
        if self.workers is not None and self.workers.flagged:
            n = len(self.workers.flagged)
            problems.append(f"{n:,} worker{' deserves' if n == 1 else 's deserve'} a look")
        return "; ".join(problems) or "the votes are as consistent as noise allows"

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per part of the votes: its share, and what noise alone would give."""
        from hodgerank.data.sources.frames import build_frame

        parts = self.decomposition
        noise = {"curl": parts.expected.curl, "harmonic": parts.expected.harmonic}
        columns: dict[str, list[Any]] = {
            "part": list(parts.energy),
            "share": list(parts.energy.values()),
            "expected": [noise[name].mean if name in noise else None for name in parts.energy],
            "std": [noise[name].std if name in noise else None for name in parts.energy],
            "p_value": [
                noise[name].p_value(share) if name in noise else None
                for name, share in parts.energy.items()
            ],
        }
        return build_frame(columns, backend or self.votes.backend)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        parts = self.decomposition
        expected = {
            name: {
                "mean": noise.mean,
                "std": noise.std,
                "z": noise.z(parts.energy[name]),
                "p_value": noise.p_value(parts.energy[name]),
            }
            for name, noise in (
                ("curl", parts.expected.curl),
                ("harmonic", parts.expected.harmonic),
            )
        }
        return {
            "verdict": self.verdict,
            "items": self.votes.n_items,
            "answers": len(self.votes),
            "beta_0": parts.betti.beta_0,
            "beta_1": parts.betti.beta_1,
            "energy": parts.energy,
            "expected": expected,
            "triangles": [triangle.to_dict() for triangle in self.triangles],
            "loops": [loop.to_dict() for loop in self.loops],
            "outliers": {
                "flagged": int(self.outliers.flagged.sum()),
                "share": self.outliers.share,
                "penalty": self.outliers.penalty,
                "criterion": self.outliers.criterion,
            },
            "workers": None if self.workers is None else self.workers.to_dict(),
        }


def assess_trust(votes: VotesLike, *, n_shown: int = 5, with_workers: bool = True) -> TrustReport:
    """Decompose the votes, find outliers and, if they are wanted, assess the workers.

    >>> report = assess_trust([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 4)
    >>> report.verdict
    'the votes are as consistent as noise allows'
    """
    answered = AnsweredGraph.of(read_comparisons(votes))
    outliers = outliers_among(answered)
    return TrustReport(
        decomposition=decompose_answers(answered),
        outliers=outliers,
        workers=assess_answers(answered, outliers)
        if with_workers and answered.votes.n_workers
        else None,
        n_shown=n_shown,
    )
