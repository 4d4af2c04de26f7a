"""Preference groups: false claims, power, membership, reversed pairs, opposite workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import expit, ndtr

import hodgerank as hr
from benchmarks.calibration.crowds import Crowd, fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.data.display_order import doubt_display

Array = np.ndarray


@dataclass(frozen=True)
class TasteCrowd:
    """Workers of one or several tastes, of which each gives the same number of votes.

    Attributes
    ----------
    tastes, sizes
        Number of tastes, and their shares of the workers (default: equal). Half of the variance of
        scores is shared.
    careless, adversarial, clickers
        Shares of workers who vote at random, for the worse item, or mostly for one side.
    personal
        Standard deviation between workers of each score.
    pair_noise, batches
        Standard deviation of each pair's own deviation, in logits; and the number of batches of
        workers that see different pairs.
    prompts, prompt_noise
        Number of prompts, of which each worker sees ten; and the standard deviation of each score
        between prompts. Votes name the prompt as their unit.
    """

    votes: int = 30
    n_workers: int = 100
    n_items: int = 30
    tastes: int = 1
    sizes: tuple[float, ...] = ()
    spread: float = 1.5
    careless: float = 0.0
    adversarial: float = 0.0
    clickers: float = 0.0
    bias: float = 0.0
    lapses: float = 0.0
    acuities: float = 0.0
    personal: float = 0.0
    pair_noise: float = 0.0
    batches: int = 1
    degree: int = 0
    prompts: int = 0
    prompt_noise: float = 0.0
    repeats: int = 1
    answer: Literal["choose", "tie", "grade"] = "choose"
    display: Literal["random", "sorted", "winner"] = "random"
    link: Literal["bradley-terry", "thurstone"] = "bradley-terry"


@dataclass(frozen=True)
class Drawn:
    """One crowd: its votes, the scores of each taste, and taste and kind of each worker."""

    votes: hr.Comparisons
    x: Array
    taste: Array
    is_adversarial: Array


def draw(crowd: TasteCrowd, rng: np.random.Generator) -> Drawn:
    """Draw one crowd."""
    n, w = crowd.n_items, crowd.n_workers
    x = rng.normal(0, crowd.spread, (1, n))
    if crowd.tastes > 1:
        x = (x + rng.normal(0, crowd.spread, (crowd.tastes, n))) / np.sqrt(2)
    sizes = crowd.sizes or (1 / crowd.tastes,) * crowd.tastes
    taste = rng.choice(crowd.tastes, w, p=sizes)
    kind = rng.choice(
        4,
        w,
        p=[
            1 - crowd.careless - crowd.adversarial - crowd.clickers,
            crowd.careless, crowd.adversarial, crowd.clickers,
        ],
    )  # fmt: skip
    acuity = np.exp(rng.normal(0, crowd.acuities, w)) * np.array([1, 0, -1, 0.3])[kind]
    bias = rng.normal(0, crowd.bias, w) + 3 * rng.choice([-1, 1], w) * (kind == 3)
    worker = np.repeat(np.arange(w), crowd.votes // crowd.repeats)
    i, j = _pairs(crowd, worker, rng)
    i, j, worker = (np.repeat(values, crowd.repeats) for values in (i, j, worker))
    turn = rng.random(len(i)) < 0.5 if crowd.display != "sorted" else i > j
    i, j = np.where(turn, (j, i), (i, j))
    own = x[taste] + rng.normal(0, crowd.personal, (w, n))
    d = own[worker, i] - own[worker, j]
    noise = np.triu(rng.normal(0, crowd.pair_noise, (n, n)), 1)
    d = d + (noise - noise.T)[i, j]
    unit = None
    if crowd.prompts:
        seen = rng.integers(0, crowd.prompts, (w, 10))
        unit = seen[worker, rng.integers(0, 10, len(worker))]
        of_prompt = rng.normal(0, crowd.prompt_noise, (crowd.prompts, n))
        d = d + of_prompt[unit, i] - of_prompt[unit, j]
    t = acuity[worker] * d + bias[worker]
    t = np.where(rng.random(len(t)) < crowd.lapses, 0.0, t)
    outcome = _answers(crowd, t, rng)
    if crowd.display == "winner":
        i, j = np.where(outcome < 0, (j, i), (i, j))
        outcome = np.abs(outcome)
    votes = hr.Comparisons(
        items=tuple(f"i{k:03d}" for k in range(n)),
        left=i,
        right=j,
        outcome=outcome,
        workers=tuple(f"w{k:04d}" for k in range(w)),
        worker=worker,
        ballot=unit,
    )
    return Drawn(doubt_display(votes), x, taste, kind == 2)


def _pairs(crowd: TasteCrowd, worker: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    i, j = np.triu_indices(crowd.n_items, 1)
    if crowd.degree:  # a ring and random pairs
        ring = (j - i == 1) | (j - i == crowd.n_items - 1)
        kept = ring | (rng.random(len(i)) < (crowd.degree - 2) / (crowd.n_items - 3))
        i, j = i[kept], j[kept]
    batch = rng.integers(0, crowd.batches, len(i))
    mine = rng.integers(0, crowd.batches, crowd.n_workers)[worker]
    chosen = np.empty(len(worker), np.int64)
    for k in range(crowd.batches):
        places = np.flatnonzero(mine == k)
        chosen[places] = rng.choice(np.flatnonzero(batch == k), len(places))
    return i[chosen], j[chosen]


def _answers(crowd: TasteCrowd, t: Array, rng: np.random.Generator) -> Array:
    if crowd.answer == "grade":
        return np.asarray(np.clip(np.round(t + rng.logistic(size=len(t))), -2, 2) / 2)
    p = ndtr(t) if crowd.link == "thurstone" else expit(t)
    chance = rng.random(len(t))
    if crowd.repeats > 1:  # a worker who is asked again gives the same answer
        chance = np.repeat(chance[:: crowd.repeats], crowd.repeats)
    choice = np.where(chance < p, 1.0, -1.0)
    if crowd.answer == "tie":
        choice[rng.random(len(t)) < 0.7 * np.exp(-np.abs(t))] = 0.0
    return choice


ONE_TASTE = {
    "10 votes per worker": TasteCrowd(votes=10),
    "30 votes": TasteCrowd(),
    "50 % careless": TasteCrowd(careless=0.5),
    "30 % adversarial": TasteCrowd(adversarial=0.3),
    "30 % adversarial, 10 votes": TasteCrowd(votes=10, adversarial=0.3),
    "20 % lapses": TasteCrowd(lapses=0.2),
    "position bias of sd 2 logits": TasteCrowd(bias=2.0),
    "30 % click one side": TasteCrowd(clickers=0.3),
    "30 % click one side, 10 votes": TasteCrowd(votes=10, clickers=0.3),
    "30 % click one side, items shown in a fixed order": TasteCrowd(clickers=0.3, display="sorted"),
    "30 % click one side, winner written first": TasteCrowd(clickers=0.3, display="winner"),
    "varied acuity": TasteCrowd(acuities=0.8),
    "ties": TasteCrowd(answer="tie"),
    "grades": TasteCrowd(answer="grade"),
    "Thurstone, spread 3": TasteCrowd(link="thurstone", spread=3.0),
    "sparse design, 10 votes": TasteCrowd(votes=10, degree=6),
    "sparse design": TasteCrowd(degree=6),
    "batches with pairs of their own, pairs deviate": TasteCrowd(batches=5, pair_noise=1.0),
    "pairs deviate": TasteCrowd(pair_noise=1.0),
    "each answer given 5 times": TasteCrowd(repeats=5),
    "prompts deviate, named as unit": TasteCrowd(prompts=40, prompt_noise=1.0),
    "20 workers, 100 votes, 8 items": TasteCrowd(votes=100, n_workers=20, n_items=8),
    "10 workers, 30 votes, 8 items": TasteCrowd(n_workers=10, n_items=8),
    "100 items": TasteCrowd(n_items=100),
    "20 % careless, 15 % adversarial, 15 % clickers, lapses, varied acuity": TasteCrowd(
        votes=50, careless=0.2, adversarial=0.15, clickers=0.15, bias=0.5, lapses=0.1, acuities=0.5
    ),
    "500 workers, 10 votes": TasteCrowd(votes=10, n_workers=500),
    "varied acuity, 100 votes": TasteCrowd(votes=100, acuities=0.8),
}
ADAPTIVE = Crowd(design="adaptive", n_items=12, per_pair=10, n_workers=30)
PERSONAL = {
    "every worker has their own taste (sd .7)": TasteCrowd(personal=0.7),
    "every worker has their own taste (sd .7), 100 votes": TasteCrowd(votes=100, personal=0.7),
}
SEVERAL = {
    "2 tastes, 10 votes": TasteCrowd(votes=10, tastes=2),
    "2 tastes, 30 votes": TasteCrowd(tastes=2),
    "2 tastes, 100 votes": TasteCrowd(votes=100, tastes=2),
    "2 tastes, 10 votes, 500 workers": TasteCrowd(votes=10, tastes=2, n_workers=500),
    "2 tastes, 80 % and 20 %": TasteCrowd(tastes=2, sizes=(0.8, 0.2)),
    "2 tastes, 20 % careless, 10 % adversarial, bias of sd 1": TasteCrowd(
        tastes=2, careless=0.2, adversarial=0.1, bias=1.0
    ),
    "3 tastes, 10 votes": TasteCrowd(votes=10, tastes=3),
    "3 tastes, 30 votes": TasteCrowd(tastes=3),
    "3 tastes, 100 votes": TasteCrowd(votes=100, tastes=3),
}


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield false claims, power, and how right memberships and reversed pairs are."""
    for name, crowd in SEVERAL.items():
        yield from _power(name, crowd, runs, seed)
    for name, crowd in ONE_TASTE.items():
        rng = fresh_rng(seed, name)
        drawn = [draw(crowd, rng) for _ in range(runs)]
        found = [hr.find_preference_groups(one.votes, simulate=False) for one in drawn]
        yield from _claims(name, "at most 5 %", found)
        if crowd.adversarial:
            yield from _opposite(name, drawn, found)
    rng = fresh_rng(seed, "adaptive")
    asked = (ADAPTIVE.votes(rng) for _ in range(runs))
    found = [hr.find_preference_groups(votes, simulate=False) for votes in asked]
    yield from _claims("adaptive, 12 items, 30 workers, 22 votes", "at most 5 %", found)
    for name, crowd in PERSONAL.items():
        rng = fresh_rng(seed, name)
        found = [
            hr.find_preference_groups(draw(crowd, rng).votes, simulate=False) for _ in range(runs)
        ]
        yield from _claims(name, "where true", found)


