"""Position bias: false positives and power, terms of the model, recognised display orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import CONSISTENT, Crowd, Members, fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.data.display_order import display_doubt
from hodgerank.estimators.position_bias.bias_test import measure_position_bias
from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.estimators.position_bias.terms import PositionBiasTerms
from hodgerank.graph.answered_graph import AnsweredGraph

LEVEL = 0.05
PER_PAIR = {"dense": 10, "sparse": 20}
FAIR = {
    **CONSISTENT,
    "each answer given 4 times": Crowd(repeats=4, per_pair=20),
    "the better item left 3 times in 4, 10 % lapses": Crowd(display="mostly better", lapses=0.1),
    "adaptive": Crowd(design="adaptive"),
}
LEANING = {f"everybody leans left by {lean} logits": Crowd(lean=lean) for lean in (0.2, 0.5)}
# Position bias to the left, with the better item mostly left: without it scores are too wide.
PULLED = Crowd(n_items=8, per_pair=20, lean=0.8, spread=1.0, display="mostly better")
RECORDED = {
    "sides at random": ("at most 1 %", Crowd()),
    "sides at random, sparse": ("at most 1 %", Crowd(design="sparse", n_items=30, per_pair=1)),
    "sides at random, a strong lean": ("at most 1 %", Crowd(lean=2.0)),
    "winner written first": ("100 %", Crowd(display="winner")),
    "sorted by name": ("100 %", Crowd(display="first")),
    "the better item always left": ("100 %", Crowd(display="better")),
}

# Terms of the model: each worker has a bias of its own, and devices are shared by workers.
BIASED = Crowd(n_items=12, per_pair=10, n_workers=20, lean=0.3, leans=0.5, spread=1.0)
MODELLED = {
    "33 votes per worker": BIASED,
    "33 votes per worker, no bias": replace(BIASED, lean=0.0, leans=0.0),
    "5 votes per worker": replace(BIASED, per_pair=5, n_workers=66),
    "3 votes per worker": replace(BIASED, per_pair=5, n_workers=110),
    "20 % lapses, spread 2": replace(BIASED, lapses=0.2, spread=2.0),
    "sorted display": replace(BIASED, display="first"),
    "the better item left 3 times in 4": replace(BIASED, display="mostly better"),
    "sparse pairs": replace(BIASED, design="sparse", n_items=30, per_pair=7),
    "ties": replace(BIASED, answer="tie"),
    "grades": replace(BIASED, answer="grade"),
    "varied acuity and tastes": replace(BIASED, acuities=0.5, tastes=0.5),
    "each answer given 4 times": replace(BIASED, repeats=4, per_pair=20),
}
NEARLY_FREE = 1e-4  # precision of a prior that hardly shrinks
ESTIMATORS: dict[str, Callable[..., hr.Ranking]] = {
    "hodge_rank, not shrunk": partial(hr.hodge_rank, shrink_position_bias=False),
    "hodge_rank": hr.hodge_rank,
    "bradley_terry, shrunk": partial(hr.bradley_terry, shrink_position_bias=True),
    "bayes_rank": partial(hr.bayes_rank, worker_weights=False),
    "bayes_rank, shrunk": partial(hr.bayes_rank, worker_weights=False, shrink_position_bias=True),
}
LIMITS: dict[str, Callable[..., hr.Ranking]] = {
    "hodge_rank, not shrunk": partial(hr.hodge_rank, shrink_position_bias=False),
    "hodge_rank": partial(hr.hodge_rank, shrink_position_bias=False),
    "bradley_terry, shrunk": partial(hr.bradley_terry, shrink_position_bias=NEARLY_FREE),
    "bayes_rank": partial(hr.thurstone_mosteller, shrink_position_bias=NEARLY_FREE),
    "bayes_rank, shrunk": partial(hr.thurstone_mosteller, shrink_position_bias=NEARLY_FREE),
}
GROUPINGS = {"common": "common", "worker": "worker", "device (with workers)": ["device", "worker"]}
N_DEVICES = 4
DRAWS = 200  # of each vote, whose mean is its expectation


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield all statements, measured on new crowds."""
    for name, crowd in FAIR.items():
        for design in ("adaptive",) if crowd.design == "adaptive" else PER_PAIR:
            asked = replace(crowd, design=design, per_pair=PER_PAIR.get(design, 5))
            label = name if design == name else f"{name}, {design}"
            yield from _leans(label, asked, f"at most {LEVEL:.0%}", runs, seed)
    for name, crowd in LEANING.items():
        asked = replace(crowd, per_pair=20)
        yield from _leans(f"{name}, dense", asked, "power", runs, seed)
    for position, nominal in ((None, "less"), ("common", "95 %"), ("worker", "95 %")):
        yield _coverage(position, nominal, runs, seed)
    for name, crowd in MODELLED.items():
        yield from _terms(name, crowd, runs, seed)
    for name, (nominal, crowd) in RECORDED.items():
        rng = fresh_rng(seed, name)
        doubts = [bool(display_doubt(crowd.votes(rng))) for _ in range(runs)]
        yield Row("display order unknown", name, nominal, float(np.mean(doubts)), runs)


