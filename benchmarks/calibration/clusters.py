"""Votes of the same prompt or worker: intervals, certainty and expected tau of the default model.

Item i has score s_i + u_pi + t_wi for prompt p and worker w, and choices follow the probit model.
Over all prompts and workers they follow it too, with scores that are smaller by the factor
sqrt(1 + 2 var(u) + 2 var(t)): these are the true scores. Independent votes show what is lost by
estimating correlation where there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import ndtr

import hodgerank as hr
from benchmarks.calibration.crowds import Array, fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.collecting.stopping import Progress
from hodgerank.estimators.certainty import certainties

CERTAIN = 0.95
TARGET = 0.8  # expected tau at which a sampler stops


@dataclass(frozen=True)
class Crowd:
    """Votes that may be clustered.

    Attributes
    ----------
    n_votes, n_workers
        Votes per item on average, and number of workers.
    per_prompt
        Votes on a prompt; 0 if there are no prompts.
    prompts, tastes
        Standard deviation of u and t.
    repeats
        How often a worker gives the same answer to the same pair.
    design
        'random' pairs; 'adaptive', by an AutoSampler; or 'stopped', by one that stops at the target
        according to its own ranking.
    """

    n_items: int = 12
    n_votes: int = 40
    n_workers: int = 20
    per_prompt: int = 0
    prompts: float = 0.0
    tastes: float = 0.0
    repeats: int = 1
    spread: float = 1.0
    design: Literal["random", "adaptive", "stopped"] = "random"

    def people(self, rng: np.random.Generator) -> People:
        """Return one such crowd."""
        n_votes = self.n_items * self.n_votes
        return People(self, round(n_votes / self.per_prompt) if self.per_prompt else 1, rng)


PROMPTS = Crowd(per_prompt=28, prompts=0.8)
TASTES = Crowd(tastes=0.8)
CORRELATED = {
    "28 votes per prompt, 12 items": PROMPTS,
    "28 votes per prompt, 30 items": replace(PROMPTS, n_items=30, n_workers=50),
    "28 votes per prompt, 12 items, adaptive": replace(PROMPTS, design="adaptive"),
    "tastes, 24 votes per worker, 12 items": replace(TASTES, n_workers=10),
    "tastes, 24 votes per worker, 30 items": replace(TASTES, n_items=30, n_workers=25),
    "tastes, 60 votes per worker, 12 items": replace(TASTES, n_votes=100),
    "tastes, 24 votes per worker, 12 items, adaptive": replace(
        TASTES, n_workers=10, design="adaptive"
    ),
    "tastes, 24 votes per worker, 12 items, stopped": replace(
        TASTES, n_workers=10, design="stopped"
    ),
    "tastes and 28 votes per prompt, 12 items": replace(PROMPTS, tastes=0.8, n_workers=10),
    "every answer 3 times, 20 workers, 10 items": Crowd(n_items=10, n_votes=60, repeats=3),
}
INDEPENDENT = {
    "independent, 20 workers, 12 items": Crowd(),
    "independent, 2 workers, 12 items": Crowd(n_workers=2),
    "independent, 5 workers, 12 items": Crowd(n_workers=5),
    "independent, 9 workers, 30 items": Crowd(n_items=30, n_workers=9),
    "independent, 5 workers, 3 items": Crowd(n_items=3, n_workers=5),
    "independent, 1 or 2 votes per worker, 12 items": Crowd(n_workers=160),
    "independent, 4 votes per item, 20 workers, 30 items": Crowd(n_items=30, n_votes=4),
    "independent, 28 votes per prompt, 12 items": Crowd(per_prompt=28),
    "independent, 12 items, adaptive": Crowd(design="adaptive", n_workers=10),
    "independent, 12 items, stopped": Crowd(design="stopped", n_workers=10),
}


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield intervals, certainty, expected tau, and the design effect, of each crowd."""
    for name, crowd in {**CORRELATED, **INDEPENDENT}.items():
        rng = fresh_rng(seed, name)
        n_runs = runs if crowd.design == "random" else max(runs // 4, 2)
        found = np.array([_measure(crowd, rng) for _ in range(n_runs)])
        cover, sure, right, said, true, effect, note = found.T
        yield _mean("interval of bayes_rank", name, "95%", cover)
        if sure.sum():
            share = float(right.sum() / sure.sum())
            error = float(np.sqrt(np.sum((right - share * sure) ** 2)) / sure.sum())
            n = int(sure.sum())
            yield Row("certainty of 95% or more", name, "at least 93%", share, n, error)
        yield _mean("true tau", name, f"expected {said.mean():.3f}", true)
        yield _mean("design effect - 1", name, "0" if name in INDEPENDENT else "", effect - 1)
        yield _mean("note", name, "at most 5%" if name in INDEPENDENT else "", note)


def _mean(statement: str, name: str, nominal: str, values: Array) -> Row:
    error = float(values.std() / np.sqrt(len(values)))
    return Row(statement, name, nominal, float(values.mean()), len(values), error)


def _measure(crowd: Crowd, rng: np.random.Generator) -> tuple[float, ...]:
    """Return what the ranking says about one crowd, and what is true."""
    people = crowd.people(rng)
    if crowd.design == "random":
        ranking = hr.rank(people.votes(), components="together")
    else:
        ranking = people.ask()
    truth = people.shared[list(ranking.items)]
    truth = (truth - truth.mean()) / np.sqrt(1 + 2 * crowd.prompts**2 + 2 * crowd.tastes**2)
    low, high = ranking.intervals.T
    a, b = np.triu_indices(len(truth), 1)
    sure = certainties(ranking, a, b) >= CERTAIN
    return (
        float(np.mean((low <= truth) & (truth <= high))),
        float(sure.sum()),
        float(np.sum(sure & (truth[a] > truth[b]))),
        hr.expected_tau(ranking),
        float(np.sign(truth[a] - truth[b]).mean()),
        ranking.design_effect,
        float(any("are correlated: each counts" in note for note in ranking.notes)),
    )


class People:
    """Workers and prompts of one crowd, and their effects on the items."""

    def __init__(self, crowd: Crowd, n_prompts: int, rng: np.random.Generator) -> None:
        n = crowd.n_items
        self.crowd, self.rng, self.n_prompts = crowd, rng, n_prompts
        self.shared = rng.normal(0, crowd.spread, n)
        self.effects = rng.normal(0, crowd.prompts, (n_prompts, n))
        self.tastes = rng.normal(0, crowd.tastes, (crowd.n_workers, n))

    def choices(self, left: Array, right: Array, prompt: Array, worker: Array) -> Array:
        """Return one choice each."""
        scores = self.shared + self.effects[prompt] + self.tastes[worker]
        rows = np.arange(len(left))
        chance = ndtr(scores[rows, left] - scores[rows, right])
        return np.where(self.rng.random(len(rows)) < chance, 1.0, -1.0)

    def votes(self) -> hr.Comparisons:
        """Return votes on random pairs; no worker judges a pair twice while there are others."""
        crowd, rng = self.crowd, self.rng
        n, n_asked = crowd.n_items, crowd.n_items * crowd.n_votes // crowd.repeats
        i, j = np.triu_indices(n, 1)
        per_worker = -(-n_asked // crowd.n_workers)
        rounds = -(-per_worker // len(i))
        orders = [
            np.concatenate([rng.permutation(len(i)) for _ in range(rounds)])[:per_worker]
            for _ in range(crowd.n_workers)
        ]
        kept = rng.permutation(crowd.n_workers * per_worker)[:n_asked]
        pair, worker = np.concatenate(orders)[kept], kept // per_worker
        turned = rng.random(n_asked) < 0.5
        left, right = np.where(turned, j[pair], i[pair]), np.where(turned, i[pair], j[pair])
        prompt = np.arange(n_asked) % self.n_prompts
        outcome = self.choices(left, right, prompt, worker)
        columns = (left, right, outcome, prompt, worker)
        return self._recorded(*(np.repeat(column, crowd.repeats) for column in columns))

    def _recorded(
        self, left: Array, right: Array, outcome: Array, prompt: Array, worker: Array
    ) -> hr.Comparisons:
        has_units = self.n_prompts > 1
        return hr.Comparisons(
            items=tuple(range(self.crowd.n_items)),
            left=left,
            right=right,
            outcome=outcome,
            workers=tuple(f"w{k}" for k in range(self.crowd.n_workers)),
            worker=worker,
            ballot=prompt if has_units else None,
            units=tuple(f"p{k}" for k in range(self.n_prompts)) if has_units else (),
        )

    def ask(self) -> hr.Ranking:
        """Return the ranking of an adaptive sampler, with the prompts if there are any."""
        crowd, rng = self.crowd, self.rng
        n_votes = crowd.n_items * crowd.n_votes
        sampler = hr.AutoSampler(crowd.n_items, seed=int(rng.integers(1 << 31)))
        progress, rule = Progress(sampler), hr.ExpectedTau(TARGET)
        workers = rng.permutation(np.arange(n_votes) % crowd.n_workers)
        for k, worker in enumerate(workers):
            looks = crowd.design == "stopped" and k > 0 and k % crowd.n_items == 0
            if looks and rule.is_reached(progress):
                break
            left, right = sampler.ask(worker=f"w{worker}")
            ends = (np.array([end]) for end in (left, right, k % self.n_prompts, worker))
            sampler.tell((left, right), float(self.choices(*ends)[0]), f"w{worker}")
        if self.n_prompts == 1:
            return sampler.ranking()
        votes = sampler.votes
        prompt = np.arange(len(votes)) % self.n_prompts
        units = tuple(f"p{k}" for k in range(self.n_prompts))
        return hr.rank(replace(votes, ballot=prompt, units=units), components="together")
