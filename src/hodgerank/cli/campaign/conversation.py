"""Conversation: one worker, one pair after the other, two keys."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from hodgerank.cli.campaign.keys import LEFT, RIGHT, Keys
from hodgerank.errors import CampaignError, InvalidArgument, NoTask
from hodgerank.notebook import short

if TYPE_CHECKING:
    from rich.console import Console

    from hodgerank.campaign.campaign import Campaign
    from hodgerank.campaign.items import CampaignItem
    from hodgerank.campaign.settings import CampaignSettings
    from hodgerank.campaign.tasks import Task
    from hodgerank.types import Item

LOOK_EVERY = 20  # answers, between looks whether they are enough


class Conversation:
    """What is asked and said until the worker leaves, or there is no task.

    Attributes
    ----------
    n_saved, n_undone, n_skipped
        Answers that were given here, those that were taken back, and tasks that were skipped.
    ended_by, words
        Why it ended: 'quit', 'end of input', 'interrupted', 'output closed', or as `NoTask` has it.
    """

    def __init__(self, campaign: Campaign, worker: str, keys: Keys, console: Console) -> None:
        self._campaign, self._worker, self._keys, self._console = campaign, worker, keys, console
        self._items: dict[Item, CampaignItem] = {}
        self._n_own = sum(who.n_answers for who in campaign.workers() if who.worker == worker)
        self.n_saved = self.n_undone = self.n_skipped = 0
        self.ended_by, self.words = "output closed", ""

    def hold(self) -> None:
        """Ask until it ends."""
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
        from hodgerank.cli.campaign.showing import shown_text

        settings = self._campaign.settings
        self._say(f"{self._worker} answers for {self._campaign.id}", "dim")
        for text, style in ((settings.title, "bold"), (settings.instructions, "")):
            if text:
                self._console.print(shown_text(text), style=style)

    def _work_on(self, task: Task) -> bool:
        """Ask about a pair until something is done with it; False where the worker leaves."""
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
                    return True  # the task is not what it was
        return False

    def _obey(self, key: str, task: Task, settings: CampaignSettings, begun: float) -> bool:
        """Do what a key means; whether the task is done with."""
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
            self._say("taken back: the pair comes again")
            return True
        self._say(f"{short(repr(key))} is no key here: {key_words(settings)}", "yellow")
        return False

    def _grade(self, side: str, grades: int) -> int | None:
        """How much better, where that is asked; None where the worker thinks again."""
        if grades < 2:
            return 1
        self._say(f"{side}: how much better? 1 (slightly) to {grades} (much); any other key: back")
        grade = self._keys.number(grades)
        if grade is None:
            self._say("back: which of the two?")
        return grade

    def _answer(self, task: Task, outcome: float, words: str, begun: float) -> None:
        seconds = round(monotonic() - begun, 3)
        receipt = self._campaign.answer(task, outcome, worker=self._worker, seconds=seconds)
        self._n_own += 1
        self.n_saved += 1
        late = receipt.is_late and not receipt.is_counted
        remark = " (late: somebody else has answered in your place)" if late else ""
        self._say(f"{words}, saved{remark}: {self._how_far()}", "green")
        if self.n_saved % LOOK_EVERY == 0:
            self._look()

    def _look(self) -> None:
        """Let the campaign see whether its answers are enough, and end if so."""
        if self._campaign.settings.stop is not None:
            self._campaign.progress()

    def _how_far(self) -> str:
        """The number of answers; nothing by which gold pairs and repeats could be told."""
        from hodgerank.cli.console import count

        settings, own = self._campaign.settings, f"{count(self._n_own, 'answer')} of yours"
        if settings.answers_per_worker is not None:
            return f"{own}, of at most {settings.answers_per_worker:,}"
        has_checks = settings.repeat_share > 0 or (settings.gold and settings.gold_share > 0)
        if settings.budget is not None and not has_checks:
            so_far = count(self._campaign.counts.n_answers, "answer")
            return f"{so_far}, of at most {settings.budget:,}"
        return own

    def _skip(self, task: Task, reasons: tuple[str, ...]) -> bool:
        reason = reasons[0]
        if len(reasons) > 1:
            listed = ", ".join(f"{k} {text}" for k, text in enumerate(reasons, 1))
            self._say(f"why? {listed}; any other key: back")
            number = self._keys.number(len(reasons))
            if number is None:
                self._say("back: which of the two?")
                return False
            reason = reasons[number - 1]
        self._campaign.skip(task, reason, worker=self._worker)
        self.n_skipped += 1
        self._say(f"skipped: {reason}")
        return True

    def _show(self, task: Task, settings: CampaignSettings) -> None:
        from hodgerank.cli.campaign.showing import show_pair, shown_text

        if not self._items.keys() >= {task.left, task.right}:  # at first, and where some joined
            self._items = {item.id: self._as_seen(item) for item in self._campaign.items}
        self._console.print()
        self._console.print(shown_text(settings.question), style="bold")
        self._console.print()
        show_pair(self._items[task.left], self._items[task.right], self._console)
        self._say(key_words(settings), "dim")

    def _as_seen(self, item: CampaignItem) -> CampaignItem:
        """With the path of its file, which can be opened, where a server has given it a name."""
        if not item.media.startswith("media:"):
            return item
        path = self._campaign.media_file(item.media)
        return replace(item, media=str(path)) if path.is_file() else item

    def _say(self, words: str, style: str = "") -> None:
        from hodgerank.cli.console import verbatim

        self._console.print(verbatim(words, style))


def key_words(settings: CampaignSettings) -> str:
    """What can be pressed."""
    keys = ["1 or left arrow", "2 or right arrow"]
    keys += ["0 equally good"] if settings.ties else []
    keys += ["s skip"] if settings.skip_reasons else []
    return ", ".join([*keys, "u undo", "q quit"])
