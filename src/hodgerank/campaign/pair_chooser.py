"""PairChooser: chooses the next pair of a track."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Self

from hodgerank.campaign.sampler_feed import Answers, NotReady, Places, SamplerFeed, Wanted
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.types import IntArray, Item

FEWEST_OUT = 32  # pairs in progress from which on others are chosen ahead
SHARE = 8  # one for so many that are out goes out before they are in force, and again after
SPARE = 16  # for workers who have seen some
FEW_PAIRS = 20  # there are, for each that is out: then each is chosen once, as many have seen it


class PrefetchedPairs:
    """Pairs chosen ahead at one place of the log, in a thread of its own.

    Choosing a pair takes longer the more pairs are in progress, but it then matters less that some
    were answered meanwhile. So with many pairs in progress, many are chosen together, each as if
    the earlier ones were in progress, while those chosen before are assigned. They become valid
    after a number of assigned pairs, so that every process that reads the same log has the same
    pairs.
    """

    def __init__(
        self, feed: SamplerFeed, wanted: Wanted, n_until_due: int, gone: Iterable[Places] = ()
    ) -> None:
        self._feed, self._wanted, self._n_until_due = feed, wanted, n_until_due
        self._found: Future[list[Places]] | None = None
        self._pairs: dict[tuple[Places, int], Places] | None = None
        self._gone = list(gone)  # until they are known,
        self._times = _Times()  # and how often each was

    @classmethod
    def begun(
        cls,
        feed: SamplerFeed,
        n_items: int,
        pending: Collection[Places],
        exclude: Set[Places],
        resting: Set[int],
    ) -> Self:
        """Plan the pairs to choose ahead at the current position in the log."""
        n_out = len(pending)
        n_until_due = n_out // SHARE
        wanted = Wanted(
            n_steps=feed.n_steps,
            n=2 * n_until_due + SPARE,
            pending=tuple(pending),
            exclude=exclude,
            resting=frozenset(resting),
            are_different=n_items * (n_items - 1) // 2 < FEW_PAIRS * n_out,
        )
        return cls(feed, wanted, n_until_due)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan for a snapshot; the pairs must not have been read yet."""
        assert self._pairs is None
        wanted = self._wanted._asdict()
        wanted["exclude"], wanted["resting"] = list(wanted["exclude"]), list(wanted["resting"])
        return {"wanted": wanted, "n_until_due": self._n_until_due, "gone": self._gone}

    @classmethod
    def of(cls, feed: SamplerFeed, parts: Mapping[str, Any]) -> Self:
        """Restore the plan that `to_dict` returned, with the feed that chooses the pairs."""
        wanted = Wanted(**parts["wanted"])
        wanted = wanted._replace(
            pending=_pairs(wanted.pending),
            exclude=frozenset(_pairs(wanted.exclude)),
            resting=frozenset(wanted.resting),
        )
        return cls(feed, wanted, parts["n_until_due"], _pairs(parts["gone"]))

    @property
    def feed(self) -> SamplerFeed:
        """The feed whose sampler chooses the pairs."""
        return self._feed

    @property
    def is_due(self) -> bool:
        """Whether enough pairs were assigned for these pairs to come into use."""
        return self._n_until_due <= 0

    def begin(self) -> None:
        """Start choosing the pairs in a thread, unless it was started before."""
        if self._found is None:
            self._found = self._feed.choose(self._wanted)

    def goes_out(self, pair: Places) -> None:
        """Record a pair that was assigned to a worker, chosen ahead or not."""
        self._n_until_due -= 1
        if self._pairs is None:
            self._gone.append(pair)
        else:
            self._pairs.pop(self._times.number(pair), None)

    def pairs(self) -> Iterable[Places]:
        """Return the pairs not yet assigned; none if choosing them failed.

        Raises `NotReady` while they are being chosen.
        """
        if self._pairs is None:
            self.begin()
            assert self._found is not None
            if not self._found.done():
                raise NotReady(self._found)
            found = [] if self._found.exception() else self._found.result()
            number = _Times().number
            self._pairs = {number(pair): pair for pair in found}
            for pair in self._gone:
                self._pairs.pop(self._times.number(pair), None)
        return self._pairs.values()


def _pairs(pairs: Iterable[Iterable[int]]) -> tuple[Places, ...]:
    return tuple((a, b) for a, b in pairs)


class _Times(dict[Places, int]):
    """Number of times each pair occurred, regardless of the order of its items."""

    def number(self, pair: Places) -> tuple[Places, int]:
        """Count a pair; return it, lower position first, and how often it occurred before."""
        a, b = pair
        key = (a, b) if a < b else (b, a)
        times = self.get(key, 0)
        self[key] = times + 1
        return key, times


LONGEST_WAIT = 0.5  # seconds until a sampler that was told nothing so far can be asked
PATIENCE = 50  # a sampler is replaced after one further answer for so many that it was told


