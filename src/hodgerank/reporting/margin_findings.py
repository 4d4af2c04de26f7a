"""MarginFindings: what a report tells about margins, by least squares and without choices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.subsets import largest_component
from hodgerank.estimators.certainty import expected_tau, top_certainties
from hodgerank.estimators.outliers import Outliers, outliers_among
from hodgerank.estimators.position_bias.margin_effect import MarginEffect, margin_effect
from hodgerank.estimators.rank import rank
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.trust_statements import SURE, Statement
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.decomposition import HodgeDecomposition, decompose_votes
from hodgerank.graph.description import Description, describe
from hodgerank.reporting.options import ReportOptions
from hodgerank.reporting.verdict import NoOrder, Verdict, reach_verdict
from hodgerank.types import FloatArray

TOPS = (1, 3, 5, 10)


@dataclass(frozen=True)
class MarginFindings:
    """Everything that was found in margins.

    Attributes
    ----------
    decomposition
        Of the margins, less the position bias if the model has one term for it.
    bias
        Position bias, such as home advantage; None if it cannot be estimated.
    """

    votes: Comparisons
    description: Description
    ranking: Ranking
    decomposition: HodgeDecomposition
    outliers: Outliers
    bias: MarginEffect | None
    verdict: Verdict
    settings: ReportOptions
    statements: tuple[Statement, ...] = ()

    @property
    def unit(self) -> str:
        """Unit of the margins."""
        return str(self.votes.report.margin_unit)

    @property
    def n_parts(self) -> int:
        """Groups of items that were never compared with each other."""
        return self.decomposition.betti.beta_0

    @property
    def chance(self) -> float:
        """p-value of the ranking, by an F test; 1 if there is none."""
        p_value = self.decomposition.p_value("gradient")
        return 1.0 if p_value is None else p_value

    @property
    def has_cycles(self) -> bool:
        """Whether pairs contradict one ranking significantly."""
        lack = self.decomposition.lack_of_fit
        return lack is not None and lack < SURE

    @property
    def is_biased(self) -> bool:
        """Whether position bias is significant."""
        return self.bias is not None and self.bias.p_value < SURE

    @property
    def modelled_bias(self) -> FloatArray:
        """Position bias of each vote in the model, if it has one common term."""
        if self.settings.position_bias != "common" or self.bias is None:
            return np.zeros(len(self.votes))
        return np.where(self.votes.display_known, self.bias.value, 0.0)

    @cached_property
    def tops(self) -> dict[int, float]:
        """How certain the first k of the largest component are the best k, for some k."""
        rows = np.flatnonzero(self.ranking.components == 0)
        ks = [k for k in TOPS if k < len(rows)]
        among = [self.ranking.items[k] for k in rows]
        found = dict(zip(ks, top_certainties(self.ranking, ks, among), strict=True))
        return {**found, 1: self.verdict.certainty}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ranking = self.ranking.to_dict()
        for row, (best, worst) in zip(ranking["items"], self.verdict.places.tolist(), strict=True):
            row["rank_lower"], row["rank_upper"] = best, worst
        parts = self.decomposition
        return {
            "verdict": self.verdict.to_dict(),
            "expected_tau": expected_tau(self.ranking),
            "reading": self.votes.report.to_dict(),
            "description": self.description.to_dict(),
            "ranking": ranking,
            "position_bias": None if self.bias is None else self.bias._asdict(),
            "decomposition": {
                "shares": parts.energy,
                "p_values": {part: parts.p_value(part) for part in parts.energy},
                "lack_of_fit": parts.lack_of_fit,
            },
            "outliers": {"n": self.outliers.n_flagged, "penalty": self.outliers.penalty},
        }


def find_in_margins(
    votes: Comparisons, settings: ReportOptions, tell: Callable[[str], object]
) -> MarginFindings:
    """Rank margins and assess what a report says about them, telling each step."""
    tell("ranking")
    ranking = settings.scaled(rank(votes, **settings.options))
    if ranking.no_votes or ranking.not_connected:
        votes = largest_component(votes)
    tell("assessing consistency")
    answered = AnsweredGraph.of(votes)
    bias = margin_effect(answered, ranking.confidence)
    if settings.position_bias == "common" and bias is not None:
        terms = ranking.position_bias
        if terms is not None:  # one number for one thing, here and in the ranking
            low, high = terms.intervals[0].tolist()
            error = float(terms.standard_errors[0])
            bias = bias._replace(value=float(terms.values[0]), stderr=error, lower=low, upper=high)
        less = votes.outcome - bias.value * votes.display_known
        answered = AnsweredGraph.of(replace(votes, outcome=less))
    parts = decompose_votes(answered)
    return MarginFindings(
        votes=votes,
        description=describe(votes),
        ranking=ranking,
        decomposition=parts,
        outliers=outliers_among(answered),
        bias=bias,
        verdict=reach_verdict(ranking, parts.graph, no_order=_no_order(ranking, parts)),
        settings=settings,
    )


def _no_order(ranking: Ranking, parts: HodgeDecomposition) -> NoOrder | None:
    """Return why there is no order, if there is none."""
    if parts.betti.beta_0 > 1:
        return "disconnected"
    if ranking.is_level:
        return "level"
    p_value = parts.p_value("gradient")
    return "chance" if p_value is None or p_value >= SURE else None
