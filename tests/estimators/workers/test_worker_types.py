"""Scores that workers are judged by."""

from __future__ import annotations

import numpy as np

import hodgerank as hr
from hodgerank.estimators.workers.worker_cells import WorkerCells
from hodgerank.estimators.workers.worker_types import known_differences, worker_types
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.metrics import kendall_tau


def cells_of(votes: hr.Comparisons) -> WorkerCells:
    return WorkerCells.of(AnsweredGraph.of(votes))


def test_differences_do_not_depend_on_where_their_search_starts():
    pairs = [(a, b) for half in ((0, 1, 2), (3, 4, 5)) for a in half for b in half if a < b]
    cells = cells_of(hr.simulate_comparisons(6, 120, pairs=pairs, rng=0))
    trust = np.ones(cells.n_workers)
    wanted, scores = known_differences(cells, trust, np.zeros(6))
    apart = np.array([5.0, 5, 5, -5, -5, -5])  # as if somebody left out had compared the halves
    found, _ = known_differences(cells, trust, scores + apart)
    np.testing.assert_allclose(found, wanted, atol=1e-3)


def test_all_honest_workers_are_trusted_and_the_ranking_is_that_of_all_votes():
    votes = hr.simulate_comparisons(8, 600, spread=2, rng=0)
    types = worker_types(cells_of(votes))
    assert (types.trust == 1).all()
    assert types.comparable.all()
    assert kendall_tau(types.ranking, hr.bradley_terry(votes)) == 1
