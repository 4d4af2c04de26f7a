"""Votes as lines of JSON: what a program has in hand, with nothing to be guessed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import Field, ValidationError

from hodgerank.data.comparisons import NO_WORKER, Comparisons, ReadReport
from hodgerank.errors import InvalidComparisons
from hodgerank.notebook import cut, visible
from hodgerank.sampling.answer import MOST_WEIGHT
from hodgerank.server.api.values import Body, ItemId, Name, example
from hodgerank.types import Item


class VoteLine(Body):
    """One vote."""

    model_config = example(left="cat", right="dog", outcome=1, worker="ann")

    left: ItemId
    right: ItemId
    outcome: float = Field(ge=-1, le=1, description="1 prefers left, -1 right, 0 is a tie.")
    worker: Name | None = None
    weight: float = Field(1.0, ge=1 / MOST_WEIGHT, le=MOST_WEIGHT)
    is_display_known: bool = Field(
        True, description="Whether left and right are the sides that were shown."
    )


def read_vote_lines(path: Path) -> Comparisons:
    """The votes of a file, one in each line."""
    with path.open("rb") as file:
        votes = [_vote(number, line) for number, line in enumerate(file, 1) if line.strip()]
    items: dict[Item, int] = {}
    workers: dict[Item, int] = {}
    left = [items.setdefault(vote.left, len(items)) for vote in votes]
    right = [items.setdefault(vote.right, len(items)) for vote in votes]
    worker = [
        NO_WORKER if vote.worker is None else workers.setdefault(vote.worker, len(workers))
        for vote in votes
    ]
    return Comparisons(
        items=tuple(items),
        left=np.array(left, np.int32),
        right=np.array(right, np.int32),
        outcome=np.array([vote.outcome for vote in votes], float),
        workers=tuple(workers),
        worker=np.array(worker, np.int32),
        display_known=np.array([vote.is_display_known for vote in votes], bool),
        weight=np.array([vote.weight for vote in votes], float),
        report=ReadReport(source="lines of JSON", rows=len(votes)),
    )


def _vote(number: int, line: bytes) -> VoteLine:
    try:
        return VoteLine.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(map(str, first["loc"]))
        words = cut(visible(f"{where}: {first['msg']}" if where else first["msg"]), 300)
        raise InvalidComparisons(f"line {number:,}: {words}") from None
