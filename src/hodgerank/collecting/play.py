"""play: a sampler asks and a judge answers, pair after pair. Every other loop is built on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from hodgerank.sampling.answer import Answer
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Pair

Judge: TypeAlias = Callable[[Pair], Any]
"""From a pair to an outcome in [-1, 1] (+1 prefers left), a tuple of outcome and worker, an
`Answer`, or None where there is none."""


class Turn(NamedTuple):
    """A pair that was asked, and its answer if there was one."""

    pair: Pair
    answer: Answer | None


def play(
    sampler: Sampler, judge: Judge, *, candidates: Callable[[], Candidates] | None = None
) -> Iterator[Turn]:
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
        yield Turn(pair, answer)
