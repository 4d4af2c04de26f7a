"""Everything a report tells about votes, computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.collecting.forecast import Forecast, forecasts
from hodgerank.collecting.stopping import ExpectedTau, RankingRule, TopKCertain
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.subsets import exclude_workers, largest_component
from hodgerank.display import p_words
from hodgerank.errors import DisconnectedGraph, InvalidComparisons, NothingToAsk
from hodgerank.estimators.certainty import (
    certainties,
    certainty_over_next,
    expected_tau,
    leader_is_certain,
    possible_leaders,
    top_certainties,
    top_k_certainty,
)
from hodgerank.estimators.position_bias.bias_test import ranking_chance
from hodgerank.estimators.rank import rank
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.trust import TrustReport, assess_trust
from hodgerank.estimators.trust_statements import (
    Statement,
    about_repetitions,
    about_workers,
    chance_of_ranking,
)
from hodgerank.estimators.workers.assessment import CLICKING, WARNINGS, WorkerAssessment
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.description import Description, describe
from hodgerank.graph.repetitions import repeat_themselves
from hodgerank.metrics import kendall_tau
from hodgerank.reporting.options import ReportOptions
from hodgerank.sampling.samplers.auto import AutoSampler
from hodgerank.types import FloatArray, Item, Pair

# After k answers that all prefer the leader, the other is better with a probability of at most
# 2^-k over the mean likelihood of the answers if the leader is better, which is taken as 1/4.
DOUBT = 4.0


@dataclass(frozen=True)
class Leading:
    """The leader first, then whoever may be as good."""

    items: tuple[Item, ...]
    is_certain: bool
    certainty: float


def leading(ranking: Ranking, graph: ComparisonGraph, *, sides: bool = False) -> Leading:
    """By the posterior, and by direct answers that are all of one opinion.

    The posterior is taken as normal, which it is not where nobody ever preferred the other item:
    there it never gets quite certain, however many the answers. Not where `sides` are in the model:
    who leans to one may be of one opinion about that alone.
    """
    rows = np.flatnonzero(ranking.components == 0)
    among = tuple(ranking.items[k] for k in rows)
    certainty = top_k_certainty(ranking, 1, among)
    rivals = possible_leaders(ranking)
    if sides or leader_is_certain(ranking) or ranking.is_clustered:
        return Leading(rivals, leader_is_certain(ranking), certainty)
    direct = _doubt_of_unanimous(ranking, graph)[rows[1:]]
    level = 1 - ranking.confidence
    beaten = {item for item, doubt in zip(among[1:], direct, strict=True) if doubt <= level / 2}
    left = tuple(item for item in rivals if item not in beaten)
    believed = 1 - certainties(ranking, np.repeat(rows[:1], len(rows) - 1), rows[1:])
    doubt = float(np.minimum(believed, direct).sum())
    is_certain = len(left) == 1 and doubt <= level
    return Leading(left, is_certain, max(certainty, 1 - doubt))


def _doubt_of_unanimous(ranking: Ranking, graph: ComparisonGraph) -> FloatArray:
    """How probable it is at most that an item is better than the leader; 1 unless all agree."""
    leader = graph.items.index(ranking.items[0])
    edges = np.flatnonzero((graph.i == leader) | (graph.j == leader))
    towards = np.where(graph.i[edges] == leader, 1.0, -1.0)
    edges = edges[graph.flows[edges] == towards]
    doubt = np.ones(len(graph.items))
    others = graph.i[edges] + graph.j[edges] - leader
    answers = np.minimum(graph.counts[edges], graph.weights[edges])
    doubt[others] = np.minimum(1.0, DOUBT * 0.5**answers)
    place = {item: code for code, item in enumerate(graph.items)}
    return doubt[[place[item] for item in ranking.items]]


FORESEEN = 60  # items up to which a forecast takes seconds
N_NEXT = 10
TOPS = (1, 3, 5, 10)
HARDLY = 0.005  # pairs that were chosen by labels make .05 too easy to reach
SHOWS_WITH_SIDES = (
    "the votes contain a significant ranking ({p}), also after accounting for position bias"
)
TARGETS = (0.8, 0.9, 0.95)  # expected tau

Tell = Callable[[str], object]


@dataclass(frozen=True)
class WithoutFlagged:
    """The ranking without workers that have a warning, beside the one with them.

    `ranking` is None where too few answers are left to join the items.
    """

    n_workers: int
    ranking: Ranking | None
    tau: float = np.nan
    n_pairs: int = 0

    @property
    def n_turned(self) -> int:
        """Number of pairs that stand in another order."""
        return round(self.n_pairs * (1 - self.tau) / 2)


@dataclass(frozen=True)
class Findings:
    """What was found in votes that belong together."""

    votes: Comparisons
    description: Description
    ranking: Ranking
    trust: TrustReport
    without: WithoutFlagged | None
    next_pairs: tuple[Pair, ...]
    forecasts: tuple[Forecast, ...]
    settings: ReportOptions

    @property
    def is_unjoined(self) -> bool:
        """Whether answers leave groups of items apart, though a prior may rank them together."""
        return self.trust.decomposition.betti.beta_0 > 1

    @cached_property
    def leading(self) -> Leading:
        """Who leads, who may be as good, and how certain that is."""
        graph = self.trust.decomposition.graph
        return leading(self.ranking, graph, sides=self.settings.position_bias is not None)

    @property
    def leader_is_certain(self) -> bool:
        """Whether it is the best at the level of the report.

        Never where answers repeat themselves and the intervals take that for news.
        """
        return self.leading.is_certain and not self.repeats_count_as_news

    @cached_property
    def repeats(self) -> bool:
        """Whether answers of one worker to the same pair hang together."""
        return repeat_themselves(self.trust.decomposition.answered)

    @property
    def repeats_count_as_news(self) -> bool:
        """Whether they do, and the ranking does not allow for it."""
        return self.repeats and not self.ranking.is_clustered

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What may be said; of the ranking with sides in the model, if they are."""
        said, position_bias = self.trust.statements, self.settings.position_bias
        if position_bias is None or not any(one.about == "ranking" and one.concern for one in said):
            return tuple(said)
        p = ranking_chance(self.trust.decomposition.answered, position_bias)
        if p is None or p > HARDLY:
            return tuple(said)
        shows = Statement("ranking", "significant", SHOWS_WITH_SIDES.format(p=p_words(p)))
        return tuple(shows if one.about == "ranking" else one for one in said)

    @cached_property
    def concerns(self) -> tuple[Statement, ...]:
        """What should be looked at before the ranking is used."""
        said = [said for said in self.statements if said.concern]
        if self.repeats and self.ranking.is_clustered:
            taken_care_of = about_repetitions(self.trust.decomposition.answered)
            said = [said for said in said if said not in taken_care_of]
        if self.settings.position_bias is not None:
            said = [said for said in said if said.about != "position_bias"]
        workers = self.trust.workers
        if workers is not None and not with_warning(workers, self.settings):
            innocent = about_workers(workers, self.votes.n_workers)
            said = [said for said in said if said not in innocent]
        return tuple(said)

    @property
    def n_parts(self) -> int:
        """Groups of items that were never compared with each other."""
        return self.trust.decomposition.betti.beta_0

    @cached_property
    def compared(self) -> tuple[Item, ...]:
        """The items of the largest component, best first."""
        ranking = self.ranking
        return tuple(ranking.items[k] for k in np.flatnonzero(ranking.components == 0))

    @cached_property
    def tops(self) -> dict[int, float]:
        """How certain the best k of these are the best k, for some k."""
        ks = [k for k in TOPS if k < len(self.compared)]
        return dict(zip(ks, top_certainties(self.ranking, ks, self.compared), strict=True))

    @cached_property
    def tau(self) -> float:
        """Expected Kendall's tau with the true order."""
        return expected_tau(self.ranking)

    @cached_property
    def over_next(self) -> FloatArray:
        """How certain each item is to be better than the next."""
        return certainty_over_next(self.ranking)

    @property
    def shows_a_ranking(self) -> bool:
        """Whether the answers are more than coin tosses."""
        return not self.is_of_concern("ranking")

    @property
    def chance(self) -> float:
        """How often coin tosses would show as much of a ranking."""
        return chance_of_ranking(self.trust.decomposition)

    @property
    def has_cycles(self) -> bool:
        """Whether preferences surely run in cycles."""
        return self.is_of_concern("cycles") and self.trust.consistency.checkable

    def is_of_concern(self, about: str) -> bool:
        """Whether something should be looked at that is about this."""
        return any(said.about == about for said in self.concerns)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "concerns": [said.to_dict() for said in self.concerns],
            "leader": self.ranking.items[0],
            "leader_is_certain": self.leader_is_certain,
            "possible_leaders": list(self.leading.items),
            "expected_tau": self.tau,
            "reading": self.votes.report.to_dict(),
            "description": self.description.to_dict(),
            "ranking": self.ranking.to_dict(),
            "better_than_next": [None if np.isnan(p) else p for p in self.over_next.tolist()],
            "trust": self.trust.to_dict(),
            "without_flagged": None
            if self.without is None or self.without.ranking is None
            else {"tau": self.without.tau, **self.without.ranking.to_dict()},
            "forecasts": [outlook.to_dict() for outlook in self.forecasts],
            "next_pairs": [list(pair) for pair in self.next_pairs],
        }


