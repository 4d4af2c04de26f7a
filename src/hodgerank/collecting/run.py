"""run: drive a sampler with a judge that answers at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from hodgerank.collecting.call_loop import Budget
from hodgerank.collecting.collector import Collector, OnAnswer, RunResult
from hodgerank.collecting.stopping import StoppingRule
from hodgerank.errors import NothingToAsk
from hodgerank.sampling.answers import Answer
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Pair

Judge: TypeAlias = Callable[[Pair], Any]
"""From a pair to an outcome in [-1, 1] (+1 prefers left), a tuple of outcome and worker, an
`Answer`, or None where there is none."""


class Step(NamedTuple):
    """A pair that was asked, and its answer if there was one."""

    pair: Pair
    answer: Answer | None


def play(
    sampler: Sampler, judge: Judge, *, candidates: Callable[[], Candidates] | None = None
) -> Iterator[Step]:
    """Ask, let the judge answer, tell; a turn is yielded when its answer has been told.

    A pair without an answer is set aside: it stays pending and is not told. `candidates` says
    before each turn which pairs may be asked. Ends with `NothingToAsk` where no pair is left.

    >>> import hodgerank as hr
    >>> turns = play(hr.AutoSampler(["tea", "milk"]), lambda pair: +1)
    >>> sorted(next(turns).pair)
    ['milk', 'tea']
    """
    set_aside: list[Pair] = []
    while True:
        allowed = None if candidates is None else candidates()
        pair = sampler.ask(pending=set_aside, candidates=allowed)
        answer = Answer.of(judge(pair), pair)
        if answer is None:
            set_aside.append(pair)
        else:
            sampler.tell(pair, answer.outcome, answer.worker, weight=answer.weight)
        yield Step(pair, answer)


def run(
    sampler: Sampler,
    judge: Judge,
    budget: int,
    *,
    stop: StoppingRule | None = None,
    log: Path | str | None = None,
    on_answer: OnAnswer | None = None,
    progress: bool | None = None,
) -> RunResult:
    """Ask, let the judge answer, tell; until the budget is used or a rule says stop.

    Parameters
    ----------
    sampler
        Which pairs.
    judge
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
    collector = Collector(sampler, Budget(budget), stop, log, on_answer)
    turns = play(sampler, judge)
    with collector.progress_bar(progress) as advance:
        while not (reason := collector.reason_to_stop()):
            try:
                pair, answer = next(turns)
            except NothingToAsk as error:
                reason = str(error)
                break
            if answer is None:
                collector.miss(None)
            else:
                collector.keep(pair, answer)
                advance()
    return collector.result(reason)
