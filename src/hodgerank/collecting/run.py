"""run: drive a sampler with a judge that answers at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from hodgerank.collecting.call_loop import Budget, StopReason
from hodgerank.collecting.collector import Collector, OnAnswer, RunResult
from hodgerank.collecting.stopping import StoppingRule
from hodgerank.errors import InvalidArgument, NothingToAsk
from hodgerank.sampling.answers import Answer
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Item, Pair

Judge: TypeAlias = Callable[..., Any]
"""Maps a pair to an outcome in [-1, 1] (+1 prefers left), a tuple of outcome and worker,
an `Answer`, or None for no answer. If the sampler chooses the worker, it gets the worker too.
"""
Workers: TypeAlias = Iterable[Item] | Callable[[], Iterable[Item]]
"""Names of workers, or a function that returns those available now."""


def who_is_available(workers: Workers) -> Callable[[], list[Item]]:
    """Return a function that returns the workers available now."""
    if callable(workers):
        return lambda: list(workers())
    if isinstance(workers, str):
        raise InvalidArgument(f"workers must be a list of names or a function, not {workers!r}")
    names = list(workers)
    return lambda: names


def answer_of(said: Any, pair: Pair, worker: Item | None) -> Answer | None:
    """Read the reply of a judge; the worker is the one asked, unless the reply names another."""
    answer = Answer.of(said, pair)
    if answer is None or answer.worker is not None or worker is None:
        return answer
    return replace(answer, worker=worker)


class Step(NamedTuple):
    """A pair that was asked, with its answer if there was one."""

    pair: Pair
    answer: Answer | None


def play(
    sampler: Sampler,
    judge: Judge,
    *,
    candidates: Callable[[], Candidates] | None = None,
    workers: Workers | None = None,
) -> Iterator[Step]:
    """Ask, let the judge answer and tell the sampler; yield each turn afterwards.

    A pair without an answer is set aside: it stays pending. `candidates` returns the pairs that may
    be asked before each turn. With `workers` the sampler chooses who answers, and the judge gets
    the pair and the worker. Raises `NothingToAsk` when no pair is left.

    >>> import hodgerank as hr
    >>> turns = play(hr.AutoSampler(["tea", "milk"]), lambda pair: +1)
    >>> sorted(next(turns).pair)
    ['milk', 'tea']
    """
    set_aside: list[Pair] = []
    available = None if workers is None else who_is_available(workers)
    while True:
        allowed = None if candidates is None else candidates()
        worker: Item | None = None
        if available is None:
            pair = sampler.ask(pending=set_aside, candidates=allowed)
            said = judge(pair)
        else:
            worker, pair = sampler.assign(available(), set_aside, allowed)
            said = judge(pair, worker)
        answer = answer_of(said, pair, worker)
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
    workers: Workers | None = None,
    stop: StoppingRule | None = None,
    log: Path | str | None = None,
    on_answer: OnAnswer | None = None,
    progress: bool | None = None,
) -> RunResult:
    """Ask a judge until the budget is used or a stopping rule is satisfied.

    Parameters
    ----------
    sampler
        Chooses the pairs.
    judge
        Maps a `Pair` to an outcome in [-1, 1] (+1 prefers left), a tuple of outcome and worker, an
        `Answer` (with a weight), or None for no answer; the pair is then set aside.
    budget
        Number of votes, including those in the log.
    workers
        Workers who can answer, or a function that returns those available now. The sampler then
        chooses the worker too, see `Sampler.assign`, and the judge is called with the pair and the
        worker.
    stop
        Stopping rule, e.g. `ExpectedTau(0.9) | TopKCertain(3)`.
    log
        File to which every vote is written as a line of JSON before the next pair is asked; if it
        exists, the run resumes.
    on_answer
        Called with the pair and the `Answer`.
    progress
        Show a progress bar; default: in a terminal.

    Examples
    --------
    >>> import hodgerank as hr
    >>> taste = {"tea": 3, "milk": 2, "cola": 1}
    >>> judge = lambda pair: 1 if taste[pair.left] > taste[pair.right] else -1
    >>> hr.run(hr.AutoSampler(taste, seed=1), judge, budget=12).ranking.items
    ('tea', 'milk', 'cola')
    """
    collector = Collector(sampler, Budget(budget), stop, log, on_answer)
    turns = play(sampler, judge, workers=workers)
    with collector.progress_bar(progress) as advance:
        while not (reason := collector.reason_to_stop()):
            try:
                pair, answer = next(turns)
            except NothingToAsk as error:
                reason = StopReason(str(error), "no_pair")
                break
            if answer is None:
                collector.miss(None)
            else:
                collector.keep(pair, answer)
                advance()
    return collector.result(reason)