def find(votes: Comparisons, settings: ReportOptions, tell: Tell) -> Findings:
    """Rank the votes and ask everything that should be asked of them, telling what is done."""
    tell("ranking")
    ranking = rank(votes, **settings.options)
    if ranking.not_connected:
        votes = largest_component(votes)
    tell("assessing how far the ranking can be trusted")
    trust = assess_trust(votes, with_workers=settings.with_workers)
    trust.statements  # noqa: B018 - computed while progress is told
    tell("choosing the next pairs")
    sampler = AutoSampler(votes.items, seed=settings.seed, position_bias=settings.position_bias)
    sampler.prepare_to_stop()
    sampler.tell_many(votes)
    try:
        pairs = tuple(sampler.ask(N_NEXT, candidates=settings.candidates))
    except NothingToAsk:
        pairs = ()
    outlooks: tuple[Forecast, ...] = ()
    if settings.with_forecast and pairs and len(ranking) <= FORESEEN:
        tell("forecasting what more votes would achieve")
        graph, sides = trust.decomposition.graph, settings.position_bias is not None
        is_certain = leading(ranking, graph, sides=sides).is_certain
        outlooks = forecasts(sampler, _wanted(ranking, is_certain), ranking)
    return Findings(
        votes=votes,
        description=describe(votes),
        ranking=ranking,
        trust=trust,
        without=_without_flagged(votes, ranking, trust, settings),
        next_pairs=pairs,
        forecasts=outlooks,
        settings=settings,
    )


