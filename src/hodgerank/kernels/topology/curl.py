"""The part of an edge flow that circulates around triangles.

All inner products weigh edge e by m_e, so the adjoint of the curl D1 is M^-1 D1^T.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from hodgerank.kernels.linalg.conjugate_gradients import conjugate_gradients
from hodgerank.types import FloatArray, IntArray

TOLERANCE = 1e-12
MAX_ITERATIONS = 5_000


def curl_operator(triangles: IntArray, n_edges: int) -> sparse.csr_array:
    """D1: the sum of a flow around each triangle, given by its edges (ij, jk, ik), i < j < k."""
    n = len(triangles)
    signs = np.tile([1.0, 1.0, -1.0], n)
    edges = triangles.flatten()  # a copy, which scipy may sort
    return sparse.csr_array((signs, edges, 3 * np.arange(n + 1)), shape=(n, n_edges))


def curl_part(
    curl: sparse.csr_array, weights: FloatArray, flows: FloatArray, tolerance: float = TOLERANCE
) -> tuple[FloatArray, FloatArray, float]:
    """Projection of flows (columns) on the span of M^-1 D1^T, potentials z, relative residual.

    Conjugate gradients on (D1 M^-1 D1^T) z = D1 flow, scaled by the diagonal. From z = 0 they give
    the solution of least norm in that scale, although the system is singular.
    """
    columns = flows if flows.ndim == 2 else flows[:, None]
    adjoint = curl.T.tocsr()
    inverse = 1 / weights[:, None]
    scale = 1 / np.sqrt(abs(curl) @ inverse)

    found = conjugate_gradients(
        lambda z: np.asarray(scale * (curl @ (inverse * (adjoint @ (scale * z))))),
        scale * (curl @ columns),
        lambda r: r.copy(),
        tolerance=tolerance,
        max_iterations=MAX_ITERATIONS,
    )
    part = inverse * (adjoint @ (scale * found.x))
    potential = (scale * found.x).reshape(-1, *flows.shape[1:])
    return part.reshape(flows.shape), potential, found.size
