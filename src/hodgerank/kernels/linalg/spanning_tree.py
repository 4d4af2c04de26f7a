"""A preconditioner for graphs with bottlenecks and weights of all sizes.

The heaviest spanning tree T of the graph, solved exactly, with what is left of each item's weight
on the diagonal: M = L_T + diag(degree outside of T) + ridge. Eliminating a tree from its leaves
fills nothing in. Where the graph is an expander this is hardly better than the diagonal alone;
where it is a chain, or a few edges outweigh the others by orders of magnitude, the tree is what
matters ([Vaidya90] takes the tree alone, which the many light edges of a graph slow down).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from hodgerank.kernels.linalg import laplacian
from hodgerank.types import CodeArray, FloatArray, IntArray


def heaviest_tree(i: CodeArray, j: CodeArray, weights: FloatArray, n: int) -> IntArray:
    """Positions of the edges of a spanning tree of each component."""
    order = np.argsort(-weights, kind="stable")
    # by rank, since the lightest sum of ranks is the heaviest tree and no rank is zero
    rank = np.empty(len(weights))
    rank[order] = np.arange(1, len(weights) + 1)
    tree = sparse.csgraph.minimum_spanning_tree(sparse.csr_array((rank, (i, j)), shape=(n, n)))
    return np.sort(order[tree.data.astype(np.int64) - 1])


def tree_preconditioner(
    i: CodeArray, j: CodeArray, weights: FloatArray, labels: IntArray, ridge: float
) -> Callable[[FloatArray], FloatArray]:
    """M^-1; what it adds to all items of a component alike is left to the caller."""
    from scipy.sparse.linalg import splu

    n = len(labels)
    tree = heaviest_tree(i, j, weights, n)
    rest = np.ones(len(i), bool)
    rest[tree] = False
    diagonal = laplacian.degrees(i[rest], j[rest], weights[rest], n) + ridge
    own = laplacian.degrees(i[tree], j[tree], weights[tree], n)
    # A tree that is all there is would be singular: one item of its component is held.
    is_bare = np.bincount(labels, diagonal) == 0
    _, first = np.unique(labels, return_index=True)
    held = first[is_bare]
    diagonal[held] = np.where(own[held] > 0, own[held], 1.0)
    own += diagonal
    upper = laplacian.upper_triangle(i[tree], j[tree], weights[tree], n)
    matrix = sparse.diags_array(own) - upper - upper.T
    factor = splu(
        matrix.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    return lambda r: np.asarray(factor.solve(r))
