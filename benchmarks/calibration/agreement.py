"""Agreement of a judge with people: intervals of every estimate, and sentences on a call's worth.

Item i has score s_i + e_pi in prompt p for people, and correlated scores for the judge. Choices
follow the probit model with a band of ties, the judge's with a position bias. The truth is the mean
over all pairs and an endless number of prompts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

import hodgerank as hr
from benchmarks.calibration.crowds import Array, fresh_rng
from benchmarks.calibration.table import Row

N_TRUTH = 40_000  # questions over which the truth is computed


@dataclass(frozen=True)
class World:
    """Questions, people and a judge.

    Attributes
    ----------
    questions, prompts
        Number of questions, drawn at random, and of prompts; 0 if votes have no prompts.
    people
        People who answer each question.
    alike
        Correlation of the scores of people and judge.
    slope, position_bias, lapses
        Of the judge: how consistent it is, its position bias in standard deviations, and its share
        of random answers.
    band
        Half the width of the band of ties.
    """

    n_items: int = 12
    questions: int = 200
    prompts: int = 60
    people: int = 2
    spread: float = 0.7
    within: float = 0.5
    alike: float = 0.8
    slope: float = 1.5
    position_bias: float = 0.0
    lapses: float = 0.0
    band: float = 0.0


BASE = World()
WORLDS = {
    "100 questions": replace(BASE, questions=100),
    "200 questions": BASE,
    "400 questions": replace(BASE, questions=400),
    "400 questions, 20 prompts": replace(BASE, questions=400, prompts=20),
    "400 questions, no prompts": replace(BASE, questions=400, prompts=0, within=0.0),
    "400 questions, 5 people": replace(BASE, questions=400, people=5),
    "400 questions, ties": replace(BASE, questions=400, band=0.4),
    "400 questions, position bias": replace(BASE, questions=400, position_bias=0.7),
    "400 questions, 20% lapses": replace(BASE, questions=400, lapses=0.2),
    "400 questions, another opinion": replace(BASE, questions=400, alike=0.2),
    "400 questions, nearly the same opinion": replace(BASE, questions=400, alike=0.97),
    "400 questions, nearly the same as a person": replace(
        BASE, questions=400, alike=0.97, slope=1.0
    ),
    "400 questions, weak preferences": replace(BASE, questions=400, spread=0.3, within=0.2),
    "400 questions, 40 items": replace(BASE, questions=400, n_items=40),
}


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield the coverage of intervals, and how often sentences on a call's worth are false."""
    for name, world in WORLDS.items():
        rng = fresh_rng(seed, name)
        found = np.array([_measure(world, rng) for _ in range(runs)])
        kinds = ("agreement", "kappa", "two people", "ratio", "worth", "tau", "position bias")
        for kind, held in zip(kinds, found.T, strict=False):
            known = held[~np.isnan(held)]
            if len(known):
                yield Row(f"interval of {kind}", name, "95%", float(known.mean()), len(known))
        for k, verdict in enumerate(("'as good as a person'", "'worse than a person'")):
            said = found[:, len(kinds) + k]
            if not np.isnan(said).all():
                nominal = "at most 2.5% if false"
                share, n = float(np.nanmean(said)), int((~np.isnan(said)).sum())
                yield Row(f"{verdict}, falsely", name, nominal, share, n)


def _measure(world: World, rng: np.random.Generator) -> tuple[float, ...]:
    """Return whether each interval holds, and whether each sentence is said and false."""
    n = world.n_items
    scores = [rng.normal(0, world.spread, n)]
    scores.append(_alike(scores[0], world.spread, world.alike, rng))
    true = _truth(world, scores, rng)
    human, judge = _votes(world, scores, rng)
    found = hr.agreement(human, judge)
    total = found.total
    i, j = np.triu_indices(n, 1)
    tau = float(
        np.mean(np.sign(scores[0][i] - scores[0][j]) * np.sign(scores[1][i] - scores[1][j]))
    )
    estimates = (
        total.agreement, total.kappa, total.human_agreement, total.ratio, total.worth, found.tau,
        found.position_bias,
    )  # fmt: skip
    held = []
    for value, estimate in zip((*true, tau, np.nan), estimates, strict=True):
        if estimate is None or estimate.lower is None or np.isnan(value):
            held.append(np.nan)
        else:
            held.append(float(estimate.lower <= value <= estimate.upper))
    said = " ".join(found.statements)
    worth = true[4]
    yes = float("at least as good as a person" in said) if worth < 1 else np.nan
    no = float("worse than a person" in said) if worth >= 1 else np.nan
    return (*held, yes, no)


