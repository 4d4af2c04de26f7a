"""A crowd and its votes, before anybody writes them down."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from fuzz.names import BLANK, MISSING, draw_names

FLAWS = ("both bad", "skip", "unanswered", "missing", "no item", "self", "stranger", "weight")
MILD_WEIGHTS = (1.0, 2.5, 0.1, 3.0)
EXTREME_WEIGHTS = ((1.0, 1e6), (1.0, 1e-6), (1e-6, 1.0, 1e6))
BAD_WEIGHTS = (1e-308, 1e308, 1e-7, 1e7, 0.0, -1.0, float("nan"), float("inf"))
SCENES = ("street", "forest", "s3")


@dataclass(frozen=True)
class Vote:
    """One answer, with at most one thing wrong with it.

    `outcome` is between -1 and 1; what a flaw means for it is left to the layout.
    """

    left: str
    right: str
    outcome: float
    flaw: str | None
    worker: str | None
    weight: float
    second: int
    scene: str


@dataclass(frozen=True)
class Crowd:
    """Items, workers, and what was answered."""

    items: list[str]
    workers: list[str]
    votes: list[Vote]


def draw_crowd(rng: Random) -> Crowd:
    """A crowd with some votes, few or a few hundred."""
    items = draw_names(rng, rng.choice((3, 6, 12)))
    workers = draw_names(rng, 5)
    size = rng.choice((1, 2, 5, 20, 60, 60, 200))
    is_graded = rng.random() < 0.3
    is_flawed = size >= 20 and rng.random() < 0.5
    weights = rng.choice(EXTREME_WEIGHTS) if rng.random() < 0.15 else MILD_WEIGHTS
    votes = [_draw_vote(rng, items, workers, weights, is_graded, is_flawed) for _ in range(size)]
    return Crowd(items, workers, votes)


def _draw_vote(
    rng: Random,
    items: list[str],
    workers: list[str],
    weights: tuple[float, ...],
    is_graded: bool,
    is_flawed: bool,
) -> Vote:
    left, right = rng.sample(items, 2)
    flaw = rng.choice(FLAWS) if is_flawed and rng.random() < 0.15 else None
    if flaw == "missing":
        left = rng.choice(MISSING)
    elif flaw == "no item":
        right = rng.choice(BLANK)
    elif flaw == "self":
        right = left
    outcome = float(rng.choice((1, 1, -1, 0)))
    if is_graded:
        outcome = rng.choice((-1.0, -0.5, -0.25, 0.0, 0.25, 0.75, 1.0))
    return Vote(
        left=left,
        right=right,
        outcome=outcome,
        flaw=flaw,
        worker=rng.choice(workers) if rng.random() < 0.95 else None,
        weight=rng.choice(BAD_WEIGHTS if flaw == "weight" else weights),
        second=rng.randrange(10**9),
        scene=rng.choice(SCENES),
    )
