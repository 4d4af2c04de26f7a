"""The Hodge decomposition by dense projections."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph


def dense_flows(graph: ComparisonGraph) -> dict[str, np.ndarray]:
    """Gradient, curl and harmonic part of the mean answers, weighted by the edges' weights."""
    n, m = graph.n_items, graph.n_edges
    where = {(int(i), int(j)): e for e, (i, j) in enumerate(zip(graph.i, graph.j, strict=True))}
    gradient = np.zeros((m, n))
    for (i, j), e in where.items():
        gradient[e, i], gradient[e, j] = 1, -1
    rows = []
    for i, j, k in combinations(range(n), 3):
        if {(i, j), (j, k), (i, k)} <= where.keys():
            row = np.zeros(m)
            row[where[i, j]], row[where[j, k]], row[where[i, k]] = 1, 1, -1
            rows.append(row)
    curl = np.array(rows).reshape(-1, m)
    root = np.sqrt(graph.weights)
    scaled = root * graph.flows

    def project(columns: np.ndarray) -> np.ndarray:
        return columns @ (np.linalg.pinv(columns, rcond=1e-10) @ scaled) / root

    parts = {"gradient": project(root[:, None] * gradient), "curl": project(curl.T / root[:, None])}
    parts["harmonic"] = graph.flows - parts["gradient"] - parts["curl"]
    return parts
