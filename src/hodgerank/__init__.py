"""Ranking by pairwise comparison: read votes, rank items, check the ranking, choose pairs.

>>> import hodgerank as hr
>>> votes = hr.read_comparisons([("tea", "milk", 1), ("tea", "cola", 1), ("milk", "cola", 1)])
>>> hr.rank(votes).items
('tea', 'milk', 'cola')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hodgerank.campaign.campaign import Campaign as Campaign
    from hodgerank.collecting.collector import RunResult as RunResult
    from hodgerank.collecting.forecast import Forecast as Forecast
    from hodgerank.collecting.forecast import forecast as forecast
    from hodgerank.collecting.replay import LearningCurves as LearningCurves
    from hodgerank.collecting.replay import RecordedCrowd as RecordedCrowd
    from hodgerank.collecting.replay import replay as replay
    from hodgerank.collecting.run import run as run
    from hodgerank.collecting.run_async import run_async as run_async
    from hodgerank.collecting.stopping import Budget as Budget
    from hodgerank.collecting.stopping import Established as Established
    from hodgerank.collecting.stopping import ExpectedTau as ExpectedTau
    from hodgerank.collecting.stopping import RanksWithin as RanksWithin
    from hodgerank.collecting.stopping import TopKCertain as TopKCertain
    from hodgerank.data.comparisons import Comparisons as Comparisons
    from hodgerank.data.datasets import load_dataset as load_dataset
    from hodgerank.data.groups import VoteGroups as VoteGroups
    from hodgerank.data.reading.vote_source import read_comparisons as read_comparisons
    from hodgerank.data.simulate import SimulatedCrowd as SimulatedCrowd
    from hodgerank.data.simulate import simulate_comparisons as simulate_comparisons
    from hodgerank.data.subsets import exclude_workers as exclude_workers
    from hodgerank.data.subsets import keep_items_with as keep_items_with
    from hodgerank.data.subsets import largest_component as largest_component
    from hodgerank.errors import HodgeRankError as HodgeRankError
    from hodgerank.estimators.bayes import bayes_rank as bayes_rank
    from hodgerank.estimators.certainty import expected_tau as expected_tau
    from hodgerank.estimators.certainty import top_k_certainty as top_k_certainty
    from hodgerank.estimators.covariates.terms import CovariateTerms as CovariateTerms
    from hodgerank.estimators.crowd_bt import CrowdBTRanking as CrowdBTRanking
    from hodgerank.estimators.crowd_bt import crowd_bt as crowd_bt
    from hodgerank.estimators.group_rankings import GroupRankings as GroupRankings
    from hodgerank.estimators.group_rankings import rank_groups as rank_groups
    from hodgerank.estimators.judge_agreement import JudgeAgreement as JudgeAgreement
    from hodgerank.estimators.judge_agreement import agreement as agreement
    from hodgerank.estimators.least_squares import hodge_rank as hodge_rank
    from hodgerank.estimators.likelihood import bradley_terry as bradley_terry
    from hodgerank.estimators.likelihood import thurstone_mosteller as thurstone_mosteller
    from hodgerank.estimators.outliers import Outliers as Outliers
    from hodgerank.estimators.outliers import find_outliers as find_outliers
    from hodgerank.estimators.population_comparison.compare import (
        compare_rankings as compare_rankings,
    )
    from hodgerank.estimators.population_comparison.result import (
        RankingComparison as RankingComparison,
    )
    from hodgerank.estimators.position_bias.terms import PositionBiasTerms as PositionBiasTerms
    from hodgerank.estimators.possible_winners import PossibleWinners as PossibleWinners
    from hodgerank.estimators.possible_winners import possible_winners as possible_winners
    from hodgerank.estimators.preference_groups.find import (
        find_preference_groups as find_preference_groups,
    )
    from hodgerank.estimators.preference_groups.result import (
        PreferenceGroups as PreferenceGroups,
    )
    from hodgerank.estimators.rank import rank as rank
    from hodgerank.estimators.ranking import Ranking as Ranking
    from hodgerank.estimators.reliability.assess import Reliability as Reliability
    from hodgerank.estimators.reliability.assess import assess_reliability as assess_reliability
    from hodgerank.estimators.robust import RobustRanking as RobustRanking
    from hodgerank.estimators.robust import robust_rank as robust_rank
    from hodgerank.estimators.trust import TrustReport as TrustReport
    from hodgerank.estimators.trust import assess_trust as assess_trust
    from hodgerank.estimators.votes_to_win import VotesToWin as VotesToWin
    from hodgerank.estimators.votes_to_win import votes_to_win as votes_to_win
    from hodgerank.estimators.workers.assess import assess_workers as assess_workers
    from hodgerank.estimators.workers.assessment import WorkerAssessment as WorkerAssessment
    from hodgerank.graph.comparison_graph import ComparisonGraph as ComparisonGraph
    from hodgerank.graph.decomposition import HodgeDecomposition as HodgeDecomposition
    from hodgerank.graph.decomposition import decompose as decompose
    from hodgerank.graph.description import Description as Description
    from hodgerank.graph.description import describe as describe
    from hodgerank.graph.topology import TopologyTracker as TopologyTracker
    from hodgerank.graph.topology import betti_numbers as betti_numbers
    from hodgerank.reporting.report import Report as Report
    from hodgerank.reporting.report import report as report
    from hodgerank.sampling.answers import Answer as Answer
    from hodgerank.sampling.designs.design import Posterior as Posterior
    from hodgerank.sampling.sampler import Sampler as Sampler
    from hodgerank.sampling.samplers.auto import AutoSampler as AutoSampler
    from hodgerank.sampling.samplers.bayesian import BayesianSampler as BayesianSampler
    from hodgerank.sampling.samplers.crowd_bt import CrowdBTSampler as CrowdBTSampler
    from hodgerank.sampling.samplers.fisher import FisherSampler as FisherSampler
    from hodgerank.sampling.samplers.random import RandomSampler as RandomSampler
    from hodgerank.sampling.samplers.rank import RankSampler as RankSampler
    from hodgerank.sampling.samplers.sort import SortSampler as SortSampler
    from hodgerank.sampling.samplers.top_k import TopKSampler as TopKSampler
    from hodgerank.sampling.worker_choice import Assignment as Assignment
    from hodgerank.types import Pair as Pair

__version__ = "0.1.0"

# Module of each public name; imported on first use, so that `import hodgerank` is fast.
_HOMES = {
    "Comparisons": "data.comparisons",
    "read_comparisons": "data.reading.vote_source",
    "VoteGroups": "data.groups",
    "exclude_workers": "data.subsets",
    "keep_items_with": "data.subsets",
    "largest_component": "data.subsets",
    "simulate_comparisons": "data.simulate",
    "SimulatedCrowd": "data.simulate",
    "RecordedCrowd": "collecting.replay",
    "ComparisonGraph": "graph.comparison_graph",
    "describe": "graph.description",
    "Description": "graph.description",
    "rank": "estimators.rank",
    "hodge_rank": "estimators.least_squares",
    "bradley_terry": "estimators.likelihood",
    "thurstone_mosteller": "estimators.likelihood",
    "Ranking": "estimators.ranking",
    "CovariateTerms": "estimators.covariates.terms",
    "PositionBiasTerms": "estimators.position_bias.terms",
    "rank_groups": "estimators.group_rankings",
    "GroupRankings": "estimators.group_rankings",
    "load_dataset": "data.datasets",
    "decompose": "graph.decomposition",
    "HodgeDecomposition": "graph.decomposition",
    "betti_numbers": "graph.topology",
    "TopologyTracker": "graph.topology",
    "find_outliers": "estimators.outliers",
    "Outliers": "estimators.outliers",
    "robust_rank": "estimators.robust",
    "RobustRanking": "estimators.robust",
    "assess_workers": "estimators.workers.assess",
    "WorkerAssessment": "estimators.workers.assessment",
    "compare_rankings": "estimators.population_comparison.compare",
    "RankingComparison": "estimators.population_comparison.result",
    "find_preference_groups": "estimators.preference_groups.find",
    "PreferenceGroups": "estimators.preference_groups.result",
    "assess_reliability": "estimators.reliability.assess",
    "Reliability": "estimators.reliability.assess",
    "agreement": "estimators.judge_agreement",
    "JudgeAgreement": "estimators.judge_agreement",
    "assess_trust": "estimators.trust",
    "TrustReport": "estimators.trust",
    "bayes_rank": "estimators.bayes",
    "crowd_bt": "estimators.crowd_bt",
    "votes_to_win": "estimators.votes_to_win",
    "VotesToWin": "estimators.votes_to_win",
    "possible_winners": "estimators.possible_winners",
    "PossibleWinners": "estimators.possible_winners",
    "CrowdBTRanking": "estimators.crowd_bt",
    "expected_tau": "estimators.certainty",
    "top_k_certainty": "estimators.certainty",
    "Sampler": "sampling.sampler",
    "Posterior": "sampling.designs.design",
    "RandomSampler": "sampling.samplers.random",
    "FisherSampler": "sampling.samplers.fisher",
    "BayesianSampler": "sampling.samplers.bayesian",
    "RankSampler": "sampling.samplers.rank",
    "SortSampler": "sampling.samplers.sort",
    "CrowdBTSampler": "sampling.samplers.crowd_bt",
    "AutoSampler": "sampling.samplers.auto",
    "TopKSampler": "sampling.samplers.top_k",
    "run": "collecting.run",
    "RunResult": "collecting.collector",
    "Answer": "sampling.answers",
    "Assignment": "sampling.worker_choice",
    "run_async": "collecting.run_async",
    "forecast": "collecting.forecast",
    "replay": "collecting.replay",
    "LearningCurves": "collecting.replay",
    "Forecast": "collecting.forecast",
    "Campaign": "campaign.campaign",
    "report": "reporting.report",
    "Report": "reporting.report",
    "Budget": "collecting.stopping",
    "ExpectedTau": "collecting.stopping",
    "TopKCertain": "collecting.stopping",
    "RanksWithin": "collecting.stopping",
    "Established": "collecting.stopping",
    "Pair": "types",
    "HodgeRankError": "errors",
}
_MODULES = ("campaign", "errors", "judges", "metrics", "plotting", "types")

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value = getattr(import_module(f"hodgerank.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"hodgerank.{name}")
    raise AttributeError(f"module 'hodgerank' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*_HOMES, *_MODULES, "__version__"})
