"""Straightforward implementations: dense matrices, NumPy and SciPy, nothing else."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse
from scipy.sparse.linalg import lsqr

import hodgerank as hr

STEPS = 20  # where somebody is undefeated there is no end to them


def _wins(frame: pl.DataFrame) -> np.ndarray:
    """How often the row's item won against the column's."""
    names = sorted(set(frame["left"].unique()) | set(frame["right"].unique()))
    place = {name: k for k, name in enumerate(names)}
    left = np.array([place[name] for name in frame["left"].to_list()])
    right = np.array([place[name] for name in frame["right"].to_list()])
    left_won = (frame["winner"] == "left").to_numpy()
    wins = np.zeros((len(names), len(names)))
    np.add.at(wins, (np.where(left_won, left, right), np.where(left_won, right, left)), 1.0)
    return wins


def _newton(wins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n, games = len(wins), wins + wins.T
    x = np.zeros(n)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(x - x[:, None]))  # row beats column
        information = games * p * (1 - p)
        hessian = np.diag(information.sum(axis=1)) - information + 1 / n
        step = np.linalg.solve(hessian, (wins - games * p).sum(axis=1))
        x = x + step
        if np.abs(step).max() < 1e-9:
            break
    return x, hessian


def newton_bradley_terry(frame: pl.DataFrame) -> np.ndarray:
    return _newton(_wins(frame))[0]


def newton_bradley_terry_with_errors(frame: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    x, hessian = _newton(_wins(frame))
    return x, np.sqrt(np.diag(np.linalg.inv(hessian)) - 1 / len(x))


def pseudo_inverse_hodge_rank(votes: hr.Comparisons) -> tuple[np.ndarray, np.ndarray]:
    """Scores and standard errors from the pseudo-inverse of the Laplacian."""
    n = votes.n_items
    laplacian, surplus = np.zeros((n, n)), np.zeros(n)
    np.add.at(laplacian, (votes.left, votes.right), -1.0)
    laplacian += laplacian.T
    laplacian -= np.diag(laplacian.sum(axis=1))
    np.add.at(surplus, votes.left, votes.outcome)
    np.add.at(surplus, votes.right, -votes.outcome)
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    x = inverse @ surplus
    residual = votes.outcome - (x[votes.left] - x[votes.right])
    noise = residual @ residual / (len(votes) - n + 1)
    return x, np.sqrt(noise * np.diag(inverse))


class InformationSampler:
    """Whole matrices, one rank-one update per answer."""

    def __init__(self, n: int) -> None:
        self.S, self.mu = np.eye(n), np.zeros(n)
        self.upper = np.triu_indices(n, 1)

    def ask(self) -> tuple[int, int]:
        """The first of the best pairs."""
        d = np.diag(self.S)
        C = (d[:, None] + d - 2 * self.S)[self.upper]
        D = (self.mu[:, None] - self.mu)[self.upper]
        v = np.maximum(0, 1 - D**2)
        gain = 0.5 * (v * C / (1 + C) ** 2 + np.log1p(C) - C / (1 + C))
        k = int(np.argmax(gain))
        return int(self.upper[0][k]), int(self.upper[1][k])

    def tell(self, pair: tuple[int, int], y: float) -> None:
        """One rank-one update."""
        i, j = pair
        s = self.S[i] - self.S[j]
        c = s[i] - s[j]
        self.mu += (y - (self.mu[i] - self.mu[j])) / (1 + c) * s
        self.S -= np.outer(s, s) / (1 + c)

    def tell_many(self, left: np.ndarray, right: np.ndarray, y: np.ndarray) -> None:
        """All at once, from nothing."""
        n = len(self.mu)
        precision, force = np.eye(n), np.zeros(n)
        for a, b in ((left, right), (right, left)):
            np.add.at(precision, (a, a), 1)
            np.add.at(precision, (a, b), -1)
        np.add.at(force, left, y)
        np.add.at(force, right, -y)
        self.S = np.linalg.inv(precision)
        self.mu = self.S @ force


def sparse_hodge_parts(votes: hr.Comparisons) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and curl part of the mean answers, by two sparse least-squares problems."""
    graph = hr.ComparisonGraph.from_comparisons(votes)
    m, edges = graph.n_edges, list(zip(graph.i.tolist(), graph.j.tolist(), strict=True))
    root = np.sqrt(graph.weights)
    rows = np.r_[np.arange(m), np.arange(m)]
    values = np.r_[root, -root]
    gradient = sparse.csr_array((values, (rows, np.r_[graph.i, graph.j])), (m, graph.n_items))
    x = lsqr(gradient, root * graph.flows, atol=1e-12, btol=1e-12)[0]
    number = {edge: k for k, edge in enumerate(edges)}
    later: dict[int, list[int]] = {}
    for i, j in edges:
        later.setdefault(i, []).append(j)
    triangles = [
        (number[i, j], number[j, k], number[i, k])
        for i, j in edges
        for k in later.get(j, ())
        if (i, k) in number
    ]
    t = np.array(triangles).reshape(-1, 3)
    columns = np.repeat(np.arange(len(t)), 3)
    signs = np.tile([1.0, 1.0, -1.0], len(t)) / root[t.ravel()]
    curl = sparse.csr_array((signs, (t.ravel(), columns)), (m, len(t)))
    y = lsqr(curl, root * graph.flows, atol=1e-12, btol=1e-12)[0]
    return gradient @ x, curl @ y