def _wanted(ranking: Ranking, is_certain: bool) -> list[RankingRule]:
    """Which is the best, unless that is certain, and more of the order than there is."""
    rules: list[RankingRule] = []
    if not is_certain:
        rules.append(TopKCertain(1, ranking.confidence))
    now = expected_tau(ranking)
    rules += [ExpectedTau(tau) for tau in TARGETS if tau > now][:1]
    return rules


def with_warning(workers: WorkerAssessment, settings: ReportOptions) -> list[Item]:
    """Workers with a warning; none for position bias where the model has a term for each."""
    allowed_for = (CLICKING,) if settings.position_bias == "worker" else ()
    flags = zip(workers.workers, workers.flag, strict=True)
    return [worker for worker, flag in flags if flag in WARNINGS and flag not in allowed_for]


def _without_flagged(
    votes: Comparisons, ranking: Ranking, trust: TrustReport, settings: ReportOptions
) -> WithoutFlagged | None:
    flagged = [] if trust.workers is None else with_warning(trust.workers, settings)
    if not flagged:
        return None
    n = len(flagged)
    try:
        kept = exclude_workers(votes, flagged)
        ridge = ranking.ridge or None if settings.options.get("model", "bayes") == "bayes" else None
        other = rank(kept, **{"ridge": ridge, **settings.options})
    except (InvalidComparisons, DisconnectedGraph):
        return WithoutFlagged(n, None)
    if other.n_components > 1:
        return WithoutFlagged(n, None)
    common = [item for item in ranking.items if item in other]
    if len(common) < 2 or ranking.n_components > 1:
        return WithoutFlagged(n, None)
    tau = kendall_tau(ranking.positions(common), other.positions(common))
    return WithoutFlagged(n, other, tau, len(common) * (len(common) - 1) // 2)
