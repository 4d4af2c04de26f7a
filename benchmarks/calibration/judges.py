"""Statements of a report about language-model judges and their ranking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import hodgerank as hr
from benchmarks.calibration.answer import LEVEL, SETTINGS, said_first
from benchmarks.calibration.crowds import fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.collecting.run_async import Allowance
from hodgerank.estimators.position_bias.bias_test import first_choice_rate
from hodgerank.estimators.worker_weights import weighed
from hodgerank.judges.behaviour import SURE
from hodgerank.judges.design_effect import effective_share

TASTES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
WITH_LEANS = replace(SETTINGS, options={"confidence": LEVEL, "position_bias": "worker"})


@dataclass(frozen=True)
class Judges:
    """Models that take turns in a campaign, each asked a pair at most once in each order.

    Attributes
    ----------
    leans
        Position bias of each, in logits.
    spread
        Standard deviation of the true scores, in logits.
    lapses
        Share of random replies.
    taste
        Standard deviation of a judge's own deviation on a pair, the same in both orders.
    prompts, text_noise
        Items are systems with outputs to this many prompts, whose quality varies this much.
    """

    n_items: int = 16
    answers: int = 160
    leans: tuple[float, ...] = (0.0,)
    spread: float = 1.5
    lapses: float = 0.0
    taste: float = 0.0
    orders: str = "single"
    prompts: int = 0
    text_noise: float = 0.0

    def votes(self, rng: np.random.Generator) -> hr.Comparisons:
        """Return the votes of one campaign."""
        n, seed = self.n_items, int(rng.integers(2**31))
        scores = rng.normal(0, self.spread, n)
        taste = rng.normal(0, self.taste, (len(self.leans), n, n))
        taste = np.tril(taste, -1) - np.tril(taste, -1).transpose(0, 2, 1)
        sampler = hr.AutoSampler(n, seed=seed, position_bias="worker")
        allowance = Allowance(sampler, 2 * len(self.leans) * max(1, self.prompts))
        outputs = rng.normal(0, self.text_noise, (max(1, self.prompts), n))
        contexts: list[str] = []
        while sampler.n_votes < self.answers:
            asked = sampler.ask(exclude=allowance.used_up)
            both = self.orders == "both"
            for pair in (asked, hr.Pair(asked.right, asked.left))[: 1 + both]:
                allowance.take(pair)
                judge = sampler.n_votes // (1 + both) % len(self.leans)
                strength = scores[pair.left] - scores[pair.right]
                strength += taste[judge, pair.left, pair.right] + self.leans[judge]
                prompt = sampler.n_votes // (1 + both) % len(outputs)
                strength += outputs[prompt, pair.left] - outputs[prompt, pair.right]
                contexts.append(str(prompt))
                chance = self.lapses / 2 + (1 - self.lapses) / (1 + np.exp(-strength))
                sampler.tell(pair, 1 if rng.random() < chance else -1, f"judge {judge}")
        votes = replace(sampler.votes, truth=scores)
        if not self.prompts:
            return votes
        return weighed(votes, np.full(len(votes), effective_share(votes, contexts)))

    @property
    def true_leans(self) -> np.ndarray:
        """How much more often the first of two equal items is chosen than the second."""
        pulls = np.array(self.leans)[:, None] + self.taste * TASTES
        return ((1 - self.lapses) * np.tanh(pulls / 2) @ WEIGHTS).round(12)


FAIR = {
    "one judge": Judges(),
    "one judge, 60 answers": Judges(answers=60),
    "one judge, every question": Judges(answers=240),
    "one judge, weak opinions": Judges(spread=0.4),
    "one judge, strong opinions": Judges(spread=4.0),
    "one judge, 10 % lapses": Judges(lapses=0.1),
    "one judge, pairs of its own taste": Judges(taste=1.0),
    "one judge, both orders": Judges(orders="both"),
    "one judge, both orders, taste": Judges(orders="both", taste=1.0),
    "three judges": Judges(leans=(0.0,) * 3, answers=240),
    "50 items": Judges(n_items=50, answers=400),
    "5 systems, 20 prompts, outputs vary": Judges(
        n_items=5, answers=300, spread=0.7, prompts=20, text_noise=1.0
    ),
    "5 systems, 20 prompts, both orders": Judges(
        n_items=5, answers=300, spread=0.7, prompts=20, text_noise=1.0, orders="both"
    ),
    "5 systems, 5 prompts, outputs vary": Judges(
        n_items=5, answers=90, spread=0.7, prompts=5, text_noise=1.0
    ),
    "5 systems, 20 prompts, outputs alike": Judges(n_items=5, answers=300, spread=0.7, prompts=20),
}
LEANING = {
    "one judge leans by 0.5": Judges(leans=(0.5,)),
    "one judge leans by 1": Judges(leans=(1.0,)),
    "one judge leans by 1, 60 answers": Judges(leans=(1.0,), answers=60),
    "one judge leans by 2": Judges(leans=(2.0,)),
    "one judge leans by -3": Judges(leans=(-3.0,)),
    "one judge leans by 2, 10 % lapses": Judges(leans=(2.0,), lapses=0.1),
    "one judge leans by 2, taste": Judges(leans=(2.0,), taste=1.0),
    "one judge leans by 2, both orders": Judges(leans=(2.0,), orders="both"),
    "three judges lean by 2, -1, 0": Judges(leans=(2.0, -1.0, 0.0), answers=240),
}


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield all statements."""
    for name, judges in {**FAIR, **LEANING}.items():
        yield from biases_stated(name, judges, runs, seed)
        yield from said_first(name, judges, runs, seed, WITH_LEANS)


def biases_stated(name: str, judges: Judges, runs: int, seed: int) -> Iterator[Row]:
    """Measure false positives and power of the test of position bias, and its coverage."""
    rng = fresh_rng(seed, f"{name}, leans")
    true = judges.true_leans
    said, covered = [], []
    for _ in range(runs):
        votes = judges.votes(rng)
        found = hr.assess_workers(votes)
        place = [found.workers.index(f"judge {k}") for k in range(len(true))]
        said.append(found.position_bias_p_value[place] <= SURE)
        first = first_choice_rate(votes)
        covered.append(
            [
                first[f"judge {k}"].low <= (1 + lean) / 2 <= first[f"judge {k}"].high
                for k, lean in enumerate(true)
            ]
        )
    rates = np.mean(said, axis=0)
    if (true == 0).any():
        rate, n = float(rates[true == 0].mean()), runs * int((true == 0).sum())
        yield Row("position bias of an unbiased judge", name, "at most 1 %", rate, n)
    if (true != 0).any():
        rate, n = float(rates[true != 0].mean()), runs * int((true != 0).sum())
        yield Row("position bias of a biased judge", name, "power", rate, n)
    yield Row(
        "interval of 'first of equals' covers",
        name,
        "95 %",
        float(np.mean(covered)),
        runs * len(true),
    )
