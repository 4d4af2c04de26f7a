"""Expectation propagation for many items: cavities from Gaussian messages along the pairs.

Exact on trees, and nearly so where cycles are long, as those of designs for many items are. Scores
are independent beforehand, N(0, variance). A message to an item is a precision and a shift, and the
item's belief is the product of its prior and its messages. The log evidence is Bethe's.
"""

from __future__ import annotations

import math

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.expectation_propagation.sites import Answers, Sites
from hodgerank.kernels.expectation_propagation.tilt import moved_site, tilt
from hodgerank.types import CodeArray, FloatArray, IntArray

FIRST_ROUNDS = 3  # of messages alone, which are cheap: they agree with each other before sites move


def fit_messages(
    answers: Answers,
    i: CodeArray,
    j: CodeArray,
    n: int,
    variance: float,
    start: Sites,
    tolerance: float,
    max_sweeps: int,
) -> Sites:
    """Sites fitted one after the other, from where they are, in at most so many sweeps."""
    t, u = start.t.copy(), start.u.copy()
    found = _sweeps(*answers, i, j, n, variance, t, u, tolerance, max_sweeps)
    return Sites(t, u, *found)


@compiled
def _sweeps(
    link: int,
    first: IntArray,
    wins: FloatArray,
    losses: FloatArray,
    pull: FloatArray,
    i: CodeArray,
    j: CodeArray,
    n: int,
    variance: float,
    t: FloatArray,
    u: FloatArray,
    tolerance: float,
    max_sweeps: int,
) -> tuple[float, int, float]:
    sent = np.zeros((len(i), 4))  # to i: precision, shift; to j: precision, shift
    belief = np.zeros((n, 2))  # likewise
    belief[:, 0] = 1 / variance
    for _ in range(FIRST_ROUNDS):  # what the sites say already
        for e in range(len(i)):
            _send(e, i[e], j[e], t[e], u[e], sent, belief)
    sweeps, change, evidence = 0, np.inf, 0.0
    while sweeps < max_sweeps and change > tolerance:
        sweeps += 1
        change, evidence = 0.0, 0.0
        for e in range(len(i)):
            a, b = i[e], j[e]
            p_a, h_a = belief[a, 0] - sent[e, 0], belief[a, 1] - sent[e, 1]
            p_b, h_b = belief[b, 0] - sent[e, 2], belief[b, 1] - sent[e, 3]
            cavity_mean, cavity_variance = h_a / p_a - h_b / p_b, 1 / p_a + 1 / p_b
            own = slice(first[e], first[e + 1])
            log_mass, mean, v = tilt(
                link, cavity_mean, cavity_variance, wins[own], losses[own], pull[own]
            )
            evidence += log_mass
            evidence -= _log_message_mass(p_a, h_a, sent[e, 0], sent[e, 1])
            evidence -= _log_message_mass(p_b, h_b, sent[e, 2], sent[e, 3])
            t[e], u[e], moved = moved_site(cavity_mean, cavity_variance, mean, v, t[e], u[e], 1.0)
            change = max(change, moved)
            _send(e, a, b, t[e], u[e], sent, belief)
    for c in range(n):
        p, h = belief[c]
        evidence += 0.5 * (h * h / p - math.log(variance * p))
    return evidence, sweeps, change


@compiled
def _send(e: int, a: int, b: int, t: float, u: float, sent: FloatArray, belief: FloatArray) -> None:
    """What a site says to either end, given what is known of the other."""
    p_a, h_a = belief[a, 0] - sent[e, 0], belief[a, 1] - sent[e, 1]
    p_b, h_b = belief[b, 0] - sent[e, 2], belief[b, 1] - sent[e, 3]
    to_a, to_b = p_b / (t + p_b), p_a / (t + p_a)
    sent[e, 0], sent[e, 1] = t * to_a, (u + t * h_b / p_b) * to_a
    sent[e, 2], sent[e, 3] = t * to_b, (-u + t * h_a / p_a) * to_b
    belief[a, 0], belief[a, 1] = p_a + sent[e, 0], h_a + sent[e, 1]
    belief[b, 0], belief[b, 1] = p_b + sent[e, 2], h_b + sent[e, 3]


@compiled
def _log_message_mass(p: float, h: float, precision: float, shift: float) -> float:
    """Ln of the mass of a message under a Gaussian belief of precision p and shift h."""
    both = p + precision
    return 0.5 * (math.log(p / both) + (h + shift) ** 2 / both - h * h / p)
