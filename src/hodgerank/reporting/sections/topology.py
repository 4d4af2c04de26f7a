"""How the items hang together by what was asked."""

from __future__ import annotations

from functools import partial

from hodgerank.plotting.comparison_graph import graph_chart
from hodgerank.reporting.blocks import Block, Figure, Paragraph, Section
from hodgerank.reporting.catalogue import say
from hodgerank.reporting.findings import Findings

MOST_ITEMS = 60  # that a drawn graph shows


def topology_section(found: Findings) -> Section:
    """Components, open loops, and the graph."""
    parts = found.trust.decomposition
    components, loops = parts.betti
    joined = say("topology.whole") if components == 1 else say("topology.apart", n=components)
    opened = say("topology.loops", n=loops) if loops else say("topology.no_loops")
    n = len(found.ranking)
    blocks: list[Block] = [Paragraph((joined, opened))]
    if n <= MOST_ITEMS:
        blocks.append(Figure(partial(graph_chart, parts)))
    else:
        blocks.append(Paragraph((say("topology.too_many", n=n),), "note"))
    return Section("topology", say("topology.title"), tuple(blocks))
