"""Sorting algorithms and the knockout, which take a vote for the truth.

Each algorithm is a generator: it yields questions that do not depend on each other's answers, is
sent whether the first of each pair is better, and returns the items, best first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Sequence

import numpy as np

from benchmarks.contest.crowds import Pairs
from benchmarks.contest.rivals.entrant import Allowed, Pair

Steps = Generator[list[Pair], list[bool], list[int]]
MOST_SORTS = 3  # in which no pair may be asked; then any pair is


def merge_sort(items: list[int]) -> Steps:
    """From the bottom up; all merges of a level take turns."""
    runs = [[item] for item in items]
    while len(runs) > 1:
        merges: list[tuple[list[int], list[int], list[int]]] = [
            (a, b, []) for a, b in zip(runs[::2], runs[1::2], strict=False)
        ]
        odd = runs[2 * len(merges) :]
        while open_ := [merge for merge in merges if merge[0] and merge[1]]:
            answers = yield [(a[0], b[0]) for a, b, _ in open_]
            for (a, b, merged), is_first in zip(open_, answers, strict=True):
                merged.append((a if is_first else b).pop(0))
        runs = [merged + a + b for a, b, merged in merges] + odd
    return runs[0]


def quicksort(items: list[int]) -> Steps:
    """The first item of each part is its pivot; all parts are divided at once."""
    parts = [items]
    while any(len(part) > 1 for part in parts):
        answers = iter((yield [(item, part[0]) for part in parts for item in part[1:]]))
        divided = []
        for pivot, *others in parts:
            is_better = [next(answers) for _ in others]
            better = [item for item, is_so in zip(others, is_better, strict=True) if is_so]
            worse = [item for item, is_so in zip(others, is_better, strict=True) if not is_so]
            divided += [part for part in (better, [pivot], worse) if part]
        parts = divided
    return [item for (item,) in parts]


def merge_insertion(items: list[int]) -> Steps:
    """Ford and Johnson: sort the winners of pairs, then insert the losers by bisection.

    L. Ford, S. Johnson: A tournament problem, American Mathematical Monthly 66, 1959. Losers are
    inserted in groups of 2, 2, 6, 10, 22, ..., each from its end, so that bisection has 2^k - 1
    places.
    """
    if len(items) < 2:
        return items
    half = len(items) // 2
    pairs = list(zip(items[:half], items[half : 2 * half], strict=True))
    answers = yield pairs
    loser = {}
    for (a, b), is_first in zip(pairs, answers, strict=True):
        loser[a if is_first else b] = b if is_first else a
    winners = (yield from merge_insertion(list(loser)))[::-1]
    chain = [loser[winners[0]], *winners]  # worst first
    waiting: list[tuple[int, int | None]] = [(loser[winner], winner) for winner in winners[1:]]
    waiting += [(item, None) for item in items[2 * half :]]
    size, before = 2, 0
    while waiting:
        group, waiting = waiting[:size], waiting[size:]
        for item, winner in reversed(group):
            low, high = 0, len(chain) if winner is None else chain.index(winner)
            while low < high:
                middle = (low + high) // 2
                (is_better,) = yield [(item, chain[middle])]
                low, high = (middle + 1, high) if is_better else (low, middle)
            chain.insert(low, item)
        size, before = size + 2 * before, size
    return chain[::-1]


def knockout(items: list[int]) -> Steps:
    """Winners go on to the next round; who has no partner does too. Nobody else is ranked."""
    while len(items) > 1:
        pairs = list(zip(items[::2], items[1::2], strict=False))
        answers = yield pairs
        odd = items[2 * len(pairs) :]
        items = odd + [
            a if is_first else b for (a, b), is_first in zip(pairs, answers, strict=True)
        ]
    return items


class Sorter:
    """Runs an algorithm, in a new random order whenever it is done.

    The sign of a vote is the answer; of a tie, chance. A pair without votes left is decided by the
    votes on it so far. If all questions that can be asked are in progress, the one with fewest
    votes in progress is asked again; the first vote counts.
    """

    def __init__(
        self, n: int, rng: np.random.Generator, algorithm: Callable[[list[int]], Steps]
    ) -> None:
        self._rng = rng
        self._algorithm = algorithm
        self._allowed = Allowed(n)
        self._surplus: dict[Pair, float] = defaultdict(float)  # wins minus losses of the first
        self.order: list[int] = []
        self._begin()

    def _begin(self) -> None:
        self._steps = self._algorithm(self._rng.permutation(len(self._allowed.matrix)).tolist())
        self._set(next(self._steps))

    def _set(self, questions: list[Pair]) -> None:
        self._questions: dict[Pair, bool | None] = dict.fromkeys(questions)  # with their answers
        self._n_open = len(questions)
        self._not_asked = questions[::-1]

    def ask(self, candidates: Pairs | None, pending: Sequence[Pair] = ()) -> Pair:
        """The pair to show next."""
        allowed = self._allowed.read(candidates)
        for _ in range(MOST_SORTS * len(allowed.matrix) ** 2):  # questions of a sort, at most
            while self._not_asked:
                pair = self._not_asked.pop()
                if allowed.matrix[pair]:
                    return pair
            out = Counter(pending)
            waiting = [pair for pair, answer in self._questions.items() if answer is None]
            open_ = [pair for pair in waiting if allowed.matrix[pair]]
            if open_:
                return min(open_, key=out.__getitem__)
            for pair in waiting:
                self._answer(pair, self._surplus[pair])
            self._go_on()
        return allowed.pair(int(self._rng.integers(len(allowed.i))))

    def tell(self, pair: Pair, outcome: float, worker: str | None) -> None:
        """An answer."""
        self._surplus[pair] += outcome
        self._surplus[pair[::-1]] -= outcome
        if self._questions.get(pair, False) is None:
            self._answer(pair, outcome)
            if not self._n_open:
                self._go_on()

    def _answer(self, pair: Pair, sign: float) -> None:
        self._questions[pair] = sign > 0 if sign else bool(self._rng.random() < 0.5)
        self._n_open -= 1

    def _go_on(self) -> None:
        try:
            self._set(self._steps.send([bool(each) for each in self._questions.values()]))
        except StopIteration as done:
            self.order = done.value
            self._begin()
