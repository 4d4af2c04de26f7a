"""Selection rules of other systems, written from their formulas; `RIVALS` has them by name.

They choose among the candidates only, and are otherwise as published. A vote between -1 and 1 is
split: (1 + y) / 2 of a win and (1 - y) / 2 of a loss.
"""

from __future__ import annotations

from benchmarks.contest.rivals.asap import ApproximateASAP
from benchmarks.contest.rivals.elo import EloClosest
from benchmarks.contest.rivals.gavel import Gavel
from benchmarks.contest.rivals.hybrid_mst import HybridMST
from benchmarks.contest.rivals.swiss import Swiss
from benchmarks.contest.rivals.trueskill import TrueSkill

RIVALS = {
    "swiss": Swiss,
    "elo-closest": EloClosest,
    "trueskill": TrueSkill,
    "gavel": Gavel,
    "hybrid-mst": HybridMST,
    "asap-approximate": ApproximateASAP,
}
"""From a number of items and random numbers to a player."""