def _claims(name: str, nominal: str, found: list[hr.PreferenceGroups]) -> Iterator[Row]:
    claimed = np.array([(one.count or 1) > 1 for one in found])
    better = np.array([one.lacks_reversals for one in found])
    yield Row("several preference groups", name, nominal, float(claimed.mean()), len(found))
    yield Row(
        "several groups predict better, but reverse no pair", name, nominal, float(better.mean()),
        len(found),
    )  # fmt: skip


def _opposite(name: str, drawn: list[Drawn], found: list[hr.PreferenceGroups]) -> Iterator[Row]:
    said = np.concatenate([one.is_opposite for one in found])
    true = np.concatenate([one.is_adversarial for one in drawn])
    n = int(said.sum())
    if n:
        wrong = float((said & ~true).sum() / n)
        statement = "not adversarial, of workers who vote in reverse"
        yield Row(statement, name, "at most 5 %", wrong, n)
    yield Row("adversarial workers found", name, "high", float(said[true].mean()), int(true.sum()))


def _power(name: str, crowd: TasteCrowd, runs: int, seed: int) -> Iterator[Row]:
    rng = fresh_rng(seed, name)
    counts, right, reliable_right, listed = [], [], [], []
    for _ in range(runs):
        drawn = draw(crowd, rng)
        found = hr.find_preference_groups(drawn.votes, simulate=False)
        count = found.count or 1
        counts.append(count)
        if count != crowd.tastes:
            continue
        table = np.zeros((count, count))
        np.add.at(table, (found.group - 1, drawn.taste), 1.0)
        taste_of = linear_sum_assignment(-table)[1]
        hits = taste_of[found.group - 1] == drawn.taste
        right.append(hits.mean())
        reliable_right.append((int(hits[found.is_reliable].sum()), int(found.is_reliable.sum())))
        listed.append(_true_reversals(found, drawn, taste_of))
    number = np.array(counts)
    yield Row("several preference groups", name, "power", float((number > 1).mean()), runs)
    if crowd.tastes > 2:
        exact = float((number == crowd.tastes).mean())
        yield Row("the right number of groups", name, "power", exact, runs)
    more = float((number > crowd.tastes).mean())
    yield Row("more groups than tastes", name, "at most 5 %", more, runs)
    if not right:
        return
    error = float(np.std(right) / np.sqrt(len(right)))
    yield Row("group of a worker", name, "as found", float(np.mean(right)), len(right), error)
    hits, n = np.array(reliable_right).sum(axis=0)
    yield Row("group of a worker called reliable", name, "at least 95 %", hits / max(n, 1), int(n))
    true, n = np.array(listed).sum(axis=0)
    yield Row("listed pairs that are reversed", name, "at least 95 %", true / max(n, 1), int(n))


def _true_reversals(found: hr.PreferenceGroups, drawn: Drawn, taste_of: Array) -> tuple[int, int]:
    """Return how many listed reversals have both signs right, and their number."""
    code = {item: k for k, item in enumerate(drawn.votes.items)}
    true = n = 0
    for pair in found.reversed_pairs:
        x = drawn.x[taste_of]
        d = x[:, code[pair.item]] - x[:, code[pair.other]]
        groups = [(g - 1, 1) for g in pair.prefer] + [(g - 1, -1) for g in pair.oppose]
        true += all(sign * d[g] > 0 for g, sign in groups)
        n += 1
    return true, n
