"""What rules say of honest and of careless crowds, and what becomes of items when workers leave."""

from __future__ import annotations

from functools import cache
from statistics import fmean

import pytest

from campaign.crowds import (
    CARELESS,
    HONEST,
    IN_ORDER,
    Marked,
    alarmed,
    answers_of_items,
    marked,
)


def test_every_item_reaches_its_share_where_two_of_five_workers_never_answer():
    """The share is a third of the mean; and hardly less than where everybody answers."""
    least = {leaving: [] for leaving in (0.0, 0.4)}
    for leaving, found in least.items():
        for seed in range(5):
            answers = answers_of_items(n_items=20, n_workers=25, leaving=leaving, seed=seed)
            assert min(answers) >= fmean(answers) / 3
            found.append(min(answers))
    assert fmean(least[0.4]) > 0.7 * fmean(least[0.0])


@cache
def honest(name: str) -> Marked:
    return marked(HONEST[name], n_workers=10, n_answers=120, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
def test_rules_hardly_mark_honest_answers(name):
    assert honest(name).shares["any"] < 0.03


@pytest.mark.slow
def test_the_crowds_are_what_they_are_called():
    """Otherwise that they are not marked would say nothing."""
    assert honest("on close items").contradicted > 0.42
    leaning = honest("close and leaning")
    assert leaning.left > 0.63
    assert leaning.contradicted > 0.48
    assert 0.04 < honest("with lapses").missed < 0.2


@pytest.mark.parametrize("name", [*HONEST, *IN_ORDER])
@pytest.mark.parametrize(
    "n_workers", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 12))]
)
def test_honest_crowds_raise_no_alarm(name, n_workers):
    crowd = {**HONEST, **IN_ORDER}[name]
    for seed in range(3):
        assert not alarmed(crowd, n_workers=n_workers, n_answers=30, seed=seed)


@pytest.mark.parametrize("n_workers", [3, 12])
def test_where_everybody_takes_one_side_there_is_an_alarm(n_workers):
    found = alarmed(CARELESS["always left"], n_workers=n_workers, n_answers=20, seed=1)
    assert found == {"same_side"}


def test_who_always_takes_a_side_is_marked():
    found = marked(CARELESS["always left"], n_workers=5, n_answers=160, seed=1)
    assert found.shares["same_side"] == pytest.approx(141 / 160)
    assert found.shares["contradicts"] > 0


def test_who_is_too_fast_is_marked():
    found = marked(CARELESS["always right, fast"], n_workers=5, n_answers=40, seed=1)
    assert found.shares["too_fast"] == 1


def test_who_answers_the_contrary_is_marked_by_gold_alone():
    found = marked(CARELESS["contrary"], n_workers=5, n_answers=80, seed=1)
    assert found.shares["gold"] == found.shares["any"] > 0.5


def test_most_who_toss_coins_are_marked_by_gold_in_time():
    found = marked(CARELESS["tossing coins"], n_workers=10, n_answers=200, seed=1)
    assert found.workers > 0.5
    assert found.shares["gold"] > 0.1
