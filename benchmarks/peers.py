"""Calls of the peers to rank the votes of a polars frame, as documented by them."""

from __future__ import annotations

import numpy as np
import polars as pl

import hodgerank as hr


def evalica_bradley_terry(frame: pl.DataFrame) -> dict[str, float]:
    import evalica

    meaning = {"left": evalica.Winner.X, "right": evalica.Winner.Y}
    winners = [meaning[winner] for winner in frame["winner"].to_list()]
    result = evalica.bradley_terry(frame["left"].to_list(), frame["right"].to_list(), winners)
    return result.scores.to_dict()


def evalica_counting(frame: pl.DataFrame) -> dict[str, float]:
    import evalica

    meaning = {"left": evalica.Winner.X, "right": evalica.Winner.Y}
    winners = [meaning[winner] for winner in frame["winner"].to_list()]
    result = evalica.counting(frame["left"].to_list(), frame["right"].to_list(), winners)
    return result.scores.to_dict()


def _pairs(frame: pl.DataFrame) -> tuple[list[str], np.ndarray]:
    names = sorted(set(frame["left"].unique()) | set(frame["right"].unique()))
    codes = pl.Enum(names)
    left = frame["left"].cast(codes).to_physical().to_numpy()
    right = frame["right"].cast(codes).to_physical().to_numpy()
    left_won = (frame["winner"] == "left").to_numpy()
    return names, np.column_stack(
        (np.where(left_won, left, right), np.where(left_won, right, left))
    )


def choix_lsr(frame: pl.DataFrame) -> dict[str, float]:
    import choix

    names, pairs = _pairs(frame)
    return dict(zip(names, choix.lsr_pairwise(len(names), pairs), strict=True))


def choix_ilsr(frame: pl.DataFrame) -> dict[str, float]:
    import choix

    names, pairs = _pairs(frame)
    return dict(zip(names, choix.ilsr_pairwise(len(names), pairs), strict=True))


def choix_expectation_propagation(votes: hr.Comparisons) -> tuple[np.ndarray, np.ndarray]:
    import choix

    won = votes.outcome > 0
    pairs = np.column_stack(
        (np.where(won, votes.left, votes.right), np.where(won, votes.right, votes.left))
    )
    return choix.ep_pairwise(votes.n_items, pairs, alpha=1.0, model="probit")


def gudhi_persistence(n: int, stream: list[tuple[int, int]]) -> list[tuple[int, tuple]]:
    """The flag complex up to triangles, each edge at its place in the stream."""
    import gudhi

    tree = gudhi.SimplexTree()
    for item in range(n):
        tree.insert([item], 0.0)
    for k, (a, b) in enumerate(stream):
        tree.insert([a, b], float(k + 1))
    tree.expansion(2)
    return tree.persistence(homology_coeff_field=2)


def crowd_kit_bradley_terry(frame: pl.DataFrame) -> dict[str, float]:
    from crowdkit.aggregation import BradleyTerry

    chosen = pl.when(pl.col("winner") == "left").then("left").otherwise("right")
    votes = frame.with_columns(label=chosen, worker=pl.lit("w")).to_pandas()
    return BradleyTerry(n_iter=100).fit_predict(votes).to_dict()


def _arena(frame: pl.DataFrame):
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    meaning = {"left": "model_a", "right": "model_b"}
    votes = frame.select(
        model_a="left", model_b="right", winner=pl.col("winner").replace_strict(meaning)
    ).to_pandas()
    dataset = PairDataset.from_pandas(votes)
    return BradleyTerry(n_competitors=len(dataset.competitors)), dataset


def arena_rank(frame: pl.DataFrame) -> dict[str, float]:
    model, dataset = _arena(frame)
    model.fit(dataset)
    return dict(zip(dataset.competitors, np.asarray(model.params["ratings"]), strict=True))


def arena_rank_with_intervals(frame: pl.DataFrame) -> dict[str, float]:
    model, dataset = _arena(frame)
    result = model.compute_ratings_and_cis(dataset, significance_level=0.05)
    return dict(zip(result["competitors"], result["ratings"], strict=True))


RANKERS = {
    "evalica counting": evalica_counting,
    "evalica Bradley-Terry": evalica_bradley_terry,
    "choix lsr": choix_lsr,
    "choix ilsr": choix_ilsr,
    "crowd-kit Bradley-Terry": crowd_kit_bradley_terry,
    "arena-rank": arena_rank,
    "arena-rank with intervals": arena_rank_with_intervals,
}
