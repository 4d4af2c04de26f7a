"""run: drive a sampler with an oracle that answers at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hodgerank.errors import InvalidArgument, JudgeFailed, NothingToAsk
from hodgerank.estimators.ranking import Ranking
from hodgerank.sampling.answers import Answer, AnswerFile
from hodgerank.sampling.protocol import Sampler
from hodgerank.sampling.stopping import Progress, StoppingRule
from hodgerank.types import Pair

OnAnswer = Callable[[Pair, Answer], None]
MOST_IN_A_ROW = 20  # pairs without an answer before giving up


@dataclass(frozen=True)
class Run:
    """How a run ended.

    Attributes
    ----------
    ranking
        From all answers.
    n_answers
        All of them, those resumed from included.
    reason
        Why it stopped.
    n_unanswered
        Pairs that were asked and not answered.
    """

    ranking: Ranking
    n_answers: int
    reason: str
    n_unanswered: int


class Campaigning:
    """What `run` and `run_async` share: when to stop, and where answers go."""

    def __init__(
        self,
        sampler: Sampler,
        budget: int,
        stop: StoppingRule | None,
        log: Path | str | None,
        on_answer: OnAnswer | None,
    ) -> None:
        if not isinstance(budget, int | np.integer) or budget < 1:
            raise InvalidArgument(f"budget is a number of answers, at least 1, not {budget!r}")
        if stop is not None and not isinstance(stop, StoppingRule):
            raise InvalidArgument(f"stop is a rule such as ExpectedTau(0.9), not {stop!r}")
        self.sampler = sampler
        self.budget = budget
        self.n_unanswered = 0
        self._stop = stop
        self._file = None if log is None else AnswerFile(log)
        self._on_answer = on_answer
        self._progress = Progress(sampler)
        self._in_a_row = 0
        if self._file is not None:
            self._file.replay(sampler)

    def reason_to_stop(self) -> str | None:
        """Why no more should be asked, if so."""
        if self.sampler.n_answers >= self.budget:
            return f"budget of {self.budget:,} answers used"
        if self._stop is not None and self._stop.is_reached(self._progress):
            return f"{self._stop} reached"
        return None

    def take(self, pair: Pair, answer: Answer) -> None:
        """An answer: told, then on disk and handed on, before anything else happens."""
        self.sampler.tell(pair, answer.outcome, answer.worker, weight=answer.weight)
        if self._file is not None:
            self._file.append(pair, answer)
        if self._on_answer is not None:
            self._on_answer(pair, answer)
        self._in_a_row = 0

    def miss(self, pair: Pair, error: BaseException | None) -> None:
        """No answer; many in a row mean that nobody is there."""
        self.n_unanswered += 1
        self._in_a_row += 1
        if self._in_a_row >= MOST_IN_A_ROW:
            why = f", last with {type(error).__name__}: {error}" if error is not None else ""
            raise JudgeFailed(
                f"{self._in_a_row} pairs in a row got no answer{why}. "
                f"The {self.sampler.n_answers:,} answers so far are kept"
            ) from error

    def result(self, reason: str) -> Run:
        """How it ended."""
        ranking = self.sampler.ranking()
        return Run(ranking, self.sampler.n_answers, reason, self.n_unanswered)


def run(
    sampler: Sampler,
    oracle: Callable[[Pair], Any],
    budget: int,
    *,
    stop: StoppingRule | None = None,
    log: Path | str | None = None,
    on_answer: OnAnswer | None = None,
    progress: bool | None = None,
) -> Run:
    """Ask, let the oracle answer, tell; until the budget is used or a rule says stop.

    Parameters
    ----------
    sampler
        Which pairs.
    oracle
        From a `Pair` to an outcome in [-1, 1] (+1 prefers left), a tuple of outcome and worker, an
        `Answer` with a weight too, or None for no answer: the pair is then set aside.
    budget
        Number of answers, those in the log included.
    stop
        A rule, e.g. `ExpectedTau(0.9) | TopKCertain(3)`.
    log
        A file that gets every answer as a line of JSON before the next pair is asked; if it
        exists already, the run goes on where it ended.
    on_answer
        Called with the pair and the `Answer`.
    progress
        Show a bar; default: on a terminal.

    Examples
    --------
    >>> import hodgerank as hr
    >>> taste = {"tea": 3, "milk": 2, "cola": 1}
    >>> judge = lambda pair: 1 if taste[pair.left] > taste[pair.right] else -1
    >>> hr.run(hr.AutoSampler(taste, seed=1), judge, budget=12).ranking.items
    ('tea', 'milk', 'cola')
    """
    campaign = Campaigning(sampler, budget, stop, log, on_answer)
    set_aside: list[Pair] = []
    with progress_bar(campaign, progress) as advance:
        while (reason := campaign.reason_to_stop()) is None:
            try:
                pair = sampler.ask(pending=set_aside)
            except NothingToAsk as error:
                reason = str(error)
                break
            answer = Answer.of(oracle(pair))
            if answer is None:
                set_aside.append(pair)
                campaign.miss(pair, None)
            else:
                campaign.take(pair, answer)
                advance()
    return campaign.result(reason)


@contextmanager
def progress_bar(campaign: Campaigning, wanted: bool | None) -> Iterator[Callable[[], None]]:
    """What to call after each answer."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("answers"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("answers", total=campaign.budget, completed=campaign.sampler.n_answers)
        yield lambda: bar.update(task, completed=campaign.sampler.n_answers)
