"""Log determinant of a large Laplacian plus ridge, by stochastic Lanczos quadrature.

ln det A = ln det D + tr ln B for B = D^-1/2 A D^-1/2 = I - M, D the diagonal of A. The trace is n
times the mean of q^T ln(B) q over random vectors q of signs, scaled to length one, and a few steps
of Lanczos' method give each of these to many digits [Ubaru17].

Random vectors are spared what is known. Of the series ln B = -M - M^2/2 - ... the first two traces
are sums over edges. And A 1 = ridge 1: with c 1 1^T / n added, the smallest eigenvalue, of which a
single vector can say little, is an ordinary one, and the determinant is larger by (ridge + c) /
ridge. The vectors are the same every time, hence differences between similar matrices are better
still.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.linalg.laplacian import upper_triangle
from hodgerank.types import CodeArray, FloatArray

VECTORS = 6
STEPS = 20
EXHAUSTED = 1e-10  # a next Lanczos vector this short is rounding


def log_determinant(i: CodeArray, j: CodeArray, weights: FloatArray, n: int, ridge: float) -> float:
    """Natural logarithm of det (L + ridge I), ridge > 0, estimated."""
    upper = upper_triangle(i, j, weights, n)
    lower = upper.T
    diagonal = upper @ np.ones(n) + lower @ np.ones(n) + ridge
    inverse = 1 / diagonal
    scale = np.sqrt(inverse)[:, None]
    common = float(diagonal.mean())

    def apply(x: FloatArray) -> FloatArray:
        y = scale * x
        return np.asarray(x - scale * (upper @ y + lower @ y - common * y.mean(axis=0)))

    steps = min(STEPS, n)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(n, VECTORS))
    q, previous = signs / np.sqrt(n), np.zeros((n, VECTORS))
    alpha, beta = np.zeros((steps, VECTORS)), np.zeros((steps, VECTORS))
    for k in range(steps):
        r = apply(q)
        alpha[k] = np.einsum("ia,ia->a", q, r)
        r -= alpha[k] * q + (beta[k - 1] * previous if k else 0.0)
        length = np.sqrt(np.einsum("ia,ia->a", r, r))
        beta[k] = np.where(length > EXHAUSTED, length, 0.0)
        previous, q = q, np.divide(r, length, out=np.zeros_like(r), where=length > EXHAUSTED)
    rest = [_quadrature(alpha[:, a], beta[:-1, a]) for a in range(VECTORS)]
    first, second = 1 - alpha[0], (1 - alpha[0]) ** 2 + beta[0] ** 2  # q^T M q, q^T M^2 q
    per_edge = weights * inverse[i] * inverse[j]
    share = common / n * float(inverse.sum())  # of the common mode in the trace of B
    trace = -share
    trace_of_square = 2 * float(per_edge @ (weights - 2 * common / n)) + share**2
    rest_of_trace = n * np.mean(rest + first + second / 2)
    return float(
        np.log(diagonal).sum()
        + rest_of_trace
        - trace
        - trace_of_square / 2
        + np.log(ridge / (ridge + common))
    )


def _quadrature(alpha: FloatArray, beta: FloatArray) -> float:
    """e1^T ln(T) e1 for the tridiagonal T, up to where it falls apart."""
    from scipy.linalg import eigh_tridiagonal

    size = int(np.argmin(beta)) + 1 if beta.size and beta.min() == 0 else len(alpha)
    nodes, vectors = eigh_tridiagonal(alpha[:size], beta[: size - 1])
    return float(vectors[0] ** 2 @ np.log(np.maximum(nodes, np.finfo(float).tiny)))
