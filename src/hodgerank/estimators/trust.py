"""assess_trust: all checks of whether a ranking of these votes can be trusted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.display import Charted, Displayed, Preview
from hodgerank.estimators import trust_statements as say
from hodgerank.estimators.outliers import Outliers, outliers_among
from hodgerank.estimators.position_bias.assess import PositionBiasReport, assess_position_bias
from hodgerank.estimators.rank import rank
from hodgerank.estimators.reliability.assess import Reliability, reliability_of
from hodgerank.estimators.trust_statements import Statement
from hodgerank.estimators.votes_to_win import VotesToWin, stated_votes_to_win
from hodgerank.estimators.workers.assess import assess_workers_of
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.consistency import Consistency, Cycle, assess_consistency
from hodgerank.graph.cycles import Loop
from hodgerank.graph.decomposition import PARTS, HodgeDecomposition, decompose_votes
from hodgerank.graph.expected_shares import Noise
from hodgerank.types import VotesLike

CLEAN = "no problems found"


@dataclass(frozen=True, eq=False, repr=False)
class TrustReport(Displayed, Charted):
    """The checks of the votes, and the statements that follow from them.

    Attributes
    ----------
    decomposition
        The Hodge components, and the size of each expected by chance.
    consistency
        Whether one ranking explains the votes, and the significant cycles.
    position_bias
        Test and size of position bias.
    outliers
        Votes far from the ranking.
    workers
        None if the votes do not record workers, or `with_workers` was off.
    reliability
        The statistics of comparative judgement.
    to_win
        How few votes, and workers, would change the leader of the default ranking; empty if that
        was not asked for, for more than 100 items or 10,000 votes, and without a significant
        ranking of all items.
    n_shown, with_split_half
        Number of cycles and loops to list, and whether split-half reliability is included.
    """

    decomposition: HodgeDecomposition
    consistency: Consistency
    position_bias: PositionBiasReport
    outliers: Outliers
    workers: WorkerAssessment | None
    reliability: Reliability
    to_win: tuple[VotesToWin, ...]
    n_shown: int
    with_split_half: bool

    def _headline(self) -> str:
        return self.verdict

    def _preview(self) -> Preview:
        return self.decomposition._preview()

    @property
    def votes(self) -> Comparisons:
        """The votes that were assessed."""
        return self.decomposition.votes

    @property
    def triangles(self) -> tuple[Cycle, ...]:
        """Cycles of three that are significant after correction for the number of triangles."""
        return self.consistency.triangles[: self.n_shown]

    @cached_property
    def loops(self) -> list[Loop]:
        """The loops with the largest share of the harmonic component."""
        return self.decomposition.loops(self.n_shown)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The findings, one sentence each."""
        parts = self.decomposition
        return (
            *say.about_items(parts),
            *say.about_ranking(parts),
            *say.about_winner(self.to_win),
            *say.about_cycles(self.consistency, self.votes.n_items),
            *say.about_noise(self.consistency),
            *say.about_position_bias(self.position_bias, parts.expected.n_both_ways),
            *say.about_outliers(self.outliers),
            *say.about_workers(self.workers, self.votes.n_workers),
            *say.about_repetitions(parts.answered),
            *(Statement("reliability", code, words) for code, words in self._about_reliability),
        )

    @property
    def _about_reliability(self) -> list[tuple[str, str]]:
        found = self.reliability
        agreement = ["agreement"] if self.votes.n_workers else []
        said = list(zip(("separation", *agreement, "item_misfit"), found.about_scores, strict=True))
        return [*said, ("split_half", found.split_half_statement)] if self.with_split_half else said

    @cached_property
    def verdict(self) -> str:
        """The findings that need attention, in one sentence."""
        concerns = [str(said) for said in self.statements if said.concern]
        return "; ".join(concerns) or CLEAN

    @property
    def expected(self) -> dict[str, Noise]:
        """Size of each component expected by chance."""
        return {name: getattr(self.decomposition.expected, name) for name in PARTS}

    def p_value(self, part: str) -> float | None:
        """Return the p-value of a component under the null model; None if it cannot occur.

        >>> from hodgerank import assess_trust
        >>> assess_trust([("a", "b", 1), ("b", "c", 1)] * 9).p_value("curl") is None
        True
        """
        return self.decomposition.p_value(part)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per component: its share, and the share expected by chance."""
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
        """Return plain values, ready for JSON."""
        parts, found = self.decomposition, self.outliers
        return {
            "verdict": self.verdict,
            "statements": [said.to_dict() for said in self.statements],
            "items": self.votes.n_items,
            "votes": self.votes.n_votes,
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
            "votes_to_win": [found.to_dict() for found in self.to_win],
            "position_bias": self.position_bias.to_dict(),
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


MANY_VOTES = 200_000  # votes from which the two halves of the work run in parallel


def assess_trust(
    votes: VotesLike,
    *,
    n_shown: int = 5,
    with_workers: bool = True,
    with_split_half: bool = False,
    with_votes_to_win: bool = False,
) -> TrustReport:
    """Assess how far a ranking of these votes can be trusted.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` accepts.
    n_shown
        Number of cycles and loops to list.
    with_workers
        Whether to assess the workers, if they are recorded.
    with_split_half
        Whether to compute split-half reliability, which takes a hundred rankings.
    with_votes_to_win
        Whether to search for votes whose removal changes the leader, which takes some rankings.

    Examples
    --------
    >>> votes = [("a", "b", 1), ("b", "a", -1), ("b", "c", 1), ("a", "c", 1), ("c", "a", -1)] * 4
    >>> assess_trust(votes).verdict
    'no problems found'
    """
    answered = AnsweredGraph.of(read_ungrouped(votes))
    require_choices(answered.votes.report, "assess_trust (hodgerank trust)")

    def who_answered() -> tuple[Outliers, WorkerAssessment | None]:
        outliers = outliers_among(answered)
        if not (with_workers and answered.votes.n_workers):
            return outliers, None
        return outliers, assess_workers_of(answered, outliers)

    def what_was_answered() -> dict[str, Any]:
        return {
            "decomposition": decompose_votes(answered),
            "consistency": assess_consistency(answered),
            "position_bias": assess_position_bias(answered),
            "reliability": reliability_of(answered),
        }

    if answered.votes.n_votes < MANY_VOTES:
        found, (outliers, workers) = what_was_answered(), who_answered()
    else:
        with ThreadPoolExecutor(1) as pool:
            others = pool.submit(who_answered)
            found = what_was_answered()
            outliers, workers = others.result()
    to_win: tuple[VotesToWin, ...] = ()
    has_order = say.chance_of_ranking(found["decomposition"]) < say.LEVEL
    if with_votes_to_win and has_order and answered.graph.is_connected:
        to_win = stated_votes_to_win(answered.votes, rank(answered.votes), {})
    return TrustReport(
        **found,
        to_win=to_win,
        outliers=outliers,
        workers=workers,
        n_shown=n_shown,
        with_split_half=with_split_half,
    )
