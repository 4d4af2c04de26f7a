"""How far each answer is from what the scores say, seen from the favourite of its pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hodgerank.estimators.reliability.bradley_terry_fit import BradleyTerryFit
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.types import FloatArray, IntArray

PER_CLASS = 100  # answers, at least
MOST_CLASSES = 20
SURE = 1e-6  # nobody is surer than that


@dataclass(frozen=True, eq=False)
class Residuals:
    """One value per answer: 1 the favourite is preferred, 0 the other, minus what is expected.

    Pairs are sorted into classes of similar difference. What all answers of a class have in common,
    such as lapses or a link that is not the logistic one, is nobody's misfit: `expected` is the
    chance of the favourite as the class has it.
    """

    answered: AnsweredGraph
    fit: BradleyTerryFit

    @cached_property
    def times(self) -> FloatArray:
        """How many answers each row stands for."""
        return self.answered.votes.answers_per_row.astype(float)

    @cached_property
    def chance(self) -> FloatArray:
        """Of the favourite of each edge, by Bradley-Terry."""
        return np.maximum(self.fit.chances, 1 - self.fit.chances)

    @cached_property
    def outcome(self) -> FloatArray:
        """Of the favourite, from 0 to 1, for each answer."""
        side = np.where(self.fit.differences >= 0, 1.0, -1.0)
        return np.asarray((1 + side[self.answered.edge] * self.answered.turned) / 2)

    @cached_property
    def residual(self) -> FloatArray:
        """Outcome minus chance, for each answer."""
        return np.asarray(self.outcome - self.chance[self.answered.edge])

    @cached_property
    def kept(self) -> FloatArray:
        """Share of an answer's variance that fitting left over, for each edge."""
        return np.maximum(1 - self.fit.leverage / self.fit.graph.weights, SURE)

    @cached_property
    def classes(self) -> IntArray:
        """The class of each edge, by the size of its difference; each has about as many answers."""
        counts = self.fit.graph.counts
        n_classes = int(np.clip(counts.sum() // PER_CLASS, 1, MOST_CLASSES))
        order = np.argsort(self.chance, kind="stable")
        before = np.cumsum(counts[order]) - counts[order] / 2
        classes = np.empty(len(order), np.int64)
        classes[order] = np.minimum(before * n_classes // counts.sum(), n_classes - 1)
        return classes

    @cached_property
    def answers_in_class(self) -> FloatArray:
        """Number of answers in each class."""
        return self._in_class(np.ones(len(self.times)))

    def _in_class(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.classes[self.answered.edge], self.times * values).astype(float)

    def _class_mean(self, values: FloatArray) -> FloatArray:
        """For each edge, the mean over the answers of its class."""
        n = self.answers_in_class
        return np.asarray((self._in_class(values) / np.where(n > 0, n, 1.0))[self.classes])

    @cached_property
    def expected(self) -> FloatArray:
        """Chance of the favourite of each edge, corrected by what its class has in common."""
        return np.clip(self.chance + self._class_mean(self.residual), SURE, 1 - SURE)

    @cached_property
    def variance(self) -> FloatArray:
        """Of an answer to each edge, around what is expected."""
        binomial = self.expected * (1 - self.expected)
        if self.fit.is_plain:
            return binomial
        edge = self.answered.edge
        found = self._class_mean((self.outcome - self.expected[edge]) ** 2 / self.kept[edge])
        usual = self._class_mean(binomial[edge])
        return np.asarray(binomial * found / np.maximum(usual, SURE**2))

    @cached_property
    def variance_of_square(self) -> FloatArray:
        """Of the squared residual of an answer to each edge."""
        v = self.fit.variances
        if self.fit.is_plain:
            return np.maximum(v * (1 - 4 * v), 0.0)
        squares = self.residual**2
        return np.maximum(self._class_mean(squares**2) - self._class_mean(squares) ** 2, 0.0)
