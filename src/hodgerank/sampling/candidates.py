"""Which pairs may be asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from hodgerank.errors import InvalidArgument, UnknownItem
from hodgerank.types import BoolArray, IntArray, Item

Candidates: TypeAlias = (
    Iterable[tuple[Item, Item]] | Mapping[tuple[Item, Item], int] | BoolArray | None
)


class Listed:
    """Allowed pairs one by one, as positions i < j; how often each may still be asked.

    `turned` says where the caller wrote the pair the other way round.
    """

    def __init__(self, pairs: list[tuple[int, int]], remaining: list[float]) -> None:
        left, right = np.array(pairs, np.int64).reshape(-1, 2).T
        self.i: IntArray = np.minimum(left, right)
        self.j: IntArray = np.maximum(left, right)
        self.turned: BoolArray = left > right
        self.remaining = np.array(remaining)
        self._row = {
            pair: k for k, pair in enumerate(zip(self.i.tolist(), self.j.tolist(), strict=True))
        }

    def use_up(self, i: int, j: int) -> None:
        """One answer to the pair is on its way."""
        row = self._row.get((i, j))
        if row is not None:
            self.remaining[row] -= 1

    def forbid(self, i: int, j: int) -> None:
        """The pair may not be asked."""
        row = self._row.get((i, j))
        if row is not None:
            self.remaining[row] = 0

    def forbid_items(self, retired: Iterable[int]) -> None:
        """No pair with one of these items may be asked."""
        gone = list(retired)
        if gone:
            self.remaining[np.isin(self.i, gone) | np.isin(self.j, gone)] = 0


def read_candidates(
    candidates: Candidates, codes: Mapping[Item, int], items: Iterable[Item]
) -> Listed:
    """Candidates in any form as a list without repetition.

    A list of pairs; a mapping from pairs to the answers still wanted; or a boolean matrix over the
    items, where a pair is allowed if either of its two entries is true.
    """
    if isinstance(candidates, np.ndarray):
        n = len(codes)
        if candidates.shape != (n, n) or candidates.dtype != np.bool_:
            raise InvalidArgument(
                f"a matrix of candidates must be boolean and {n} x {n}, not {candidates.dtype} "
                f"{' x '.join(map(str, candidates.shape))}"
            )
        i, j = np.nonzero(np.triu(candidates | candidates.T, 1))
        return Listed(list(zip(i.tolist(), j.tolist(), strict=True)), [np.inf] * len(i))
    if isinstance(candidates, str) or not isinstance(candidates, Iterable):
        raise InvalidArgument(
            "candidates are a list of pairs, a mapping from pairs to answers wanted, or a boolean "
            f"matrix, not {candidates!r}"
        )
    wanted = (
        candidates.items()
        if isinstance(candidates, Mapping)
        else ((pair, np.inf) for pair in dict.fromkeys(map(tuple, candidates)))
    )
    found: dict[tuple[int, int], float] = {}
    for pair, remaining in wanted:
        if not isinstance(remaining, int | float | np.number):
            raise InvalidArgument(f"{pair!r} wants a number of answers, not {remaining!r}")
        a, b = pair_codes(pair, codes, items)
        if (b, a) in found:
            found[b, a] += float(remaining)
        else:
            found[a, b] = float(remaining)
    return Listed(list(found), list(found.values()))


def pair_codes(
    pair: tuple[Item, Item], codes: Mapping[Item, int], items: Iterable[Item]
) -> tuple[int, int]:
    """Positions of the left and right item of a pair."""
    try:
        left, right = pair
        a, b = codes[left], codes[right]
    except KeyError as error:
        raise UnknownItem(error.args[0], items) from None
    except (TypeError, ValueError):
        raise InvalidArgument(f"a pair is (left, right), not {pair!r}") from None
    if a == b:
        raise InvalidArgument(f"{left!r} cannot be compared with itself")
    return a, b
