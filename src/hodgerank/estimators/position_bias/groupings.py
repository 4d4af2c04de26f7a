"""Groupings of votes: the groups that have a position bias of their own.

A grouping is 'common', 'worker', 'unit', or the name of a column carried with the votes. The biases
of several groupings add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, did_you_mean
from hodgerank.types import BoolArray, IntArray, Item

Position = Literal["common", "worker"]
POSITIONS = ("common", "worker")
Groupings = str | Sequence[str]
NO_GROUP = -1  # the display order is unknown
MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class VoteGrouping:
    """Votes by one grouping.

    Attributes
    ----------
    name
        As it was asked for.
    labels
        The groups; None for votes without one, such as those without a worker.
    code
        Position in `labels` of each vote.
    """

    name: str
    labels: tuple[Item | None, ...]
    code: IntArray


def names_of(position_bias: Groupings) -> tuple[str, ...]:
    """Return the names of the groupings, or raise InvalidArgument."""
    names = (position_bias,) if isinstance(position_bias, str) else tuple(position_bias)
    if not names or not all(isinstance(name, str) for name in names):
        raise InvalidArgument(
            "position_bias is 'common', 'worker', 'unit', the name of a column, or a list of these"
        )
    if len(set(names)) < len(names):
        raise InvalidArgument(f"position_bias names a grouping twice: {', '.join(names)}")
    return names


def option_of(position_bias: Groupings) -> str:
    """Return the argument and the option, for messages."""
    names = names_of(position_bias)
    given = names[0] if len(names) == 1 else list(names)
    return f"position_bias={given!r} (--position-bias {','.join(names)})"


def has_term_per_worker(position_bias: Groupings | None) -> bool:
    """Whether every worker has a position bias in the model."""
    return position_bias is not None and "worker" in names_of(position_bias)


def of_samplers(position_bias: Groupings | None) -> Position | None:
    """Return the nearest position bias that samplers model: 'common' or 'worker'."""
    if position_bias is None:
        return None
    return "worker" if has_term_per_worker(position_bias) else "common"


def group_votes(votes: Comparisons, position_bias: Groupings) -> tuple[VoteGrouping, ...]:
    """Return the groupings in the order asked for, or raise InvalidArgument."""
    return tuple(_grouped(votes, name) for name in names_of(position_bias))


def crossed(votes: Comparisons, position_bias: Groupings) -> tuple[IntArray, int]:
    """Return the combination of groups of each vote, and the number of combinations."""
    code = np.zeros(len(votes), np.int64)
    for grouping in group_votes(votes, position_bias):
        code = np.unique(code * len(grouping.labels) + grouping.code, return_inverse=True)[1]
    return code, int(code.max(initial=0)) + 1


def _grouped(votes: Comparisons, name: str) -> VoteGrouping:
    if name == "common":
        return VoteGrouping(name, ("all",), np.zeros(len(votes), np.int64))
    if name == "worker":
        return VoteGrouping(name, (*votes.workers, None), worker_groups(votes)[0])
    if name == "unit":
        if votes.ballot is None or not votes.units:
            raise InvalidArgument(
                "units are not recorded: name the column (unit=..., --unit), or use "
                "position_bias='common' (--position-bias common)"
            )
        code = np.minimum(votes.ballot, len(votes.units)).astype(np.int64)
        return VoteGrouping(name, (*votes.units, None), code)
    return _by_column(votes, name)


def _by_column(votes: Comparisons, name: str) -> VoteGrouping:
    import polars as pl

    if name not in votes.extra:
        known = ["common", *["worker"] * bool(votes.workers), *["unit"] * bool(votes.units)]
        known += list(votes.extra)
        listed = ", ".join(map(short, known[:MOST_NAMED]))
        more = len(known) - MOST_NAMED
        raise InvalidArgument(
            f"position_bias (--position-bias): the votes have no column {short(repr(name))}"
            f"{did_you_mean(name, known)}; there are {listed}"
            f"{f' and {more:,} more' if more > 0 else ''}"
        )
    column = votes.extra[name]
    if column.dtype.is_nested() or column.dtype == pl.Object:
        texts = [None if value is None else str(value) for value in column.to_list()]
        column = pl.Series(name, texts, pl.String)
    if column.dtype.is_float():
        column = column.fill_nan(None)
    labels = column.unique().drop_nulls().sort().to_list()
    place = column.rank("dense").fill_null(len(labels) + 1).to_numpy() - 1
    return VoteGrouping(name, (*labels, None), np.asarray(place, np.int64))


def worker_groups(votes: Comparisons) -> tuple[IntArray, int]:
    """Return one group per worker, and one more for votes without a worker."""
    n = votes.n_workers
    return np.where(votes.worker == NO_WORKER, n, votes.worker).astype(np.int64), n + 1


def common_group(votes: Comparisons) -> tuple[IntArray, int]:
    """Return one group for all votes."""
    return np.zeros(len(votes), np.int64), 1


def require_display_order(votes: Comparisons, position_bias: Groupings) -> None:
    """Raise InvalidArgument if position bias cannot be modelled because of missing columns."""
    group_votes(votes, position_bias)
    if has_term_per_worker(position_bias) and not votes.n_workers:
        raise InvalidArgument(
            "workers are not recorded: name the column (worker=..., --worker), or use "
            "position_bias='common' (--position-bias common)"
        )
    if not votes.display_known.any():
        why = f" ({votes.report.display_doubt})" if votes.report.display_doubt else ""
        raise InvalidArgument(
            f"the display order is not known{why}: omit position_bias (--position-bias), "
            "or state that left and right are the sides shown "
            "(display_known=True, --display-known)"
        )


def has_display_order(votes: Comparisons) -> bool:
    """Whether some vote is not explained by its side alone; else only a prior identifies scores."""
    shown: BoolArray = votes.display_known
    outcome = votes.outcome[shown]
    return len(outcome) < len(votes) or bool(outcome.min() < 1 and outcome.max() > -1)


def require_both_orders(votes: Comparisons) -> None:
    """Raise InvalidArgument if every vote is for the same side."""
    if not has_display_order(votes):
        raise InvalidArgument(
            "the same side was chosen in every vote, so position bias and preferences cannot be "
            "separated; omit position_bias (--position-bias)"
        )
