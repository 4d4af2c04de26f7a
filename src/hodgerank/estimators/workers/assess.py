"""assess_workers: statistics of each worker, and a flag in plain language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import betainc

from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.data.groups import VoteGroups
from hodgerank.data.reading.values import encode_values
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.outliers import Outliers, outliers_among
from hodgerank.estimators.position_bias.bias_test import PositionBias, measure_position_bias
from hodgerank.estimators.workers.assessment import (
    ADVERSARIAL,
    CARELESS,
    CLICKING,
    IMPRECISE,
    LEFT_BIASED,
    NOT_KNOWN,
    OK,
    RIGHT_BIASED,
    TIE_HAPPY,
    TOO_FEW,
    WorkerAssessment,
)
from hodgerank.estimators.workers.worker_cells import WorkerCells
from hodgerank.estimators.workers.worker_types import FEWEST_VOTES, WorkerTypes, worker_types
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.build import source_of
from hodgerank.kernels.hypothesis_tests import discoveries
from hodgerank.kernels.linalg.laplacian import components, divergence
from hodgerank.kernels.linalg.normal_equations import DENSE_ITEMS, NormalEquations
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import BoolArray, FloatArray, Item, VotesLike

# Largest number of pairs of a worker that is removed by a dense downdate.
FEW_PAIRS = 300
UNDETERMINED = 1e-6


class Consensus(NamedTuple):
    """Predictions for one worker's pairs from the others (NaN: undetermined), and their scores."""

    predictions: FloatArray
    scores: FloatArray


class LeaveOneOut:
    """Exact least-squares scores without one worker at a time."""

    def __init__(self, cells: WorkerCells, scores: FloatArray) -> None:
        self.cells, self.graph, self.scores = cells, cells.graph, scores

    def without(self, worker: int) -> Consensus:
        """Leave out the votes of a worker; predictions are for item i of each edge."""
        mine = self.cells.of_worker(worker)
        if mine.stop - mine.start <= FEW_PAIRS and self.graph.n_items <= DENSE_ITEMS:
            return self._downdated(mine)
        return self._solved_again(mine)

    def _downdated(self, mine: slice) -> Consensus:
        """With H the hat matrix of these pairs, (I - H)^-1 r are their leave-one-out residuals."""
        graph, inverse, cells = self.graph, self.graph.equations.inverse, self.cells
        edge = cells.edge[mine]
        i, j = graph.i[edge], graph.j[edge]
        root = np.sqrt(cells.weights[mine])
        mean = cells.sums[mine] / cells.weights[mine]
        columns = (inverse[:, i] - inverse[:, j]) * root
        hat = root[:, None] * (columns[i] - columns[j])
        residual = root * (mean - (self.scores[i] - self.scores[j]))
        values, vectors = np.linalg.eigh(np.eye(len(edge)) - hat)
        known = values > UNDETERMINED
        part = vectors[:, known]
        alone = part @ ((part.T @ residual) / values[known])
        predictions = mean - alone / root
        undetermined = (vectors[:, ~known] ** 2).sum(axis=1) > UNDETERMINED
        predictions[undetermined] = np.nan
        return Consensus(predictions, self.scores - columns @ alone)

    def _solved_again(self, mine: slice) -> Consensus:
        graph, cells = self.graph, self.cells
        edge = cells.edge[mine]
        weights, flow = graph.weights.copy(), graph.weights * graph.flows
        weights[edge] -= cells.weights[mine]
        flow[edge] -= cells.sums[mine]
        kept = weights > 1e-9 * graph.weights
        i, j = graph.i[kept], graph.j[kept]
        labels = components(i, j, graph.n_items)
        equations = NormalEquations(i, j, weights[kept], labels)
        scores = equations.solve(divergence(i, j, flow[kept], graph.n_items))
        left, right = graph.i[edge], graph.j[edge]
        predictions = scores[left] - scores[right]
        return Consensus(np.where(labels[left] == labels[right], predictions, np.nan), scores)


LARGE_EXCESS = 0.15  # excess of ties, as a share of votes, that is worth a note
PRIOR_VOTES = 5.0  # votes at the overall rate that are added to each pair's rate
LEAST_RATE = 0.01


@dataclass(frozen=True, eq=False)
class TieRates:
    """Share of ties of each worker, the share expected from others on the same pairs, p-value."""

    share: FloatArray
    expected: FloatArray
    p_values: FloatArray

    @property
    def is_large(self) -> BoolArray:
        """Whether the excess is worth a note."""
        return np.asarray(self.share - self.expected > LARGE_EXCESS)


