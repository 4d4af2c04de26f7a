"""Answers weighed by how far their workers can be trusted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.workers.worker_cells import NO_TRUST, WorkerCells
from hodgerank.estimators.workers.worker_types import worker_types
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.types import FloatArray


def trust_in_workers(votes: Comparisons) -> FloatArray:
    """Weight of the answers of each worker: 1 as they are, 0 left out, negative turned round."""
    return worker_types(WorkerCells.of(AnsweredGraph.of(votes))).trust


def weighed_by_trust(votes: Comparisons, trust: FloatArray) -> tuple[Comparisons, FloatArray]:
    """Answers of workers who are trusted at all, some turned round, and the weight of each.

    Workers beyond those in `trust`, and answers without a worker, are trusted.
    """
    known = np.ones(votes.n_workers + 1)  # NO_WORKER is the last
    known[: len(trust)] = trust
    by_answer = known[votes.worker]
    turned = replace(votes, outcome=np.where(by_answer < 0, -votes.outcome, votes.outcome))
    kept = np.abs(by_answer) > NO_TRUST
    return turned.select(kept), np.abs(by_answer[kept])


def trusted_answers(votes: Comparisons, trust: FloatArray) -> Comparisons:
    """Answers that count by trust, and those of adversaries the other way round."""
    answers, size = weighed_by_trust(votes, trust)
    return answers if (size == 1).all() else weighed(answers, size)


def weighed(votes: Comparisons, by: FloatArray) -> Comparisons:
    """Answers that count so much more or less."""
    return replace(votes, weight=by if votes.weight is None else by * votes.weight)
