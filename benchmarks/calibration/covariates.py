"""Covariates: intervals of effects and scores, order, and effects that are not there.

Systems answer prompts, and simulated judges compare two answers to the same prompt. The length of
an answer has a part of the system and one of the answer, both in doublings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.errors import DisconnectedGraph
from hodgerank.kernels.links import LINKS
from hodgerank.metrics import kendall_tau
from hodgerank.types import FloatArray

PROBIT = 1.7  # logits per unit of the probit scale
EFFECTS, ANSWERS = (0.0, 1.0, 2.0, 3.0), (3, 10, 30)


@dataclass(frozen=True)
class Judging:
    """Systems, prompts and a judge.

    Attributes
    ----------
    effect
        Logits per doubling of length.
    answers
        Votes per system.
    own, varied
        Standard deviations of the length of systems, and of answers around it.
    merit
        Logits of quality per doubling of the length of a system: better systems write more.
    outputs
        Standard deviation of the quality of single answers around that of their system.
    lapses
        Share of random votes.
    bias
        Position bias towards the left.
    display
        'random', 'longer left', or 'better mostly left'.
    ties
        Share of close calls that are ties.
    """

    effect: float = 0.0
    answers: int = 10
    n_items: int = 12
    n_prompts: int = 30
    own: float = 0.5
    varied: float = 0.7
    merit: float = 0.0
    outputs: float = 0.0
    lapses: float = 0.0
    bias: float = 0.0
    display: str = "random"
    ties: float = 0.0
    is_unit: bool = False

    def world(self, rng: np.random.Generator, link: str) -> tuple[hr.Comparisons, FloatArray]:
        """Return votes, and the mean length of each system; the truth is that of the link."""
        n, p = self.n_items, self.n_prompts
        own = rng.normal(0, self.own, n)
        length = own[:, None] + rng.normal(0, self.varied, (n, p))
        scores = rng.normal(0, 1, n) + self.merit * own
        quality = scores[:, None] + rng.normal(0, self.outputs, (n, p))
        m = n * self.answers // 2
        a = rng.integers(0, n, m)
        b = (a + rng.integers(1, n, m)) % n
        prompt = rng.integers(0, p, m)
        if self.display == "longer left":
            swapped = length[a, prompt] < length[b, prompt]
        elif self.display == "better mostly left":
            swapped = (scores[a] < scores[b]) ^ (rng.random(m) < 0.25)
        else:
            swapped = np.zeros(m, bool)
        a, b = np.where(swapped, b, a), np.where(swapped, a, b)
        z = length[a, prompt] - length[b, prompt]
        t = quality[a, prompt] - quality[b, prompt] + self.effect * z + self.bias
        unit = PROBIT if link == "thurstone-mosteller" else 1.0
        chance = np.where(rng.random(m) < self.lapses, 0.5, LINKS[link].cdf(t / unit))
        outcome = np.where(rng.random(m) < chance, 1.0, -1.0)
        is_tie = rng.random(m) < self.ties * 2 * np.minimum(chance, 1 - chance)
        votes = hr.Comparisons(
            tuple(f"s{k:02d}" for k in range(n)),
            a,
            b,
            np.where(is_tie, 0.0, outcome),
            truth=(scores - scores.mean()) / unit,
            extra={
                "length_left": 2.0 ** (8 + length[a, prompt]),
                "length_right": 2.0 ** (8 + length[b, prompt]),
            },
        )
        if self.is_unit:
            votes = replace(votes, ballot=prompt, units=tuple(range(p)))
        return votes, length.mean(axis=1)


BASE = Judging()
NO_EFFECT = {
    "10 answers per system": BASE,
    "30 answers per system": replace(BASE, answers=30),
    "100 answers per system": replace(BASE, answers=100),
    "20 % lapses": replace(BASE, answers=30, lapses=0.2),
    "position bias 0.8": replace(BASE, answers=30, bias=0.8),
    "longer text left, position bias 0.8": replace(
        BASE, answers=30, bias=0.8, display="longer left"
    ),
    "better item mostly left, position bias 0.8": replace(
        BASE, answers=30, bias=0.8, display="better mostly left"
    ),
    "better systems write more": replace(BASE, answers=30, merit=1.0),
    "little variation within systems": replace(BASE, answers=30, merit=1.0, own=0.7, varied=0.35),
    "ties": replace(BASE, answers=30, ties=0.5),
    "8 prompts": replace(BASE, answers=30, n_prompts=8),
    "8 prompts, strong answers": replace(BASE, answers=30, n_prompts=8, outputs=1.0),
    "8 prompts as units, strong answers": replace(
        BASE, answers=30, n_prompts=8, outputs=1.0, is_unit=True
    ),
    "30 prompts as units, strong answers": replace(BASE, answers=30, outputs=1.0, is_unit=True),
}
MODELS = {"bayes_rank": hr.bayes_rank, "bradley_terry": hr.bradley_terry}


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield all statements, measured on new judges."""
    for answers in ANSWERS:
        for effect in EFFECTS:
            name = f"{effect:g} logits per doubling, {answers} answers per system"
            yield from _accuracy(name, Judging(effect, answers), runs, seed)
    for name, judging in NO_EFFECT.items():
        yield from _false_claims(name, judging, runs, seed)


