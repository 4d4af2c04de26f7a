from __future__ import annotations

from math import exp, inf, nan

import pytest

from hodgerank.errors import InvalidArgument
from hodgerank.judges.fake_llm import ModelProfile

CHOICE = {"A": 1.0, "B": -1.0, "X": None}
TIE = {"A": 1.0, "B": -1.0, "T": 0.0}
GRADES = {"1": 1.0, "2": 0.5, "3": 0.0, "4": -0.5, "5": -1.0}


def sigmoid(z):
    return 1 / (1 + exp(-z))


def test_score_position_and_length_add_up():
    profile = ModelProfile(acuity=2, position_bias=0.5, verbosity_bias=0.3)
    assert profile.perceived((1.0, 0.25), (300, 100)) == pytest.approx(2 * 0.75 + 0.5 + 0.3 * 2)


def test_choice_is_logistic():
    chances = ModelProfile().probabilities(0.7, CHOICE)
    assert chances == pytest.approx({"A": sigmoid(0.7), "B": sigmoid(-0.7), "X": 0})


def test_lapses_are_shared_evenly():
    chances = ModelProfile(lapse=0.2).probabilities(0.7, CHOICE)
    assert chances["A"] == pytest.approx(0.1 + 0.8 * sigmoid(0.7))


def test_abstention_takes_its_share_where_it_is_offered():
    profile = ModelProfile(abstain=0.25)
    assert profile.probabilities(0, CHOICE) == pytest.approx({"A": 0.375, "B": 0.375, "X": 0.25})
    assert profile.probabilities(0, {"A": 1.0, "B": -1.0}) == pytest.approx({"A": 0.5, "B": 0.5})


def test_ties_fill_a_band():
    chances = ModelProfile(ties=2).probabilities(0.5, TIE)
    assert chances["A"] == pytest.approx(sigmoid(0.5 - 1))
    assert chances["B"] == pytest.approx(1 - sigmoid(0.5 + 1))
    assert sum(chances.values()) == pytest.approx(1)


def test_without_a_band_there_are_no_ties():
    assert ModelProfile().probabilities(0.5, TIE)["T"] == 0


@pytest.mark.parametrize("z", [-800.0, -2.0, 0.0, 2.0, 800.0])
def test_grades_sum_to_one_and_follow_the_difference(z):
    chances = ModelProfile(lapse=0.1).probabilities(z, GRADES)
    assert sum(chances.values()) == pytest.approx(1)
    assert all(chance >= 0.02 - 1e-12 for chance in chances.values())
    expected = sum(GRADES[label] * chance for label, chance in chances.items())
    assert (expected > 1e-9) - (expected < -1e-9) == (z > 0) - (z < 0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lapse": 1.5}, "lapse must be between 0 and 1"),
        ({"abstain": -0.1}, "abstain must be between 0 and 1"),
        ({"acuity": inf}, "acuity must be finite"),
        ({"position_bias": nan}, "position_bias must be finite"),
        ({"ties": -1}, "ties must be at least 0"),
        ({"refuse": 0.6, "ramble": 0.6}, "at most 1 together"),
    ],
)
def test_shares_and_numbers_are_checked(values, message):
    with pytest.raises(InvalidArgument, match=message):
        ModelProfile(**values)
