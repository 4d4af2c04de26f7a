"""Faces of a graph: the cycles that are filled, around which votes may be inconsistent locally.

Every triangle is a face. Quadrangles or listed cells can be filled beside them. In arrays a face is
a row of items, by position in cyclic order, padded with -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy import sparse

from hodgerank.errors import InvalidArgument, UnknownItem, require_one_of
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import IntArray, Item

FacesLike: TypeAlias = Literal["triangles", "quadrangles"] | Sequence[Sequence[Item]]
"""What is filled: triangles, quadrangles too, or triangles and the listed cells."""

PADDING = -1


def padded(faces: Sequence[Sequence[int]]) -> IntArray:
    """Return faces of different lengths as one array."""
    width = max(map(len, faces), default=3)
    rows = [
        face if len(face) == width else [*face, *[PADDING] * (width - len(face))] for face in faces
    ]
    return np.array(rows, np.int64).reshape(-1, width)


def stacked(*faces: IntArray) -> IntArray:
    """Return the rows of several arrays of faces as one array."""
    width = max(part.shape[1] for part in faces)
    wide = [
        np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=PADDING)
        for part in faces
    ]
    return np.concatenate(wide)


NO_FACES = padded([])


@dataclass(frozen=True, eq=False)
class Faces:
    """The faces that are filled beside all triangles.

    Attributes
    ----------
    quadrangles
        Whether 4-cycles are filled, of which neither diagonal was compared.
    cells
        Listed faces.
    """

    quadrangles: bool
    cells: IntArray

    @classmethod
    def of(cls, faces: FacesLike, items: Sequence[Item] | None = None) -> Faces:
        """Check the argument `faces`; cells hold `items`, or positions without them."""
        if isinstance(faces, str):
            kind = require_one_of(faces, ("triangles", "quadrangles"), "faces")
            return cls(kind == "quadrangles", NO_FACES)
        position = None if items is None else {item: code for code, item in enumerate(items)}
        cells = []
        for cell in faces:
            is_tuple = isinstance(cell, Iterable) and not isinstance(cell, str)
            corners = list(cell) if is_tuple else []
            if len(corners) < 3 or len(set(corners)) < len(corners):
                raise InvalidArgument(
                    f"a cell is a tuple of 3 or more different items in cyclic order, not {cell!r}"
                )
            for item in corners:
                if position is not None and item not in position:
                    raise UnknownItem(item, position)
                if position is None and not (isinstance(item, int | np.integer) and item >= 0):
                    raise InvalidArgument(
                        f"items of the cell {cell!r} must be whole numbers from 0 on"
                    )
            cells.append([int(c) if position is None else position[c] for c in corners])
        return cls(False, padded(cells))

    def require_compared(self, pairs: IntArray, items: Sequence[Item]) -> None:
        """Raise `InvalidArgument` unless items side by side in a cell are one of the pairs."""
        ends, n = np.sort(_ends(self.cells)[0], axis=1), len(items)
        low, high = np.sort(pairs, axis=1).T
        missing = np.flatnonzero(~np.isin(ends[:, 0] * n + ends[:, 1], low * np.int64(n) + high))
        if len(missing):
            one, other = (items[code] for code in ends[missing[0]])
            raise InvalidArgument(
                f"a cell has {one!r} and {other!r} side by side, which were never compared: give "
                "the items of each cell in cyclic order"
            )

    def renumbered(self, code: IntArray) -> Faces:
        """Return the same faces with other positions of the items."""
        return Faces(self.quadrangles, np.where(self.cells == PADDING, PADDING, code[self.cells]))

    @property
    def only_triangles(self) -> bool:
        """Whether nothing else is filled."""
        return not self.quadrangles and not len(self.cells)

    def listed(self) -> list[tuple[int, ...]]:
        """Return the cells as tuples of positions."""
        return [tuple(code for code in row if code != PADDING) for row in self.cells.tolist()]


TRIANGLES = Faces(quadrangles=False, cells=NO_FACES)


def _ends(faces: IntArray) -> tuple[IntArray, IntArray]:
    """Return both ends of the edges around faces, in order, and the number of edges of each."""
    is_item = faces != PADDING
    lengths = is_item.sum(axis=1)
    items, last = faces[is_item], np.cumsum(lengths) - 1
    following = np.arange(1, len(items) + 1)
    following[last] = last + 1 - lengths
    return np.column_stack((items, items[following])), lengths


def circulation(graph: ComparisonGraph, faces: IntArray) -> sparse.csr_array:
    """Return the operator that sums a flow around each of some faces, in their direction."""
    ends, lengths = _ends(faces)
    edges = graph.find_edges(ends.min(axis=1), ends.max(axis=1))
    signs = np.where(ends[:, 0] < ends[:, 1], 1.0, -1.0)
    shape = (len(faces), graph.n_edges)
    return sparse.csr_array((signs, edges, np.r_[0, np.cumsum(lengths)]), shape=shape)


def faces_in(graph: ComparisonGraph, faces: FacesLike) -> Faces:
    """Check the argument `faces`; cells are given by the names of items."""
    found = Faces.of(faces, graph.items)
    if len(found.cells):
        found.require_compared(np.column_stack((graph.i, graph.j)), graph.items)
    return found


def other_faces(graph: ComparisonGraph, faces: Faces) -> IntArray:
    """Return all faces beside the triangles."""
    return graph.quadrangles if faces.quadrangles else faces.cells


def whole_curl(graph: ComparisonGraph, faces: Faces) -> sparse.csr_array:
    """Return the operator that sums a flow around every triangle, then every other face."""
    if faces.only_triangles:
        return graph.D1
    return sparse.vstack((graph.D1, circulation(graph, other_faces(graph, faces))), format="csr")


def names_of(faces: IntArray, items: Sequence[Item]) -> list[tuple[Item, ...]]:
    """Return faces by the names of their items."""
    return [tuple(items[code] for code in row if code != PADDING) for row in faces.tolist()]
