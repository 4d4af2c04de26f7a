"""Groups and units of votes that were read already, from an extra column.

The column is encoded as in a table, so `group=` and `unit=` mean the same before and after reading.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.data.groups import VoteGroups
from hodgerank.data.reading.decode import each_by_itself
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.values import MISSING, NOT_A_NAME, Encoding, encode
from hodgerank.errors import InvalidArgument, InvalidComparisons


def with_units(votes: Comparisons, options: ReadOptions) -> Comparisons:
    """Return the votes with the unit of each, if the options name one; refuse other options."""
    meant = ReadOptions(group=options.group, unit=options.unit, keep_na=options.keep_na)
    if options != meant:
        raise InvalidArgument(
            "these votes have been read already: only group=... and unit=... can still be given; "
            "give other options when reading the file"
        )
    if options.unit is None:
        return votes
    units, (codes,) = _encoded(votes, options.unit, options)
    if not units:
        raise InvalidComparisons(f"the unit column {options.unit!r} is empty")
    ballot = each_by_itself(codes, len(units))
    found = replace(votes, ballot=ballot, units=units).with_ballots_numbered()
    report = _using(votes.report, options.unit)
    return replace(found, report=replace(report, units=found.n_ballots, ballots=0))


def in_groups(votes: Comparisons, column: str, options: ReadOptions) -> VoteGroups:
    """Split votes by an extra column; votes without a group are left out and counted."""
    names, (codes,) = _encoded(votes, column, options)
    is_in = codes != MISSING
    if not is_in.any():
        raise InvalidComparisons(f"the group column {column!r} is empty")
    n_out = int(votes.votes_per_row[~is_in].sum())
    report = _using(votes.report, column)
    report = replace(report, missing=report.missing + n_out)
    kept = votes.select(is_in) if n_out else votes
    return VoteGroups.split(replace(kept, report=report), names, codes[is_in], column)


def _using(report: ReadReport, column: str) -> ReadReport:
    return replace(report, unused=tuple(name for name in report.unused if name != column))


def _encoded(votes: Comparisons, column: str, options: ReadOptions) -> Encoding:
    return encode(
        pl.DataFrame({column: votes.extra.require(column)}),
        [[column]],
        from_text=votes.extra.from_text,
        not_names=frozenset() if options.keep_na else NOT_A_NAME,
    )[0]
