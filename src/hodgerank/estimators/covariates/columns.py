"""Numeric covariates of votes, read from the columns kept with them.

`length` is found as two columns, `length_left` and `length_right` (also _a and _b, 1 and 2, winner
and loser), or as one column of differences, left minus right. Two columns of positive numbers give
z = log2(left / right), so that one unit is a doubling. Other differences are divided by their root
mean square.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, did_you_mean
from hodgerank.kernels.linalg.laplacian import centre, divergence
from hodgerank.types import FloatArray

if TYPE_CHECKING:
    from hodgerank.graph.answered_graph import AnsweredGraph

SIDES = (("left", "right"), ("a", "b"), ("1", "2"), ("winner", "loser"))
IDENTIFIED, DESCRIBED = 0.3, 0.1  # shares of a covariate that vary within pairs of items
ALIGNED = 0.1  # share that the side of the display leaves over, below which a note says so
MOST_NAMED = 8
TINY = 1e-300

Covariates = str | Sequence[str]


@dataclass(frozen=True, eq=False)
class Covariate:
    """One covariate of the votes.

    Attributes
    ----------
    name
        As it was asked for.
    unit
        'doubling', or 'standard deviation' for differences that are divided by theirs.
    size
        What one unit is in the numbers of the column; 1 for doublings.
    values
        z of each vote, left minus right.
    means
        Mean of each item, centred in each component.
    share
        Share of the sum of squares of z that differences of items do not explain. If it is 0, the
        covariate and the scores cannot be separated.
    beside_side
        Share of the rest that the side of the display does not explain.
    """

    name: str
    unit: str
    size: float
    values: FloatArray
    means: FloatArray
    share: float
    beside_side: float

    @property
    def is_estimated(self) -> bool:
        """Whether the votes separate its effect from the scores."""
        return self.share >= DESCRIBED


def names_of(covariates: Covariates) -> tuple[str, ...]:
    """Return the names of the covariates, or raise InvalidArgument."""
    names = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise InvalidArgument(
            "covariates (--covariate) are names of numeric columns, such as 'length'"
        )
    if len(set(names)) < len(names):
        raise InvalidArgument(f"a covariate is named twice: {', '.join(names)}")
    return names


def columns_of(name: str) -> set[str]:
    """Return the names of the columns that may hold a covariate."""
    return {name, *(f"{name}_{side}" for sides in SIDES for side in sides)}


def controlled_names(covariates: Covariates | None, control: Covariates | None) -> tuple[str, ...]:
    """Return the covariates to control for, which must be among `covariates`."""
    if control is None:
        return ()
    wanted, known = names_of(control), () if covariates is None else names_of(covariates)
    for name in wanted:
        if name not in known:
            raise InvalidArgument(
                f"control={short(repr(name))} (--control) is not among the covariates"
                f"{did_you_mean(name, known)}: name it in covariates= (--covariate) too"
            )
    return wanted


def read_covariates(answered: AnsweredGraph, covariates: Covariates) -> tuple[Covariate, ...]:
    """Return the covariates of the votes, or raise InvalidArgument that says what is missing."""
    return tuple(_read(answered, name) for name in names_of(covariates))


def _read(answered: AnsweredGraph, name: str) -> Covariate:
    votes = answered.votes
    sides = next(
        (
            (f"{name}_{left}", f"{name}_{right}")
            for left, right in SIDES
            if f"{name}_{left}" in votes.extra and f"{name}_{right}" in votes.extra
        ),
        None,
    )
    unit, size = "standard deviation", 1.0
    if sides is None:
        if name not in votes.extra:
            raise InvalidArgument(_not_there(votes, name))
        values, item_values = _numbers(votes, name), None
    else:
        left, right = (_numbers(votes, column) for column in sides)
        if min(left.min(initial=1.0), right.min(initial=1.0)) > 0:
            unit, left, right = "doubling", np.log2(left), np.log2(right)
        values, item_values = left - right, (left, right)
    weight = votes.total_weight
    if unit != "doubling":
        size = float(np.sqrt(np.average(values**2, weights=weight)))
    if not np.any(values):
        raise InvalidArgument(
            f"covariate {short(repr(name))} is the same for both items in every vote, so it has no "
            "effect to estimate: leave it out"
        )
    values = values / size
    potential = _projection(answered, values)
    means = potential
    if item_values is not None:
        means = _means(votes, *(side / size for side in item_values))
    within = values - (potential[votes.left] - potential[votes.right])
    total = float(weight @ values**2)
    share = float(weight @ within**2) / total
    return Covariate(
        name,
        unit,
        size,
        values,
        centre(means, answered.graph.components),
        share,
        _beside_side(votes, within),
    )


def _not_there(votes: Comparisons, name: str) -> str:
    known = list(votes.extra)
    bases = [
        column.removesuffix(f"_{left}")
        for column in known
        for left, right in SIDES
        if column.endswith(f"_{left}") and f"{column.removesuffix(f'_{left}')}_{right}" in known
    ]
    text = (
        f"covariates (--covariate): the votes have no numeric columns {short(name)}_left and "
        f"{short(name)}_right, nor a column {short(name)}{did_you_mean(name, [*bases, *known])}"
    )
    if not known:
        return text + "; they have no additional columns"
    more = len(known) - MOST_NAMED
    listed = ", ".join(map(short, known[:MOST_NAMED]))
    return f"{text}; there are {listed}{f' and {more:,} more' if more > 0 else ''}"


def _numbers(votes: Comparisons, name: str) -> FloatArray:
    """Return a column as finite numbers, or raise InvalidArgument that names a row."""
    import polars as pl

    column = votes.extra[name]
    is_missing = column.is_null().to_numpy()
    try:
        numbers = column.cast(pl.Float64, strict=False)
    except pl.exceptions.PolarsError:
        raise InvalidArgument(
            f"covariate column {short(repr(name))} holds {column.dtype}, not numbers: name a "
            "numeric column"
        ) from None
    found = numbers.fill_null(np.nan).to_numpy().astype(float)
    if column.dtype == pl.String:
        is_missing = is_missing | (column.str.strip_chars() == "").fill_null(True).to_numpy()
    for rows, what in (
        (is_missing, "has no value"),
        (~np.isfinite(found) & ~is_missing, "is not a number"),
    ):
        if rows.any():
            k = int(np.flatnonzero(rows)[0])
            text = "" if what == "has no value" else f" ({short(repr(column[k]))})"
            raise InvalidArgument(
                f"covariate column {short(repr(name))} {what} in {int(rows.sum()):,} of "
                f"{len(votes):,} votes, first in row {int(votes.rows[k]):,}{text}: complete the "
                "column, or leave these votes out (--where)"
            )
    return found


def _projection(answered: AnsweredGraph, values: FloatArray) -> FloatArray:
    """Return the scores whose differences are closest to the values of the votes."""
    graph = answered.graph
    turned = answered.sign * answered.votes.total_weight * values
    flow = np.bincount(answered.edge, turned, graph.n_edges).astype(float)
    rhs = divergence(graph.i, graph.j, flow, graph.n_items)
    return np.asarray(graph.equations.solve(rhs, tolerance=1e-10))


def _means(votes: Comparisons, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the mean of each item over its votes; 0 for items without votes."""
    weight, n = votes.total_weight, votes.n_items
    total = np.bincount(votes.left, weight * left, n) + np.bincount(votes.right, weight * right, n)
    size = np.bincount(votes.left, weight, n) + np.bincount(votes.right, weight, n)
    return np.asarray(total / np.maximum(size, TINY))


def _beside_side(votes: Comparisons, within: FloatArray) -> float:
    """Return the share of the variation that is not explained by the side of the display."""
    side, weight = votes.display_known.astype(float), votes.total_weight
    n_shown = float(weight @ side)
    total = float(weight @ within**2)
    if not (n_shown and total):
        return 1.0
    return 1 - float(weight @ (side * within)) ** 2 / n_shown / total
