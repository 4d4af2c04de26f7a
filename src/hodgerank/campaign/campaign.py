"""Campaign: items, a question, and a log of events from which everything else follows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random, SystemRandom
from types import MappingProxyType
from typing import Any, Self

from hodgerank.atomic_write import write_file
from hodgerank.campaign.commands import answers, leases, owner, workers
from hodgerank.campaign.commands.answers import Receipt
from hodgerank.campaign.database import Database
from hodgerank.campaign.events import Event
from hodgerank.campaign.items import CampaignItem, as_items, local_media, require_name
from hodgerank.campaign.log import CampaignLog
from hodgerank.campaign.log_file import log_lines, read_log
from hodgerank.campaign.page_settings import Outcome
from hodgerank.campaign.results import standing_of
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.stores.store import retry_read
from hodgerank.campaign.summaries import (
    CampaignProgress,
    Counts,
    WorkerSummary,
    counts,
    worker_summaries,
)
from hodgerank.campaign.tasks import Task
from hodgerank.campaign.votes import VoteImport, format_of, import_votes, table_of, vote_rows
from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.display import Displayed, short
from hodgerank.errors import CampaignError
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.trust import TrustReport, assess_trust
from hodgerank.types import Item, VotesLike

DEFAULT_ID = "campaign"
NOTHING: Mapping[str, str] = MappingProxyType({})
Where = Database | str | Path | None


class Campaign(Displayed):
    """A voting campaign. When a method returns, its effect is saved on disk.

    Made by `create` or `open`; a context manager that releases the file at its end. All methods may
    be called from any thread. Changes are made one after the other in a thread of the database, and
    those that wait together share one write to disk. With PostgreSQL several processes may open the
    same campaign.

    Attributes
    ----------
    id
        Name of the campaign in the database.
    database
        Database of the campaign.
    log
        Log through which the campaign is changed and read; `CampaignLog.begin` is for programs that
        must not wait.

    Examples
    --------
    >>> with Campaign.create(None, ["tea", "milk", "cola"], question="Which do you like?") as cups:
    ...     [task] = cups.lease("ann")
    ...     receipt = cups.answer(task.id, +1)
    ...     cups.ranking().items[0] == task.left
    True
    """

    def __init__(
        self,
        database: Database,
        id: str,
        *,
        clock: Callable[[], float] = time.time,
        random: Random | None = None,
    ) -> None:
        self.database, self.id = database, id
        self._random = random or SystemRandom()
        self._owns_database = False
        self.log = CampaignLog(database, id, clock)

    @classmethod
    def create(
        cls,
        where: Where,
        items: Iterable[Item | CampaignItem] | Mapping[Item, str],
        settings: CampaignSettings | Mapping[str, Any] | None = None,
        *,
        id: str = DEFAULT_ID,
        clock: Callable[[], float] = time.time,
        random: Random | None = None,
        **options: Any,
    ) -> Self:
        """Create a campaign.

        Parameters
        ----------
        where
            A file, created if it does not exist; a PostgreSQL address; None for memory; or a
            `Database`, for several campaigns.
        items
            Ids, a mapping from ids to texts, or `CampaignItem`.
        settings
            `CampaignSettings`, or a mapping.
        id
            Name of the campaign in the database.
        clock, random
            Sources of the time and of task ids, for tests.
        options
            Single settings by name.
        """
        proper = _settings(settings, options)
        joining = list(as_items(items))
        require_name(id, "the campaign")
        with _opened(where, create=True, read_only=False) as (database, is_own):
            campaign = cls(database, id, clock=clock, random=random)
            campaign._owns_database = is_own
            campaign.log.transact(lambda state, now: owner.create(state, now, proper, joining))
            return campaign

    @classmethod
    def open(
        cls,
        where: Where,
        id: str | None = None,
        *,
        read_only: bool = False,
        clock: Callable[[], float] = time.time,
        random: Random | None = None,
    ) -> Self:
        """Open an existing campaign; the id is needed if the database has several.

        With `read_only`, it can be read while another process writes to the file.
        """
        with _opened(where, create=False, read_only=read_only) as (database, is_own):
            known = database.campaigns()
            if id is None and len(known) != 1:
                names = ", ".join(short(name) for name in known[:20])
                raise CampaignError(
                    f"{database.name} has {len(known)} campaigns: name one of {names}"
                    if known
                    else f"{database.name} has no campaign: create one"
                )
            if id is not None and id not in known:
                raise CampaignError(f"{database.name} has no campaign {short(id)!r}")
            campaign = cls(database, known[0] if id is None else id, clock=clock, random=random)
            campaign._owns_database = is_own
            return campaign

    @classmethod
    def load(
        cls,
        where: Where,
        log: Path | str,
        *,
        id: str | None = None,
        clock: Callable[[], float] = time.time,
        random: Random | None = None,
    ) -> Self:
        """Create a campaign from an exported log, in a database without a campaign of its name."""
        name, events = read_log(log)
        name = require_name(name if id is None else id, "the campaign")
        with _opened(where, create=True, read_only=False) as (database, is_own):
            campaign = cls(database, name, clock=clock, random=random)
            campaign._owns_database = is_own
            campaign.log.transact(lambda state, now: owner.take_over(state, events))
            return campaign

    # Workers

    def join(self, worker: str, panel: Mapping[str, str] = NOTHING) -> None:
        """Let a worker join, with the parameters of their panel; joining again is allowed.

        Raises `NoTask` for banned workers, and for new workers if the campaign is closed. Programs
        need not join.
        """
        self.log.transact(lambda state, now: workers.join(state, now, worker, panel))

    def quiz(self, worker: str, passed: bool) -> int:
        """Record whether a worker passed the comprehension questions; return the tries left.

        A worker without tries left is screened out.
        """
        return self.log.transact(lambda state, now: workers.quiz(state, now, worker, passed))

    def finish(self, worker: str, outcome: Outcome = "completed") -> None:
        """Let a worker leave; their tasks in progress go to others.

        The outcome is 'completed', 'screened_out' or 'withdrawn'. Repeating it changes nothing; a
        different outcome is refused.
        """
        self.log.transact(lambda state, now: workers.finish(state, now, worker, outcome))

    def lease(self, worker: str, n: int = 1) -> list[Task]:
        """Return up to n tasks for a worker: those in progress first, then new ones.

        Raises `NoTask` with the reason if there is none.
        """
        return self.log.transact(
            lambda state, now: leases.lease(state, now, self.new_id, worker, n)
        )

    def answer(
        self,
        task: Task | str,
        outcome: float,
        *,
        worker: str | None = None,
        seconds: float | None = None,
        is_focused: bool | None = None,
        weight: float = 1.0,
    ) -> Receipt:
        """Record the answer to a task: +1 prefers left, -1 right, 0 is a tie.

        Repeating an answer changes nothing; a different one is refused. An answer after the lease
        has expired counts unless the task went to another worker.

        With `worker`, an answer to another worker's task is refused. `seconds` is the response time
        and `is_focused` whether the page was in the foreground, if known: attention checks use
        them. `weight` is as in `Sampler.tell`.
        """
        id = _id(task)
        return self.log.transact(
            lambda state, now: answers.answer(
                state, now, id, outcome, worker, seconds, is_focused, weight
            )
        )

    def skip(
        self, task: Task | str, reason: str | None = None, *, worker: str | None = None
    ) -> None:
        """Return a task without an answer; the worker does not get the pair again."""
        id = _id(task)
        self.log.transact(lambda state, now: answers.skip(state, now, id, reason, worker))

    def undo(self, worker: str) -> Task:
        """Undo the last answer of a worker; return the task with which they get the pair again."""
        return self.log.transact(lambda state, now: answers.undo(state, now, self.new_id, worker))

    def expire(self, by: float | None = None) -> int:
        """Expire leases that end by then, which also happens by itself; return how many."""
        return self.log.transact(lambda state, now: leases.expire(state, now, by))

    # The owner

    def ban(self, worker: str, reason: str = "") -> None:
        """Ban a worker: no more tasks, and their votes do not count; `restore` undoes it.

        Their browser sessions and judge tokens for this campaign end.
        """
        self.log.transact(lambda state, now: workers.ban(state, now, worker, reason))

    def restore(self, worker: str) -> None:
        """Lift a ban: the votes count again. Sessions and tokens are not restored."""
        self.log.transact(lambda state, now: workers.restore_worker(state, now, worker))

    def admit(self, worker: str) -> None:
        """Let a worker join again under their name from any browser; their sessions end."""
        self.log.transact(lambda state, now: workers.admit(state, now, worker))

    def forget(self, worker: str) -> str:
        """Remove a worker's name and panel data; return the pseudonym that replaces it.

        Their votes stay and count. They get no more tasks; a worker who joins under that name is a
        new worker. When this returns, the name is neither in the log nor, with SQLite, in the bytes
        of the file, which is rewritten. PostgreSQL keeps replaced rows until it vacuums.
        """
        pseudonym = self.log.transact(
            lambda state, now: workers.forget(state, now, self.new_id, worker)
        )
        self.database.store.wipe()
        return pseudonym

    def add(self, items: Iterable[Item | CampaignItem] | Mapping[Item, str]) -> None:
        """Add items."""
        joining = list(as_items(items))
        self.log.transact(lambda state, now: owner.add_items(state, now, joining))

    def edit(self, item: Item, *, text: str | None = None, media: str | None = None) -> None:
        """Replace the text or media of an item from now on; None keeps the present one."""
        self.log.transact(lambda state, now: owner.edit_item(state, now, item, text, media))

    def retire(self, *items: Item) -> None:
        """Retire items, all or none of them; `restore_item` undoes it."""
        self.log.transact(lambda state, now: owner.retire_items(state, now, items))

    def restore_item(self, *items: Item) -> None:
        """Ask about retired items again."""
        self.log.transact(lambda state, now: owner.restore_items(state, now, items))

    def pause(self) -> None:
        """Pause the campaign: no new tasks; answers to tasks in progress are accepted."""
        self.log.transact(owner.pause)

    def resume(self) -> None:
        """Resume a paused campaign."""
        self.log.transact(owner.resume)

    def close(self) -> None:
        """Close the campaign permanently. To release the file, leave the `with` block."""
        self.log.transact(owner.close)

    def reset(self) -> None:
        """Discard all votes; items, settings, workers, bans and the log stay.

        Workers who had completed can answer again.
        """
        self.log.transact(owner.reset)

    def change(self, **settings: Any) -> None:
        """Change settings by name, from now on."""
        self.log.transact(lambda state, now: owner.change_settings(state, now, settings))

    def import_votes(self, votes: VotesLike, *, again: bool = False) -> int:
        """Import votes on items of this campaign; return how many.

        Votes that were imported before are refused unless `again` is True. Many votes are imported
        in pieces, between which others are served. If interrupted, import them again: it resumes.
        """
        read = read_ungrouped(votes).repeated()
        require_choices(read.report, "a campaign")
        known = self.log.read(lambda state, now: (dict(state.items.codes), list(state.items.track)))
        given = VoteImport.of(read, *known, again)
        n_done = 0
        while n_done < len(read):
            n_done = self.log.transact(partial(import_votes, given=given, n_done=n_done))
        return n_done

    # What is known

    @property
    def settings(self) -> CampaignSettings:
        """Settings of the campaign."""
        return self.log.read(lambda state, now: state.settings)

    @property
    def items(self) -> list[CampaignItem]:
        """All items, in the order in which they were added."""
        return self.log.read(lambda state, now: list(state.items.items))

    @property
    def retired(self) -> list[Item]:
        """Retired items."""
        return self.log.read(
            lambda state, now: [state.items.name(code) for code in sorted(state.items.retired)]
        )

    @property
    def tracks(self) -> list[str]:
        """Tracks, which are ranked separately; one without a name if there are none."""
        return self.log.read(lambda state, now: list(state.items.tracks))

    @property
    def counts(self) -> Counts:
        """Counts of the campaign."""
        return self.log.read(lambda state, now: counts(state))

    def workers(self) -> list[WorkerSummary]:
        """Return a summary of each worker."""
        return self.log.read(lambda state, now: worker_summaries(state))

    def votes(self, track: str | None = None) -> Comparisons:
        """Return the votes that count."""
        return self.log.read(lambda state, now: standing_of(state, track)).votes

    def ranking(self, track: str | None = None) -> Ranking:
        """Return the ranking of a track by the votes that count, plain or robust as set."""
        return self.log.read(lambda state, now: standing_of(state, track)).ranking

    def trust(self, track: str | None = None) -> TrustReport:
        """Assess how far the ranking can be trusted."""
        return assess_trust(self.votes(track))

    def progress(self, *, with_forecast: bool = False) -> CampaignProgress:
        """Return the progress, and record tracks that have reached their target.

        Takes as long as a ranking, and some seconds with a forecast; do not call it after every
        answer.
        """
        number, standings = self.log.read(
            lambda state, now: (
                counts(state),
                [standing_of(state, track) for track in state.items.tracks],
            )
        )
        tracks = [standing.progress(with_forecast=with_forecast) for standing in standings]
        found = CampaignProgress(number, tuple(tracks))
        if self.database.commits is not None:
            self.note(found)
        return found

    def note(self, progress: CampaignProgress) -> None:
        """Record which tracks have reached their target, or no longer have, unless votes changed
        since.

        For progress computed in a process that has opened the campaign read only.
        """
        noting = self.begin_noting(progress)
        if noting is not None:
            noting.result()

    def begin_noting(self, progress: CampaignProgress) -> Future[None] | None:
        """Do the same without waiting; None if there is nothing to record."""
        asked = {track.track: track.is_enough for track in progress.tracks if track.n_items > 1}
        seq = progress.counts.seq
        if not self.log.read(lambda snapshot, now: owner.enough_to_note(snapshot, asked, seq)):
            return None
        return self.log.begin(lambda state, now: owner.note_enough(state, now, asked, seq))

    def answers(self) -> list[dict[str, Any]]:
        """Return every answer as a row, with whether and why it does not count.

        The log is read for it, which does not block others.
        """

        def read() -> list[dict[str, Any]]:
            state = CampaignState()
            state.fold_all(self.events())
            return vote_rows(state)

        return retry_read(read)

    def export(self, path: Path | str, *, everything: bool = False) -> None:
        """Write the votes or the log to a file.

        Parameters
        ----------
        path
            File that ends in .csv or .parquet for votes, which `read_comparisons` reads; in .jsonl
            for the log, which `load` reads.
        everything
            All answers with their status, instead of the votes that count.
        """
        form = format_of(path)
        if form == ".jsonl":
            write_file(path, retry_read(lambda: b"".join(log_lines(self.id, self.events()))))
        else:
            write_file(path, table_of(self.answers(), form, everything=everything))

    def events(self, after: int = 0) -> Iterator[Event]:
        """Yield the events of the log after this number.

        Raises a `CampaignError` if a worker is forgotten meanwhile: read them again.
        """
        return self.database.store.read(self.id, after)

    def media_file(self, media: str) -> Path:
        """Return the local path of an item's media, given `CampaignItem.media`.

        Uploads of a server are in the folder beside the file. Raises InvalidArgument for web
        addresses; does not check that the file exists.
        """
        return local_media(self.database.name, media)

    def wait(self, after: int, seconds: float) -> bool:
        """Wait until the log goes beyond this number, at most this many seconds."""
        return self.database.store.wait(self.id, after, seconds)

    # Internals

    def new_id(self) -> str:
        """Return a task id that cannot be guessed."""
        return f"{self._random.getrandbits(128):032x}"

    def _headline(self) -> str:
        number = self.counts
        return f"{self.id}: {number.n_items:,} items, {number.n_votes:,} votes, {number.status}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Release the file; the campaign continues when it is opened again."""
        if self._owns_database:
            self.database.close()


@contextmanager
def _opened(where: Where, *, create: bool, read_only: bool) -> Iterator[tuple[Database, bool]]:
    """Return a database, and whether it was opened for this and must be closed on failure."""
    if isinstance(where, Database):
        yield where, False
        return
    database = Database(where, create=create, read_only=read_only)
    try:
        yield database, True
    except BaseException:
        database.close()
        raise


def _settings(
    settings: CampaignSettings | Mapping[str, Any] | None, options: Mapping[str, Any]
) -> CampaignSettings:
    if isinstance(settings, CampaignSettings):
        return settings.changed(options) if options else settings
    return CampaignSettings.of({**(settings or {}), **options})


def _id(task: Task | str) -> str:
    return task.id if isinstance(task, Task) else task
