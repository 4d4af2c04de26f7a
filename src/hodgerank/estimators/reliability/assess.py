"""assess_reliability: the statistics reported by studies with comparative judgement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.data.groups import VoteGroups
from hodgerank.display import Displayed, Preview, short
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.estimators.reliability.agreement import Agreement, Metric, agreement
from hodgerank.estimators.reliability.bradley_terry_fit import BradleyTerryFit
from hodgerank.estimators.reliability.misfit import Misfit, Residuals, item_misfit, worker_misfit
from hodgerank.estimators.reliability.separation import Separation, separation
from hodgerank.estimators.reliability.split_half import SplitHalf, split_half
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.build import source_of
from hodgerank.graph.repetitions import counted_once, repeat_themselves
from hodgerank.types import FloatArray, VotesLike

MOST_NAMED = 5
SPLIT = {
    "worker": "whole workers",
    "ballot": "whole ballots",
    "unit": "whole units",
    "vote": "the votes on each pair",
}


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(Displayed):
    """Reliability of the scores, agreement of the workers, and misfit.

    Attributes
    ----------
    scores
        Bradley-Terry scores with Firth's correction, in the order of `votes.items`. All statistics
        refer to them.
    separation
        None with fewer than three items, or if their scores do not differ.
    agreement
        None if no pair was judged by two known workers, or all votes are ties.
    n_splits, seed
        Arguments of `split_half`.
    false_discovery_rate
        Expected share of false positives among misfitting `items`, and among misfitting `workers`.
    """

    scores: FloatArray
    separation: Separation | None
    agreement: Agreement | None
    n_splits: int
    seed: int
    false_discovery_rate: float
    _residuals: Residuals

    @property
    def votes(self) -> Comparisons:
        """The votes that were assessed."""
        return self._residuals.answered.votes

    @cached_property
    def items(self) -> Misfit:
        """Infit and outfit of the items; computed on first access, as are the properties below."""
        return item_misfit(self._residuals, self.false_discovery_rate)

    @cached_property
    def workers(self) -> Misfit | None:
        """Infit and outfit of the workers; None if workers are not recorded."""
        return worker_misfit(self._residuals, self.false_discovery_rate)

    @cached_property
    def split_half(self) -> SplitHalf:
        """Correlation of the scores from two halves of the votes."""
        return split_half(self._residuals.answered, self.n_splits, self.seed)

    @property
    def statements(self) -> tuple[str, ...]:
        """The findings, one sentence each, without split-half reliability."""
        workers = () if self.workers is None else (self._of_misfit(self.workers),)
        scores = (self._of_separation(), self._of_agreement())
        return (*scores, self._of_misfit(self.items), *workers)

    @property
    def about_scores(self) -> tuple[str, ...]:
        """The findings about scores and items; agreement only if workers are recorded."""
        agreement = (self._of_agreement(),) if self.votes.n_workers else ()
        return (self._of_separation(), *agreement, self._of_misfit(self.items))

    @property
    def split_half_statement(self) -> str:
        """Split-half reliability in one sentence."""
        halves = self.split_half
        if halves.correlation is None:
            return (
                "split-half reliability cannot be computed: halves of "
                f"{SPLIT[halves.by]} rarely connect at least half of the items"
            )
        text = (
            f"split-half reliability {halves.correlation:.2f} (two halves of {SPLIT[halves.by]}, "
            f"median of {halves.n_usable:,} splits)"
        )
        if halves.spearman_brown is None:
            return f"{text}: the halves do not agree at all"
        return f"{text}; {halves.spearman_brown:.2f} for two samples of this size (Spearman-Brown)"

    def _of_separation(self) -> str:
        found = self.separation
        if found is None:
            return (
                "scale separation reliability (SSR) cannot be computed: there are fewer than three "
                "items, or their scores do not differ"
            )
        text = (
            f"scale separation reliability (SSR) {found.reliability:.2f}: "
            f"about {max(found.reliability, 0):.0%} of the variance in scores is signal"
        )
        if found.clustered_by is not None:
            text += f"; votes of one {found.clustered_by} are treated as correlated"
        if found.lower is not None:
            text += f"; at least {found.lower:.2f} with 95% confidence"
        if found.adaptive:
            text += (
                "; pairs were chosen adaptively, which biases this value; from the default model: "
                f"{found.posterior_reliability:.2f}"
            )
        return text

    def _of_agreement(self) -> str:
        found = self.agreement
        if found is None:
            return (
                "Krippendorff's alpha cannot be computed: no pair was judged by two known workers, "
                "or all their votes are ties"
            )
        text = f"Krippendorff's alpha {found.alpha:.2f}"
        if found.lower is not None:
            text += f" (95% CI {found.lower:.2f} to {found.upper:.2f})"
        return (
            f"{text} over {found.n_pairs:,} pairs judged by several workers; 1 is perfect "
            "agreement, 0 is chance, and close pairs lower it even for careful workers"
        )

    def _of_misfit(self, found: Misfit) -> str:
        names = found.misfitting
        level = f"{100 * found.false_discovery_rate:g}%"
        if not np.isfinite(found.p_value).any():
            return f"too few votes to find misfitting {found.of}s"
        if not names:
            return f"no misfitting {found.of}s"
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        listed = ", ".join(short(str(name)) for name in names[:MOST_NAMED])
        plural = "" if len(names) == 1 else "s"
        said = f"{len(names):,} misfitting {found.of}{plural}: {listed}{more}"
        if self.votes.n_ballots > 1:
            unit = "unit" if self.votes.units else "ballot"
            return f"{said} (votes of one {unit} are treated as independent, which flags too many)"
        return f"{said} (at most {level} of flagged {found.of}s are expected to be false positives)"

    def _headline(self) -> str:
        ssr = "-" if self.separation is None else f"{self.separation.reliability:.2f}"
        alpha = "-" if self.agreement is None else f"{self.agreement.alpha:.2f}"
        misfits = [self.items._headline()]
        if self.workers is not None:
            misfits.append(self.workers._headline())
        return f"separation {ssr}, alpha {alpha}; {'; '.join(misfits)}"

    def _preview(self) -> Preview:
        return self.items._preview()

    def to_dict(
        self, *, with_workers: bool = True, with_split_half: bool = False
    ) -> dict[str, Any]:
        """Return plain values, ready for JSON; undefined values are null.

        Split-half reliability is optional because it takes a hundred rankings or more.
        """
        content: dict[str, Any] = {
            "statements": list(self.statements if with_workers else self.about_scores),
            "separation": None if self.separation is None else self.separation.to_dict(),
            "agreement": None if self.agreement is None else self.agreement.to_dict(),
            "items": self.items.to_dict(),
        }
        if with_workers:
            content["workers"] = None if self.workers is None else self.workers.to_dict()
        if with_split_half:
            content["statements"].append(self.split_half_statement)
            content["split_half"] = self.split_half.to_dict()
        return content


def assess_reliability(
    votes: VotesLike,
    *,
    metric: Metric | None = None,
    n_splits: int = 100,
    seed: int = 0,
    false_discovery_rate: float = 0.05,
) -> Reliability:
    """Compute separation, split-half reliability, misfit of items and workers, and agreement.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` accepts; all groups of `VoteGroups` together.
    metric
        Disagreement in Krippendorff's alpha. Default: 'nominal' for choices, 'interval' if there
        are ties or grades.
    n_splits, seed
        Number of split halves, which are computed on first access, and their random seed.
    false_discovery_rate
        Expected share of false positives among misfitting items, and among misfitting workers.

    Examples
    --------
    >>> import hodgerank as hr
    >>> votes = hr.simulate_comparisons(12, 600, spread=2, workers={"honest": 20}, rng=1)
    >>> found = assess_reliability(votes)
    >>> round(found.separation.reliability, 2), found.items.misfitting
    (0.96, ())
    """
    if not 0 < false_discovery_rate < 1:
        raise InvalidArgument("false_discovery_rate must be between 0 and 1")
    if isinstance(votes, VoteGroups):
        votes = votes.together()
    answered = AnsweredGraph.of(source_of(votes).distinct_answers())
    require_choices(answered.votes.report, "assess_reliability")
    return reliability_of(
        answered,
        metric=metric,
        n_splits=n_splits,
        seed=seed,
        false_discovery_rate=false_discovery_rate,
    )


def reliability_of(
    answered: AnsweredGraph,
    *,
    metric: Metric | None = None,
    n_splits: int = 100,
    seed: int = 0,
    false_discovery_rate: float = 0.05,
) -> Reliability:
    """Assess votes whose graph is known; correlated repetitions by a worker count once."""
    if not len(answered.votes):
        raise InvalidComparisons("there are no votes to assess")
    if repeat_themselves(answered):
        answered = counted_once(answered)
    fit = BradleyTerryFit.of(answered.graph)
    return Reliability(
        scores=fit.scores,
        separation=separation(answered.votes, fit),
        agreement=agreement(answered, metric),
        n_splits=n_splits,
        seed=seed,
        false_discovery_rate=false_discovery_rate,
        _residuals=Residuals(answered, fit),
    )
