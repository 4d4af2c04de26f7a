"""Whether answers lean to a side."""

from __future__ import annotations

from hodgerank.reporting.blocks import Paragraph, Section
from hodgerank.reporting.catalogue import say, words
from hodgerank.reporting.findings import Findings


def sides_section(found: Findings) -> Section:
    """What may be said about sides."""
    said = tuple(words(str(said)) for said in found.statements if said.about == "sides")
    if found.settings.position == "worker":
        said = (*said, say("sides.by_worker"))
    return Section("sides", say("sides.title"), (Paragraph(said),))