def _accuracy(name: str, judging: Judging, runs: int, seed: int) -> Iterator[Row]:
    rng = fresh_rng(seed, name)
    found: dict[tuple[str, str], list[float]] = {}

    def add(statement: str, nominal: str, value: float) -> None:
        found.setdefault((statement, nominal), []).append(value)

    for _ in range(runs):
        for model, fit in MODELS.items():
            link = "thurstone-mosteller" if model == "bayes_rank" else "bradley-terry"
            votes, means = judging.world(rng, link)
            truth, unit = votes.truth, PROBIT if model == "bayes_rank" else 1.0
            assert truth is not None
            try:
                plain, ranking = fit(votes), fit(votes, covariates="length")
            except DisconnectedGraph:  # few votes and no prior
                continue
            terms, controlled = ranking.covariates, ranking.controlled
            if terms is None or controlled is None:
                add(f"{model}: effect not separable", "rarely", 1.0)
                continue
            low, high = terms.intervals[0]
            add(f"{model}: interval of the effect", "95 %", low < judging.effect / unit < high)
            true = dict(zip(votes.items, truth, strict=True))
            written = truth + judging.effect / unit * (means - means.mean())
            as_written = dict(zip(votes.items, written, strict=True))
            orders = {}
            for label, which, by in (
                ("without the covariate", plain, true),
                ("controlled", controlled, true),
                ("as written", ranking.as_written, as_written),
            ):
                covered = np.mean([row.lower < by[row.item] < row.upper for row in which])
                add(f"{model}: interval of the scores, {label}", "95 %", float(covered))
                tau = kendall_tau(which.score_by_item, by)
                orders[label] = (1 + tau) / 2
                add(f"{model}: pairs in the right order, {label}", "higher", orders[label])
            gain = orders["controlled"] - orders["without the covariate"]
            add(f"{model}: pairs in the right order, gain of control", "0 % or more", gain)
            before = (1 + kendall_tau(plain.score_by_item, as_written)) / 2
            gain = orders["as written"] - before
            add(f"{model}: pairs in the right order, gain as written", "0 % or more", gain)
    for (statement, nominal), values in found.items():
        error = float(np.std(values) / np.sqrt(len(values)))
        yield Row(statement, name, nominal, float(np.mean(values)), len(values), error or None)


def _false_claims(name: str, judging: Judging, runs: int, seed: int) -> Iterator[Row]:
    rng = fresh_rng(seed, f"no effect, {name}")
    claims: dict[str, list[bool]] = {}
    for _ in range(runs):
        for model, fit in {**MODELS, "hodge_rank": hr.hodge_rank}.items():
            link = "thurstone-mosteller" if model == "bayes_rank" else "bradley-terry"
            votes, _ = judging.world(rng, link)
            terms = fit(votes, covariates="length", components="separate").covariates
            assert terms is not None
            low, high = terms.intervals[0]
            claims.setdefault(model, []).append(bool(low > 0 or high < 0))
    for model, made in claims.items():
        label = f"{model}: an effect is claimed although there is none"
        yield Row(label, name, "at most 5 %", float(np.mean(made)), len(made))
