"""assess_workers: one row per worker, with a flag in plain language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.groups import VoteGroups
from hodgerank.data.reading.codes import encode_values
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.outliers import Outliers, outliers_among
from hodgerank.estimators.position.bias import position_bias
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.estimators.workers.cells import WorkerCells
from hodgerank.estimators.workers.flags import flag_workers
from hodgerank.estimators.workers.honesty import worker_types
from hodgerank.estimators.workers.leave_one_out import FEW_PAIRS, LeaveOneOut
from hodgerank.estimators.workers.tie_habits import tie_habits
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.building import source_of
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import BoolArray, FloatArray, Item, VotesLike


def assess_workers(
    votes: VotesLike, *, groups: Sequence[Item] | None = None, false_discovery_rate: float = 0.05
) -> WorkerAssessment:
    """Say of each worker how far the answers can be trusted.

    Parameters
    ----------
    votes
        Comparisons with workers, or anything `read_comparisons` takes. Workers of `VoteGroups`
        are assessed over all groups together. Lazy frames and patterns
        such as 'votes/*.parquet' are reduced where they live to the distinct answers of each
        worker and how often they were given.
    groups
        Instead of workers: any label for each answer (country, device, session ...).
    false_discovery_rate
        Of the workers with a fault, at most this share is expected to be innocent. Position bias,
        ties and precision are tested with the procedure of [Benjamini95]; carelessness and
        hostility by the posterior probability of honesty.

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
    if groups is not None:
        if answers.multiplicity is not None:
            raise InvalidArgument(
                "groups need one row per answer: name the column of groups as the worker, or read "
                "the votes first"
            )
        names, codes = encode_values(groups)
        answers = replace(answers, workers=names, worker=codes)
    if not answers.n_workers:
        raise InvalidArgument(
            "the votes do not say who answered: name the column (worker=..., --worker)"
        )
    answered = AnsweredGraph.of(answers)
    return assess_answers(answered, outliers_among(answered), false_discovery_rate)


def assess_answers(
    answered: AnsweredGraph, outliers: Outliers, false_discovery_rate: float = 0.05
) -> WorkerAssessment:
    """The same of answers whose graph and outliers are known."""
    votes = answered.votes
    cells = WorkerCells.of(answered)
    answers, ties = cells.per_worker(cells.answers), tie_habits(cells)
    bias = position_bias(answered)
    types = worker_types(cells)
    agreement, effect = _consensus(cells, answered.scores)
    return WorkerAssessment(
        workers=votes.workers,
        answers=answers.astype(np.int64),
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
        false_discovery_rate=false_discovery_rate,
        notes=(*_side_notes(votes), *_comparison_notes(types.comparable)),
        backend=votes.backend,
    )


def _side_notes(votes: Comparisons) -> tuple[str, ...]:
    known = int(votes.answers_per_row @ votes.display_known)
    if not known:
        return ("the display order is not known, so position bias and left rate cannot be said",)
    if known < votes.n_answers:
        return (
            f"the display order is known of {known:,} of {votes.n_answers:,} answers only: "
            "position bias and left rate are about these",
        )
    return ()


def _comparison_notes(comparable: BoolArray) -> tuple[str, ...]:
    if comparable.any():
        return ()
    if len(comparable) == 1:
        return ("all answers are of one worker, so there is nobody to measure them by",)
    return (
        "those who answered agree with each other no more than coins would, as far as can be told: "
        "nothing is said about who is careless, adversarial or less precise",
    )


def _per_worker(votes: Comparisons, hits: BoolArray) -> FloatArray:
    """Number of answers of each worker that are hit."""
    rows = np.flatnonzero(hits & (votes.worker >= 0))
    weights = None if votes.multiplicity is None else votes.multiplicity[rows]
    return np.bincount(votes.worker[rows], weights, votes.n_workers).astype(float)


def _left_rate(votes: Comparisons) -> FloatArray:
    """Share of decided answers that prefer left, where the display order is known."""
    shown = votes.display_known & (votes.outcome != 0)
    return _ratio(_per_worker(votes, shown & (votes.outcome > 0)), _per_worker(votes, shown))


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.asarray(part / np.where(whole == 0, np.nan, whole))


def _consensus(cells: WorkerCells, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Agreement with everybody else, and share of item pairs that turn, for each worker."""
    from hodgerank.kernels.models.turned_pairs import turned_pairs

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
    """Share of a worker's repeated pairs with answers of both signs."""
    several = cells.answers > 1
    both = several & (cells.wins > 0) & (cells.losses > 0)
    return _ratio(cells.per_worker(both.astype(float)), cells.per_worker(several.astype(float)))
