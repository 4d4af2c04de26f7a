"""hodgerank campaign answer: compare pairs in the terminal."""

from __future__ import annotations

import getpass
from dataclasses import dataclass, replace
from time import monotonic
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.tasks import Task
from hodgerank.cli.campaign.arguments import Name, Where
from hodgerank.cli.campaign.keyboard import LEFT, RIGHT, KeyReader, keys_of_standard_input
from hodgerank.cli.console import complaints, count, plain_table, results, verbatim
from hodgerank.cli.interrupts import heed_interrupts
from hodgerank.cli.outputs import AsJson, printing
from hodgerank.cli.result import INTERRUPTED, CommandResult
from hodgerank.display import short, visible
from hodgerank.errors import CampaignError, InvalidArgument, NoTask
from hodgerank.types import Item

WIDE = 80  # columns in which two items fit side by side
LONGEST = 10_000  # characters of a text that are shown


def show_pair(left: CampaignItem, right: CampaignItem, console: Console) -> None:
    """Print two items side by side, or one below the other in a narrow terminal."""
    headers = Text("1: left", "bold cyan"), Text("2: right", "bold cyan")
    shown = item_text(left), item_text(right)
    if console.width < WIDE:
        for header, text in zip(headers, shown, strict=True):
            console.print(header)
            console.print(text)
            console.print()
        return
    table = plain_table()
    half = (console.width - 4) // 2
    for header in headers:
        table.add_column(header, overflow="fold", width=half)
    table.padding = (0, 4, 0, 0)
    table.add_row(*shown)
    console.print(table)
    console.print()


def item_text(item: CampaignItem) -> Text:
    """Return what a worker sees of an item; its id only if there is nothing else."""
    found = Text(overflow="fold")
    if item.text.strip():
        found.append(shown_text(item.text))
    if item.media:
        found.append("\n" if found else "").append(visible(item.media), "underline")
    return found if found else Text(visible(str(item.id)), overflow="fold")


def shown_text(text: str) -> Text:
    """Return foreign text with its lines: shortened, without markup or control sequences."""
    begin = text[:LONGEST].replace("\r\n", "\n").expandtabs(4)
    found = Text("\n".join(map(visible, begin.split("\n"))), overflow="fold")
    if (n_more := len(text) - LONGEST) > 0:
        found.append(f"\n... {n_more:,} more characters", "dim")
    return found


LOOK_EVERY = 20  # answers between checks whether the target is reached


class Conversation:
    """One session of a worker, until they leave or there is no task.

    Attributes
    ----------
    n_saved, n_undone, n_skipped
        Answers saved and undone, and tasks skipped in this session.
    ended_by, words
        Why the session ended: 'quit', 'end of input', 'interrupted', 'output closed', or a reason
        of `NoTask`.
    """

    def __init__(self, campaign: Campaign, worker: str, keys: KeyReader, console: Console) -> None:
        self._campaign, self._worker, self._keys, self._console = campaign, worker, keys, console
        self._items: dict[Item, CampaignItem] = {}
        self._n_own = sum(who.n_answers for who in campaign.workers() if who.worker == worker)
        self.n_saved = self.n_undone = self.n_skipped = 0
        self.ended_by, self.words = "output closed", ""

    def hold(self) -> None:
        """Ask until the session ends."""
        try:
            self._greet()
            self._look()
            while self._work_on(self._campaign.lease(self._worker)[0]):
                pass
            self.ended_by = "quit"
        except NoTask as error:
            self.ended_by, self.words = error.why, str(error)
        except EOFError:
            self.ended_by = "end of input"
        except KeyboardInterrupt:
            self.ended_by = "interrupted"

    def _greet(self) -> None:

        settings = self._campaign.settings
        self._say(f"{self._campaign.id}, worker {self._worker}", "dim")
        for text, style in ((settings.title, "bold"), (settings.instructions, "")):
            if text:
                self._console.print(shown_text(text), style=style)

    def _work_on(self, task: Task) -> bool:
        """Ask about a pair until it is answered or skipped; return False if the worker leaves."""
        settings = self._campaign.settings
        self._show(task, settings)
        self._keys.forget()
        begun = monotonic()
        while (key := self._keys.read()) not in ("q", "Q"):
            try:
                if self._obey(key, task, settings, begun):
                    return True
            except NoTask:
                raise
            except (CampaignError, InvalidArgument) as error:
                self._say(str(error), "yellow")
                if key not in ("u", "U"):
                    return True  # the task has changed meanwhile
        return False

    def _obey(self, key: str, task: Task, settings: CampaignSettings, begun: float) -> bool:
        """Do what a key means; return whether the task is finished."""
        if key in LEFT or key in RIGHT:
            side, word = (1, "left") if key in LEFT else (-1, "right")
            grade = self._grade(word, settings.grades)
            if grade is not None:
                self._answer(task, side * grade / max(1, settings.grades), word, begun)
            return grade is not None
        if key == "0" and settings.ties:
            self._answer(task, 0, "a tie", begun)
            return True
        if key in ("s", "S") and settings.skip_reasons:
            return self._skip(task, settings.skip_reasons)
        if key in ("u", "U"):
            self._campaign.undo(self._worker)
            self._n_own -= 1
            self.n_undone += 1
            self._say("undone: the pair is shown again")
            return True
        self._say(f"unknown key {short(repr(key))}. Keys: {key_words(settings)}", "yellow")
        return False

    def _grade(self, side: str, grades: int) -> int | None:
        """Ask how much better; return None if the worker goes back."""
        if grades < 2:
            return 1
        self._say(
            f"{side}: how much better? 1 (slightly) to {grades} (much); any other key goes back"
        )
        grade = self._keys.number(grades)
        if grade is None:
            self._say("which of the two?")
        return grade

    def _answer(self, task: Task, outcome: float, words: str, begun: float) -> None:
        seconds = round(monotonic() - begun, 3)
        receipt = self._campaign.answer(task, outcome, worker=self._worker, seconds=seconds)
        self._n_own += 1
        self.n_saved += 1
        late = receipt.is_late and not receipt.is_counted
        remark = " (late: the task went to another worker)" if late else ""
        self._say(f"{words}, saved{remark}: {self._how_far()}", "green")
        if self.n_saved % LOOK_EVERY == 0:
            self._look()

    def _look(self) -> None:
        """Let the campaign check its target, and end the session if it is reached."""
        if self._campaign.settings.stop is not None:
            self._campaign.progress()

    def _how_far(self) -> str:
        """Return the number of answers, without hints about gold pairs and repeats."""
        settings, own = self._campaign.settings, f"{count(self._n_own, 'answer')} so far"
        if settings.answers_per_worker is not None:
            return f"{own}, of at most {settings.answers_per_worker:,}"
        has_checks = settings.repeat_share > 0 or (settings.gold and settings.gold_share > 0)
        if settings.budget is not None and not has_checks:
            so_far = count(self._campaign.counts.n_votes, "vote")
            return f"{so_far}, of at most {settings.budget:,}"
        return own

    def _skip(self, task: Task, reasons: tuple[str, ...]) -> bool:
        reason = reasons[0]
        if len(reasons) > 1:
            listed = ", ".join(f"{k} {text}" for k, text in enumerate(reasons, 1))
            self._say(f"why? {listed}; any other key goes back")
            number = self._keys.number(len(reasons))
            if number is None:
                self._say("which of the two?")
                return False
            reason = reasons[number - 1]
        self._campaign.skip(task, reason, worker=self._worker)
        self.n_skipped += 1
        self._say(f"skipped: {reason}")
        return True

    def _show(self, task: Task, settings: CampaignSettings) -> None:

        if not self._items.keys() >= {
            task.left,
            task.right,
        }:  # at first, and after items were added
            self._items = {item.id: self._as_seen(item) for item in self._campaign.items}
        self._console.print()
        self._console.print(shown_text(settings.question), style="bold")
        self._console.print()
        show_pair(self._items[task.left], self._items[task.right], self._console)
        self._say(key_words(settings), "dim")

    def _as_seen(self, item: CampaignItem) -> CampaignItem:
        """Return the item with the path of its file if a server stores it under a name."""
        if not item.media.startswith("media:"):
            return item
        path = self._campaign.media_file(item.media)
        return replace(item, media=str(path)) if path.is_file() else item

    def _say(self, words: str, style: str = "") -> None:
        self._console.print(verbatim(words, style))