def tie_rates(cells: WorkerCells) -> TieRates:
    """Compare the ties of each worker with those of others on the same pairs.

    Close pairs are tied more often, so each pair has its own rate, from all other workers. The
    overall level is that of the median worker, which up to half of the crowd cannot distort.
    """
    answers, ties = cells.per_worker(cells.votes), cells.per_worker(cells.ties)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = ties / answers
    usual = cells.per_worker(cells.votes * _rates_of_others(cells))
    active = answers > 0
    level = float(np.median(ties[active] / usual[active])) if active.any() else 0.0
    expected = np.minimum(level * usual / np.maximum(answers, 1), 1.0)
    rate = np.clip(expected, LEAST_RATE, 1 - LEAST_RATE)
    z = (ties - answers * rate) / np.sqrt(np.maximum(answers, 1) * rate * (1 - rate))
    # Workers differ by more than chance, which reduces the effective number of votes. The
    # overdispersion is estimated from workers below the median, whom the tie-happy cannot hide.
    below = np.abs(z[active & (z < 0)])
    spread = float(np.median(below)) / 0.6745 if len(below) else 1.0
    excess = max(spread, 1.0) ** 2
    k, n = ties / excess, answers / excess
    p_values = np.where(k > 0, betainc(np.maximum(k, 1e-9), n - k + 1, rate), 1.0)
    return TieRates(share, np.where(active, expected, np.nan), np.where(active, p_values, np.nan))


def _rates_of_others(cells: WorkerCells) -> FloatArray:
    """Return, for each cell, the rate of ties on its edge without the cell's own votes."""
    overall = (cells.ties.sum() + 0.5) / (cells.votes.sum() + 1)
    ties = cells.per_edge(cells.ties)[cells.edge] - cells.ties
    answers = cells.per_edge(cells.votes)[cells.edge] - cells.votes
    return np.asarray((ties + PRIOR_VOTES * overall) / (answers + PRIOR_VOTES))


LARGE_BIAS = 0.2  # where workers cannot be compared, the interval of a clicker is beyond this


def flag_workers(
    answers: FloatArray,
    ties: TieRates,
    bias: PositionBias,
    types: WorkerTypes,
    rate: float,
) -> tuple[str, ...]:
    """Return the first flag that applies; false discoveries are controlled across workers."""
    few = answers < FEWEST_VOTES
    is_biased = significant(bias.p_values, ~few, rate)
    is_large = (bias.lower > LARGE_BIAS) | (bias.upper < -LARGE_BIAS)
    dishonest = _least_honest(types, ~few & types.comparable, rate)
    others = np.maximum(types.random, types.adversarial)
    clicks = np.where(types.comparable, dishonest & (types.clicking > others), is_biased & is_large)
    choices = [
        (few, TOO_FEW),
        (clicks, CLICKING),
        (dishonest & (types.adversarial > types.random), ADVERSARIAL),
        (dishonest, CARELESS),
        (significant(ties.p_values, ~few, rate) & ties.is_large, TIE_HAPPY),
        (is_biased & (bias.bias > 0), LEFT_BIASED),
        (is_biased, RIGHT_BIASED),
        (significant(types.imprecision_p_value, ~few & types.comparable, rate), IMPRECISE),
        (~types.comparable, NOT_KNOWN),
    ]
    return tuple(
        next((flag for applies, flag in choices if applies[worker]), OK)
        for worker in range(len(answers))
    )


def _least_honest(types: WorkerTypes, tested: BoolArray, rate: float) -> BoolArray:
    """Find the largest group of least honest workers with a small mean probability of honesty."""
    found = np.zeros(len(types.honest), bool)
    order = np.flatnonzero(tested)[np.argsort(types.honest[tested], kind="stable")]
    mean = np.cumsum(types.honest[order]) / np.arange(1, len(order) + 1)
    found[order[: int((mean <= rate).sum())]] = True
    return found


def significant(p_values: FloatArray, tested: BoolArray, rate: float) -> BoolArray:
    """Test by the procedure of [Benjamini95] over the tested workers."""
    return discoveries(np.where(tested, p_values, np.nan), rate)


def assess_workers(
    votes: VotesLike, *, groups: Sequence[Item] | None = None, false_discovery_rate: float = 0.05
) -> WorkerAssessment:
    """Assess how far the votes of each worker can be trusted.

    Parameters
    ----------
    votes
        Comparisons with workers, or anything `read_comparisons` accepts. Workers of `VoteGroups`
        are assessed over all groups together. Lazy frames and patterns such as 'votes/*.parquet'
        are aggregated by their own engine to the distinct votes of each worker.
    groups
        A label for each vote (country, device, session ...), assessed instead of workers.
    false_discovery_rate
        Expected share of false positives among the workers with a warning. Position bias, ties and
        precision are tested with the procedure of [Benjamini95]; careless and adversarial workers
        are found by the posterior probability of honesty.

    Examples
    --------
    >>> import hodgerank as hr
    >>> crowd = {"honest": 6, "position-biased": 1}
    >>> votes = hr.simulate_comparisons(8, 700, spread=2, workers=crowd, rng=2)
    >>> assess_workers(votes).flagged
    ('position-biased-01',)
    """
    if not 0 < false_discovery_rate < 1:
        raise InvalidArgument("false_discovery_rate must be between 0 and 1")
    if isinstance(votes, VoteGroups):
        votes = votes.together()
    answers = source_of(votes).distinct_answers()
    require_choices(answers.report, "assess_workers (hodgerank workers)")
    if groups is not None:
        if answers.multiplicity is not None:
            raise InvalidArgument(
                "groups need one row per vote: name the column of groups as the worker, or read "
                "the votes first"
            )
        names, codes = encode_values(groups)
        answers = replace(answers, workers=names, worker=codes)
    if not answers.n_workers:
        raise InvalidArgument("workers are not recorded: name the column (worker=..., --worker)")
    answered = AnsweredGraph.of(answers)
    return assess_workers_of(answered, outliers_among(answered), false_discovery_rate)


