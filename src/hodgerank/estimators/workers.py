"""assess_workers: one row per worker, with a flag in plain language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import ndtr
from scipy.stats import false_discovery_control, kendalltau

from hodgerank.data.codes import encode_values
from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.consensus import LeaveOneOut
from hodgerank.estimators.outliers import outliers_among
from hodgerank.estimators.position_bias import PositionBias, position_bias
from hodgerank.estimators.reliability import FEWEST_ANSWERS, WorkerTypes, worker_types
from hodgerank.estimators.votes import distinct_answers_of
from hodgerank.estimators.worker_assessment import (
    ADVERSARIAL,
    CARELESS,
    CLICKING,
    OK,
    TIE_HAPPY,
    TOO_FEW,
    WorkerAssessment,
)
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.hodge import edge_of_answers
from hodgerank.types import BoolArray, FloatArray, IntArray, Item

LARGE_BIAS = 0.2  # mean answers lean this far before it is called clicking
MANY_TIES = 0.3


def assess_workers(
    votes: Any, *, groups: Sequence[Item] | None = None, false_discovery_rate: float = 0.05
) -> WorkerAssessment:
    """Say of each worker how far the answers can be trusted.

    Parameters
    ----------
    votes
        Comparisons with workers, or anything `read_comparisons` takes. Lazy frames and patterns
        such as 'votes/*.parquet' are reduced where they live to the distinct answers of each
        worker and how often they were given.
    groups
        Instead of workers: any label for each answer (country, device, session ...).
    false_discovery_rate
        Of the workers that get a flag, at most this share is expected to be innocent. Position
        bias and ties are tested with the procedure of Benjamini and Hochberg; carelessness and
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
    votes = distinct_answers_of(votes)
    if groups is not None:
        if votes.multiplicity is not None:
            raise InvalidArgument(
                "groups need one row per answer: name the column of groups as the worker, or read "
                "the votes first"
            )
        names, codes = encode_values(groups)
        votes = replace(votes, workers=names, worker=codes)
    if not votes.n_workers:
        raise InvalidArgument(
            "the votes do not say who answered: name the column (worker=..., --worker)"
        )
    named = votes.select(votes.worker >= 0)
    n = votes.n_workers
    answers = _sum_by_worker(named)
    bias = position_bias(votes, votes.worker.astype(np.int64), n)
    types = worker_types(votes)
    agreement, effect = _consensus(votes)
    outliers = outliers_among(votes).flagged
    tie = named.outcome == 0
    shown = named.select(named.display_known & ~tie)
    tie_share = _share(named, tie)
    notes = []
    known = int(votes.times @ votes.display_known)
    if not known:
        notes.append(
            "the display order is not known, so position bias and left rate cannot be said"
        )
    elif known < votes.n_answers:
        notes.append(
            f"the display order is known of {known:,} of {votes.n_answers:,} answers only: "
            "position bias and left rate are about these"
        )
    return WorkerAssessment(
        workers=votes.workers,
        answers=answers,
        position_bias=bias.bias,
        position_bias_stderr=bias.stderr,
        position_bias_p_value=bias.p_values,
        agreement=agreement,
        outlier_share=_share(named, outliers[votes.worker >= 0]),
        tie_share=tie_share,
        left_rate=_share(shown, shown.outcome > 0),
        contradictions=_contradictions(named),
        reliability=types.reliability,
        effect=effect,
        flag=_flags(named, bias, types, tie_share, false_discovery_rate),
        false_discovery_rate=false_discovery_rate,
        notes=tuple(notes),
        backend=votes.backend,
    )


def _sum_by_worker(named: Comparisons, hits: BoolArray | None = None) -> IntArray:
    """Answers of each worker: all, or those hit."""
    counted = named.times if hits is None else named.times * hits
    return np.bincount(named.worker, counted, named.n_workers).astype(np.int64)


def _share(named: Comparisons, hits: BoolArray) -> FloatArray:
    return _ratio(_sum_by_worker(named, hits), _sum_by_worker(named))


def _ratio(part: IntArray, whole: IntArray) -> FloatArray:
    return np.asarray(part / np.where(whole == 0, np.nan, whole))


