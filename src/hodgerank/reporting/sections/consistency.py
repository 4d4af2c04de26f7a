"""Whether one ranking explains the answers, beside what noise gives."""

from __future__ import annotations

from functools import partial

from hodgerank.estimators.trust.report import TrustReport
from hodgerank.graph.consistency.result import Cycle
from hodgerank.graph.decomposition import PART_WORDS
from hodgerank.notebook import p_words
from hodgerank.plotting.decomposition import decomposition_chart
from hodgerank.plotting.triangles import triangles_chart
from hodgerank.reporting.blocks import Block, Bullets, Figure, Paragraph, Section, Table, Text
from hodgerank.reporting.catalogue import name_of, say, words
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.numbers import p_value

ABOUT = ("items", "ranking", "cycles", "noise", "reliability")


def consistency_section(found: Findings) -> Section:
    """Statements, the parts of the votes, and cycles by name."""
    trust = found.trust
    said = tuple(words(str(said)) for said in found.statements if said.about in ABOUT)
    blocks: list[Block] = [
        Bullets(said),
        Figure(partial(decomposition_chart, trust)),
        _parts(trust),
        Paragraph((say("consistency.parts"),), "note"),
    ]
    if trust.triangles:
        blocks += [
            Paragraph((say("consistency.cycles"),)),
            Bullets(tuple(_cycle(cycle) for cycle in trust.triangles)),
            Figure(partial(triangles_chart, trust)),
        ]
    return Section("consistency", say("consistency.title"), tuple(blocks))


def _parts(trust: TrustReport) -> Table:
    header = [say(f"consistency.{name}") for name in ("part", "share", "expected", "p")]
    rows = []
    for part, meaning in PART_WORDS.items():
        noise, p = trust.decomposition.noise(part), trust.p_value(part)
        share, expected = f"{trust.decomposition.energy[part]:.1%}", ""
        if part == "bias" and not trust.decomposition.expected.n_both_ways:
            share, p = str(say("consistency.unseen")), None
        elif p is not None and noise is not None:
            expected = f"{noise.mean:.1%} ± {noise.std:.1%}"
        rows.append((meaning, share, expected, p_value(p)))
    return Table(header, rows, frozenset({1, 2, 3}))


def _cycle(cycle: Cycle) -> Text:
    (a, b, c), (x, y, z) = map(name_of, cycle.items), cycle.flows
    return say(
        "consistency.cycle",
        a=a, b=b, c=c, x=x, y=y, z=z, answers=sum(cycle.answers), p=p_words(cycle.p_value),
    )  # fmt: skip
