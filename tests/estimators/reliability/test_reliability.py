"""assess_reliability as a whole: hostile votes, JSON, sentences, speed."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd, fresh_rng

import hodgerank as hr
from hodgerank.errors import InvalidArgument, InvalidComparisons

CROWD = Crowd(n_workers=12).votes(fresh_rng(1, "hostile"))
SIZE = len(CROWD)
HOSTILE = {
    "one answer": [("a", "b", 1)],
    "one answer of somebody": [("a", "b", 1, "w")],
    "two items": [("a", "b", 1, "w"), ("a", "b", -1, "v")] * 10,
    "ties": [("a", "b", 0, "w"), ("b", "c", 0, "v"), ("a", "c", 0, "w")] * 10,
    "unanimous": [("a", "b", 1, "w"), ("b", "c", 1, "v"), ("a", "c", 1, "u")] * 10,
    "one grade": [("a", "b", 0.5, "w"), ("b", "c", 0.5, "v"), ("a", "c", 0.5, "u")] * 10,
    "a circle": [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)] * 10,
    "disconnected": [("a", "b", 1, "w"), ("b", "a", 1, "v"), ("c", "d", 1, "u")] * 5,
    "a chain": [(f"i{k}", f"i{k + 1}", 1, "w") for k in range(40)],
    "wide weights": replace(CROWD, weight=10 ** np.linspace(-6, 6, SIZE)),
    "heavy": replace(CROWD, weight=np.full(SIZE, 1e6)),
    "many each": replace(CROWD, multiplicity=np.full(SIZE, 10**6)),
    "nobody": replace(CROWD, workers=(), worker=np.full(SIZE, -1)),
    "some known": replace(CROWD, worker=np.where(np.arange(SIZE) % 2, -1, CROWD.worker)),
    "ballots": replace(CROWD, ballot=np.arange(SIZE) // 3),
    "one ballot": replace(CROWD, ballot=np.zeros(SIZE, int)),
    "an item without answers": replace(CROWD, items=(*CROWD.items, "new"), truth=None),
    "grades": replace(CROWD, outcome=np.linspace(-1, 1, SIZE)),
    "names": [("</b>\x1b[1m", "b", 1, "[red]"), ("b", "c", 1, "v"), ("</b>\x1b[1m", "c", 1)] * 9,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_it_says_something_true_of_anything(name):
    said = hr.assess_reliability(HOSTILE[name], n_splits=4)
    json.dumps(said.to_dict(with_split_half=True), allow_nan=False)
    assert "split_half" not in said.to_dict()
    assert all(statement and "nan" not in statement for statement in said.statements)
    assert "\x1b" not in repr(said) + said._repr_html_() + said.items._repr_html_()
    assert len(said.items.to_frame("polars")) == said.votes.n_items
    if said.separation is not None:
        assert 0 <= said.separation.reliability <= 1
        assert 0 <= said.separation.posterior_reliability <= 1


def test_what_cannot_be_said_is_said_to_be_unknown():
    said = hr.assess_reliability([("a", "b", 1)])
    assert (said.separation, said.workers, said.agreement) == (None, None, None)
    assert sum("cannot be computed" in statement for statement in said.statements) == 2
    assert sum("too few votes to find misfitting items" in words for words in said.statements) == 1


def test_groups_are_taken_together():
    groups = hr.VoteGroups.split(CROWD, ("x", "y"), CROWD.worker % 2, "scene")
    assert hr.assess_reliability(groups).votes.n_items == 2 * CROWD.n_items


def test_names_come_with_how_often_they_are_wrong():
    votes = Crowd(tossers=0.2, per_pair=20, n_items=12).votes(fresh_rng(4, "tossers"))
    assert "at most 5% of flagged workers" in hr.assess_reliability(votes).statements[-1]
    in_units = replace(votes, ballot=np.arange(len(votes)) // 4)
    assert "flags too many" in hr.assess_reliability(in_units).statements[-1]


def test_wrong_arguments():
    with pytest.raises(InvalidArgument, match="false_discovery_rate"):
        hr.assess_reliability(CROWD, false_discovery_rate=0)
    with pytest.raises(InvalidComparisons, match="no votes"):
        hr.assess_reliability(CROWD.select([]))


def test_the_same_of_counted_and_single_answers():
    votes = replace(CROWD, multiplicity=np.arange(SIZE) % 3 + 1)
    one, two = (hr.assess_reliability(v) for v in (votes, votes.repeated()))
    assert one.separation == two.separation
    assert one.workers.p_value == pytest.approx(two.workers.p_value, nan_ok=True)
    assert one.items.infit == pytest.approx(two.items.infit, nan_ok=True)


def test_many_items_go_without_a_dense_matrix():
    votes = hr.simulate_comparisons(3_500, 40_000, spread=1.5, workers={"honest": 20}, rng=2)
    said = hr.assess_reliability(votes)
    true = np.corrcoef(said.scores, votes.truth)[0, 1] ** 2
    assert said.separation.reliability == pytest.approx(true, abs=0.05)
    assert said.items.misfits.mean() < 0.01
    assert said.workers.misfits.sum() <= 1
