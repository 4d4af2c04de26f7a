"""1,000 items and 1,000,000 answers: from a polars frame and from a CSV file, against peers."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import hodgerank as hr
from benchmarks.peers import RANKERS
from benchmarks.timing import Row, table, take_turns
from hodgerank.metrics import kendall_tau

N_ITEMS, N_ANSWERS = 1_000, 1_000_000
SLOW = ("choix ilsr", "crowd-kit Bradley-Terry", "arena-rank", "arena-rank with intervals")


def votes_frame() -> tuple[pl.DataFrame, dict[str, float]]:
    votes = hr.simulate_comparisons(N_ITEMS, N_ANSWERS, rng=0)
    frame = votes.to_frame("polars").select(
        "left", "right", winner=pl.col("outcome").replace_strict({1: "left", -1: "right"})
    )
    return frame, dict(zip(votes.items, votes.truth, strict=True))


def scores(ranking: hr.Ranking) -> dict[str, float]:
    return dict(zip(ranking.items, ranking.scores, strict=True))


def with_errors(ranking: hr.Ranking) -> dict[str, float]:
    assert np.isfinite(ranking.standard_errors).all()
    return scores(ranking)


def run() -> str:
    frame, truth = votes_frame()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "votes.csv")
        frame.write_csv(path)
        candidates = {
            "hodgerank least squares": lambda: scores(hr.hodge_rank(frame)),
            "hodgerank Bradley-Terry with standard errors": lambda: with_errors(
                hr.bradley_terry(frame)
            ),
            **{name: lambda rank=rank: rank(frame) for name, rank in RANKERS.items()},
            "hodgerank least squares, from CSV": lambda: scores(hr.hodge_rank(path)),
            "evalica Bradley-Terry, from CSV": lambda: RANKERS["evalica Bradley-Terry"](
                pl.read_csv(path)
            ),
        }
        repeats = {name: 1 if name in SLOW else 7 for name in candidates}
        seconds, results = take_turns(candidates, repeats)
    best = results["hodgerank Bradley-Terry with standard errors"]

    def note(name: str) -> str:
        tau = kendall_tau(results[name], truth)
        if name != "evalica Bradley-Terry":
            return f"tau {tau:.4f}"
        theirs = np.log([results[name][item] for item in truth])
        ours = np.array([best[item] for item in truth])
        off = np.abs(theirs - theirs.mean() - ours).max()
        return f"tau {tau:.4f}, differs from our optimum by {off:.0e}"

    rows = [Row(name, seconds[name], note(name)) for name in candidates]
    title = f"{N_ITEMS:,} items, {N_ANSWERS:,} answers (minimum of 7; slow peers once)"
    return table(title, rows, "evalica Bradley-Terry")
