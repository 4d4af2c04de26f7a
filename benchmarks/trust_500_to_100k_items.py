"""Decomposition, topology, outliers and workers at the sizes they are meant for."""

from __future__ import annotations

import random

import hodgerank as hr
from benchmarks.timing import Row, table, take_turns


def stream(n_items: int, n_edges: int) -> hr.TopologyTracker:
    pairs = [(a, b) for a in range(n_items) for b in range(a)]
    random.Random(0).shuffle(pairs)
    tracker = hr.TopologyTracker(n_items)
    for pair in pairs[:n_edges]:
        tracker.add(*pair)
    return tracker


def run() -> str:
    complete = hr.simulate_comparisons(500, 124_750, pairs="rounds", rng=0)
    sparse = hr.simulate_comparisons(100_000, 1_000_000, rng=0)
    crowd = {"honest": 80, "random": 10, "adversarial": 10}
    votes = hr.simulate_comparisons(1_000, 1_000_000, workers=crowd, rng=0)
    many_workers = hr.simulate_comparisons(500, 200_000, workers={"honest": 1_000}, rng=0)
    candidates = {
        "decompose, complete graph of 500 items": lambda: hr.decompose(complete),
        "decompose, 100,000 items, 1,000,000 answers": lambda: hr.decompose(sparse),
        "topology, stream into the complete graph of 100 items": lambda: stream(100, 4_950),
        "topology, 1,000 items, 20,000 edges": lambda: stream(1_000, 20_000),
        "find_outliers, 1,000 items, 1,000,000 answers": lambda: hr.find_outliers(votes),
        "robust_rank, 1,000 items, 1,000,000 answers": lambda: hr.robust_rank(votes),
        "assess_workers, 1,000 workers, 200,000 answers": lambda: hr.assess_workers(many_workers),
    }
    seconds, _ = take_turns(candidates, dict.fromkeys(candidates, 2))
    rows = [Row(name, seconds[name]) for name in candidates]
    return table("Trust (minimum of 2)", rows)
