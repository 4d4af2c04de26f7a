"""RemoteCampaign: a campaign on a server, with the methods of a local campaign."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any, Self

from hodgerank.atomic_write import write_file
from hodgerank.campaign.client.address import read_address
from hodgerank.campaign.client.connection import Connection
from hodgerank.campaign.client.log_copy import LogCopy
from hodgerank.campaign.client.media import MediaCopies, with_media_sent
from hodgerank.campaign.client.messages import (
    counts_of,
    item_of,
    pieces_of,
    progress_of,
    receipt_of,
    task_of,
    vote_lines,
)
from hodgerank.campaign.commands.answers import Receipt
from hodgerank.campaign.events import Event
from hodgerank.campaign.items import CampaignItem, as_items
from hodgerank.campaign.log_file import log_lines
from hodgerank.campaign.page_settings import Outcome
from hodgerank.campaign.results import standing_of
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.stores.store import retry_read
from hodgerank.campaign.summaries import CampaignProgress, Counts, WorkerSummary
from hodgerank.campaign.tasks import Task
from hodgerank.campaign.votes import format_of, table_of, vote_rows
from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.display import Displayed, short
from hodgerank.errors import CampaignError, InvalidArgument
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.trust import TrustReport, assess_trust
from hodgerank.sampling.answers import read_outcome, read_weight
from hodgerank.types import Item, VotesLike

NOTHING: Mapping[str, str] = MappingProxyType({})
TASK = re.compile(r"[0-9A-Za-z_-]{1,100}")
TIMEOUT = 30.0
MOST_TASKS = 1000
LONGEST_WAIT = 20.0
LONG = 600.0
"""Additional seconds for a forecast or an import."""


class RemoteCampaign(Displayed):
    """A campaign of `hodgerank serve`, used like a local campaign.

    It has the methods of `Campaign`, raises the same errors, and may be used from any thread. When
    a method returns, its effect is saved on the server. Requests without a response are repeated if
    that is safe: leasing, answering, skipping and reading survive a restart of the server.

    For `votes`, `ranking`, `trust`, `answers` and `export` the log is fetched and the result
    computed here. Progress is computed by the server, which records reached targets.

    The role of the token determines what is allowed. A judge leases, answers, skips, undoes and
    sees the progress under its own name, and is not told which pairs are gold or repeats. A reader
    can read everything, an owner can do everything.

    Parameters
    ----------
    address
        Address of the server, such as https://rank.example.org, or of the campaign's page, which
        ends in its id: https://rank.example.org/c/animals.
    id
        What the server calls the campaign.
    token
        From the settings page of the campaign, or `POST /api/v1/tokens`.
    timeout
        Seconds without any data after which a request fails.
    plain_http
        Allow sending the token unencrypted over http:// to another machine.

    Attributes
    ----------
    id
        What the server calls it.
    address
        Of the server.

    Examples
    --------
    ::

        with RemoteCampaign("https://rank.example.org/c/animals", token=token) as animals:
            [task] = animals.lease("ann")
            animals.answer(task, +1)
    """

    def __init__(
        self,
        address: str,
        id: str | None = None,
        *,
        token: str,
        timeout: float = TIMEOUT,
        plain_http: bool = False,
    ) -> None:
        connection, id = _connect(address, id, token, timeout, plain_http)
        self._connection, self.address = connection, str(connection.address)
        try:
            self.id = self._only_id() if id is None else id
            self._call("GET")  # fails at once if something is wrong
        except BaseException:
            connection.close()
            raise
        self._log, self._media = LogCopy(connection, self.id), MediaCopies(connection, self.id)

    @classmethod
    def create(
        cls,
        address: str,
        items: Iterable[Item | CampaignItem] | Mapping[Item, str],
        settings: CampaignSettings | Mapping[str, Any] | None = None,
        *,
        token: str,
        id: str = "campaign",
        timeout: float = TIMEOUT,
        plain_http: bool = False,
        **options: Any,
    ) -> Self:
        """Create a campaign on a server, like `Campaign.create`; needs the token of an owner.

        Media of items are web addresses, or local files, which are uploaded first. The link for
        workers has a random key unless `pages` names one; `change(pages={"entrance": ""})` removes
        it.
        """
        if isinstance(settings, CampaignSettings):
            proper = settings.changed(options)
        else:
            proper = CampaignSettings.of({**(settings or {}), **options})
        joining = list(as_items(items))
        connection, id_in_address = _connect(address, None, token, timeout, plain_http)
        id = id_in_address or id
        try:
            first, *rest = pieces_of(with_media_sent(connection, joining)) or [[]]
            plain = proper.to_dict()
            if not proper.pages.entrance:
                del plain["pages"]["entrance"]  # the server makes a key
            content = {"id": id, "items": first, "settings": plain}
            connection.call("POST", "campaigns", content=content)
        finally:
            connection.close()
        server = str(connection.address)
        campaign = cls(server, id, token=token, timeout=timeout, plain_http=plain_http)
        campaign._add(rest)
        return campaign

    # Workers

    def join(self, worker: str, panel: Mapping[str, str] = NOTHING) -> None:
        """Let a worker join, like `Campaign.join`."""
        content = {"worker": worker, "panel": dict(panel)}
        self._call("POST", "workers", "join", content=content, is_repeatable=True)

    def quiz(self, worker: str, passed: bool) -> int:
        """Record whether a worker passed the comprehension questions; return the tries left."""
        found = self._call("POST", "workers", "quiz", content={"worker": worker, "passed": passed})
        return int(found["tries_left"])

    def finish(self, worker: str, outcome: Outcome = "completed") -> None:
        """Let a worker leave, like `Campaign.finish`."""
        content = {"worker": worker, "outcome": outcome}
        self._call("POST", "workers", "finish", content=content, is_repeatable=True)

    def lease(self, worker: str, n: int = 1) -> list[Task]:
        """Return tasks for a worker, like `Campaign.lease`; at most a thousand at once.

        Raises `NoTask` with the reason if there is none.
        """
        wanted = min(n, MOST_TASKS) if isinstance(n, int) else n
        found = self._call(
            "POST", "tasks", content={"worker": worker, "n": wanted}, is_repeatable=True
        )
        return [task_of(task) for task in found["tasks"]]

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
        """Record the answer to a task, like `Campaign.answer`; repeating it is safe."""
        given = {
            "outcome": read_outcome(outcome),
            "weight": read_weight(weight),
            "worker": worker,
            "seconds": seconds,
            "is_focused": is_focused,
        }
        return receipt_of(self._of_task(task, "answer", given))

    def skip(
        self, task: Task | str, reason: str | None = None, *, worker: str | None = None
    ) -> None:
        """Return a task without an answer; the worker does not get the pair again."""
        self._of_task(task, "skip", {"reason": reason, "worker": worker})

    def undo(self, worker: str) -> Task:
        """Undo the last answer of a worker; return the task with which they get the pair again."""
        return task_of(self._call("POST", "undo", content={"worker": worker}))

    def expire(self, by: float | None = None) -> int:
        """Expire leases that end by then, which also happens by itself; return how many."""
        found = self._call("POST", "tasks", "expire", content={"by": by})
        return int(found["n_expired"])

    # The owner

    def ban(self, worker: str, reason: str = "") -> None:
        """Ban a worker, like `Campaign.ban`."""
        content = {"worker": worker, "reason": reason}
        self._call("POST", "workers", "ban", content=content, is_repeatable=True)

    def restore(self, worker: str) -> None:
        """Lift a ban: the votes count again. Sessions and tokens are not restored."""
        self._call("POST", "workers", "restore", content={"worker": worker}, is_repeatable=True)

    def admit(self, worker: str) -> None:
        """Let a worker join again under their name from any browser; their sessions end."""
        self._call("POST", "workers", "admit", content={"worker": worker}, is_repeatable=True)

    def forget(self, worker: str) -> str:
        """Remove a worker's name, like `Campaign.forget`; return the pseudonym."""
        found = self._call(
            "POST", "workers", "forget", content={"worker": worker}, extra_seconds=LONG
        )
        return str(found["pseudonym"])

    def add(self, items: Iterable[Item | CampaignItem] | Mapping[Item, str]) -> None:
        """Add items, in several requests if there are many, after uploading their media."""
        self._add(pieces_of(with_media_sent(self._connection, as_items(items))))

    def edit(self, item: Item, *, text: str | None = None, media: str | None = None) -> None:
        """Replace the text or media of an item from now on; None keeps the present one.

        A local file is uploaded first.
        """
        if media:
            [shown] = with_media_sent(self._connection, [CampaignItem(item, media=media)])
            media = shown.media
        content = {"item": item, "text": text, "media": media}
        self._call("PATCH", "items", content=content, is_repeatable=True)

    def retire(self, *items: Item) -> None:
        """Retire items, all or none of them; `restore_item` undoes it."""
        self._call("POST", "items", "retire", content={"items": items}, is_repeatable=True)

    def restore_item(self, *items: Item) -> None:
        """Ask about retired items again."""
        self._call("POST", "items", "restore", content={"items": items}, is_repeatable=True)

    def pause(self) -> None:
        """Pause the campaign: no new tasks; answers to tasks in progress are accepted."""
        self._call("POST", "pause", is_repeatable=True)

    def resume(self) -> None:
        """Resume a paused campaign."""
        self._call("POST", "resume", is_repeatable=True)

    def close(self) -> None:
        """Close the campaign permanently. To close the connection, leave the `with` block."""
        self._call("POST", "close", is_repeatable=True)

    def reset(self) -> None:
        """Discard all votes; items, settings, workers, bans and the log stay."""
        self._call("POST", "reset")

    def change(self, **settings: Any) -> None:
        """Change settings by name, from now on."""
        proper = self.settings.changed(settings).to_dict()
        content = {name: proper[name] for name in settings}
        self._call("PATCH", "settings", content=content, is_repeatable=True)

    def import_votes(self, votes: VotesLike, *, again: bool = False) -> int:
        """Import votes, like `Campaign.import_votes`; return how many."""
        read = read_ungrouped(votes).repeated()
        require_choices(read.report, "a campaign")
        lines = b"".join(vote_lines(read))
        found = self._call(
            "POST",
            "votes",
            content=lines,
            kind="application/jsonl",
            query={"again": "true" if again else "false"},
            extra_seconds=LONG,
        )
        return int(found["n_imported"])

    # What is known

    @property
    def settings(self) -> CampaignSettings:
        """Settings of the campaign; a judge sees defaults instead of what is hidden from it."""
        return CampaignSettings.of(self._found()["settings"])

    @property
    def items(self) -> list[CampaignItem]:
        """All items, in the order in which they were added."""
        return [item_of(item) for item in self._items()]

    @property
    def retired(self) -> list[Item]:
        """Retired items."""
        return [item["item"] for item in self._items() if item["is_retired"]]

    @property
    def tracks(self) -> list[str]:
        """Tracks, which are ranked separately; one without a name if there are none."""
        return list(self._found()["tracks"])

    @property
    def counts(self) -> Counts:
        """Counts of the campaign."""
        return counts_of(self._call("GET", "counts", is_repeatable=True))

    def workers(self) -> list[WorkerSummary]:
        """Return a summary of each worker."""
        found = self._call("GET", "workers", is_repeatable=True)
        return [WorkerSummary(**worker) for worker in found["workers"]]

    def votes(self, track: str | None = None) -> Comparisons:
        """Return the votes that count."""
        return self._log.look(lambda state: standing_of(state, track)).votes

    def ranking(self, track: str | None = None) -> Ranking:
        """Return the ranking of a track by the votes that count, plain or robust as set."""
        return self._log.look(lambda state: standing_of(state, track)).ranking

    def trust(self, track: str | None = None) -> TrustReport:
        """Assess how far the ranking can be trusted."""
        return assess_trust(self.votes(track))

    def progress(self, *, with_forecast: bool = False) -> CampaignProgress:
        """Return the progress; the server records tracks that have reached their target."""
        found = self._call(
            "GET",
            "progress",
            query={"forecast": "true" if with_forecast else "false"},
            is_repeatable=True,
            extra_seconds=LONG,
        )
        has_forecast = any(track["forecast"] is not None for track in found["tracks"])
        return progress_of(found, self.settings.stop if has_forecast else None)

    def answers(self) -> list[dict[str, Any]]:
        """Return every answer as a row, with whether and why it does not count."""
        return self._log.look(vote_rows)

    def export(self, path: Path | str, *, everything: bool = False) -> None:
        """Write the votes or the log to a local file, like `Campaign.export`."""
        form = format_of(path)
        if form == ".jsonl":
            write_file(path, retry_read(lambda: b"".join(log_lines(self.id, self.events()))))
        else:
            write_file(path, table_of(self.answers(), form, everything=everything))

    def events(self, after: int = 0) -> Iterator[Event]:
        """Yield the events of the log after this number."""
        return self._log.read(after)

    def media_file(self, media: str) -> Path:
        """Return the local path of an item's media, given `CampaignItem.media`.

        They are downloaded on demand, and removed by `leave`. Raises InvalidArgument for web
        addresses, and for media that the campaign does not have.
        """
        return self._media.path_of(media)

    def wait(self, after: int, seconds: float) -> bool:
        """Wait until the log goes beyond this number, at most this many seconds."""
        until = monotonic() + seconds
        while True:
            patience = max(0.0, min(until - monotonic(), LONGEST_WAIT))
            found = self._call(
                "GET",
                "counts",
                query={"after": after, "seconds": patience},
                is_repeatable=True,
                extra_seconds=patience,
            )
            if found["seq"] > after or monotonic() >= until:
                return bool(found["seq"] > after)

    # How it works

    def _call(self, method: str, *path: str, **options: Any) -> Any:
        return self._connection.call(method, "campaigns", self.id, *path, **options)

    def _of_task(self, task: Task | str, what: str, content: Mapping[str, Any]) -> Any:
        id = task.id if isinstance(task, Task) else task
        if not isinstance(id, str) or not TASK.fullmatch(id):
            raise CampaignError(f"there is no task {short(id)}: lease one")
        return self._connection.call("POST", "tasks", id, what, content=content, is_repeatable=True)

    def _only_id(self) -> str:
        """Return the id of the only campaign that the token allows."""
        known = [one["id"] for one in self._connection.call("GET", "campaigns")["campaigns"]]
        if len(known) == 1:
            return str(known[0])
        names = ", ".join(short(name) for name in known[:20])
        raise CampaignError(
            f"{self.address} has {len(known)} campaigns: name one of {names}"
            if known
            else f"{self.address} has no campaign: create one"
        )

    def _found(self) -> Any:
        return self._call("GET", is_repeatable=True)

    def _items(self) -> list[dict[str, Any]]:
        return list(self._call("GET", "items", is_repeatable=True)["items"])

    def _add(self, pieces: Iterable[list[dict[str, Any]]]) -> None:
        for piece in pieces:
            self._call("POST", "items", content={"items": piece})

    def _headline(self) -> str:
        return f"{self.id} at {self.address}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Close the connection; the campaign continues on the server."""
        self._connection.close()
        self._media.remove()


def _connect(
    address: str, id: str | None, token: str, timeout: float, plain_http: bool
) -> tuple[Connection, str | None]:
    server, id = read_address(address, id)
    if not server.is_private and not plain_http:
        raise InvalidArgument(
            f"{server} is another machine, and http:// would send the token unencrypted: use "
            "https://, or allow it with plain_http=True"
        )
    return Connection(server, token, timeout), id
