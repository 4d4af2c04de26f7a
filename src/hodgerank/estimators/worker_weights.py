"""Votes weighted by the reliability of their workers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.workers.worker_cells import NO_TRUST, WorkerCells
from hodgerank.estimators.workers.worker_types import worker_types
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.types import FloatArray


def trust_in_workers(votes: Comparisons) -> FloatArray:
    """Return the weight of each worker's votes: 1 full, 0 left out, negative reversed."""
    return worker_types(WorkerCells.of(AnsweredGraph.of(votes))).trust


def weighed_by_trust(votes: Comparisons, trust: FloatArray) -> tuple[Comparisons, FloatArray]:
    """Return the votes of workers with any trust, reversed if negative, and their weights.

    Workers beyond those in `trust`, and votes without a worker, are trusted.
    """
    known = np.ones(votes.n_workers + 1)  # NO_WORKER is the last
    known[: len(trust)] = trust
    by_answer = known[votes.worker]
    turned = replace(votes, outcome=np.where(by_answer < 0, -votes.outcome, votes.outcome))
    kept = np.abs(by_answer) > NO_TRUST
    return turned.select(kept), np.abs(by_answer[kept])


def trusted_votes(votes: Comparisons, trust: FloatArray) -> Comparisons:
    """Weight votes by trust, and reverse those of adversarial workers."""
    answers, size = weighed_by_trust(votes, trust)
    return answers if (size == 1).all() else weighed(answers, size)


def weighed(votes: Comparisons, by: FloatArray) -> Comparisons:
    """Multiply the weights of the votes."""
    return replace(votes, weight=by if votes.weight is None else by * votes.weight)