def _alike(scores: Array, spread: float, alike: float, rng: np.random.Generator) -> Array:
    return alike * scores + np.sqrt(1 - alike**2) * rng.normal(0, spread, scores.shape)


def _shares(world: World, difference: Array, *, is_judge: bool, side: Array) -> Array:
    """Return the probabilities of preferring the second, neither and the first item."""
    d = world.slope * difference + world.position_bias * side if is_judge else difference
    win, loss = ndtr(d - world.band), ndtr(-d - world.band)
    shares = np.stack([loss, 1 - win - loss, win])
    if is_judge and world.lapses:
        even = np.array([0.5, 0.0, 0.5])[:, None]
        shares = (1 - world.lapses) * shares + world.lapses * even
    return shares


def _truth(world: World, scores: list[Array], rng: np.random.Generator) -> tuple[float, ...]:
    """Return agreement, kappa, agreement of two people, ratio and worth."""
    n, m = world.n_items, N_TRUTH
    pairs = np.array([rng.permutation(n)[:2] for _ in range(2000)])[rng.integers(2000, size=m)]
    effects = [rng.normal(0, world.within, (m, 2))]
    effects.append(_alike(effects[0], world.within, world.alike, rng))
    side = rng.choice([-1.0, 1.0], m)
    shares = []
    for k in range(2):
        x = scores[k][pairs] + effects[k]
        shares.append(_shares(world, x[:, 0] - x[:, 1], is_judge=k == 1, side=side))
    human, judge = shares
    equal, alike = float((human * judge).sum(0).mean()), float((human**2).sum(0).mean())
    mean_h, mean_j = human[2] - human[0], judge[2] - judge[0]
    y2, z2 = float((1 - human[1]).mean()), float((1 - judge[1]).mean())
    chance = (1 - y2) * (1 - z2) + y2 * z2 / 2
    a = float((mean_h * mean_j).mean()) / np.sqrt(y2 * z2)
    c = float((mean_h**2).mean()) / y2
    worth = np.inf if a**2 >= c else a**2 * (1 - c) / (c**2 - a**2 * c)
    return equal, (equal - chance) / (1 - chance), alike, a / c, worth if a > 0 else 0.0


def _votes(
    world: World, scores: list[Array], rng: np.random.Generator
) -> tuple[hr.Comparisons, hr.Comparisons]:
    """Return the votes of people and of the judge on the same random questions."""
    n, m = world.n_items, world.questions
    n_prompts = world.prompts or m
    prompt = np.arange(m) % n_prompts
    pairs = np.array([rng.permutation(n)[:2] for _ in range(m)])
    effects = [rng.normal(0, world.within, (n_prompts, n))]
    effects.append(_alike(effects[0], world.within, world.alike, rng))
    found = []
    for k, times in enumerate((world.people, 1)):
        x = scores[k] + effects[k][prompt]
        rows = np.repeat(np.arange(m), times)
        turned = rng.random(len(rows)) < 0.5
        left, right = (
            np.where(turned, pairs[rows, 1 - side], pairs[rows, side]) for side in (0, 1)
        )
        difference = x[rows, left] - x[rows, right]
        shares = _shares(world, difference, is_judge=k == 1, side=np.ones(len(rows)))
        drawn = rng.random(len(rows))
        outcome = np.where(drawn < shares[0], -1.0, np.where(drawn < shares[:2].sum(0), 0.0, 1.0))
        found.append(
            hr.Comparisons(
                items=tuple(range(n)),
                left=left,
                right=right,
                outcome=outcome,
                workers=tuple(f"w{w}" for w in range(20)) if k == 0 else ("judge",),
                worker=(rows + np.arange(len(rows)) % times) % 20 if k == 0 else np.zeros(m, int),
                ballot=prompt[rows] if world.prompts else None,
                units=tuple(f"p{p}" for p in range(n_prompts)) if world.prompts else (),
            )
        )
    return found[0], found[1]