def _leans(name: str, crowd: Crowd, nominal: str, runs: int, seed: int) -> Iterator[Row]:
    rng = fresh_rng(seed, name)
    single, together = [], []
    for _ in range(runs):
        answered = AnsweredGraph.of(_as_shown(crowd.votes(rng)))
        p_values = measure_position_bias(answered).p_values
        said = np.isfinite(p_values).sum()
        single.append(float((p_values < LEVEL).sum() / max(said, 1)))
        together.append(bool(measure_position_bias(answered, "everybody").p_values[0] < LEVEL))
    error = float(np.std(single) / np.sqrt(runs))
    yield Row(
        "position bias of a worker (p < .05)", name, nominal, float(np.mean(single)), runs, error
    )
    yield Row("position bias of all votes (p < .05)", name, nominal, float(np.mean(together)), runs)


def _coverage(position: Position | None, nominal: str, runs: int, seed: int) -> Row:
    rng = fresh_rng(seed, "pulled")
    inside = []
    for _ in range(runs):
        votes = PULLED.votes(rng)
        ranking = hr.bradley_terry(votes, position_bias=position)
        true = dict(zip(votes.items, votes.truth - votes.truth.mean(), strict=True))
        inside.append(np.mean([row.lower < true[row.item] < row.upper for row in ranking]))
    label = f"interval of bradley_terry, position_bias={position!r}"
    error = float(np.std(inside) / np.sqrt(runs))
    return Row(
        label, "left pulls, the better item mostly left", nominal, np.mean(inside), runs, error
    )


def _terms(name: str, crowd: Crowd, runs: int, seed: int) -> Iterator[Row]:
    """Measure the intervals of the terms: they shall cover the estimates from expected votes."""
    rng = fresh_rng(seed, f"terms, {name}")
    inside: dict[tuple[str, str], list[float]] = {}
    for _ in range(runs):
        votes, expected = _with_expectation(crowd, rng)
        for grouping, asked in GROUPINGS.items():
            for estimator, fit in ESTIMATORS.items():
                found = fit(votes, position_bias=asked).position_bias
                true = LIMITS[estimator](expected, position_bias=asked).position_bias
                assert found is not None
                assert true is not None
                covers = _covers(found, true)
                inside.setdefault((grouping, estimator), []).append(covers)
    for (grouping, estimator), covered in inside.items():
        label = f"interval of position bias of {grouping}, {estimator}"
        error = float(np.std(covered) / np.sqrt(len(covered)))
        yield Row(label, name, "95 %", float(np.mean(covered)), len(covered), error)


def _covers(found: PositionBiasTerms, true: PositionBiasTerms) -> float:
    """Return the share of the groups of the first grouping of `true` whose interval covers it.

    Those of others have another level where biases are shrunk: that of a common term.
    """
    kind = true.grouping[0]
    rows = [k for k, name in enumerate(found.grouping) if name == kind]
    low, high = found.intervals[rows].T
    values = true.values[: len(rows)]
    return float(np.mean((low < values) & (values < high)))


def _with_expectation(
    crowd: Crowd, rng: np.random.Generator
) -> tuple[hr.Comparisons, hr.Comparisons]:
    """Return votes of a crowd, and the same votes with their expectations as outcomes."""
    members = Members(crowd, rng)
    a, b = crowd.pairs(rng, members.place)
    worker = rng.integers(0, crowd.n_workers, len(a))
    left, right = members.shown(a, b)
    mean = np.mean([members.answers(left, right, worker) for _ in range(DRAWS)], axis=0)
    outcome = members.answers(left, right, worker)
    rows = np.repeat(np.arange(len(a)), crowd.repeats)  # a unit is one answer, given again
    extra = {"device": rng.integers(0, N_DEVICES, len(a))[rows]}
    names = tuple(f"w{k:03d}" for k in range(crowd.n_workers))
    votes = hr.Comparisons(
        members.items, left[rows], right[rows], outcome[rows], names, worker[rows], extra=extra
    )
    if crowd.repeats > 1:
        votes = replace(votes, ballot=rows, units=tuple(range(len(a))))
    return votes, replace(votes, outcome=np.clip(mean, -1, 1)[rows])


def _as_shown(votes: hr.Comparisons) -> hr.Comparisons:
    return replace(votes, display_known=np.asarray(True))
