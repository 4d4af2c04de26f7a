"""Votes until the order of a consistent judge is proven, and false claims on noisy crowds.

`python -m benchmarks.proven_order [--seed S]` prints two Markdown tables.

An order is proven when it follows from the answers, if none contradicts another. Merge insertion
and merge sort ask one pair after the other; samplers do too. "auto, never sorting" is `AutoSampler`
without the switch to sorting.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from itertools import count

import numpy as np
from scipy.special import ndtr

import hodgerank as hr

SIZES = {10: 100, 30: 30, 100: 4}  # items: runs
NOISY = {10: 100, 30: 40}
SPREADS = {"spread .3": (0.3, 0.0), "spread 1": (1.0, 0.0), "spread 3": (3.0, 0.0),
           "spread 3, 4% lapses": (3.0, 0.04)}  # fmt: skip
MOST_PER_ITEM = 20
NOISY_PER_ITEM = 8
SEED = 20261119

Better = Callable[[int, int], bool]


def merge_insertion(items: list[int], better: Better) -> list[int]:
    """Sort, the best first, as L. R. Ford and S. M. Johnson do."""
    if len(items) < 2:
        return items
    loser = {}
    for a, b in zip(items[::2], items[1::2], strict=False):
        winner, other = (a, b) if better(a, b) else (b, a)
        loser[winner] = other
    winners = merge_insertion(list(loser), better)[::-1]
    pending = [(loser[w], w) for w in winners] + [(x, None) for x in items[len(loser) * 2 :]]
    chain, start, size = winners, 0, 2  # the worst first
    while start < len(pending):
        for x, above in reversed(pending[start : start + size]):
            low, high = 0, len(chain) if above is None else chain.index(above)
            while low < high:
                middle = (low + high) // 2
                low, high = (middle + 1, high) if better(x, chain[middle]) else (low, middle)
            chain.insert(low, x)
        start, size = start + size, 2 ** (size.bit_length() + 1) - size
    return chain[::-1]


def merge_sort(items: list[int], better: Better) -> list[int]:
    """Sort by merging halves."""
    if len(items) < 2:
        return items
    half = len(items) // 2
    a, b = merge_sort(items[:half], better), merge_sort(items[half:], better)
    merged = []
    while a and b:
        merged.append((a if better(a[0], b[0]) else b).pop(0))
    return merged + a + b


def votes_of_sort(sort: Callable, n: int, seed: int) -> float:
    """Comparisons per item of a sorting algorithm."""
    truth, counter = np.random.default_rng(seed).permutation(n), count()

    def better(a: int, b: int) -> bool:
        next(counter)
        return bool(truth[a] > truth[b])

    found = sort(list(range(n)), better)
    assert (np.diff(truth[found]) < 0).all()
    return next(counter) / n


def votes_of_sampler(build: Callable, n: int, seed: int) -> tuple[float, float]:
    """Votes per item until the order is proven, and until enough answers confirmed it."""
    truth, proven = np.random.default_rng(seed).permutation(n), np.nan
    sampler = build(n, seed=seed)
    for n_votes in range(1, MOST_PER_ITEM * n + 1):
        a, b = sampler.ask()
        sampler.tell((a, b), 1 if truth[a] > truth[b] else -1)
        if np.isnan(proven) and sampler._design.sorting.is_known:
            proven = n_votes / n
        if sampler.is_established:
            return proven, n_votes / n
    return proven, np.nan


def never_sorting(n: int, *, seed: int) -> hr.AutoSampler:
    """Return an AutoSampler that does not switch to sorting."""
    sampler = hr.AutoSampler(n, seed=seed)
    sampler._design._sort_from = np.inf
    return sampler


SORTS = {"merge insertion": merge_insertion, "merge sort": merge_sort}
SAMPLERS = {
    "SortSampler": hr.SortSampler,
    "AutoSampler": hr.AutoSampler,
    "auto, never sorting": never_sorting,
}


def claims(build: Callable, n: int, spread: float, lapse: float, seed: int) -> tuple[bool, bool]:
    """Whether a sampler switched to sorting, and whether it ever said "established"."""
    rng = np.random.default_rng(seed)
    truth = spread * rng.standard_normal(n)
    sampler = build(n, seed=seed)
    has_sorted = has_claimed = False
    for _ in range(NOISY_PER_ITEM * n):
        a, b = sampler.ask()
        chance = (1 - lapse) * ndtr(truth[a] - truth[b]) + lapse / 2
        sampler.tell((a, b), 1 if rng.random() < chance else -1)
        if not sampler._design.sorting.is_consistent:  # for good
            break
        has_sorted |= sampler.strategy == "sort"
        has_claimed |= sampler.is_established
    return has_sorted, has_claimed


def run(seed: int = SEED) -> str:
    """Return both tables."""
    lines = ["| votes per item | " + " | ".join(f"{n} items" for n in SIZES) + " |"]
    lines.append("|---" * (len(SIZES) + 1) + "|")
    for name, sort in SORTS.items():
        found = [
            np.mean([votes_of_sort(sort, n, seed + k) for k in range(runs)])
            for n, runs in SIZES.items()
        ]
        lines.append(f"| {name} | " + " | ".join(f"{mean:.2f}" for mean in found) + " |")
    for name, build in SAMPLERS.items():
        cells = []
        for n, runs in SIZES.items():
            proven, sure = np.mean(
                [votes_of_sampler(build, n, seed + k) for k in range(runs)], axis=0
            )
            cells.append(f"{proven:.2f} ({sure:.2f})")
        lines.append(f"| {name} (established) | " + " | ".join(cells) + " |")
    lines += ["", "| noisy crowd | items | sampler | sorted | claimed |", "|---|---|---|---|---|"]
    for words, (spread, lapse) in SPREADS.items():
        for n, runs in NOISY.items():
            for name in ("AutoSampler", "SortSampler"):
                rows = [claims(SAMPLERS[name], n, spread, lapse, seed + k) for k in range(runs)]
                sorted_, claimed = np.sum(rows, axis=0)
                is_asked = name == "SortSampler"
                cell = "asked to" if is_asked else f"{sorted_} of {runs}"
                lines.append(f"| {words} | {n} | {name} | {cell} | {claimed} of {runs} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    print(run(parser.parse_args(arguments).seed))


if __name__ == "__main__":
    main()
