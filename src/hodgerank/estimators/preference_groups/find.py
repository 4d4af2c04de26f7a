"""find_preference_groups: is there one taste or several, and who belongs to which?

`WorkerVotes` divides the votes into folds, `latent_classes` fits groups, and `held_out` predicts
each fold from the others. Several groups are claimed if they predict better and reverse a pair.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons, require_choices
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.preference_groups.held_out import HeldOut, cross_fitted, hold_out
from hodgerank.estimators.preference_groups.latent_classes import (
    FINAL_STEPS,
    SHARED,
    LatentClasses,
    expected_spread,
    fit_classes,
    fit_one_class,
)
from hodgerank.estimators.preference_groups.result import (
    WORDS,
    PredictionGain,
    PreferenceGroups,
    ReversedPair,
)
from hodgerank.estimators.preference_groups.reversals import (
    Reversals,
    differences_in_errors,
    reversed_pairs,
)
from hodgerank.estimators.preference_groups.worker_votes import WorkerVotes
from hodgerank.kernels.hypothesis_tests import discoveries
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import BoolArray, FloatArray, IntArray, RngLike, VotesLike

MOST_ITEMS = 1_000  # dense matrices are factorised a thousand times
MOST_GROUPS = len(WORDS) - 1
FEWEST_ITEMS, FEWEST_WORKERS, FEWEST_VOTES = 3, 10, 4
N_FOLDS = 5
LEVEL = 0.05
MISTAKES = 0.05  # false discovery rate of workers who vote in reverse
N_SIMULATIONS, FEW_SIMULATIONS = 10, 4
MANY_CELLS, MANY_ITEMS = 20_000, 200

Stage = Callable[[str, int], Callable[[], None]]
"""Called with the name of a stage and its number of steps; returns what is called after each."""


def find_preference_groups(
    votes: VotesLike,
    *,
    at_most: int = 4,
    seed: RngLike = 0,
    simulate: bool = True,
    on_stage: Stage = lambda words, total: lambda: None,
) -> PreferenceGroups:
    """Find groups of workers with different tastes, if there are any.

    The model is a mixture of Bradley-Terry rankings. Every worker has an acuity and a position
    bias, so careless, adversarial and position-biased workers are no groups. Several groups are
    claimed if they predict held-out votes significantly better, and every two of them order some
    pair of items oppositely.

    Parameters
    ----------
    votes
        Comparisons with workers, or anything `read_comparisons` accepts. Votes without a worker
        are left out.
    at_most
        Largest number of groups to try, from 2 to 8.
    seed
        Seed or generator of folds, first partitions and simulations.
    simulate
        Where no groups are found, simulate how often two would be (`power`).
    on_stage
        Called with the name of each stage and its number of steps; what it returns is called after
        each step.

    Examples
    --------
    >>> import hodgerank as hr
    >>> votes = hr.simulate_comparisons(8, 900, workers=30, rng=1)
    >>> find_preference_groups(votes).count
    1
    """
    if not 2 <= at_most <= MOST_GROUPS:
        raise InvalidArgument(f"at_most must be from 2 to {MOST_GROUPS}, not {at_most}")
    read = read_ungrouped(votes)
    require_choices(read.report, "finding preference groups")
    known = read.worker != NO_WORKER
    if not known.any():
        raise InvalidArgument("workers are not recorded: name the column (worker=..., --worker)")
    notes = []
    if not known.all():
        n = int(read.votes_per_row[~known].sum())
        notes.append(f"{n:,} vote{'' if n == 1 else 's'} without a worker left out")
        read = read.select(known)
    read = read.compacted()
    if read.n_items > MOST_ITEMS:
        raise InvalidArgument(
            f"{read.n_items:,} items: preference groups are limited to {MOST_ITEMS:,}"
        )
    rng = np.random.default_rng(seed)
    with few_threads(read.n_items):
        return _find(
            read, WorkerVotes.of(read, N_FOLDS, rng), at_most, rng, notes, simulate, on_stage
        )


def _find(
    read: Comparisons,
    votes: WorkerVotes,
    at_most: int,
    rng: np.random.Generator,
    notes: list[str],
    simulate: bool,
    on_stage: Stage,
) -> PreferenceGroups:
    n_votes = np.bincount(read.worker, read.votes_per_row, read.n_workers).astype(np.int64)
    common = fit_one_class(votes)
    reason = _why_not(votes, n_votes)
    if reason:
        found, held = _Found(None, common), None
        notes.insert(0, reason)
    else:
        numbers = range(2, at_most + 1)
        held = hold_out(votes, numbers, rng, on_stage("predicting held-out votes", votes.n_folds))
        found = _accepted(votes, common, held, at_most, rng, notes)
    power, n_simulations = np.nan, 0
    if found.number == 1 and simulate:
        is_large = len(votes.won) > MANY_CELLS or votes.n_items > MANY_ITEMS
        n_simulations = FEW_SIMULATIONS if is_large else N_SIMULATIONS
        step = on_stage("simulating two groups", n_simulations)
        power = _power(votes, common, n_simulations, rng, step)
    return _result(read, votes, found, held, at_most, n_votes, power, n_simulations, notes)


def _why_not(votes: WorkerVotes, n_votes: IntArray) -> str:
    """Return why groups cannot be determined; empty if they can."""
    if votes.n_items < FEWEST_ITEMS:
        return f"at least {FEWEST_ITEMS} items are needed"
    n = int((n_votes >= FEWEST_VOTES).sum())
    if n < FEWEST_WORKERS:
        return (
            f"at least {FEWEST_WORKERS} workers with {FEWEST_VOTES} votes each are needed, and "
            f"there {'is' if n == 1 else 'are'} {n}"
        )
    if votes.n_folds < FEWEST_ITEMS:
        return "too few pairs, ballots or units to predict some from others"
    return ""


class _Found(NamedTuple):
    """The number of groups, the fitted classes, and the pairs that they reverse."""

    number: int | None
    classes: LatentClasses
    reversals: Reversals | None = None


def _accepted(
    votes: WorkerVotes,
    common: LatentClasses,
    held: HeldOut,
    at_most: int,
    rng: np.random.Generator,
    notes: list[str],
) -> _Found:
    """Return the largest number of groups that predict better and reverse pairs."""
    better = _better_numbers(held, range(2, at_most + 1))
    for k in reversed(better):
        classes = fit_classes(votes, common, k, rng, FINAL_STEPS)
        crossed = cross_fitted(votes, classes, held.fits[k])
        reversals = Reversals(
            differences_in_errors(votes, classes), differences_in_errors(votes.by_fold(), crossed)
        )
        if reversals.confirmed:
            if not classes.converged:
                notes.append(f"the groups still changed after {FINAL_STEPS} steps of the fit")
            return _Found(k, classes, reversals)
    if better:
        notes.append(
            f"{WORDS[better[0]]} groups predict held-out votes better, but reverse no pair "
            "clearly: crowds of one taste show that too (in up to 9% of the simulations)"
        )
    return _Found(1, common)


def _better_numbers(held: HeldOut, numbers: range) -> list[int]:
    """Return the numbers of groups each of which predicts significantly better than the last."""
    better = [1]
    for k in numbers:
        if held.gain(k, better[-1]).p_value < LEVEL / len(numbers):
            better.append(k)
    return better[1:]


def _power(
    votes: WorkerVotes,
    common: LatentClasses,
    n_simulations: int,
    rng: np.random.Generator,
    step: Callable[[], None],
) -> float:
    """Return how often two equal groups are found on the same pairs, with as varied workers.

    Their scores have the variance of the common ones, of which they share half.
    """
    n, hits = votes.n_items, 0
    spread = np.sqrt(expected_spread(votes, common))
    for _ in range(n_simulations):
        own, both = rng.normal(0, spread, (2, n)), rng.normal(0, spread, n)
        x = np.sqrt(SHARED) * both + np.sqrt(1 - SHARED) * own
        group = rng.permutation(votes.n_workers) % 2
        d = votes.differences(x)[group[votes.worker], np.arange(len(votes.worker))]
        t = common.a[0, votes.worker] * d + common.b[0, votes.worker] * votes.side
        n_each = np.maximum(np.rint(votes.weight), 1).astype(np.int64)
        share = rng.binomial(n_each, 1 / (1 + np.exp(-t))) / n_each
        simulated = votes.voted(share * votes.weight)
        held = hold_out(simulated, (2,), rng)
        one = fit_one_class(simulated)
        hits += _accepted(simulated, one, held, 2, rng, []).number == 2
        step()
    return hits / n_simulations


def _result(
    read: Comparisons,
    votes: WorkerVotes,
    found: _Found,
    held: HeldOut | None,
    at_most: int,
    n_votes: IntArray,
    power: float,
    n_simulations: int,
    notes: list[str],
) -> PreferenceGroups:
    classes = found.classes
    covariances = classes.covariances(votes)
    own = classes.without_own_votes(votes, covariances)
    order = np.argsort(-np.bincount(own.share.argmax(axis=0), minlength=len(own)), kind="stable")
    share = own.share[order]
    group = share.argmax(axis=0)
    here = order[group], np.arange(votes.n_workers)
    x = (classes.x - classes.x.mean(axis=1, keepdims=True))[order]
    pairs: tuple[ReversedPair, ...] = ()
    n_reversed = 0
    if found.reversals is not None:
        pairs, n_reversed = reversed_pairs(votes, found.reversals, order)
    return PreferenceGroups(
        count=found.number,
        at_most=at_most,
        gain=None if held is None else _gain(held, found.number or 1, at_most, n_votes),
        workers=votes.workers,
        n_votes=n_votes,
        group=group + 1,
        probability=share.max(axis=0),
        acuity=own.a[here],
        is_opposite=_opposite(own) if found.number else np.zeros(votes.n_workers, bool),
        items=votes.items,
        scores=x,
        errors=_errors(votes, classes, covariances)[order],
        reversed_pairs=pairs,
        n_reversed=n_reversed,
        power=power,
        n_simulations=n_simulations,
        notes=tuple(notes),
        backend=read.backend,
    )


def _gain(held: HeldOut, count: int, at_most: int, n_votes: IntArray) -> PredictionGain:
    """Return the gain of the groups found, or else of the best number of groups."""
    numbers = range(2, at_most + 1)
    gains = {k: held.gain(k, 1) for k in numbers}
    k = count if count > 1 else min(numbers, key=lambda k: gains[k].p_value)
    gain, n = gains[k], int(n_votes.sum())
    half = NormalDist().inv_cdf(1 - LEVEL / 2) * gain.stderr
    return PredictionGain(
        groups=k,
        per_vote=gain.total / n,
        lower=(gain.total - half) / n,
        upper=(gain.total + half) / n,
        p_value=min(1.0, len(numbers) * gain.p_value),
        correct=held.correct[k],
        correct_of_one=held.correct[1],
    )


def _opposite(own: LatentClasses) -> BoolArray:
    """Find workers with negative acuity by the procedure of [Benjamini95]."""
    aa, ab, bb = np.moveaxis(own.precision, -1, 0)
    z = own.a / np.sqrt(bb / (aa * bb - ab * ab))
    cdf = np.frompyfunc(NormalDist().cdf, 1, 1)
    p_values = (own.share * cdf(z).astype(float)).sum(axis=0)
    return discoveries(p_values, MISTAKES)


def _errors(votes: WorkerVotes, classes: LatentClasses, covariances: FloatArray) -> FloatArray:
    """Return the standard errors of the scores about their mean."""
    clustered = classes.clustered(votes, covariances)
    variances = np.maximum(*(_of_scores(each) for each in (covariances, clustered)))
    return np.asarray(np.sqrt(variances))


def _of_scores(covariances: FloatArray) -> FloatArray:
    own = np.diagonal(covariances, axis1=1, axis2=2)
    mean = covariances.mean(axis=1)
    return np.asarray(own - 2 * mean + mean.mean(axis=1, keepdims=True))
