"""ASAP: the pair whose answer is expected to tell most about all skills, or about its two.

A. Mikhailiuk, C. Wilmot, M. Perez-Ortiz, D. Yue, R. Mantiuk: Active sampling for pairwise
comparisons via approximate message passing and information gain maximization, ICPR 2020. Gains are
expected divergences of the posterior after the answer from the present one. Theirs evaluates a
random choice of pairs to save time; here it is all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.contest.crowds import Pairs
from benchmarks.contest.rivals.entrant import Allowed, Pair, TreeBatch, random_argmax
from benchmarks.contest.rivals.skills import Skills, win_effect

VARIANCE, NOISE = 0.5, 1.0  # of skills at first, and of the difference of two performances


class ApproximateASAP:
    """An answer changes the skills of its two items alone, see `Skills`.

    With pairs in progress it plays spanning trees of largest gain, as the authors do in batches.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._skills = Skills(n, VARIANCE, NOISE)
        self._tree = TreeBatch()
        self._candidates: Pairs | None = None
        self._gains = np.array([self._gains_of(item) for item in range(n)])
        self._allow()

    def ask(self, candidates: Pairs | None, pending: Sequence[Pair] = ()) -> Pair:
        """The pair to show next."""
        allowed = self._allowed.read(candidates)
        if candidates is not self._candidates:
            self._candidates = candidates
            self._allow()
        if pending:
            pair = self._tree.next(allowed)
            if pair is None:
                self._tree.plant(allowed, self._gains[allowed.i, allowed.j], self._rng)
                pair = self._tree.next(allowed)
            if pair is not None:
                return pair
        i = random_argmax(self._largest, self._rng)
        return i, random_argmax(self._open[i], self._rng)

    def tell(self, pair: Pair, outcome: float, worker: str | None) -> None:
        """An answer; only gains of pairs with one of the two items change."""
        self._skills.learn(*pair, outcome)
        for item in pair:
            old = self._open[:, item].copy()
            new = self._gains_of(item)
            self._gains[item] = self._gains[:, item] = new
            new = np.where(self._allowed.matrix[item], new, -np.inf)
            self._open[item] = self._open[:, item] = new
            np.maximum(self._largest, new, out=self._largest)
            stale = np.append(np.flatnonzero(old == self._largest), item)
            self._largest[stale] = self._open[stale].max(axis=1)

    def _allow(self) -> None:
        """Keep the gains of pairs that may be asked, and the largest of each item."""
        self._open = np.where(self._allowed.matrix, self._gains, -np.inf)
        self._largest = self._open.max(axis=1)

    def _gains_of(self, item: int) -> np.ndarray:
        everybody = np.arange(len(self._skills.mean))
        return np.asarray(self._half_gains(item, everybody) + self._half_gains(everybody, item))

    def _half_gains(self, i: np.ndarray | int, j: np.ndarray | int) -> np.ndarray:
        """P(i beats j) times the divergence that would follow."""
        win = self._skills.win(i, j)
        divergence = 0.0
        for item in (i, j):
            weight = self._skills.variance[item] / win.c**2
            left = 1 - weight * win.shrinkage  # share of the variance
            divergence = divergence + (left - 1 - np.log(left) + weight * win.shift**2) / 2
        return np.asarray(np.exp(win.log_probability) * divergence)


MOST_SWEEPS, SMALL = 100, 1e-9


