"""Crowds on a simulated clock: honest ones that no model describes, careless ones, and leavers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from random import Random

from campaign.trial import Trial
from hodgerank.campaign.attention_checks import RULES
from hodgerank.errors import NoTask

Judge = Callable[[Random, float], float]
"""An outcome, by how much better the left item is."""


def _honest(random: Random, difference: float) -> float:
    return 1.0 if random.random() < 1 / (1 + exp(-difference)) else -1.0


def _lapsing(random: Random, difference: float) -> float:
    return random.choice([-1.0, 1.0]) if random.random() < 0.1 else _honest(random, difference)


def _leaning(random: Random, difference: float) -> float:
    """Seven of ten answers for the left where items are alike."""
    return _honest(random, difference + 0.85)


def _tying(random: Random, difference: float) -> float:
    return 0.0 if abs(difference) < 1 and random.random() < 0.5 else _honest(random, difference)


@dataclass(frozen=True)
class Crowd:
    """How its workers judge, how far apart the items are, and how long an answer takes.

    With `best_first` items are listed from the best on.
    """

    judge: Judge
    spread: float = 1.0
    seconds: tuple[float, float] = (1.0, 6.0)
    is_focused: bool = True
    display: str = "balanced"
    best_first: bool = False


HONEST = {
    "honest": Crowd(_honest),
    "with lapses": Crowd(_lapsing),
    "on close items": Crowd(_honest, spread=0.2),
    "leaning to a side": Crowd(_leaning),
    "with ties": Crowd(_tying),
    "close and leaning": Crowd(_leaning, spread=0.2),
}
IN_ORDER = {
    "in one order": Crowd(_honest, display="fixed"),
    "the better left": Crowd(_honest, display="fixed", best_first=True),
}
"""Honest ones, who are shown the items in the order of the list."""
CARELESS = {
    "tossing coins": Crowd(lambda random, difference: random.choice([-1.0, 1.0])),
    "always left": Crowd(lambda random, difference: 1.0),
    "always right, fast": Crowd(lambda random, difference: -1.0, seconds=(0.1, 0.3)),
    "contrary": Crowd(lambda random, difference: -_honest(random, difference)),
}
N_ITEMS = 150  # many, so that the two of the gold pair are in few other pairs


@dataclass(frozen=True)
class Marked:
    """The share of a crowd's answers that each rule marks, and what the crowd was like.

    `contradicted` and `missed` are of repeats and gold pairs, `left` of answers for a side,
    `n_repeats` for each worker; `workers` is the share of workers with any mark.
    """

    shares: dict[str, float]
    workers: float
    contradicted: float
    missed: float
    left: float
    n_repeats: float


def marked(
    crowd: Crowd, *, n_workers: int, n_answers: int, seed: int, repeat_share: float = 0.1
) -> Marked:
    """Let a crowd answer, with rules as they are by default."""
    random = Random(seed)
    trial, scores = _asked(crowd, random, seed, repeat_share)
    marks: Counter[str] = Counter()
    for worker in range(n_workers):
        for _ in range(n_answers):
            [task] = trial.campaign.lease(f"w{worker}")
            receipt = trial.campaign.answer(
                task,
                crowd.judge(random, scores[task.left] - scores[task.right]),
                seconds=random.uniform(*crowd.seconds),
                is_focused=crowd.is_focused,
            )
            marks.update(receipt.marks)
            marks["any"] += bool(receipt.marks)
    found = trial.campaign.workers()
    n_repeats = sum(one.repeats_seen for one in found)
    return Marked(
        shares={rule: marks[rule] / (n_workers * n_answers) for rule in (*RULES, "any")},
        workers=sum(bool(one.marks) for one in found) / n_workers,
        contradicted=1 - sum(one.repeats_agreeing for one in found) / n_repeats,
        missed=1 - sum(one.gold_right for one in found) / sum(one.gold_seen for one in found),
        left=sum(one.left_share or 0 for one in found) / n_workers,
        n_repeats=n_repeats / n_workers,
    )


def alarmed(crowd: Crowd, *, n_workers: int, n_answers: int, seed: int) -> set[str]:
    """Rules that raised an alarm at any time, while workers answered in any order."""
    random = Random(seed)
    trial, scores = _asked(crowd, random, seed, 0.1)
    turns = [worker for worker in range(n_workers) for _ in range(n_answers)]
    random.shuffle(turns)
    found: set[str] = set()
    for worker in turns:
        [task] = trial.campaign.lease(f"w{worker}")
        trial.campaign.answer(
            task,
            crowd.judge(random, scores[task.left] - scores[task.right]),
            seconds=random.uniform(*crowd.seconds),
            is_focused=crowd.is_focused,
        )
        found |= {rule.rule for rule in trial.campaign.counts.rules if rule.is_alarm}
    return found


def _asked(
    crowd: Crowd, random: Random, seed: int, repeat_share: float
) -> tuple[Trial, dict[str, float]]:
    """A campaign with a gold pair, and how good its items are."""
    drawn = [random.gauss(0, crowd.spread) for _ in range(N_ITEMS)]
    if crowd.best_first:
        drawn.sort(reverse=True)
    scores = {f"item {k:03}": score for k, score in enumerate(drawn)}
    scores |= {"gold": 1.5, "dross": -1.5}  # one honest answer in twenty misses it
    trial = Trial(
        list(scores),
        ties=True,
        repeat_share=repeat_share,
        gold=[{"better": "gold", "worse": "dross"}],
        seed=seed,
        sampler="random",
        display=crowd.display,
    )
    return trial, scores


def answers_of_items(*, n_items: int, n_workers: int, leaving: float, seed: int) -> list[int]:
    """How many answers each item gets where so many workers never answer what they were given."""
    random = Random(seed)
    budget = 6 * n_items
    trial = Trial([f"item {k}" for k in range(n_items)], lease_seconds=60, budget=budget)
    leavers = {f"w{k}" for k in range(n_workers) if random.random() < leaving}
    found: Counter[str] = Counter()
    n_done = 0
    for step in range(40 * budget):
        worker = f"w{step % n_workers}" if step < n_workers else f"w{random.randrange(n_workers)}"
        trial.clock.move(random.expovariate(1 / 5))
        try:
            [task] = trial.campaign.lease(worker)
        except NoTask as refusal:
            if refusal.why == "budget":
                break
            continue
        if worker in leavers:
            continue
        if trial.campaign.answer(task, random.choice([-1, 1])).is_counted:
            found.update((task.left, task.right))
            n_done += 1
    assert n_done == budget == trial.campaign.counts.n_votes
    return [found[f"item {k}"] for k in range(n_items)]