def _consensus(votes: Comparisons) -> tuple[FloatArray, FloatArray]:
    """Agreement with everybody else, and share of item pairs that turn, for each worker."""
    graph = ComparisonGraph.from_comparisons(votes)
    edges, signs = edge_of_answers(votes, graph)
    everybody, times = LeaveOneOut(votes, graph), votes.times
    agreement, effect = np.full((2, votes.n_workers), np.nan)
    order = np.argsort(votes.worker, kind="stable")
    bounds = np.searchsorted(votes.worker[order], np.arange(votes.n_workers + 1))
    for a in range(votes.n_workers):
        rows = order[bounds[a] : bounds[a + 1]]
        if not len(rows):
            continue
        others = everybody.without(rows, edges[rows], signs[rows])
        said = np.sign(votes.outcome[rows])
        counted = (said != 0) & ~np.isnan(others.predictions)
        if counted.any():
            agrees = said[counted] * others.predictions[counted]
            agreement[a] = np.average(
                np.where(np.abs(agrees) < 1e-12, 0.5, agrees > 0), weights=times[rows][counted]
            )
        tau = kendalltau(everybody.scores.round(12), others.scores.round(12)).statistic
        effect[a] = (1 - tau) / 2 if np.isfinite(tau) else 0.0
    return agreement, effect


def _contradictions(named: Comparisons) -> FloatArray:
    """Share of a worker's repeated pairs with answers of both signs."""
    n_items = np.int64(named.n_items)
    low, high = np.minimum(named.left, named.right), np.maximum(named.left, named.right)
    key = (named.worker * n_items + low) * n_items + high
    turned = np.where(named.left < named.right, named.outcome, -named.outcome)
    keys, group = np.unique(key, return_inverse=True)
    several = np.bincount(group, named.times) > 1
    wins, losses = np.bincount(group, turned > 0) > 0, np.bincount(group, turned < 0) > 0
    worker = (keys // n_items // n_items)[several]
    both = np.bincount(worker, (wins & losses)[several], named.n_workers)
    return _ratio(both, np.bincount(worker, minlength=named.n_workers))


def _flags(
    named: Comparisons,
    bias: PositionBias,
    types: WorkerTypes,
    tie_share: FloatArray,
    rate: float,
) -> tuple[str, ...]:
    """The first flag that applies; tests across workers share their false discoveries."""
    few = _sum_by_worker(named) < FEWEST_ANSWERS
    clicks = _significant(bias.p_values, ~few, rate) & (np.abs(bias.bias) > LARGE_BIAS)
    dishonest = _least_honest(types.honest, ~few, rate)
    hostile = dishonest & (types.adversarial > types.random)

    tie_happy = _significant(_tie_p_values(named), ~few, rate) & (tie_share > MANY_TIES)
    choices = [
        (few, TOO_FEW),
        (clicks, CLICKING),
        (tie_happy, TIE_HAPPY),
        (hostile, ADVERSARIAL),
        (dishonest, CARELESS),
    ]
    return tuple(
        next((flag for applies, flag in choices if applies[worker]), OK)
        for worker in range(named.n_workers)
    )


def _tie_p_values(named: Comparisons) -> FloatArray:
    """Is a worker's tie rate above that of the others, whose rates differ among themselves too?"""
    answers, ties = _sum_by_worker(named), _sum_by_worker(named, named.outcome == 0)
    rate = (ties.sum() - ties + 1) / (answers.sum() - answers + 2)
    z = (ties - answers * rate) / np.sqrt(np.maximum(answers, 1) * rate * (1 - rate))
    usual = float(np.median(np.abs(z))) / 0.6745  # the spread of a normal distribution is 1
    return np.asarray(ndtr(-z / max(usual, 1.0)))


def _significant(p_values: FloatArray, tested: BoolArray, rate: float) -> BoolArray:
    """Benjamini and Hochberg (1995) over those tested."""
    tested = tested & np.isfinite(p_values)
    found = np.zeros(len(p_values), bool)
    if tested.any():
        found[tested] = false_discovery_control(p_values[tested]) <= rate
    return found


def _least_honest(honest: FloatArray, tested: BoolArray, rate: float) -> BoolArray:
    """The largest group of least honest workers whose mean probability of honesty is small."""
    found = np.zeros(len(honest), bool)
    order = np.flatnonzero(tested)[np.argsort(honest[tested], kind="stable")]
    mean = np.cumsum(honest[order]) / np.arange(1, len(order) + 1)
    found[order[: int((mean <= rate).sum())]] = True
    return found
