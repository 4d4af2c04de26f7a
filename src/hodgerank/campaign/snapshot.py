"""CampaignSnapshot: the state of a campaign at one place of its log."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Set
from math import inf
from operator import itemgetter

from hodgerank.campaign.attention_checks import RULES
from hodgerank.campaign.items import ItemRegistry
from hodgerank.campaign.pair_chooser import PairChooser
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.tasks import Purpose, Status, Task, TaskTable
from hodgerank.campaign.workers import Worker
from hodgerank.types import Pair

MOST_REMEMBERED = 500  # workers
PURPOSES = [purpose.name.lower() for purpose in Purpose]


class CampaignSnapshot:
    """State of a campaign as commands read it; `CampaignState` builds it from events.

    Attributes
    ----------
    seq, at
        Number and time of the last event.
    status
        'open', 'paused' or 'closed'.
    enough
        Tracks that have reached their target, by number, with the event that recorded it.
    revised
        Number of the last event that removed votes or may have undone a reached target.
    open
        Tasks in progress, by row, with the end of their leases.
    n_counted
        Votes that count, by track.
    out
        Tasks in progress that may become votes, by track and row, with the positions of their items
        as shown.
    tallies
        Answers passed and failed by each attention check.
    askers
        Samplers, each with the first row for which it chose the pair.
    sources
        Fingerprints of votes that were imported, with the number still missing where an import was
        interrupted, and the fingerprint of their order.
    """

    def __init__(self) -> None:
        self.seq, self.at = 0, 0.0
        self.status = "open"
        self.settings = CampaignSettings("?")
        self.items, self.tasks = ItemRegistry(), TaskTable()
        self.workers: list[Worker] = []
        self.worker_codes: dict[str, int] = {}
        self.enough: dict[int, int] = {}
        self.open: dict[int, float] = {}
        self.n_counted: list[int] = []
        self.out: list[dict[int, tuple[int, int]]] = []
        self.revised = 0
        self.askers: list[tuple[int, str]] = []
        self.tallies = {rule: [0, 0] for rule in RULES}
        self.sources: dict[str, tuple[int, str]] = {}
        self._choosers: list[PairChooser] = []
        self._first_end = inf  # no lease that is open ends earlier
        self._gold: dict[int, frozenset[tuple[int, int]]] = {}  # by track, where somebody asked
        self._barred: dict[int, dict[int, set[tuple[int, int]]]] = {}  # by worker and track

    def worker(self, name: str) -> Worker | None:
        """Return all workers who were given a task, by name."""
        code = self.worker_codes.get(name)
        return None if code is None else self.workers[code]

    def chooser(self, track: int) -> PairChooser:
        """Return the chooser of a track."""
        return self._choosers[track]

    def prepare(self) -> None:
        """Prepare for requests that will come soon."""
        for chooser in self._choosers:
            chooser.prepare()

    def ended(self, now: float) -> list[int]:
        """Return the rows of expired leases, oldest first."""
        if now < self._first_end:
            return []
        ends = self.open.items()
        self._first_end = min((end for _, end in ends if end > now), default=inf)
        return [row for row, end in sorted(ends, key=itemgetter(1)) if end <= now]

    def gold_pairs(self, track: int) -> Set[tuple[int, int]]:
        """Return the gold pairs by positions in the track, the lower one first."""
        if (found := self._gold.get(track)) is None:
            items, codes = self.items, self.items.codes
            pairs = ((codes[gold.better], codes[gold.worse]) for gold in self.settings.gold)
            found = frozenset(
                items.places(*pair) for pair in pairs if items.track[pair[0]] == track
            )
            self._gold[track] = found
        return found

    def pairs_barred(self, worker: str, track: int) -> Set[tuple[int, int]]:
        """Return pairs that are not chosen for a worker: those seen, and gold pairs.

        By positions in the track, the lower one first. Cached for recent workers.
        """
        gold = self.gold_pairs(track)
        if (code := self.worker_codes.get(worker)) is None:
            return gold
        if code not in self._barred and len(self._barred) >= MOST_REMEMBERED:
            self._barred.clear()
        by_track = self._barred.setdefault(code, {})
        if (found := by_track.get(track)) is None:
            tasks, items = self.tasks, self.items
            found = by_track[track] = set(gold)
            for row in self.workers[code].seen():
                if items.track[left := tasks.left[row]] == track:
                    found.add(items.places(left, tasks.right[row]))
        return found

    def asker(self, row: int) -> str:
        """Return the sampler that chose the pair of a row."""
        return self.askers[bisect(self.askers, row, key=lambda asker: asker[0]) - 1][1]

    def askable_tracks(self) -> set[int]:
        """Return tracks with items to compare, by number."""
        return {track for track, n_active in enumerate(self.items.n_active) if n_active > 1}

    def track_of(self, row: int) -> int:
        """Return the track of a task, by number."""
        return self.items.track[self.tasks.left[row]]

    @property
    def n_places(self) -> int:
        """Return the number of votes, and of tasks in progress that may become votes."""
        return sum(self.n_counted) + sum(map(len, self.out))

    def task(self, row: int) -> Task:
        """Return a row as a task for a worker."""
        tasks, items = self.tasks, self.items
        pair = Pair(items.name(tasks.left[row]), items.name(tasks.right[row]))
        return Task(
            id=tasks.ids[row],
            worker=self.workers[tasks.worker[row]].name,
            pair=pair,
            track=items.tracks[self.track_of(row)],
            purpose=PURPOSES[tasks.purpose[row]],
            expires=tasks.expires[row],
        )

    def why_not_counted(self, row: int) -> str:
        """Return why an answer is not a vote; empty for votes. Pages translate these words."""
        tasks = self.tasks
        status, purpose = Status(tasks.status[row]), Purpose(tasks.purpose[row])
        if status is not Status.ANSWERED:
            return {Status.UNDONE: "taken back", Status.RESET: "reset"}.get(status, "not answered")
        if not purpose.counts:
            return "planned repeat" if purpose is Purpose.REPEAT else "gold pair"
        if tasks.worker[row] >= 0 and self.workers[tasks.worker[row]].is_banned:
            return "worker banned"
        if row in tasks.displaced:
            return "its place was taken"
        rule = self.settings.attention.excludes(tasks.verdicts.get(row, {}))
        return f"marked: {rule}" if rule else ""