class MessagePassing:
    """Skills by expectation propagation: all answers are taken in together.

    The factor of a win sends each of its items a Gaussian message; equal factors send equal ones.
    Entry [i, j] of a matrix belongs to wins of i over j.

    Attributes
    ----------
    wins
        Number of wins.
    marginal
        Precisions of all items, and precisions times means.
    to_winner, to_loser
        Messages, in the same form.
    """

    def __init__(self, n: int) -> None:
        self.wins = np.zeros((n, n))
        self.to_winner, self.to_loser = np.zeros((2, n, n)), np.zeros((2, n, n))
        self._collect()

    def _collect(self) -> None:
        won, lost = self.wins * self.to_winner, self.wins * self.to_loser
        self.marginal = won.sum(axis=2) + lost.sum(axis=1)
        self.marginal[0] += 1 / VARIANCE

    def settle(self) -> None:
        """Pass messages until they hardly change."""
        for _ in range(MOST_SWEEPS):
            before = self.marginal
            self.to_winner, self.to_loser = messages(
                self.marginal[:, :, None] - self.to_winner,
                self.marginal[:, None, :] - self.to_loser,
            )
            self._collect()
            if np.abs(self.marginal - before).max() < SMALL:
                return

    def after_each_win(self) -> np.ndarray:
        """Return marginals after one more win: [.., i, j, item] after a win of i over j.

        Two sweeps from settled messages, as the authors do. In the first only the message of the
        new factor changes; in the second those of the other factors of i and j.
        """
        n = len(self.wins)
        items = np.arange(n)
        first, second = self.marginal[:, :, None], self.marginal[:, None, :]
        to_i, to_j = messages(first + np.zeros((n, n)), second + np.zeros((n, n)))
        new_i, new_j = first + to_i, second + to_j
        after = np.broadcast_to(self.marginal[:, None, None, :], (2, n, n, n)).copy()
        partner = np.broadcast_to(self.marginal[:, None, None, :], (2, n, n, n)).copy()
        partner[:, :, items, items] = new_j  # factors of both i and j are counted with those of i
        wins_of_j = np.broadcast_to(self.wins[None, :, :], (n, n, n)).copy()
        losses_of_j = np.broadcast_to(self.wins.T[None, :, :], (n, n, n)).copy()
        wins_of_j[items, :, items] = losses_of_j[items, :, items] = 0.0
        everybody = self.marginal[:, None, None, :]
        for own, new, wins, losses, other, axis in (
            (new_i, to_i, self.wins[:, None, :], self.wins.T[:, None, :], partner, 0),
            (new_j, to_j, wins_of_j, losses_of_j, everybody, 1),
        ):
            sent = self.to_winner, self.to_loser
            won_own, won_other = (_spoken(each, axis) for each in sent)
            lost_other, lost_own = (_spoken(each.transpose(0, 2, 1), axis) for each in sent)
            own_won, other_lost = messages(own[..., None] - won_own, other - won_other)
            other_won, own_lost = messages(other - lost_other, own[..., None] - lost_own)
            told = wins * (own_won - won_own) + losses * (own_lost - lost_own)
            told = new + told.sum(axis=3)
            after += wins * (other_lost - won_other) + losses * (other_won - lost_other)
            if axis == 0:
                after[:, items, :, items] += told.transpose(1, 0, 2)
            else:
                after[:, :, items, items] += told
        return after


def _spoken(messages: np.ndarray, axis: int) -> np.ndarray:
    """Entry [item, partner] as [i, j, partner], the item being i or j."""
    return messages[:, :, None, :] if axis == 0 else messages[:, None, :, :]


def messages(winner: np.ndarray, loser: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the messages of a win, from the marginals of both without it.

    Each is a precision and a precision times a mean, along the first axis.
    """
    variance_i, variance_j = 1 / winner[0], 1 / loser[0]
    mean_i, mean_j = winner[1] * variance_i, loser[1] * variance_j
    win = win_effect(mean_i - mean_j, NOISE + variance_i + variance_j)
    found = []
    for mean, variance, sign, own in (
        (mean_i, variance_i, 1.0, winner),
        (mean_j, variance_j, -1.0, loser),
    ):
        precision = 1 / (variance * (1 - variance * win.shrinkage / win.c**2))
        shift = precision * (mean + sign * variance * win.shift / win.c)
        found.append(np.stack((precision, shift)) - own)
    return found[0], found[1]


def divergence(new: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Return the divergence of independent Gaussians from others, over the last axis."""
    share = old[0] / new[0]
    moved = (new[1] / new[0] - old[1] / old[0]) ** 2 * old[0]
    return np.asarray((share - 1 - np.log(share) + moved).sum(axis=-1) / 2)


class ExactASAP:
    """The full posterior after each possible answer, by message passing."""

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self.posterior = MessagePassing(n)

    def gains(self) -> np.ndarray:
        """Return the expected divergence of every pair, as a symmetric matrix."""
        posterior = self.posterior
        precision, shift = posterior.marginal
        mean, variance = shift / precision, 1 / precision
        win = win_effect(mean[:, None] - mean, NOISE + variance[:, None] + variance)
        told = np.exp(win.log_probability) * divergence(
            posterior.after_each_win(), posterior.marginal[:, None, None, :]
        )
        return np.asarray(told + told.T)

    def ask(self, candidates: Pairs | None, pending: Sequence[Pair] = ()) -> Pair:
        """The pair to show next."""
        allowed = self._allowed.read(candidates)
        gains = np.round(self.gains()[allowed.i, allowed.j], 9)
        return allowed.pair(random_argmax(gains, self._rng))

    def tell(self, pair: Pair, outcome: float, worker: str | None) -> None:
        """An answer."""
        i, j = pair
        self.posterior.wins[i, j] += (1 + outcome) / 2
        self.posterior.wins[j, i] += (1 - outcome) / 2
        self.posterior.settle()
