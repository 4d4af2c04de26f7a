"""Everything a report tells about votes, computed once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from hodgerank.collecting.forecast import Forecast, forecast
from hodgerank.collecting.stopping import ExpectedTau, RankingRule, TopKCertain
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.subsets import exclude_workers, largest_component
from hodgerank.display import p_words
from hodgerank.errors import (
    DisconnectedGraph,
    InvalidArgument,
    InvalidComparisons,
    NothingToAsk,
    UnknownItem,
)
from hodgerank.estimators.certainty import expected_tau, top_certainties
from hodgerank.estimators.position_bias.bias_test import ranking_chance
from hodgerank.estimators.position_bias.groupings import has_term_per_worker, of_samplers
from hodgerank.estimators.preference_groups.find import find_preference_groups
from hodgerank.estimators.preference_groups.result import PreferenceGroups
from hodgerank.estimators.rank import rank
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.trust import TrustReport, assess_trust
from hodgerank.estimators.trust_statements import Statement, chance_of_ranking
from hodgerank.estimators.votes_to_win import VotesToWin, stated_votes_to_win
from hodgerank.estimators.workers.assessment import CLICKING, WARNINGS, WorkerAssessment
from hodgerank.graph.description import Description, describe
from hodgerank.metrics import kendall_tau
from hodgerank.reporting.options import ReportOptions
from hodgerank.reporting.verdict import NoOrder, Verdict, reach_verdict
from hodgerank.sampling.established import is_established
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.registry import build_sampler
from hodgerank.types import Item, Pair

MOST_FORECAST = 60  # items up to which a forecast takes seconds
N_NEXT = 10
MOST_LEADERS = 20  # of more, nearly every pair decides something
TOPS = (1, 3, 5, 10)
HARDLY = 0.005  # pairs that were chosen by labels make .05 too easy to reach
SHOWS_WITH_SIDES = (
    "the votes contain a significant ranking ({p}), also after accounting for position bias"
)
TARGETS = (0.8, 0.9, 0.95)  # expected tau

Tell = Callable[[str], object]


@dataclass(frozen=True)
class WithoutFlagged:
    """The ranking without workers that have a warning, compared with the one of all.

    `ranking` is None where too few votes are left to connect the items.
    """

    n_workers: int
    ranking: Ranking | None
    tau: float = np.nan
    n_pairs: int = 0

    @property
    def n_turned(self) -> int:
        """Number of pairs in another order."""
        return round(self.n_pairs * (1 - self.tau) / 2)


@dataclass(frozen=True)
class Findings:
    """Everything that was found in votes that belong together."""

    votes: Comparisons
    description: Description
    ranking: Ranking
    trust: TrustReport
    statements: tuple[Statement, ...]
    verdict: Verdict
    without: WithoutFlagged | None
    groups: PreferenceGroups | None
    is_established: bool
    next_pairs: tuple[Pair, ...]
    forecast: Forecast | None
    to_win: tuple[VotesToWin, ...]
    settings: ReportOptions

    @cached_property
    def concerns(self) -> tuple[Statement, ...]:
        """Statements to look at before the ranking is used."""
        said = [said for said in self.statements if said.concern]
        if self.verdict.state != "correlated":
            said = [said for said in said if said.code != "correlated"]
        if self.settings.position_bias is not None:
            said = [said for said in said if said.about != "position_bias"]
        if not self.warned:
            said = [said for said in said if (said.about, said.code) != ("workers", "warnings")]
        return tuple(said)

    @cached_property
    def warned(self) -> tuple[Item, ...]:
        """Workers with a warning that the model does not account for."""
        workers = self.trust.workers
        return () if workers is None else with_warning(workers, self.settings)

    @property
    def n_parts(self) -> int:
        """Groups of items that were never compared with each other."""
        return self.trust.decomposition.betti.beta_0

    @cached_property
    def tops(self) -> dict[int, float]:
        """How certain the first k of the largest component are the best k, for some k."""
        ranking = self.ranking
        rows = np.flatnonzero(ranking.components == 0)
        ks = [k for k in TOPS if k < len(rows)]
        among = [ranking.items[k] for k in rows]
        found = dict(zip(ks, top_certainties(ranking, ks, among), strict=True))
        return {**found, 1: self.verdict.certainty}

    @property
    def chance(self) -> float:
        """p-value of the ranking: how often random votes show as much of one."""
        return chance_of_ranking(self.trust.decomposition)

    def is_concern(self, about: str, code: str) -> bool:
        """Whether this should be looked at before the ranking is used."""
        return any((said.about, said.code) == (about, code) for said in self.concerns)

    @property
    def has_cycles(self) -> bool:
        """Whether preferences form significant cycles."""
        return self.is_concern("cycles", "significant")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        trust = self.trust.to_dict()
        for part in ("verdict", "statements"):  # which do not know what the model accounts for
            del trust[part]
        ranking = self.ranking.to_dict()
        for row, (best, worst) in zip(ranking["items"], self.verdict.places.tolist(), strict=True):
            row["rank_lower"], row["rank_upper"] = best, worst
        over_next = self.verdict.over_next.tolist()
        return {
            "verdict": self.verdict.to_dict(),
            "statements": [said.to_dict() for said in self.statements],
            "concerns": [said.to_dict() for said in self.concerns],
            "expected_tau": expected_tau(self.ranking),
            "is_established": self.is_established,
            "reading": self.votes.report.to_dict(),
            "description": self.description.to_dict(),
            "ranking": ranking,
            "better_than_next": [None if np.isnan(p) else p for p in over_next],
            "trust": trust,
            "without_flagged": None
            if self.without is None or self.without.ranking is None
            else {"tau": self.without.tau, **self.without.ranking.to_dict()},
            "votes_to_win": [found.to_dict() for found in self.to_win],
            "preference_groups": None if self.groups is None else self.groups.to_dict(),
            "forecast": None if self.forecast is None else self.forecast.to_dict(),
            "next": {"goal": self.verdict.goal, "pairs": [list(pair) for pair in self.next_pairs]},
        }


def find(votes: Comparisons, settings: ReportOptions, tell: Tell) -> Findings:
    """Rank the votes and assess everything a report says about them, telling each step."""
    tell("ranking")
    plain = rank(votes, **settings.options)
    ranking = settings.scaled(plain)
    all_votes = votes
    if ranking.no_votes or ranking.not_connected:
        votes = largest_component(votes)
    tell("assessing consistency and workers" if settings.with_workers else "assessing consistency")
    trust = assess_trust(votes, with_workers=settings.with_workers)
    statements = _statements(trust, settings)
    verdict = _verdict(ranking, trust, statements, settings)
    to_win: tuple[VotesToWin, ...] = ()
    if settings.with_votes_to_win and verdict.has_order:
        tell("looking for votes that decide the first place")
        to_win = stated_votes_to_win(votes, plain, settings.options)
    groups = None
    if settings.with_groups:
        tell("looking for preference groups")
        groups = find_preference_groups(votes, seed=settings.seed)
    tell("choosing the next pairs")
    sampler = _sampler(all_votes, verdict, settings)
    pairs = _next_pairs(sampler, verdict, settings)
    outlook = None
    can_forecast = verdict.has_order and len(sampler.items) == len(ranking) <= MOST_FORECAST
    if settings.with_forecast and pairs and can_forecast:
        tell("forecasting what more votes would achieve")
        outlook = _forecast(sampler, ranking, verdict)
    return Findings(
        votes=votes,
        description=describe(votes),
        ranking=ranking,
        trust=trust,
        statements=statements,
        verdict=verdict,
        without=_without_flagged(votes, ranking, trust, settings),
        groups=groups,
        is_established=is_established(all_votes),
        next_pairs=pairs,
        forecast=outlook,
        to_win=to_win,
        settings=settings,
    )


def _statements(trust: TrustReport, settings: ReportOptions) -> tuple[Statement, ...]:
    """Statements of the trust report, with position bias in the model where it was asked for."""
    said, position_bias = trust.statements, settings.position_bias
    if position_bias is None:
        return said
    said = tuple(_without_moves(one, trust.position_bias.moves) for one in said)
    if not any(one.about == "ranking" and one.concern for one in said):
        return said
    p = ranking_chance(trust.decomposition.answered, position_bias)
    if p is None or p > HARDLY:
        return said
    shows = Statement("ranking", "significant", SHOWS_WITH_SIDES.format(p=p_words(p)))
    return tuple(shows if one.about == "ranking" else one for one in said)


def _without_moves(said: Statement, moves: object | None) -> Statement:
    """Return a statement without what another model of position bias would change."""
    if said.about != "position_bias" or moves is None:
        return said
    return replace(said, words=said.words.removesuffix(f"; {moves}"), how="")


def _verdict(
    ranking: Ranking,
    trust: TrustReport,
    statements: tuple[Statement, ...],
    settings: ReportOptions,
) -> Verdict:
    """The verdict, with the first reason why there is no order."""
    codes = {(said.about, said.code) for said in statements}
    no_order: NoOrder | None = None
    if trust.decomposition.betti.beta_0 > 1:
        no_order = "disconnected"
    elif ("ranking", "not_significant") in codes:
        no_order = "cyclic" if ("cycles", "significant") in codes else "chance"
    if ranking.is_level and no_order != "disconnected":
        no_order = "cyclic" if no_order == "cyclic" else "level"
    return reach_verdict(
        ranking,
        trust.decomposition.graph,
        no_order=no_order,
        is_correlated=("workers", "correlated") in codes and not ranking.is_clustered,
        sides=settings.position_bias is not None,
    )


def _sampler(votes: Comparisons, verdict: Verdict, settings: ReportOptions) -> Sampler:
    """The sampler for what the headline leaves open, which knows the votes."""
    strategy = "top-1" if verdict.goal == "best" else "auto"
    sampler = build_sampler(
        strategy,
        votes.items,
        seed=settings.seed,
        position_bias=of_samplers(settings.position_bias),
    )
    sampler.prepare_to_stop()
    sampler.tell_many(votes)
    if settings.max_votes is not None:
        sampler.announce_budget(sampler.n_votes + settings.max_votes)
    return sampler


def _next_pairs(sampler: Sampler, verdict: Verdict, settings: ReportOptions) -> tuple[Pair, ...]:
    """The most informative pairs; about the best, those of items that could be it."""
    candidates = settings.candidates
    if verdict.goal == "best" and len(verdict.leaders) <= MOST_LEADERS:
        leaders = set(verdict.leaders)
        if candidates is None:
            others = [item for item in sampler.items if item not in leaders]
            pairs = (*combinations(verdict.leaders, 2), *product(verdict.leaders, others))
            candidates = [Pair(*pair) for pair in pairs]
        else:
            candidates = [pair for pair in candidates if leaders.intersection(pair)] or candidates
    try:
        return tuple(sampler.ask(N_NEXT, candidates=candidates))
    except NothingToAsk:
        return ()


def _forecast(sampler: Sampler, ranking: Ranking, verdict: Verdict) -> Forecast | None:
    """How many votes decide what the headline leaves open.

    None where the posterior takes it for decided already.
    """
    rule: RankingRule
    if verdict.goal == "best":
        rule = TopKCertain(1, verdict.level)
    else:
        now = expected_tau(ranking)
        tau = next((tau for tau in TARGETS if tau > now), None)
        if tau is None:
            return None
        rule = ExpectedTau(tau)
    outlook = forecast(sampler, rule, ranking)
    return None if outlook.is_reached else outlook


def with_warning(workers: WorkerAssessment, settings: ReportOptions) -> tuple[Item, ...]:
    """Workers with a warning; none for position bias where the model has a term for each."""
    allowed_for = (CLICKING,) if has_term_per_worker(settings.position_bias) else ()
    flags = zip(workers.workers, workers.flag, strict=True)
    return tuple(worker for worker, flag in flags if flag in WARNINGS and flag not in allowed_for)


def _without_flagged(
    votes: Comparisons, ranking: Ranking, trust: TrustReport, settings: ReportOptions
) -> WithoutFlagged | None:
    flagged = () if trust.workers is None else with_warning(trust.workers, settings)
    if not flagged:
        return None
    n = len(flagged)
    try:
        kept = exclude_workers(votes, flagged)
        ridge = ranking.ridge or None if settings.model == "bayes" else None
        other = rank(kept, **{"ridge": ridge, **settings.options})
    except (InvalidComparisons, DisconnectedGraph):
        return WithoutFlagged(n, None)
    if other.n_components > 1:
        return WithoutFlagged(n, None)
    common = [item for item in ranking.items if item in other]
    if len(common) < 2 or ranking.n_components > 1:
        return WithoutFlagged(n, None)
    with suppress(InvalidArgument, UnknownItem):  # the anchor may have lost its votes
        other = settings.scaled(other)
    tau = kendall_tau(ranking.positions(common), other.positions(common))
    return WithoutFlagged(n, other, tau, len(common) * (len(common) - 1) // 2)
