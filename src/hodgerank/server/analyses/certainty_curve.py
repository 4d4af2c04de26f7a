"""Expected tau as it was after fewer answers, of which little is computed twice."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from time import monotonic

import numpy as np

from hodgerank.campaign.standing import TrackStanding
from hodgerank.data.comparisons import Comparisons

RATIO = 2**0.5
FURTHEST_BACK = 64  # the curve begins at this fraction of the answers
MOST_SECONDS = 3.0
"""For places that were not looked at before; what is missing then comes with a later look."""
MOST_REMEMBERED = 1000

Points = list[tuple[int, float]]
_remembered: dict[tuple[bytes, int], float] = {}


def certainty_curve(standing: TrackStanding) -> Points:
    """Expected tau at some numbers of answers, the last of them being all."""
    votes, n = standing.votes, standing.n_answers
    begin, found = monotonic(), [(n, standing.expected_tau)]
    _remember(_fingerprint(standing, n), found[0])
    for place in _places(n):
        key = _fingerprint(standing, place)
        tau = _remembered.get((key, place))
        if tau is None:
            if monotonic() - begin > MOST_SECONDS:
                break
            earlier = replace(standing, votes=_first(votes, place))
            tau = earlier.expected_tau
            _remember(key, (place, tau))
        found.append((place, tau))
    return found[::-1]


def _places(n: int) -> list[int]:
    """The same ones as answers come, so that most are known; the latest first."""
    steps = np.unique(np.round(RATIO ** np.arange(0, 60)).astype(np.int64))
    return [k for k in steps[::-1].tolist() if n / FURTHEST_BACK <= k < n]


def _first(votes: Comparisons, n: int) -> Comparisons:
    return votes.select(np.arange(n))


def _fingerprint(standing: TrackStanding, n: int) -> bytes:
    """Of all that the expected tau after n answers hangs on."""
    votes, settings = standing.votes, standing.settings
    told = repr((standing.active, settings.ranking, settings.position, votes.workers))
    found = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16)
    for column in (votes.left, votes.right, votes.outcome, votes.worker, votes.total_weight):
        found.update(np.ascontiguousarray(column[:n]).data)
    return found.digest()


def _remember(key: bytes, point: tuple[int, float]) -> None:
    while len(_remembered) >= MOST_REMEMBERED:
        del _remembered[next(iter(_remembered))]
    _remembered[key, point[0]] = point[1]
