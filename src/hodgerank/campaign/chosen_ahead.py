"""ChosenAhead: pairs for whoever comes next, where very many are out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set
from concurrent.futures import Future

from hodgerank.campaign.briefing import Briefing, Places, Wanted

FEWEST_OUT = 32  # pairs, from which on others are chosen ahead
SHARE = 8  # one for so many that are out goes out before they are in force, and again after
SPARE = 16  # for workers who have seen some
FEW_PAIRS = 20  # there are, for each that is out: then each is chosen once, as many have seen it


class ChosenAhead:
    """Pairs as a sampler chose them at one place of the log, by a thread of its own.

    To choose one pair takes the longer, the more are out. But the more are out, the less it matters
    that some were answered since. So where many are out, many are chosen together, each as if the
    earlier ones were out, while those chosen before go out. From which place of the log on they are
    in force is counted in pairs that go out, so that who reads the same log has the same pairs.
    """

    def __init__(
        self,
        briefing: Briefing,
        n_items: int,
        pending: Collection[Places],
        exclude: Set[Places],
        resting: Set[int],
    ) -> None:
        n_out = len(pending)
        self._n_until_due = n_out // SHARE
        self._wanted = Wanted(
            n_steps=briefing.n_steps,
            n=2 * self._n_until_due + SPARE,
            pending=tuple(pending),
            exclude=exclude,
            resting=frozenset(resting),
            are_different=n_items * (n_items - 1) // 2 < FEW_PAIRS * n_out,
        )
        self._briefing = briefing
        self._found: Future[list[Places]] | None = None
        self._pairs: dict[tuple[Places, int], Places] | None = None
        self._gone: list[Places] = []  # until they are known,
        self._times = _Times()  # and how often each was

    @property
    def is_due(self) -> bool:
        """Whether it is time to use these, and to choose the next ones."""
        return self._n_until_due <= 0

    def begin(self) -> None:
        """Let them be chosen."""
        if self._found is None:
            self._found = self._briefing.choose(self._wanted)

    def goes_out(self, pair: Places) -> None:
        """A pair goes to a worker, one of these or another."""
        self._n_until_due -= 1
        if self._pairs is None:
            self._gone.append(pair)
        else:
            self._pairs.pop(self._times.number(pair), None)

    def pairs(self) -> Iterable[Places]:
        """Those that have not gone out; none where they could not be chosen."""
        if self._pairs is None:
            self.begin()
            assert self._found is not None
            found = [] if self._found.exception() else self._found.result()
            number = _Times().number
            self._pairs = {number(pair): pair for pair in found}
            for pair in self._gone:
                self._pairs.pop(self._times.number(pair), None)
        return self._pairs.values()


class _Times(dict[Places, int]):
    """How often each pair was met, either way round."""

    def number(self, pair: Places) -> tuple[Places, int]:
        """The pair, the lower place first, and how often it was met before this time."""
        a, b = pair
        key = (a, b) if a < b else (b, a)
        times = self.get(key, 0)
        self[key] = times + 1
        return key, times
