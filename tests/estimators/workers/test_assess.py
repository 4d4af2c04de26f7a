from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import hodgerank as hr
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.workers import assess
from hodgerank.estimators.workers.assess import LeaveOneOut
from hodgerank.estimators.workers.assessment import (
    NOT_KNOWN,
    NOTES,
    OK,
    TOO_FEW,
    WARNINGS,
    WORDS,
)
from hodgerank.estimators.workers.worker_cells import WorkerCells
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.linalg import normal_equations
from reference.least_squares import dense_hodge_rank
from strategies import comparisons

COLUMNS = {
    *("worker", "votes", "position_bias", "position_bias_stderr", "agreement"),
    *("outlier_share", "tie_share", "expected_tie_share", "left_rate", "reliability", "acuity"),
    *("position_bias_lower", "position_bias_upper", "flag", "level"),
}


@pytest.fixture(scope="module")
def mixed():
    crowd = {"honest": 20, "random": 3, "adversarial": 2, "position-biased": 3, "tie-happy": 2}
    votes = hr.simulate_comparisons(16, 2000, spread=2, workers=crowd, rng=1)
    return hr.assess_workers(votes)


def test_every_kind_of_worker_gets_its_flag(mixed):
    expected = {
        "honest": {"ok"},
        "random": {"careless", "less precise than others"},
        "adversarial": {"adversarial"},
        "position-biased": {"position-clicking"},
        "tie-happy": {"tie-happy"},
    }
    for worker, flag in zip(mixed.workers, mixed.flag, strict=True):
        assert flag in expected[str(worker).rsplit("-", 1)[0]]


def test_faults_and_habits_are_kept_apart(mixed):
    faults = {worker for worker, flag in zip(mixed.workers, mixed.flag, strict=True)
              if flag in WARNINGS}  # fmt: skip
    assert set(mixed.flagged) == faults
    assert {"tie-happy-01", "tie-happy-02"} <= set(mixed.noted)
    assert not set(mixed.flagged) & set(mixed.noted)
    levels = [mixed.level[k] for k in mixed.worst_first]
    assert levels == sorted(levels, key=["warning", "note", "none"].index)
    assert set(mixed.flag) <= set(WORDS) == {*WARNINGS, *NOTES, NOT_KNOWN, OK, TOO_FEW}


def test_the_table_has_the_promised_columns(mixed):
    assert set(mixed.to_frame("polars").columns) >= COLUMNS
    content = json.loads(json.dumps(mixed.to_dict(), allow_nan=False))
    assert len(content["workers"]) == 30
    assert set(content["words"]) == set(mixed.flag)


def test_honest_crowds_are_rarely_flagged():
    rng = np.random.default_rng(0)
    flags = Counter()
    for _ in range(20):
        votes = hr.simulate_comparisons(16, 600, spread=1, workers={"honest": 25}, rng=rng)
        flags.update(hr.assess_workers(votes).flag)
    assert flags["ok"] / sum(flags.values()) > 0.98


@given(comparisons(max_items=6))
def test_leaving_a_worker_out_equals_ranking_without_that_worker(votes):
    answered = AnsweredGraph.of(votes)
    cells, graph = WorkerCells.of(answered), answered.graph
    everybody = LeaveOneOut(cells, answered.scores)
    for worker in range(4):
        mine = cells.of_worker(worker)
        rest = votes.select(votes.worker != worker)
        if mine.start == mine.stop or not len(rest):
            continue
        connected = hr.ComparisonGraph.from_comparisons(rest).is_connected
        for found in (everybody._downdated(mine), everybody._solved_again(mine)):
            if connected:
                expected = dense_hodge_rank(rest)[0]
                np.testing.assert_allclose(found.scores, expected, atol=1e-7)
                edge = cells.edge[mine]
                difference = expected[graph.i[edge]] - expected[graph.j[edge]]
                np.testing.assert_allclose(found.predictions, difference, atol=1e-7)


def test_pairs_only_one_worker_knows_are_not_counted_as_agreement():
    rows = [("a", "b", 1, "u"), ("a", "b", 1, "v"), ("b", "c", 1, "u")]
    found = hr.assess_workers(rows)
    assert found.agreement.tolist() == [1, 1]
    answered = AnsweredGraph.of(hr.read_comparisons(rows))
    everybody = LeaveOneOut(WorkerCells.of(answered), answered.scores)
    predictions = everybody.without(answered.votes.workers.index("u")).predictions
    assert np.isnan(predictions[1])


