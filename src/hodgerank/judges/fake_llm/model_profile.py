"""ModelProfile: behaviour of a fake model, from two scores to the probability of each reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from math import exp, inf, log

from hodgerank.errors import InvalidArgument

Labels = Mapping[str, float | None]
"""Labels of replies, and the outcomes of the left item they stand for; None: no opinion."""


@dataclass(frozen=True)
class ModelProfile:
    """Behaviour of a fake model.

    It perceives z = acuity (s_left - s_right) + position_bias + verbosity_bias (length of left
    - length of right) / 100 + self_preference (own_left - own_right) with logistic noise, so that

        P(A) = lapse / 2 + (1 - lapse) sigmoid(z)

    where A and B are all that is offered. Several grades cut the same scale into pieces.

    Attributes
    ----------
    acuity
        Sensitivity to scores; 0 answers at random.
    position_bias
        Bias towards the left item, on the logit scale.
    verbosity_bias
        Bias towards the longer text, per 100 characters, on the logit scale.
    self_preference, own
        Bias towards texts of its own family, on the logit scale, and these texts.
    lapse
        Share of random answers.
    ties
        Width of the band of z that is a tie, if the prompt offers ties.
    abstain
        Share of abstentions, if the prompt offers them.
    refuse
        Share of refusals.
    ramble
        Share of replies without a label.
    """

    acuity: float = 1.0
    position_bias: float = 0.0
    verbosity_bias: float = 0.0
    self_preference: float = 0.0
    lapse: float = 0.0
    ties: float = 0.0
    abstain: float = 0.0
    refuse: float = 0.0
    ramble: float = 0.0
    own: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name == "own":
                continue
            value = getattr(self, field.name)
            is_share = field.name in ("lapse", "abstain", "refuse", "ramble")
            low, high = (0.0, 1.0) if is_share else (-inf, inf)
            if not (low <= value <= high and abs(value) < inf):
                must = "between 0 and 1" if is_share else "finite"
                raise InvalidArgument(f"{field.name} must be {must}, not {value}")
        if self.ties < 0:
            raise InvalidArgument(f"ties must be at least 0, not {self.ties}")
        if self.refuse + self.ramble > 1:
            raise InvalidArgument("refuse and ramble are shares of all replies: at most 1 together")

    def perceived(
        self,
        scores: tuple[float, float],
        lengths: tuple[int, int],
        texts: tuple[str, str] = ("", ""),
    ) -> float:
        """Return z: the perceived advantage of the left item, on the logit scale."""
        own = (texts[0] in self.own) - (texts[1] in self.own)
        return (
            self.acuity * (scores[0] - scores[1])
            + self.position_bias
            + self.verbosity_bias * (lengths[0] - lengths[1]) / 100
            + self.self_preference * own
        )

    def probabilities(self, z: float, labels: Labels) -> dict[str, float]:
        """Return the probability of each label, given that the reply is a label."""
        outcomes = {label: y for label, y in labels.items() if y is not None}
        silent = [label for label, y in labels.items() if y is None]
        best_first = sorted(outcomes, key=lambda label: -outcomes[label])
        at_least = [0.0, *(_sigmoid(z - cut) for cut in self._cuts(outcomes)), 1.0]
        speaks = 1 - self.abstain if silent else 1.0
        found = {
            label: speaks * (self.lapse / len(best_first) + (1 - self.lapse) * (below - above))
            for label, (above, below) in zip(best_first, pairwise(at_least), strict=True)
        }
        return found | {label: (1 - speaks) / len(silent) for label in silent}

    def _cuts(self, outcomes: Mapping[str, float]) -> list[float]:
        """Return the boundaries between labels on the scale of z, from the best label down."""
        ordered = sorted(outcomes.values(), reverse=True)
        if ordered == [1, 0, -1]:  # a tie is rarer than a middle grade
            return [self.ties / 2, -self.ties / 2]
        middles = ((above + below) / 2 for above, below in pairwise(ordered))
        return [log((1 + middle) / (1 - middle)) for middle in middles]


def _sigmoid(z: float) -> float:
    return 1 / (1 + exp(-z)) if z > -700 else 0.0