def key_words(settings: CampaignSettings) -> str:
    """Return the keys of this campaign."""
    keys = ["1 or left arrow", "2 or right arrow"]
    keys += ["0 equally good"] if settings.ties else []
    keys += ["s skip"] if settings.skip_reasons else []
    return ", ".join([*keys, "u undo", "q quit"])


@dataclass(frozen=True)
class AnswerResult(CommandResult):
    """Answers of one worker in a session, and the reason why it ended."""

    campaign: str
    worker: str
    n_saved: int
    n_undone: int
    n_skipped: int
    ended_by: str
    words: str
    as_json: bool
    written = None

    @property
    def exit_status(self) -> int:
        """Not 0 if Ctrl-C ended the session."""
        return INTERRUPTED if self.ended_by == "interrupted" else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "campaign": self.campaign,
            "worker": self.worker,
            "n_saved": self.n_saved,
            "n_undone": self.n_undone,
            "n_skipped": self.n_skipped,
            "ended_by": self.ended_by,
            "words": self.words,
        }

    def show(self, console: Console) -> None:
        """Print how many answers were saved, and how to continue."""
        console.print()
        also = {"undone": self.n_undone, "skipped": self.n_skipped}
        more = "".join(f", {n:,} {what}" for what, n in also.items() if n)
        console.print(verbatim(f"{count(self.n_saved, 'answer')} by {self.worker} saved{more}"))
        words = self.words or "run the same command to continue with the open pair"
        console.print(verbatim(words))


def answer(
    where: Where,
    worker: Annotated[
        str | None,
        typer.Option(help="Name of the worker. Default: your login name."),
    ] = None,
    name: Name = None,
    as_json: AsJson = False,
) -> AnswerResult:
    """Compare pairs in the terminal.

    Keys: 1 or left arrow, 2 or right arrow, 0 for a tie if allowed, s to skip, u to undo the last
    answer, q to quit. A campaign with grades then asks how much better. Every answer is saved
    before the next pair is shown, and an open pair is shown again next time. Without a terminal,
    each line of standard input is a key.

    Only one process can write to a campaign file. While this runs, status, list and export work,
    and other commands are refused. For several workers at once, use PostgreSQL or hodgerank serve.

    Examples:
      hodgerank campaign answer campaign.db --worker ann

      hodgerank campaign answer postgresql://localhost/votes --worker bob

      hodgerank campaign answer campaign.db --worker script < keys.txt
    """
    heed_interrupts()
    who = _login_name() if worker is None else worker
    with Campaign.open(where, name) as campaign:
        console = complaints() if as_json else results()
        talk = Conversation(campaign, who, keys_of_standard_input(), console)
        with printing():
            talk.hold()
        return AnswerResult(
            campaign=campaign.id,
            worker=who,
            n_saved=talk.n_saved,
            n_undone=talk.n_undone,
            n_skipped=talk.n_skipped,
            ended_by=talk.ended_by,
            words=talk.words,
            as_json=as_json,
        )


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        raise InvalidArgument("the name of the worker is needed: --worker NAME") from None
