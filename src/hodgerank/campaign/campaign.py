"""Campaign: items, a question, and a log of all that happened; everything else follows from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
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
from hodgerank.campaign.votes import format_of, import_votes, table_of, vote_rows
from hodgerank.data.comparisons import Comparisons
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
    """Collects votes that nothing can lose: what a method returned is on disk.

    Made by `create` or `open`; a context manager, that lets others have the file when it is left.
    All methods may be called from any thread. Decisions are made one after the other, in a thread
    of the database, and those that wait together share one write to disk. On PostgreSQL several
    processes may have the same campaign open.

    Attributes
    ----------
    id
        What the database calls it.
    database
        Where it is kept.
    log
        Where decisions are made, and read; `CampaignLog.begin` is for programs that must not wait.

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
        """A new campaign.

        Parameters
        ----------
        where
            A file, which is made if it is not there; a PostgreSQL address; None for memory; or a
            `Database`, for several campaigns in one place.
        items
            Ids, a mapping from ids to texts, or `CampaignItem`.
        settings
            `CampaignSettings`, or a mapping.
        id
            Its name among others in the same place.
        clock, random
            What time it is, and where the ids of tasks are drawn from: for tests that travel in
            time and replay.
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
        """A campaign that was created before; the id is needed where the place has several.

        With `read_only` one can look on while another process has the file.
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
        """A campaign as it was when its log was exported, in a place that has none of its name."""
        name, events = read_log(log)
        name = require_name(name if id is None else id, "the campaign")
        with _opened(where, create=True, read_only=False) as (database, is_own):
            campaign = cls(database, name, clock=clock, random=random)
            campaign._owns_database = is_own
            campaign.log.transact(lambda state, now: owner.take_over(state, events))
            return campaign

    # Workers

    def join(self, worker: str, panel: Mapping[str, str] = NOTHING) -> None:
        """A worker comes, with what their panel says of them; who comes again is known already.

        Raises `NoTask` for who is banned, and for new ones where the campaign is closed. Programs
        that answer need not join.
        """
        self.log.transact(lambda state, now: workers.join(state, now, worker, panel))

    def quiz(self, worker: str, passed: bool) -> int:
        """A worker has answered the questions of `joining`; how many tries are left.

        Who has failed all of them is screened out.
        """
        return self.log.transact(lambda state, now: workers.quiz(state, now, worker, passed))

    def finish(self, worker: str, outcome: Outcome = "completed") -> None:
        """A worker goes, and gets no more tasks; what is out with them goes to others.

        The outcome is 'completed', 'screened_out' or 'withdrawn'. The same once more changes
        nothing, another one is refused.
        """
        self.log.transact(lambda state, now: workers.finish(state, now, worker, outcome))

    def lease(self, worker: str, n: int = 1) -> list[Task]:
        """Tasks for a worker: those that are out with them first, then new ones, up to n.

        Raises `NoTask`, which says why, where there is none.
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
        """Take an answer to a task: +1 prefers left, -1 right, 0 is a tie; once.

        The same answer again changes nothing, another one is refused. One that comes after its
        lease counts if nobody else was given the place.

        With `worker`, an answer to somebody else's task is refused. `seconds` is how long it took,
        `is_focused` whether the page was in front, where that is known: rules of attention look at
        it. `weight` is as in `Sampler.tell`.
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
        """Give a task back without an answer; the pair does not come back to this worker."""
        id = _id(task)
        self.log.transact(lambda state, now: answers.skip(state, now, id, reason, worker))

    def undo(self, worker: str) -> Task:
        """Take back the last answer of a worker; the task in which they get the pair again."""
        return self.log.transact(lambda state, now: answers.undo(state, now, self.new_id, worker))

    def expire(self, by: float | None = None) -> int:
        """Take back leases that end by then, as leasing does by itself at its time; how many."""
        return self.log.transact(lambda state, now: leases.expire(state, now, by))

    # The owner

    def ban(self, worker: str, reason: str = "") -> None:
        """Give a worker no more tasks, and count none of their answers; `restore` undoes it.

        Their sessions in browsers end, and tokens with which they judge this campaign.
        """
        self.log.transact(lambda state, now: workers.ban(state, now, worker, reason))

    def restore(self, worker: str) -> None:
        """Lift a ban: the answers count again. Sessions and tokens do not come back."""
        self.log.transact(lambda state, now: workers.restore_worker(state, now, worker))

    def admit(self, worker: str) -> None:
        """Let a worker join again under their name, from any browser: their sessions end."""
        self.log.transact(lambda state, now: workers.admit(state, now, worker))

    def forget(self, worker: str) -> str:
        """Take the name of a worker away, and all that came with it; what they are called instead.

        Their answers stay, and count. They get no more tasks: who comes by that name is new here.
        When this returns neither the log nor, in SQLite, the bytes of the file have the name; the
        file is written anew for it. PostgreSQL keeps what was replaced until it vacuums.
        """
        pseudonym = self.log.transact(
            lambda state, now: workers.forget(state, now, self.new_id, worker)
        )
        self.database.store.wipe()
        return pseudonym

    def add(self, items: Iterable[Item | CampaignItem] | Mapping[Item, str]) -> None:
        """Items join."""
        joining = list(as_items(items))
        self.log.transact(lambda state, now: owner.add_items(state, now, joining))

    def edit(self, item: Item, *, text: str | None = None, media: str | None = None) -> None:
        """Show other words or another picture of an item from now on; None leaves what is there."""
        self.log.transact(lambda state, now: owner.edit_item(state, now, item, text, media))

    def retire(self, *items: Item) -> None:
        """Ask no more about items, all or none of them; `restore_item` undoes it."""
        self.log.transact(lambda state, now: owner.retire_items(state, now, items))

    def restore_item(self, *items: Item) -> None:
        """Ask about retired items again."""
        self.log.transact(lambda state, now: owner.restore_items(state, now, items))

    def pause(self) -> None:
        """Give out no more tasks for now; answers to those that are out are still taken."""
        self.log.transact(owner.pause)

    def resume(self) -> None:
        """Give out tasks again."""
        self.log.transact(owner.resume)

    def close(self) -> None:
        """End the campaign for good. To let others have the file, leave the `with` block."""
        self.log.transact(owner.close)

    def reset(self) -> None:
        """Begin anew: votes go, items, settings, workers and bans stay, and so does the log.

        Who had completed can go on.
        """
        self.log.transact(owner.reset)

    def change(self, **settings: Any) -> None:
        """Change settings by name, from now on."""
        self.log.transact(lambda state, now: owner.change_settings(state, now, settings))

    def import_votes(self, votes: VotesLike, *, again: bool = False) -> int:
        """Count votes that were collected elsewhere, about items of this campaign; how many.

        Votes that were imported before are refused, unless `again` says that these are others.
        """
        read = read_ungrouped(votes).repeated()
        return self.log.transact(lambda state, now: import_votes(state, now, read, again))

    # What is known

    @property
    def settings(self) -> CampaignSettings:
        """What the owner has decided."""
        return self.log.read(lambda state, now: state.settings)

    @property
    def items(self) -> list[CampaignItem]:
        """All items, in the order they joined."""
        return self.log.read(lambda state, now: list(state.items.items))

    @property
    def retired(self) -> list[Item]:
        """Items that are not asked about."""
        return self.log.read(
            lambda state, now: [state.items.name(code) for code in sorted(state.items.retired)]
        )

    @property
    def tracks(self) -> list[str]:
        """Groups of items that are ranked apart; one without a name where there are none."""
        return self.log.read(lambda state, now: list(state.items.tracks))

    @property
    def counts(self) -> Counts:
        """The campaign in numbers."""
        return self.log.read(lambda state, now: counts(state))

    def workers(self) -> list[WorkerSummary]:
        """What each worker has done."""
        return self.log.read(lambda state, now: worker_summaries(state))

    def votes(self, track: str | None = None) -> Comparisons:
        """The answers that count, for any estimator."""
        return self.log.read(lambda state, now: standing_of(state, track)).votes

    def ranking(self, track: str | None = None) -> Ranking:
        """The ranking of a track from the answers that count, plain or robust as set."""
        return self.log.read(lambda state, now: standing_of(state, track)).ranking

    def trust(self, track: str | None = None) -> TrustReport:
        """How far the ranking can be trusted."""
        return assess_trust(self.votes(track))

    def progress(self, *, with_forecast: bool = False) -> CampaignProgress:
        """How far it is, and whether that is enough, which is then noted.

        Takes as long as a ranking, and with a forecast some seconds: ask for it now and then, not
        with every answer.
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
        """Write down which tracks have enough answers, or no more, unless votes changed since.

        For progress that was looked at elsewhere: where the campaign is open for reading only.
        """
        noting = self.begin_noting(progress)
        if noting is not None:
            noting.result()

    def begin_noting(self, progress: CampaignProgress) -> Future[None] | None:
        """Begin to, for who must not wait; None where there is nothing to write down."""
        asked = {track.track: track.is_enough for track in progress.tracks if track.n_items > 1}
        seq = progress.counts.seq
        if not self.log.read(lambda snapshot, now: owner.enough_to_note(snapshot, asked, seq)):
            return None
        return self.log.begin(lambda state, now: owner.note_enough(state, now, asked, seq))

    def answers(self) -> list[dict[str, Any]]:
        """Every answer that was given, counted or not and why, as tables have them.

        The log is read for it: nobody waits meanwhile.
        """

        def read() -> list[dict[str, Any]]:
            state = CampaignState()
            state.fold_all(self.events())
            return vote_rows(state)

        return retry_read(read)

    def export(self, path: Path | str, *, everything: bool = False) -> None:
        """Write votes, or the log.

        Parameters
        ----------
        path
            Ends in .csv or .parquet for votes, which `read_comparisons` takes; in .jsonl for the
            log, which `load` takes.
        everything
            All answers with what became of them, instead of those that count.
        """
        form = format_of(path)
        if form == ".jsonl":
            write_file(path, retry_read(lambda: b"".join(log_lines(self.id, self.events()))))
        else:
            write_file(path, table_of(self.answers(), form, everything=everything))

    def events(self, after: int = 0) -> Iterator[Event]:
        """The events of the log with a higher number than this.

        Raises a `CampaignError` where a worker is forgotten meanwhile: read them again.
        """
        return self.database.store.read(self.id, after)

    def media_file(self, media: str) -> Path:
        """Where on this machine the media of an item lie, by `CampaignItem.media`.

        What a server keeps is in the folder beside the file. InvalidArgument for addresses of the
        web; whether a file is there is not looked at.
        """
        return local_media(self.database.name, media)

    def wait(self, after: int, seconds: float) -> bool:
        """Wait until the log goes beyond this number, no longer than so many seconds."""
        return self.database.store.wait(self.id, after, seconds)

    # How it works

    def new_id(self) -> str:
        """An id for a task, which nobody can guess."""
        return f"{self._random.getrandbits(128):032x}"

    def _headline(self) -> str:
        number = self.counts
        return f"{self.id}: {number.n_items:,} items, {number.n_votes:,} answers, {number.status}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Let others have the file; the campaign goes on when it is opened again."""
        if self._owns_database:
            self.database.close()


@contextmanager
def _opened(where: Where, *, create: bool, read_only: bool) -> Iterator[tuple[Database, bool]]:
    """A database, and whether it was opened for this; then it is closed where the block fails."""
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
