"""Results and errors go through a pickle: caches, multiprocessing and joblib need that."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import hodgerank as hr
from hodgerank import errors
from results import every_result

ERRORS = [
    errors.HodgeRankError("wrong"),
    errors.InvalidComparisons("row 1"),
    errors.InvalidArgument("k"),
    errors.UnknownItem("tee", ["tea", "milk"]),
    errors.DisconnectedGraph([("a", "b"), ("c",)], [hr.Pair("a", "c")]),
    errors.DidNotConverge("the solver", 7, 0.5),
    errors.NothingToAsk("no pair"),
    errors.JudgeFailed("20 pairs"),
    errors.CampaignError("closed"),
    errors.NoTask("paused", "come back"),
    errors.StopAsking("enough"),
    errors.CannotRead("campaigns.db cannot be read: disk error"),
    errors.CannotWrite("x.csv cannot be written: no space"),
    errors.DatasetUnavailable("no file"),
    errors.MissingDependency("altair", "drawing"),
]


def test_the_list_holds_every_error():
    classes = {
        thing
        for _, thing in inspect.getmembers(errors, inspect.isclass)
        if issubclass(thing, errors.HodgeRankError)
    }
    assert {type(error) for error in ERRORS} == classes


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_come_back_with_message_and_attributes(error):
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert back.__dict__ == error.__dict__
    with pytest.raises(type(error)):
        raise back


def test_the_drawn_tree_of_errors_is_the_tree():
    drawn = {line.split("──")[1].split()[0] for line in errors.__doc__.splitlines() if "──" in line}
    assert drawn | {"HodgeRankError"} == {type(error).__name__ for error in ERRORS}


def test_the_list_holds_every_public_class():
    public = {name for name in hr.__all__ if inspect.isclass(getattr(hr, name))}
    abstract, alive = {"Sampler", "HodgeRankError"}, {"Campaign"}
    assert public - abstract - alive <= every_result().keys()


def test_results_come_back():
    for name, result in every_result().items():
        back = pickle.loads(pickle.dumps(result))
        assert type(back) is type(result), name
        assert repr(back) == repr(result), name


@pytest.mark.parametrize(
    ("n_items", "pairs"),
    [(40, "complete"), (5_000, "chain"), pytest.param(5_000, "random", marks=pytest.mark.slow)],
)
def test_a_ranking_whose_errors_were_computed_comes_back(n_items, pairs):
    """Dense, sparse and iterative: a factorisation itself cannot be pickled."""
    design = "random"
    if pairs == "chain":
        design = [(k, k + 1) for k in range(n_items - 1)]
    votes = hr.simulate_comparisons(n_items, 20 * n_items, pairs=design, rng=1)
    ranking = hr.hodge_rank(votes, components="separate")
    errors_before = ranking.standard_errors
    back = pickle.loads(pickle.dumps(ranking))
    np.testing.assert_array_equal(back.scores, ranking.scores)
    np.testing.assert_array_equal(back.standard_errors, errors_before)
    best, worst = ranking.items[0], ranking.items[1]
    assert back.certainty(best, worst) == pytest.approx(ranking.certainty(best, worst), abs=1e-6)
