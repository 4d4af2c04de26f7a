"""Infit and outfit: as defined, with fitting allowed for, and who is named by mistake."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import CONSISTENT, Crowd, fresh_rng

import hodgerank as hr
from hodgerank.estimators.reliability.assess import reliability_of
from hodgerank.graph.answered_graph import AnsweredGraph


def found(votes: hr.Comparisons) -> hr.Reliability:
    return reliability_of(AnsweredGraph.of(votes))


def test_mean_squares_are_what_they_are_called():
    """Of many answers per parameter, where fitting hardly matters: by the usual formulas."""
    votes = Crowd(per_pair=400).votes(fresh_rng(1, "formulas"))
    said = found(votes)
    x = said.scores
    p = 1 / (1 + np.exp(x[votes.right] - x[votes.left]))
    squares, variance = ((1 + votes.outcome) / 2 - p) ** 2, p * (1 - p)
    for who, table in ((votes.worker, said.workers),):
        of = [who == k for k in range(len(table))]
        infit = [squares[mine].sum() / variance[mine].sum() for mine in of]
        outfit = [(squares / variance)[mine].mean() for mine in of]
        assert table.infit == pytest.approx(infit, rel=5e-3)
        assert table.outfit == pytest.approx(outfit, rel=2e-2)
        assert table.votes.tolist() == [mine.sum() for mine in of]


@pytest.mark.parametrize("design", ["dense", "sparse", "unbalanced"])
def test_fitting_is_allowed_for(design):
    """With few answers per item, residuals are too small by the share that scores took."""
    rng, infits = fresh_rng(2, design), []
    for _ in range(15):
        votes = Crowd(n_items=12, per_pair=3, design=design).votes(rng)
        said = found(votes)
        infits.append(np.nanmean(said.workers.infit))
    assert np.mean(infits) == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize("name", CONSISTENT)
@pytest.mark.parametrize("per_pair", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_nobody_is_named_where_all_are_alike(name, per_pair):
    """In at most 5 % of crowds by design: of 12, no more than 3."""
    rng = fresh_rng(3, f"{name} {per_pair}")
    items = workers = 0
    for _ in range(12):
        said = found(replace(CONSISTENT[name], per_pair=per_pair).votes(rng))
        items += said.items.misfits.any()
        workers += said.workers.misfits.any()
    if name != "item-specific noise":
        assert items <= 3
    if not any(word in name for word in ("tossers", "acuity", "tastes")):
        assert workers <= 3


def test_coin_tossers_are_named():
    votes = Crowd(tossers=0.2, per_pair=20, n_items=12).votes(fresh_rng(4, "tossers"))
    said = found(votes).workers
    assert len(set(said.misfitting) & {f"w{k:03d}" for k in range(4)}) >= 3
    assert set(said.misfitting) <= {f"w{k:03d}" for k in range(4)}
    assert (said.infit_z[said.misfits] > 2).all()


def test_an_item_that_people_cannot_place_is_named():
    rng = fresh_rng(5, "item")
    votes = Crowd(n_items=12, per_pair=30).votes(rng)
    middle = int(np.argsort(votes.truth)[6])
    about = (votes.left == middle) | (votes.right == middle)
    coins = rng.choice([-1.0, 1.0], len(votes))
    said = found(replace(votes, outcome=np.where(about, coins, votes.outcome))).items
    assert said.misfitting == (votes.items[middle],)


def test_an_item_that_fitting_explains_cannot_misfit():
    """An item with one opponent fits whatever it does."""
    rows = [("a", "b", 1, "w"), ("b", "a", 1, "v"), ("a", "b", 1, "u")] * 20
    said = hr.assess_reliability(rows)
    assert np.isnan(said.items.p_value).all()
    assert not said.items.misfits.any()


def test_few_answers_are_not_enough():
    votes = Crowd(n_workers=200).votes(fresh_rng(6, "few"))
    said = found(votes).workers
    few = said.votes < 10
    assert few.any()
    assert np.isnan(said.p_value[few]).all()
    assert np.isfinite(said.infit[said.votes > 0]).all()


def test_the_rule_of_two_deviations_is_reported_beside_it():
    said = found(Crowd(n_workers=100, per_pair=40).votes(fresh_rng(7, "rule"))).workers
    above = said.infit > said.infit.mean() + 2 * said.infit.std(ddof=1)
    assert said.conventional.tolist() == above.tolist()
    assert said.conventional.sum() > said.misfits.sum()
    frame = said.to_frame("polars")
    assert frame.columns[:4] == ["worker", "votes", "infit", "outfit"]
    assert len(frame) == 100
