"""What stood where pairs that are out have changed it, to be put back bit for bit.

While pairs are out, whoever changes an item or a cell has it written down first: a line is the item
u and its entries, or -1 - cell and what stands there. The same may be written down again and again;
going back from the last line to the first ends with what was there before any pair went out.
"""

from __future__ import annotations

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.matrix_free.state import (
    CELL,
    FIRST_PENDING,
    N_LINES,
    NEXT,
    PENDING,
    PREVIOUS,
    VARIANCE,
    State,
)

LINES_PER_MOVE = 7  # the item, and its neighbours and cell where it leaves and where it arrives


@compiled
def write_item(s: State, u: int) -> None:
    """Write down an item."""
    line = s.journal[s.counters[N_LINES]]
    s.counters[N_LINES] += 1
    line[0] = u
    line[1] = s.x[u, VARIANCE]
    line[2] = s.x[u, PENDING]
    line[3] = s.edges[u, FIRST_PENDING]
    line[4] = s.place[u, NEXT]
    line[5] = s.place[u, PREVIOUS]
    line[6] = s.place[u, CELL]


@compiled
def write_surroundings(s: State, u: int, new: int) -> None:
    """Write down what changes beside an item that moves from its cell to a new one."""
    write_item(s, s.place[u, NEXT])
    write_item(s, s.place[u, PREVIOUS])
    _write_cell(s, s.place[u, CELL])
    first = s.cells[new]
    if first >= 0:
        write_item(s, first)
        write_item(s, s.place[first, PREVIOUS])
    _write_cell(s, new)


@compiled
def _write_cell(s: State, cell: int) -> None:
    line = s.journal[s.counters[N_LINES]]
    s.counters[N_LINES] += 1
    line[0] = -1 - cell
    line[1] = s.cells[cell]
    line[2] = s.top[_bucket(s, cell)]


@compiled(inline="always")
def _bucket(s: State, cell: int) -> int:
    return cell // (len(s.cells) // len(s.top))


@compiled
def undo(s: State) -> None:
    """Put everything back that was written down; counters and `listed` are up to the caller."""
    for k in range(s.counters[N_LINES] - 1, -1, -1):
        line = s.journal[k]
        who = int(line[0])
        if who >= 0:
            s.x[who, VARIANCE] = line[1]
            s.x[who, PENDING] = line[2]
            s.edges[who, FIRST_PENDING] = int(line[3])
            s.place[who, NEXT] = int(line[4])
            s.place[who, PREVIOUS] = int(line[5])
            s.place[who, CELL] = int(line[6])
        else:
            cell = -1 - who
            s.cells[cell] = int(line[1])
            s.top[_bucket(s, cell)] = int(line[2])