def assess_workers_of(
    answered: AnsweredGraph, outliers: Outliers, false_discovery_rate: float = 0.05
) -> WorkerAssessment:
    """Assess the workers of votes whose graph and outliers are known."""
    votes = answered.votes
    cells = WorkerCells.of(answered, with_sides=True)
    answers, ties = cells.per_worker(cells.votes), tie_rates(cells)
    bias = measure_position_bias(answered)
    types = worker_types(cells)
    agreement, effect = _consensus(cells, answered.scores)
    found = WorkerAssessment(
        workers=votes.workers,
        votes=answers.astype(np.int64),
        position_bias=bias.bias,
        position_bias_stderr=bias.stderr,
        position_bias_lower=bias.lower,
        position_bias_upper=bias.upper,
        position_bias_p_value=bias.p_values,
        agreement=agreement,
        outlier_share=_ratio(_per_worker(votes, outliers.flagged), answers),
        tie_share=ties.share,
        expected_tie_share=ties.expected,
        left_rate=_left_rate(votes),
        contradictions=_contradictions(cells),
        reliability=types.reliability,
        acuity=np.where(types.comparable, types.acuity, np.nan),
        effect=effect,
        flag=flag_workers(answers, ties, bias, types, false_discovery_rate),
        power=types.power((answers >= FEWEST_VOTES) & types.comparable, false_discovery_rate),
        is_adaptive=votes.report.adaptive,
        false_discovery_rate=false_discovery_rate,
        notes=(*_side_notes(votes), *_comparison_notes(types.comparable)),
        backend=votes.backend,
    )
    hidden = (found.random_hidden,) if found.hides_random_workers else ()
    return replace(found, notes=(*found.notes, *hidden))


def _side_notes(votes: Comparisons) -> tuple[str, ...]:
    known = int(votes.votes_per_row @ votes.display_known)
    if not known:
        return ("the display order is unknown, so position bias and left rate cannot be computed",)
    if known < votes.n_votes:
        return (
            f"the display order is known for {known:,} of {votes.n_votes:,} votes: "
            "position bias and left rate are computed from these",
        )
    return ()


def _comparison_notes(comparable: BoolArray) -> tuple[str, ...]:
    if comparable.any():
        return ()
    if len(comparable) == 1:
        return ("all votes are from one worker, who cannot be compared with others",)
    return (
        "the workers show no agreement beyond chance: "
        "careless, adversarial and less precise workers cannot be identified",
    )


def _per_worker(votes: Comparisons, hits: BoolArray) -> FloatArray:
    """Return the number of marked votes of each worker."""
    rows = np.flatnonzero(hits & (votes.worker >= 0))
    weights = None if votes.multiplicity is None else votes.multiplicity[rows]
    return np.bincount(votes.worker[rows], weights, votes.n_workers).astype(float)


def _left_rate(votes: Comparisons) -> FloatArray:
    """Return the share of decided votes for left, where the display order is known."""
    shown = votes.display_known & (votes.outcome != 0)
    return _ratio(_per_worker(votes, shown & (votes.outcome > 0)), _per_worker(votes, shown))


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.asarray(part / np.where(whole == 0, np.nan, whole))


def _consensus(cells: WorkerCells, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return agreement with all others, and the share of item pairs that reverse, per worker."""
    from hodgerank.kernels.rank_order import turned_pairs

    everybody = LeaveOneOut(cells, scores)
    agreement, effect = np.full((2, cells.n_workers), np.nan)
    before, n_pairs = scores.round(12), max(len(scores) * (len(scores) - 1) // 2, 1)
    for worker in range(cells.n_workers):
        mine = cells.of_worker(worker)
        if mine.start == mine.stop:
            continue
        with few_threads(FEW_PAIRS):
            others = everybody.without(worker)
        known = ~np.isnan(others.predictions)
        said = others.predictions[known]
        wins, losses = cells.wins[mine][known], cells.losses[mine][known]
        decided = float(wins.sum() + losses.sum())
        if decided:
            same = np.where(said > 0, wins, losses)
            same = np.where(np.abs(said) < 1e-12, (wins + losses) / 2, same)
            agreement[worker] = same.sum() / decided
        effect[worker] = turned_pairs(before, others.scores.round(12)) / n_pairs
    return agreement, effect


def _contradictions(cells: WorkerCells) -> FloatArray:
    """Return the share of a worker's repeated pairs with contradictory votes."""
    several = cells.votes > 1
    both = several & (cells.wins > 0) & (cells.losses > 0)
    return _ratio(cells.per_worker(both.astype(float)), cells.per_worker(several.astype(float)))
