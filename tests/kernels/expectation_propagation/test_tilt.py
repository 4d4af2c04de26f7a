"""Moments of a Gaussian times the likelihood of one pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate
from scipy.special import log_expit, log_ndtr
from scipy.stats import norm

from hodgerank.kernels.expectation_propagation import LOGIT, PROBIT, moved_site
from hodgerank.kernels.expectation_propagation import tilt as tilted_by

LOG_LINKS = {PROBIT: log_ndtr, LOGIT: log_expit}


def tilt(link, mean, variance, *cells):
    """Moments by the kernel; a cell is wins, losses and the pull they were given under."""
    columns = (np.array(column, float) for column in zip(*cells, strict=True))
    return tilted_by(link, float(mean), float(variance), *columns)


def moments(link, mean, variance, *cells):
    deviation, log_link = np.sqrt(variance), LOG_LINKS[link]

    def integral(power, around=0.0):
        return integrate.quad(
            lambda d: (
                (d - around) ** power
                * np.exp(sum(w * log_link(d + o) + b * log_link(-d - o) for w, b, o in cells))
                * norm.pdf(d, mean, deviation)
            ),
            mean - 12 * deviation,
            mean + 12 * deviation,
            limit=500,
            epsabs=0,
        )[0]

    mass = integral(0)
    centre = integral(1) / mass
    return np.log(mass), centre, integral(2, centre) / mass


@pytest.mark.parametrize("link", [PROBIT, LOGIT])
@pytest.mark.parametrize(
    ("mean", "variance", "wins", "losses"),
    [
        (0.3, 1, 1, 0),
        (0.3, 1, 0, 1),
        (-1, 4, 2.5, 0.7),
        (0, 4, 3, 0),
        (2, 0.3, 0, 30),
        (0, 8, 0.3, 0.1),
    ],
)
def test_moments_are_those_of_the_integral(link, mean, variance, wins, losses):
    found = tilt(link, mean, variance, (wins, losses, 0))
    assert found == pytest.approx(
        moments(link, mean, variance, (wins, losses, 0)), rel=2e-3, abs=1e-3
    )


@pytest.mark.parametrize("link", [PROBIT, LOGIT])
@pytest.mark.parametrize(
    ("mean", "variance", "wins", "losses"),
    [
        (0.3, 0.003, 2, 1),
        (-1.5, 0.01, 0.7, 0.9),
        (0.1, 0.1, 300, 280),
        (2, 0.012, 0, 2),
        (0.3, 0.09, 3, 2),
        (1.0, 0.04, 10, 0),
        (-0.5, 0.15, 4, 4),
        (1.5, 0.3, 2, 20),
    ],
)
def test_few_nodes_are_enough_where_the_answers_are_nearly_gaussian(
    link, mean, variance, wins, losses
):
    found = tilt(link, mean, variance, (wins, losses, 0))
    wanted = moments(link, mean, variance, (wins, losses, 0))
    assert found == pytest.approx(wanted, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("link", [PROBIT, LOGIT])
def test_an_answer_nobody_expected_does_not_overflow(link):
    log_mass, mean, variance = tilt(link, 60, 0.5, (0, 1, 0))
    assert np.isfinite([log_mass, mean, variance]).all()
    assert mean < 60
    assert 0 < variance < 0.5 + 1e-9
    assert tilt(link, 60, 0.5, (0.5, 0, 0))[0] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("link", [PROBIT, LOGIT])
@pytest.mark.parametrize(
    "cells", [[(1, 0, 1.5)], [(0, 1, -0.7)], [(2, 1, 1), (1, 3, -1)], [(0.4, 0, 2), (0, 9, 0)]]
)
def test_answers_may_be_given_under_pulls_of_their_own(link, cells):
    found = tilt(link, 0.3, 2, *cells)
    assert found == pytest.approx(moments(link, 0.3, 2, *cells), rel=2e-3, abs=1e-3)


def test_swapping_wins_and_losses_turns_the_moments_round():
    left, right = tilt(PROBIT, 0.4, 2, (3, 1.5, 0)), tilt(PROBIT, -0.4, 2, (1.5, 3, 0))
    assert left == pytest.approx((right[0], -right[1], right[2]), rel=1e-9)


def test_a_site_is_what_turns_the_cavity_into_the_moments():
    t, u, moved = moved_site(0.5, 2.0, 0.8, 1.2, 0.0, 0.0, 1.0)
    precision = 1 / 2.0 + t
    assert 1 / precision == pytest.approx(1.2)
    assert (0.5 / 2.0 + u) / precision == pytest.approx(0.8)
    assert moved > 0
    assert moved_site(0.5, 2.0, 0.8, 1.2, t, u, 1.0)[2] == pytest.approx(0, abs=1e-12)
