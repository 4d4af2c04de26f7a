"""Edge statistics on disk, so that yesterday's votes need not be read again."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl

from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.graph.comparison_graph import ComparisonGraph

KEY = "hodgerank"
COLUMNS = ("left", "right", "answers", "weight", "weight_squared", "mean_outcome", "squares")


@dataclass(frozen=True)
class EdgeFile:
    """A graph and what it was summed up from; a Parquet file with a row per pair.

    Attributes
    ----------
    graph
        Of all answers so far.
    sources
        Name and digest of each batch of votes, in the order they came.
    """

    graph: ComparisonGraph
    sources: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, path: Path) -> EdgeFile:
        """Read a file, and check that it is one of ours."""
        try:
            table = pl.read_parquet(path, glob=False)
            noted = pl.read_parquet_metadata(path).get(KEY)
            sources = [] if noted is None else json.loads(noted)
        except (OSError, ValueError, pl.exceptions.PolarsError) as error:
            reason = str(error).split("\n", 1)[0]
            raise InvalidComparisons(
                f"{path} cannot be read as edge statistics: {reason}"
            ) from None
        if noted is None or set(COLUMNS) - set(table.columns):
            raise InvalidComparisons(
                f"{path} does not hold edge statistics: it was not written by --state"
            )
        _check(table, path)
        items = tuple(pl.concat([table["left"], table["right"]]).unique().sort().to_list())
        places = {item: place for place, item in enumerate(items)}
        i, j = (
            np.array([places[item] for item in table[name].to_list()], np.int32)
            for name in ("left", "right")
        )
        counts, weights, weight_squares, flows, squares = (
            table[name].to_numpy() for name in COLUMNS[2:]
        )
        report = ReadReport(str(path), "edge statistics", int(counts.sum()))
        graph = ComparisonGraph(
            items, i, j, counts, weights, weight_squares, flows, squares, report
        )
        return cls(graph, tuple((name, digest) for name, digest in sources))

    def add(self, votes: Comparisons | ComparisonGraph, *, again: bool = False) -> EdgeFile:
        """The statistics with more votes; the same ones twice are most probably a mistake."""
        digest = _digest(votes)
        known = [name for name, other in self.sources if other == digest]
        if known and not again:
            raise InvalidArgument(
                f"these votes were added before, from {known[0]}: leave them out, or add them "
                "once more with --again"
            )
        graph = self.graph.merge(_graph(votes))
        return EdgeFile(graph, (*self.sources, (votes.report.source, digest)))

    def write(self, path: Path) -> None:
        """Write to disk in one go: a crash leaves the old file as it was."""
        graph = self.graph
        names: Sequence[object] = graph.items
        table = pl.DataFrame(
            {
                "left": [names[k] for k in graph.i.tolist()],
                "right": [names[k] for k in graph.j.tolist()],
                "answers": graph.counts,
                "weight": graph.weights,
                "weight_squared": graph.weight_squares,
                "mean_outcome": graph.flows,
                "squares": graph.squares,
            }
        )
        beside = path.with_name(path.name + ".part")
        try:
            table.write_parquet(beside, metadata={KEY: json.dumps(self.sources)})
            os.replace(beside, path)
        except OSError as error:
            raise InvalidArgument(f"{path} cannot be written: {error.strerror or error}") from None


def _check(table: pl.DataFrame, path: Path) -> None:
    """Against what a program that is not ours may have done to the file."""
    left, right = table["left"], table["right"]
    is_sound = (
        left.dtype == right.dtype
        and not any(table[name].null_count() for name in COLUMNS)
        and all(table[name].dtype.is_numeric() for name in COLUMNS[2:])
        and all(table[name].is_finite().all() for name in COLUMNS[3:])
        and bool((left != right).all())
        and bool((table["answers"] > 0).all())
        and bool((table["weight"] > 0).all())
    )
    if not is_sound:
        raise InvalidComparisons(f"{path} is damaged: it does not hold sums over answers to pairs")


def edge_file(votes: Comparisons | ComparisonGraph) -> EdgeFile:
    """Edge statistics of a first batch of votes."""
    return EdgeFile(_graph(votes), ((votes.report.source, _digest(votes)),))


def _graph(votes: Comparisons | ComparisonGraph) -> ComparisonGraph:
    if isinstance(votes, ComparisonGraph):
        return votes
    return ComparisonGraph.from_comparisons(votes)


def _digest(votes: Comparisons | ComparisonGraph) -> str:
    """The same for the same votes in the same order, whatever the file is called."""
    digest = sha256(repr(votes.items).encode())
    for part in fields(votes):
        value = getattr(votes, part.name)
        if isinstance(value, np.ndarray):
            digest.update(np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()[:32]
