"""Pairs of items that groups order oppositely, and whether votes of other folds confirm them."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from hodgerank.estimators.preference_groups.latent_classes import LatentClasses
from hodgerank.estimators.preference_groups.result import ReversedPair
from hodgerank.estimators.preference_groups.worker_votes import WorkerVotes
from hodgerank.kernels.linalg.laplacian import components
from hodgerank.types import FloatArray, IntArray

REVERSED = 2.58  # standard errors of each of two opposite differences
CONFIRMED = 1.645  # the same, with groups formed by other votes of the same workers
MOST_LISTED = 1_000


class Reversals(NamedTuple):
    """Differences of scores in standard errors, and whether the cross-fitted ones have their sign.

    Both are arrays of groups x items x items. `crossed` are the cross-fitted differences.
    """

    z: FloatArray
    crossed: FloatArray

    @property
    def signs(self) -> FloatArray:
        """Sign of every significant difference, by group; 0 of others."""
        agree = self.z * self.crossed > 0
        return np.asarray(np.sign(self.z) * (np.abs(self.z) > REVERSED) * agree)

    @property
    def confirmed(self) -> bool:
        """Whether every two groups clearly order some pair oppositely."""
        signs = self.signs * (np.abs(self.crossed) > CONFIRMED)
        every_two = combinations(range(len(signs)), 2)
        return all((signs[g] * signs[h] < 0).any() for g, h in every_two)


def differences_in_errors(votes: WorkerVotes, classes: LatentClasses) -> FloatArray:
    """Return the score difference of every pair in every group, in standard errors."""
    covariances = classes.covariances(votes)
    clustered = classes.clustered(votes, covariances)
    z = np.empty_like(covariances)
    for g, x in enumerate(classes.x):
        variance = np.maximum(_of_differences(covariances[g]), _of_differences(clustered[g]))
        z[g] = (x[:, None] - x) / np.sqrt(np.maximum(variance, 1e-300))
    part = components(votes.i, votes.j, votes.n_items)
    return np.asarray(z * (part[:, None] == part))  # only the prior orders disconnected items


def _of_differences(covariance: FloatArray) -> FloatArray:
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own - 2 * covariance)


def reversed_pairs(
    votes: WorkerVotes, reversals: Reversals, order: IntArray
) -> tuple[tuple[ReversedPair, ...], int]:
    """Return the clearest pairs that groups reverse, and the number of all."""
    z, signs = reversals.z[order], reversals.signs[order]
    size = np.abs(z)
    high = np.where(signs > 0, size, 0.0).max(axis=0)
    low = np.where(signs < 0, size, 0.0).max(axis=0)
    clear = np.triu(np.minimum(high, low), 1)
    rows, columns = np.nonzero(clear)
    by_clarity = np.argsort(-clear[rows, columns], kind="stable")[:MOST_LISTED]
    pairs = []
    for k, m in zip(rows[by_clarity].tolist(), columns[by_clarity].tolist(), strict=True):
        prefer, oppose = (
            tuple((1 + np.flatnonzero(signs[:, k, m] == sign)).tolist()) for sign in (1, -1)
        )
        item, other = votes.items[k], votes.items[m]
        if prefer[0] > oppose[0]:  # as the largest of these groups orders them
            item, other, prefer, oppose = other, item, oppose, prefer
        pairs.append(ReversedPair(item, other, prefer, oppose, float(clear[k, m])))
    return tuple(pairs), len(rows)
