"""What to ask next."""

from __future__ import annotations

from hodgerank.reporting.blocks import Block, Paragraph, Section, Table
from hodgerank.reporting.catalogue import name_of, say
from hodgerank.reporting.findings import Findings


def next_section(found: Findings) -> Section:
    """The most informative pairs, and how to get a sheet of them."""
    blocks: list[Block]
    if found.next_pairs:
        header = (say("next.left"), say("next.right"))
        rows = [(name_of(pair.left), name_of(pair.right)) for pair in found.next_pairs]
        sheet = say("next.sheet")
        blocks = [Paragraph((say("next.pairs"),)), Table(header, rows), Paragraph((sheet,), "note")]
    else:
        blocks = [Paragraph((say("next.all_asked"),))]
    return Section("next", say("next.title"), tuple(blocks))