def test_self_contradictions():
    rows = [("a", "b", 1, "u"), ("b", "a", 1, "u"), ("b", "c", 1, "u"), ("b", "c", 1, "u"),
            ("a", "b", 1, "v"), ("b", "c", 1, "v"), ("a", "c", 1, "v")]  # fmt: skip
    found = hr.assess_workers(rows)
    assert found.contradictions[0] == 0.5
    assert np.isnan(found.contradictions[1])
    assert set(found.flag) == {"too few votes"}


def test_unknown_display_order_leaves_position_columns_empty():
    votes = hr.simulate_comparisons(6, 300, rng=0)
    hidden = hr.read_comparisons(votes.to_frame("polars"), display_known=False)
    found = hr.assess_workers(hidden)
    assert np.isnan(found.position_bias).all()
    assert np.isnan(found.left_rate).all()
    assert "display order is unknown" in found.notes[0]
    assert found.to_dict()["workers"][0]["position_bias"] is None


def test_groups_are_assessed_like_workers():
    votes = hr.simulate_comparisons(8, 800, workers={"honest": 3, "position-biased": 3}, rng=0)
    country = ["left-land" if str(votes.workers[w]).startswith("pos") else "elsewhere"
               for w in votes.worker]  # fmt: skip
    found = hr.assess_workers(votes, groups=country)
    assert found.workers == ("elsewhere", "left-land")
    assert found.flag == (NOT_KNOWN, "position-clicking")  # by clicks nobody is measured


def test_a_bias_of_which_nothing_is_known_is_not_said():
    found = hr.assess_workers([("a", "b", 1, "w")])
    assert np.isnan(found.position_bias).all()


def test_weights_make_no_honest_worker_suspicious():
    rng = np.random.default_rng(0)
    flags = Counter()
    for _ in range(15):
        votes = hr.simulate_comparisons(12, 600, spread=1, workers={"honest": 20}, rng=rng)
        votes = replace(votes, weight=rng.exponential(1, 600) ** 2)
        flags.update(hr.assess_workers(votes).flag)
    assert flags["ok"] / sum(flags.values()) > 0.96


def test_workers_who_tie_a_little_more_than_others_are_not_tie_happy():
    rng = np.random.default_rng(0)
    votes = hr.simulate_comparisons(12, 2400, spread=1, workers={"honest": 40}, rng=rng)
    habit = rng.beta(4, 12, 40)[votes.worker]
    votes = replace(votes, outcome=np.where(rng.random(2400) < habit, 0.0, votes.outcome))
    assert hr.assess_workers(votes).flag.count("tie-happy") <= 1


def test_a_partly_known_display_order_is_pointed_out():
    votes = hr.simulate_comparisons(6, 300, rng=0)
    votes = replace(votes, display_known=np.arange(300) < 30)
    assert "30 of 300 votes" in hr.assess_workers(votes).notes[0]


def test_votes_without_workers_are_refused():
    with pytest.raises(InvalidArgument, match="workers are not recorded"):
        hr.assess_workers([("a", "b", 1)])


def test_many_items_take_the_other_solver(monkeypatch):
    votes = hr.simulate_comparisons(40, 900, workers={"honest": 5, "position-biased": 1}, rng=0)
    near = hr.assess_workers(votes)
    for place in (normal_equations, assess):
        monkeypatch.setattr(place, "DENSE_ITEMS", 10)
    far = hr.assess_workers(votes)
    np.testing.assert_allclose(near.agreement, far.agreement, atol=1e-9)
    assert near.flag == far.flag


def test_rows_that_stand_for_several_answers_count_as_often():
    rng = np.random.default_rng(1)
    crowd = {"honest": 4, "random": 1, "tie-happy": 1, "position-biased": 1}
    votes = hr.simulate_comparisons(6, 1500, spread=2, workers=crowd, rng=rng)
    votes = replace(votes, weight=rng.choice([0.5, 1.0, 3.0], len(votes)))
    reduced = VoteSource(votes.to_frame("polars").lazy()).distinct_answers()
    assert len(reduced) < 0.7 * len(votes)
    assert reduced.n_votes == len(votes)
    found, wanted = hr.assess_workers(reduced), hr.assess_workers(votes.to_frame("polars"))
    assert found.flag == wanted.flag
    for name in sorted(COLUMNS - {"worker", "flag", "level"}):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=1e-8)
