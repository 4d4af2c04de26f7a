"""Position bias: false positives and power, and whether display orders are recognised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import CONSISTENT, Crowd, fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.data.display_order import display_doubt
from hodgerank.estimators.position_bias.bias_test import measure_position_bias
from hodgerank.estimators.position_bias.groupings import Position
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


def _as_shown(votes: hr.Comparisons) -> hr.Comparisons:
    return replace(votes, display_known=np.asarray(True))
