"""Crowds for calibration: most of them do not follow any model of the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal
from zlib import crc32

import numpy as np
from scipy.special import expit, logit, ndtr

import hodgerank as hr
from hodgerank.data.display_order import doubt_display

Array = np.ndarray
LINKS: dict[str, Callable[[Array], Array]] = {
    "bradley-terry": expit,
    "thurstone": ndtr,
    "uniform": lambda t: np.clip((1 + t / 3) / 2, 0, 1),
    "noiseless": lambda t: (1 + np.sign(t)) / 2,
}
DEGREE = 6  # approximate number of neighbours of an item in a sparse design


def fresh_rng(seed: int, name: str) -> np.random.Generator:
    """Return random numbers that belong to one setting."""
    return np.random.default_rng((seed, crc32(name.encode())))


@dataclass(frozen=True)
class Crowd:
    """A simulated crowd: its workers, their errors, and the design.

    Attributes
    ----------
    per_pair
        Mean number of votes on each compared pair.
    design
        'dense': every pair; 'sparse': a ring and random pairs, about six per item; 'unbalanced':
        every pair, some a hundred times as often as others; 'adaptive': pairs chosen by an
        AutoSampler, with as many votes as for every pair; 'ring': neighbours in the ranking, and
        the first and last item; 'bipartite': pairs an odd number of places apart.
    spread
        Standard deviation of the true scores.
    lapses, tossers
        Share of random votes, and of workers who vote at random.
    acuities, tastes
        Standard deviation between workers of log acuity, and of each score.
    item_noise
        Standard deviation of the log noise of each item.
    pair_noise
        Standard deviation, in logits, of each pair's deviation from its scores; no pair changes
        sign.
    repeats
        How often a worker is asked the same pair again, and gives the same vote.
    answer
        'choose'; 'tie' if items are close; 'grade' from -1 to 1 in steps of a half.
    lean, leans
        Mean and standard deviation between workers of position bias to the left, in logits.
    display
        The item shown left: 'random', the 'first' in the list of items, the truly 'better' always
        or 3 times in 4 ('mostly better'), the 'winner' (as in files that do not record it).
    leaders
        Number of equally good items that are better than all others.
    cycles
        'rotation': each item is preferred to the next half of the items, with .8; 'triangle': one
        cycle of three at .85 among the middle items; 'diffuse': every pair's logit has a normal
        deviation of standard deviation .5.
    pattern
        Preferences of pairs: by their 'scores'; 'near': `clear` for pairs at most `reach` places
        apart in the ranking, `faint` for others; 'own': drawn for each pair, evenly from .5 to 1.
    clear, faint
        Probabilities of 'near', for the better item; `clear` is also that of cycles, if given.
    reach
        See `pattern`.
    """

    n_items: int = 10
    per_pair: int = 5
    design: Literal["dense", "sparse", "unbalanced", "adaptive", "ring", "bipartite"] = "dense"
    n_workers: int = 20
    spread: float = 1.5
    link: str = "bradley-terry"
    lapses: float = 0.0
    tossers: float = 0.0
    acuities: float = 0.0
    tastes: float = 0.0
    item_noise: float = 0.0
    pair_noise: float = 0.0
    repeats: int = 1
    answer: Literal["choose", "tie", "grade"] = "choose"
    lean: float = 0.0
    leans: float = 0.0
    display: Literal["random", "first", "better", "mostly better", "winner"] = "random"
    cycles: Literal["none", "rotation", "triangle", "diffuse"] = "none"
    # Tests draw their seeds from the text of a crowd.
    leaders: int = field(default=1, repr=False)
    pattern: Literal["scores", "near", "own"] = field(default="scores", repr=False)
    clear: float | None = field(default=None, repr=False)
    faint: float = field(default=0.5, repr=False)
    reach: int = field(default=1, repr=False)

    def votes(self, rng: np.random.Generator) -> hr.Comparisons:
        """Return the votes of one such crowd; the true scores are `truth`."""
        members = Members(self, rng)
        if self.design == "adaptive":
            return members.asked_by_a_sampler()
        a, b = (np.repeat(side, self.repeats) for side in self.pairs(rng, members.place))
        worker = np.repeat(rng.integers(0, self.n_workers, len(a) // self.repeats), self.repeats)
        left, right = members.shown(a, b)
        outcome = members.answers(left, right, worker)
        if self.repeats > 1:
            turn = np.where(left == a, 1.0, -1.0)
            outcome = turn * np.repeat((turn * outcome)[:: self.repeats], self.repeats)
        if self.display == "winner":
            left, right = np.where(outcome < 0, (right, left), (left, right))
            outcome = np.abs(outcome)
        recorded = hr.Comparisons(
            items=members.items,
            left=left,
            right=right,
            outcome=outcome,
            workers=tuple(f"w{k:03d}" for k in range(self.n_workers)),
            worker=worker,
            truth=members.truth,
        )
        return doubt_display(recorded)  # as reading a file would

    def pairs(self, rng: np.random.Generator, place: Array) -> tuple[Array, Array]:
        """Return the pairs asked, in random order."""
        n = self.n_items
        i, j = np.triu_indices(n, 1)
        if self.design in ("ring", "bipartite"):
            apart = np.abs(place[i] - place[j])
            asked = np.isin(apart, (1, n - 1)) if self.design == "ring" else apart % 2 == 1
            i, j = i[asked], j[asked]
        if self.design == "sparse":
            ring = (j - i == 1) | (j - i == n - 1)
            asked = ring | (rng.random(len(i)) < (DEGREE - 2) / max(n - 3, 1))
            i, j = i[asked], j[asked]
        counts = np.full(len(i), max(self.per_pair // self.repeats, 1))
        if self.design == "unbalanced":
            often = rng.lognormal(0, 1.2, len(i))
            counts = np.maximum(1, np.round(self.per_pair * often / often.mean())).astype(int)
        order = rng.permutation(counts.sum())
        return np.repeat(i, counts)[order], np.repeat(j, counts)[order]


class Members:
    """The workers of one crowd, with their tastes and biases."""

    def __init__(self, crowd: Crowd, rng: np.random.Generator) -> None:
        n, w = crowd.n_items, crowd.n_workers
        self.crowd, self.rng = crowd, rng
        self.items = tuple(f"i{k:03d}" for k in range(n))
        self.truth = rng.normal(0, crowd.spread, n)
        if crowd.leaders > 1:
            self.truth[np.argsort(-self.truth)[: crowd.leaders]] = self.truth.max()
        self.scores = self.truth + rng.normal(0, crowd.tastes, (w, n))
        self.acuity = np.exp(rng.normal(0, crowd.acuities, w))
        self.tosses = np.arange(w) < round(crowd.tossers * w)
        self.lean = rng.normal(crowd.lean, crowd.leans, w)
        self.noise = np.exp(rng.normal(0, crowd.item_noise, n))
        self.place = np.argsort(np.argsort(-self.truth))
        self.cyclic = self._cyclic() + self._own_strengths() + self._pattern()

    def _pattern(self) -> Array:
        """Return what makes each pair's logit that of the pattern."""
        crowd, shape = self.crowd, (self.crowd.n_items,) * 2
        if crowd.pattern == "scores":
            return np.zeros(shape)
        ahead = self.place - self.place[:, None]  # places by which the row is better
        if crowd.pattern == "near":
            is_near = np.abs(ahead) <= crowd.reach
            chance = np.where(is_near, crowd.clear or 0.97, crowd.faint)
        else:
            upper = np.triu(self.rng.uniform(0.5, 1, shape), 1)
            chance = upper + upper.T + 0.5 * np.eye(len(ahead))
        return np.asarray(np.sign(ahead) * logit(chance) - (self.truth[:, None] - self.truth))

    def _own_strengths(self) -> Array:
        """Return the deviation of each pair from its scores, in logits, without changes of sign."""
        if not self.crowd.pair_noise:
            return np.zeros((self.crowd.n_items,) * 2)
        d = self.truth[:, None] - self.truth
        noise = np.triu(self.rng.normal(0, self.crowd.pair_noise, d.shape), 1)
        return np.asarray(np.sign(d) * np.maximum(noise + noise.T, -np.abs(d)))

    def _cyclic(self) -> Array:
        """Return the cyclic part, in logits for the item of the row against that of the column."""
        n, logits = self.crowd.n_items, np.zeros((self.crowd.n_items,) * 2)
        if self.crowd.cycles == "rotation":
            ahead = (np.arange(n) - np.arange(n)[:, None]) % n
            logits = logit(self.crowd.clear or 0.8) * (np.sign(n / 2 - ahead) * (ahead > 0))
            logits -= self.truth[:, None] - self.truth
        elif self.crowd.cycles == "diffuse":
            logits = np.triu(self.rng.normal(0, 0.5, (n, n)), 1)
            logits = logits - logits.T
        elif self.crowd.cycles == "triangle":
            middle = n // 2 + np.arange(-1, 2)
            a, b, c = np.argsort(self.truth)[middle]
            for x, y in ((a, b), (b, c), (c, a)):
                logits[x, y] = logit(self.crowd.clear or 0.85) - (self.truth[x] - self.truth[y])
                logits[y, x] = -logits[x, y]
        return logits

    def shown(self, a: Array, b: Array) -> tuple[Array, Array]:
        """Return the display order."""
        if self.crowd.display == "first":
            swap = a > b
        elif self.crowd.display == "better":
            swap = self.truth[a] < self.truth[b]
        elif self.crowd.display == "mostly better":
            swap = (self.truth[a] < self.truth[b]) ^ (self.rng.random(len(a)) < 0.25)
        else:
            swap = self.rng.random(len(a)) < 0.5
        return np.where(swap, b, a), np.where(swap, a, b)

    def answers(self, left: Array, right: Array, worker: Array) -> Array:
        """Return one outcome each."""
        rng, crowd = self.rng, self.crowd
        t = self.scores[worker, left] - self.scores[worker, right]
        t = (t + self.cyclic[left, right]) * self.acuity[worker]
        t = t / np.sqrt((self.noise[left] ** 2 + self.noise[right] ** 2) / 2) + self.lean[worker]
        t = np.where(self.tosses[worker] | (rng.random(len(t)) < crowd.lapses), 0.0, t)
        if crowd.answer == "grade":
            return np.asarray(np.clip(np.round(t + rng.logistic(size=len(t))), -2, 2) / 2)
        choice = np.where(rng.random(len(t)) < LINKS[crowd.link](t), 1.0, -1.0)
        if crowd.answer == "tie":
            choice[rng.random(len(t)) < 0.7 * np.exp(-np.abs(t))] = 0.0
        return choice

    def asked_by_a_sampler(self) -> hr.Comparisons:
        """Return the votes on the pairs that an AutoSampler asks."""
        crowd = self.crowd
        sampler = hr.AutoSampler(self.items, seed=int(self.rng.integers(1 << 31)))
        codes = {item: code for code, item in enumerate(self.items)}
        for _ in range(crowd.per_pair * crowd.n_items * (crowd.n_items - 1) // 2):
            pair = sampler.ask()
            left, right = (np.array([codes[item]]) for item in pair)
            worker = self.rng.integers(0, crowd.n_workers, 1)
            sampler.tell(pair, float(self.answers(left, right, worker)[0]), f"w{worker[0]:03d}")
        votes = sampler.votes
        order = [codes[item] for item in votes.items]
        return replace(votes, truth=self.truth[order])


CONSISTENT = {
    "Bradley-Terry": Crowd(),
    "Thurstone": Crowd(link="thurstone"),
    "uniform": Crowd(link="uniform"),
    "noiseless": Crowd(link="noiseless"),
    "10 % lapses, spread 3": Crowd(lapses=0.1, spread=3.0),
    "20 % coin-tossers": Crowd(tossers=0.2),
    "20 % coin-tossers, varied acuity": Crowd(tossers=0.2, acuities=0.5),
    "varied acuity": Crowd(acuities=0.5),
    "varied tastes": Crowd(tastes=0.7),
    "item-specific noise": Crowd(item_noise=0.5),
    "ties": Crowd(answer="tie"),
    "grades": Crowd(answer="grade"),
}
"""Crowds that one ranking explains, with any noise."""