class PairChooser:
    """The sampler of a track, and its successor after answers were undone.

    A sampler cannot unlearn an answer. It stays in use while a thread tells another sampler the
    votes that count. That one takes over after 2% more answers, which is a place in the log, so
    that every process that reads the same log uses the same sampler. Requests are refused with
    `NotReady` only if the thread has not finished by then.

    If a log is opened with more answers than a sampler learns quickly, it becomes the successor,
    and a faster sampler chooses pairs until it takes over.

    Parameters
    ----------
    out, resting
        Pairs in progress as shown, and retired items, by positions in the track; the caller
        maintains them.
    gold
        Pairs that are never chosen, the lower position first.
    rows
        Votes that the sampler is told first.
    """

    def __init__(
        self,
        settings: CampaignSettings,
        answers: Answers,
        n_items: int,
        out: Mapping[int, Places],
        resting: Set[int],
        gold: Callable[[], Set[Places]],
        rows: IntArray | None = None,
    ) -> None:
        self._settings, self._answers = settings, answers
        self._n_items, self._out, self._resting, self._gold = n_items, out, resting, gold
        self._minds_who = settings.vetting > 0 or settings.sampler == "crowd-bt"
        self._current = SamplerFeed(settings, answers, n_items, rows)
        self._next: SamplerFeed | None = None
        self._n_until_next = 0  # answers
        self._is_outdated = False  # even the next one is
        self._ahead: PrefetchedPairs | None = None  # in force
        self._next_ahead: PrefetchedPairs | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the feeds and the pairs planned ahead, for a snapshot."""
        ahead = [self._ahead, self._next_ahead]
        of_pairs = [None if each is None else each.feed for each in ahead]
        feeds = list(dict.fromkeys(filter(None, (self._current, self._next, *of_pairs))))
        return {
            "n_items": self._n_items,
            "n_until_next": self._n_until_next,
            "is_outdated": self._is_outdated,
            "feeds": [feed.to_dict() for feed in feeds],
            "next": None if self._next is None else feeds.index(self._next),
            "ahead": [None if each is None else each.to_dict() for each in ahead],
            "ahead_feeds": [None if feed is None else feeds.index(feed) for feed in of_pairs],
        }

    def restore(self, parts: Mapping[str, Any]) -> None:
        """Restore the state that `to_dict` returned."""
        feeds = [SamplerFeed.of(self._settings, self._answers, each) for each in parts["feeds"]]
        self._n_items, self._n_until_next = parts["n_items"], parts["n_until_next"]
        self._is_outdated = parts["is_outdated"]
        self._current = feeds[0]
        self._next = None if parts["next"] is None else feeds[parts["next"]]
        self._ahead, self._next_ahead = (
            None if each is None else PrefetchedPairs.of(feeds[feed], each)
            for each, feed in zip(parts["ahead"], parts["ahead_feeds"], strict=True)
        )

    def ask(self, worker: int, exclude: Set[Places], resting: Set[int]) -> Places | None:
        """Return the next pair for a worker, by positions in the track; None if none is allowed.

        Excluded pairs have the lower position first. Never waits for a sampler that learns or
        chooses: raises `NotReady`, and the same request after that gets the pair.
        """
        self.prepare()
        pair = self._choose(worker, exclude, resting)
        if self._next is not None:
            self._next.go_on()  # not earlier: it would take the processors from who asks
        return pair

    def draw_slopes(self, workers: Iterable[int]) -> dict[Item, float]:
        """Return drawn slopes of workers, to decide who should answer."""
        self.prepare()
        return self._current.draw_slopes(workers)

    def _choose(self, worker: int, exclude: Set[Places], resting: Set[int]) -> Places | None:
        for pair in self._ahead.pairs() if self._ahead is not None else ():
            a, b = pair
            is_excluded = ((a, b) if a < b else (b, a)) in exclude
            if not is_excluded and a not in resting and b not in resting:
                return pair
        who = worker if self._minds_who else None
        return self._current.ask(self._out.values(), who, exclude, resting)

    def prepare(self) -> None:
        """Let samplers learn in their threads before they are asked."""
        if self._current.seconds_to_begin > LONGEST_WAIT:
            self._stand_in()
        ahead = [each for each in (self._ahead, self._next_ahead) if each is not None]
        for each in ahead:
            each.begin()
        if not ahead:
            self._current.go_on()

    def _stand_in(self) -> None:
        """Let another sampler choose until this one, or the next, has learned the votes."""
        if self._next is None:
            self._next = self._current
        self._n_until_next = max(self._n_until_next, self._current.n_votes // PATIENCE)
        quick = replace(
            self._settings, sampler="bayesian", vetting=0, easy_share=0.0, choose_workers=False
        )
        self._current = SamplerFeed(quick, self._answers, self._n_items, self._answers.counted())
        self._ahead = self._next_ahead = None  # they wait for the one that takes long

    def goes_out(self, pair: Places) -> None:
        """Record an assigned pair; with very many in progress, start choosing others ahead."""
        if self._ahead is not None:
            self._ahead.goes_out(pair)
        if self._next_ahead is not None:
            self._next_ahead.goes_out(pair)
            if not self._next_ahead.is_due:
                return
        self._ahead, self._next_ahead = self._next_ahead, None
        if len(self._out) >= FEWEST_OUT and self._current.n_steps and not self._minds_who:
            self._next_ahead = PrefetchedPairs.begun(
                self._current, self._n_items, self._out.values(), self._gold(), self._resting
            )

    def tell(self, row: int) -> None:
        """Record a vote."""
        self._current.add(row)
        if self._next is not None:
            self._next.add(row)
            self._n_until_next -= 1
            if self._n_until_next <= 0:
                self._replace()

    def add_item(self) -> None:
        """Record a new item."""
        self._n_items += 1
        for feed in filter(None, (self._current, self._next)):
            feed.add_item()

    def revise(self) -> None:
        """Record votes that count again or no longer."""
        if self._next is not None:
            self._is_outdated = True
            return
        self._n_until_next = self._current.n_votes // PATIENCE
        self._next = SamplerFeed(
            self._settings, self._answers, self._n_items, self._answers.counted()
        )
        if not self._n_until_next:
            self._replace()

    def _replace(self) -> None:
        assert self._next is not None
        self._current, self._next = self._next, None
        if self._is_outdated:
            self._is_outdated = False
            self.revise()
