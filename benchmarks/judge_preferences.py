"""How often statements about preferences of simulated judges are right.

    python -m benchmarks.judge_preferences --runs 60 --seed 351000

12 items (scores with a standard deviation of 1 logit), 2 or 4 judges who take turns, 360 votes that
`AutoSampler` chooses, position biases with a standard deviation of .5 logits. Planted: `own` items
of each judge's family with an advantage of `preference` logits; `lapse`, the share of random
answers; `taste`, the standard deviation of a judge's opinion about single pairs, in logits.
"""

from __future__ import annotations

import json
import math
import random
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

import hodgerank as hr
from hodgerank.estimators.workers.assess import assess_workers
from hodgerank.judges.preferences import judge_preferences
from hodgerank.sampling.sampler import Sampler

N_ITEMS, N_VOTES, BIAS = 12, 360, 0.5
PLANTED = ((0, 0.0), (1, 0.0), (3, 0.0), (3, 1.0), (1, 2.0), (3, 2.0))
VIOLATIONS = ({}, {"lapse": 0.15}, {"taste": 1.0})


def campaign(
    seed: int, judges: int, own: int, preference: float, lapse: float = 0.0, taste: float = 0.0
) -> tuple[Sampler, dict[str, set[str]]]:
    """Return a sampler with the votes, and the items of each judge's family."""
    rng = random.Random(f"{seed} {judges} {own} {preference} {lapse} {taste}")
    items = [f"item-{k:02d}" for k in range(N_ITEMS)]
    scores = {item: rng.gauss(0, 1) for item in items}
    order = rng.sample(items, len(items))
    names = [f"judge-{k}" for k in range(judges)]
    families = {name: set(order[k * own : (k + 1) * own]) for k, name in enumerate(names)}
    biases = {name: rng.gauss(0, BIAS) for name in names}
    tastes: dict[tuple[str, frozenset[Any]], tuple[Any, float]] = {}
    sampler = hr.AutoSampler(items, seed=seed, position_bias="worker")
    for k in range(N_VOTES):
        [pair] = sampler.ask(1)
        judge = names[k % judges]
        mine = (pair.left in families[judge]) - (pair.right in families[judge])
        z = scores[str(pair.left)] - scores[str(pair.right)] + biases[judge] + preference * mine
        if taste:
            known = tastes.setdefault((judge, frozenset(pair)), (pair.left, rng.gauss(0, taste)))
            z += known[1] if known[0] == pair.left else -known[1]
        wins = rng.random() < lapse / 2 + (1 - lapse) / (1 + math.exp(-z))
        sampler.tell(pair, 1 if wins else -1, judge)
    return sampler, families


def measure(runs: int, seed: int, judges: int, own: int, preference: float, **how: float) -> Any:
    """Return how often each statement was made, and was right."""
    found = dict.fromkeys(("wrong_favourites", "identified", "stated", "covered", "careless"), 0)
    named, estimates = 0, []
    for run in range(runs):
        sampler, families = campaign(seed + run, judges, own, preference, **how)
        stated = judge_preferences(sampler.votes, families)
        told = [(judge, item) for judge, items in stated.favourites.items() for item in items]
        right = [preference > 0 and item in families[str(judge)] for judge, item in told]
        found["wrong_favourites"] += not all(right)
        named += sum(right)
        if (family := stated.own_family) is not None:
            found["identified"] += 1
            found["stated"] += family.is_significant
            found["covered"] += abs(family.estimate - preference) < 1.96 * family.stderr
            estimates.append(family.estimate)
        flags = assess_workers(sampler.votes).flag
        found["careless"] += any(flag in ("careless", "adversarial") for flag in flags)
    mean = sum(estimates) / len(estimates) if estimates else None
    return {**found, "favourites_per_run": named / runs, "mean_estimate": mean}


def rows(runs: int, seed: int) -> Iterator[str]:
    """Yield one line for each setting."""
    for judges in (2, 4):
        for own, preference in PLANTED:
            for how in VIOLATIONS:
                setting = {"judges": judges, "own": own, "preference": preference, **how}
                result = measure(runs, seed, judges, own, preference, **how)
                yield json.dumps({**setting, "runs": runs, **result})


def run(runs: int = 60, seed: int = 351000) -> str:
    """Return one line for each setting."""
    return "\n".join(rows(runs, seed))


if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=351000)
    options = parser.parse_args()
    for row in rows(options.runs, options.seed):
        print(row, flush=True)
