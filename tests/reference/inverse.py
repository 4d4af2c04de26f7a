"""Inverses of Laplacians, whose kernel is known: no cutoff decides what counts as zero."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def centred_inverse(
    matrix: np.ndarray, labels: np.ndarray | None = None, n_others: int = 0
) -> np.ndarray:
    """The inverse on vectors whose scores sum to zero in each component, zero on all others.

    `labels` are the components of the items, one if not given; the last `n_others` unknowns are
    no items and are not centred.
    """
    n = len(matrix) - n_others
    labels = np.zeros(n, int) if labels is None else labels
    members = np.eye(labels.max() + 1)[labels]
    basis = linalg.block_diag(linalg.null_space(members.T), np.eye(n_others))
    return basis @ np.linalg.inv(basis.T @ matrix @ basis) @ basis.T
