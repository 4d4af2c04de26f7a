"""Edge statistics on disk, so that earlier votes need not be read again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hodgerank.atomic_write import write_file
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.graph.comparison_graph import ComparisonGraph

KEY = "hodgerank"
KEPT = ("ballots", "units", "adaptive", "margin_unit")  # traits of the votes that edges do not hold
COLUMNS = ("left", "right", "answers", "weight", "weight_squared", "mean_outcome", "squares")


@dataclass(frozen=True)
class EdgeFile:
    """A graph and its sources; a Parquet file with one row per pair.

    Attributes
    ----------
    graph
        The graph of all votes so far.
    sources
        Name and digest of each batch of votes, in the order of addition.
    """

    graph: ComparisonGraph
    sources: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, path: Path) -> EdgeFile:
        """Read a file, and verify its digest."""
        try:
            content = path.read_bytes()
            table = pl.read_parquet(BytesIO(content))
            noted = pl.read_parquet_metadata(BytesIO(content)).get(KEY)
            note = None if noted is None else json.loads(noted)
        except (OSError, ValueError, pl.exceptions.PolarsError) as error:
            reason = str(error).split("\n", 1)[0]
            raise InvalidComparisons(
                f"{path} cannot be read as edge statistics: {reason}"
            ) from None
        if note is None:
            raise InvalidComparisons(
                f"{path} does not hold edge statistics: it was not written by --state"
            )
        if not isinstance(note, dict) or note != _note(
            table, note.get("sources"), note.get("kept", {})
        ):
            raise InvalidComparisons(
                f"{path} was changed since hodgerank wrote it, so its sums are not reliable. "
                "Restore a backup, or start a new file from all votes"
            )
        items = tuple(pl.concat([table["left"], table["right"]]).unique().sort().to_list())
        places = {item: place for place, item in enumerate(items)}
        i, j = (
            np.array([places[item] for item in table[name].to_list()], np.int32)
            for name in ("left", "right")
        )
        counts, weights, weight_squares, flows, squares = (
            table[name].to_numpy() for name in COLUMNS[2:]
        )
        report = ReadReport(str(path), "edge statistics", int(counts.sum()), **note.get("kept", {}))
        graph = ComparisonGraph(
            items, i, j, counts, weights, weight_squares, flows, squares, report
        )
        return cls(graph, tuple((name, digest) for name, digest in note["sources"]))

    def add(self, votes: Comparisons | ComparisonGraph, *, again: bool = False) -> EdgeFile:
        """Return the statistics with more votes; adding the same votes twice raises an error."""
        digest = _digest(votes)
        known = [name for name, other in self.sources if other == digest]
        if known and not again:
            raise InvalidArgument(
                f"these votes were added before, from {known[0]}: leave them out, or add them "
                "again with --again"
            )
        graph = self.graph.merge(_graph(votes))
        return EdgeFile(graph, (*self.sources, (votes.report.source, digest)))

    def write(self, path: Path) -> None:
        """Write the file, with a digest of its content."""
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
        buffer = BytesIO()
        kept = {name: value for name in KEPT if (value := getattr(graph.report, name))}
        table.write_parquet(buffer, metadata={KEY: json.dumps(_note(table, self.sources, kept))})
        write_file(path, buffer.getvalue())


def _note(table: pl.DataFrame, sources: Any, kept: Any) -> dict[str, Any]:
    """Return the metadata of the file: sources, traits, and a digest of everything."""
    more = {"kept": kept} if kept else {}
    digest = sha256(json.dumps([sources, more] if more else sources).encode())
    for column in table:
        digest.update(repr((column.name, column.dtype)).encode())
        is_numeric = column.dtype.is_numeric() and not column.null_count()
        digest.update(
            column.to_numpy().tobytes() if is_numeric else repr(column.to_list()).encode()
        )
    return {"sources": json.loads(json.dumps(sources)), **more, "digest": digest.hexdigest()}


def edge_file(votes: Comparisons | ComparisonGraph) -> EdgeFile:
    """Return the edge statistics of a first batch of votes."""
    return EdgeFile(_graph(votes), ((votes.report.source, _digest(votes)),))


def _graph(votes: Comparisons | ComparisonGraph) -> ComparisonGraph:
    if isinstance(votes, ComparisonGraph):
        return votes
    return ComparisonGraph.from_comparisons(votes)


def _digest(votes: Comparisons | ComparisonGraph) -> str:
    """Return a digest that depends on the votes and their order, not on the file name."""
    digest = sha256(repr(votes.items).encode())
    for part in fields(votes):
        value = getattr(votes, part.name)
        if isinstance(value, np.ndarray):
            digest.update(np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()[:32]
