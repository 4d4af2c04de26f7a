"""Votes on several prompts or scenes: one ranking, with and without `unit`, or a ranking of each.

Item i has score s_i + u_pi on prompt p. The note that `read_comparisons` gives on such a column
suggests options; this measures whether they give a right ranking, and honest intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import polars as pl
from scipy.special import ndtr

import hodgerank as hr
from hodgerank.metrics import kendall_tau

RUNS = 20  # of each size
PERMUTATIONS = 99
VOTES_PER_ITEM = 40
WORKERS = 20
SEED = 20261118
SIZES = (6, 12, 30)


@dataclass(frozen=True)
class Setting:
    """Prompts that differ.

    Attributes
    ----------
    spread, effect
        Standard deviation of the scores s_i that all prompts share, and of the effects u_pi.
    items_per_unit
        Number of items that occur with a prompt; all, if None.
    links
        Items that a prompt shares with the next one, and with no other.
    """

    n_units: int
    effect: float
    spread: float = 1.0
    items_per_unit: int | None = None
    links: int | None = None


CROSSED = {
    f"{n} prompts, {what}": Setting(n, effect, spread)
    for n in (2, 4, 13, 40)
    for what, effect, spread in (
        ("no effects", 0.0, 1.0),
        ("effects of sd .5", 0.5, 1.0),
        ("effects of sd 1", 1.0, 1.0),
        ("different rankings", 1.0, 0.0),
    )
}
PARTLY = {
    f"{about}, effects of sd {effect:g}": Setting(n, effect, items_per_unit=items, links=links)
    for about, n, items, links in (
        ("13 prompts of 3 items", 13, 3, None),
        ("40 prompts of one pair", 40, 2, None),
        ("120 prompts of 3 items", 120, 3, None),
        ("5 groups that share one item with the next", 5, None, 1),
    )
    for effect in (0.5, 1.0)
}


@dataclass(frozen=True)
class Crowd:
    """Votes, and the scores that all prompts share and those of each prompt."""

    table: pl.DataFrame
    shared: np.ndarray
    own: np.ndarray
    effect: float


def crowd_of(setting: Setting, n_items: int, rng: np.random.Generator) -> Crowd:
    """Return votes on random pairs of random prompts."""
    shared = rng.normal(0, setting.spread, n_items)
    own = shared + rng.normal(0, 1, (setting.n_units, n_items)) * setting.effect
    sets = _items_of_units(setting, n_items, rng)
    n_votes = VOTES_PER_ITEM * n_items
    unit = rng.integers(setting.n_units, size=n_votes)
    left, right = np.array([rng.choice(sets[p], 2, replace=False) for p in unit]).T
    chance = ndtr(own[unit, left] - own[unit, right])
    table = pl.DataFrame(
        {
            "left": left,
            "right": right,
            "outcome": np.where(rng.random(n_votes) < chance, 1, -1),
            "worker": rng.integers(WORKERS, size=n_votes),
            "prompt": unit,
        }
    )
    return Crowd(table, shared, own, setting.effect)


def _items_of_units(setting: Setting, n: int, rng: np.random.Generator) -> list[np.ndarray]:
    if setting.links is not None:
        parts = np.array_split(np.arange(n), setting.n_units)
        return [
            np.concatenate([part, *(p[: setting.links] for p in parts[g + 1 : g + 2])])
            for g, part in enumerate(parts)
        ]
    size = setting.items_per_unit or n
    return [rng.choice(n, size, replace=False) for _ in range(setting.n_units)]


def coverage(ranking: hr.Ranking, crowd: Crowd) -> float:
    """Return the share of intervals that hold the score over all possible prompts.

    Averaged over prompts, choices follow a probit model with scores that are smaller by the factor
    sqrt(1 + 2 effect^2).
    """
    truth = crowd.shared[list(ranking.items)]
    truth = (truth - truth.mean()) / np.sqrt(1 + 2 * crowd.effect**2)
    low, high = ranking.intervals.T
    return float(np.mean((low <= truth) & (truth <= high)))


def is_wrongly_certain(ranking: hr.Ranking, truth: np.ndarray) -> bool:
    """Return whether the leader is certain, but not better than all others."""
    best, worst = ranking.rank_intervals[0]
    leader, *others = ranking.items
    return bool(best == worst) and bool(truth[leader] <= truth[others].max())


def tau(ranking: hr.Ranking, truth: np.ndarray, among: tuple[int, ...]) -> float:
    scores = ranking.score_by_item
    return kendall_tau({k: scores[k] for k in among}, {k: truth[k] for k in among})


def measure(name: str, setting: Setting) -> dict[str, float]:
    """Return means over all runs and sizes."""
    rows, differ = [], []
    for n_items in SIZES if name in CROSSED else SIZES[1:]:
        for run in range(RUNS):
            rng = np.random.default_rng((SEED, crc32(name.encode()), n_items, run))
            crowd = crowd_of(setting, n_items, rng)
            groups = hr.read_comparisons(crowd.table, group="prompt")
            pooled = hr.rank(crowd.table, components="together")
            unit = hr.rank(hr.read_comparisons(crowd.table, unit="prompt"), components="together")
            each = hr.rank_groups(groups)
            certain = {line.group for line in each.summary if line.leader_is_certain}
            wrong = [
                g in certain and is_wrongly_certain(ranking, crowd.own[g])
                for g, ranking in each.items()
            ]
            rows.append(
                (
                    coverage(pooled, crowd),
                    coverage(unit, crowd),
                    is_wrongly_certain(pooled, crowd.shared),
                    is_wrongly_certain(unit, crowd.shared),
                    np.mean([tau(pooled, crowd.own[g], r.items) for g, r in each.items()]),
                    np.mean([tau(r, crowd.own[g], r.items) for g, r in each.items()]),
                    len(certain) / setting.n_units,
                    sum(wrong) / setting.n_units,
                )
            )
            if 2 * setting.n_units <= VOTES_PER_ITEM and name in CROSSED:
                differ.append(_differ(groups))
    names = (
        "cover", "cover unit", "wrong", "wrong unit", "pooled tau", "own tau", "certain",
        "wrong own",
    )  # fmt: skip
    means = dict(zip(names, np.mean(np.array(rows, float), axis=0).tolist(), strict=True))
    return {**means, "differ": float(np.mean(differ)) if differ else float("nan")}


def _differ(groups: hr.VoteGroups) -> bool:
    try:
        return hr.compare_rankings(groups, n_permutations=PERMUTATIONS).differ
    except hr.errors.InvalidArgument:  # the votes of some prompt do not connect the items
        return False


def run() -> str:
    sizes = ", ".join(map(str, SIZES))
    lines = [
        f"### Prompts that differ: {RUNS} runs each with {sizes} items, {VOTES_PER_ITEM} votes per "
        "item",
        "",
        "| | 95% intervals that cover, pooled | with `--unit` | leader wrongly certain, pooled | "
        "with `--unit` | tau with the prompt's own order, pooled | with `--by` | "
        "leader certain with `--by` | wrongly | `--compare` finds differences |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, setting in (CROSSED | PARTLY).items():
        row = measure(name, setting)
        differ = "" if np.isnan(row["differ"]) else f"{row['differ']:.0%}"
        lines.append(
            f"| {name} | {row['cover']:.0%} | {row['cover unit']:.0%} | {row['wrong']:.1%} | "
            f"{row['wrong unit']:.1%} | {row['pooled tau']:.2f} | {row['own tau']:.2f} | "
            f"{row['certain']:.0%} | {row['wrong own']:.1%} | {differ} |"
        )
    return "\n".join(lines) + "\n"
