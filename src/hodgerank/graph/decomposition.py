"""decompose: position bias, disagreement, ranking, curl and harmonic component of the votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from statistics import NormalDist

import numpy as np
from scipy import sparse

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.display import Charted, Displayed, Preview
from hodgerank.errors import DidNotConverge
from hodgerank.graph import cycles
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.expected_shares import Expectation, Noise, expectation, position_bias_part
from hodgerank.graph.faces import (
    TRIANGLES,
    Faces,
    FacesLike,
    circulation,
    faces_in,
    names_of,
    other_faces,
    stacked,
    whole_curl,
)
from hodgerank.graph.lack_of_fit import lack_of_fit_p_value, ranking_p_value
from hodgerank.graph.topology import BettiNumbers, fill
from hodgerank.kernels.hypothesis_tests import prequential_gain
from hodgerank.kernels.triangles import curl_part
from hodgerank.types import FloatArray, Item, VotesLike


def prequential_p_value(votes: Comparisons) -> float:
    """Return the probability that random votes are predicted as well by earlier votes.

    The sum of fair signs, each times a value known before it, is asymptotically normal for any
    adaptive choice of pairs [Brown71]; neither ties nor grades change that.
    """
    signed = np.ascontiguousarray(votes.outcome * votes.total_weight, dtype=float)
    total, squares = prequential_gain(votes.left, votes.right, signed, votes.n_items)
    return NormalDist().cdf(-total / sqrt(squares)) if squares else 1.0


PART_WORDS = {
    "bias": "position bias",
    "ties": "disagreement within pairs",
    "gradient": "the ranking",
    "curl": "triangular inconsistency (curl)",
    "harmonic": "harmonic inconsistency (longer loops)",
}
PARTS = tuple(PART_WORDS)
# Largest number of triangles, or quadrangles, per edge for which all are used: a spanning subset
# suffices, but is conditioned worse.
FEW_FACES = 10


@dataclass(frozen=True, eq=False, repr=False)
class HodgeDecomposition(Displayed, Charted):
    """Orthogonal decomposition y = b + u + D0 x + D1^T z + w, whose energies add up.

    Attributes
    ----------
    bias, ties, gradient, curl, harmonic
        The components: one value per vote, in display orientation (left minus right). They add up
        to the outcomes. *bias* is explained by the display order alone, *ties* is disagreement
        within pairs, *gradient* the ranking, *curl* cycles within faces (triangles, unless others
        were named), *harmonic* longer loops.
    scores
        x, aligned with `graph.items`.
    flows
        The last three components on the edges of `graph`.
    betti
        Number of components of the graph, and of loops that no faces fill.
    """

    answered: AnsweredGraph
    betti: BettiNumbers
    scores: FloatArray
    flows: Mapping[str, FloatArray]
    bias: FloatArray
    ties: FloatArray
    gradient: FloatArray
    curl: FloatArray
    harmonic: FloatArray
    _faces: Faces
    _curl: sparse.csr_array

    def _headline(self) -> str:
        return ", ".join(f"{name} {share:.1%}" for name, share in self.energy.items())

    def _preview(self) -> Preview:
        rows = ((name, f"{share:.1%}") for name, share in self.energy.items())
        return Preview(("part", "share"), rows)

    @property
    def votes(self) -> Comparisons:
        """The votes that were decomposed."""
        return self.answered.votes

    @property
    def graph(self) -> ComparisonGraph:
        """The sums of the votes over each pair."""
        return self.answered.graph

    @cached_property
    def energies(self) -> dict[str, float]:
        """Weighted sum of squares of each component."""
        weight = self.votes.weight
        return {
            name: float(np.sum(part**2 if weight is None else weight * part**2))
            for name in PARTS
            for part in [getattr(self, name)]
        }

    @property
    def total(self) -> float:
        """Weighted sum of squared outcomes."""
        return float(self.graph.squares.sum())

    @cached_property
    def energy(self) -> dict[str, float]:
        """Share of each component in the total; the shares sum to one."""
        total = sum(self.energies.values()) or 1.0
        return {name: value / total for name, value in self.energies.items()}

    @cached_property
    def expected(self) -> Expectation:
        """Size of each component expected by chance."""
        return expectation(self.answered, self.betti, self._curl)

    def p_value(self, part: str) -> float | None:
        """Return the p-value of a component's share under the null model; None if it cannot occur.

        If pairs were chosen adaptively, the share of the ranking would be large even without a
        ranking. Its p-value then tests how well earlier votes predict later ones.

        For margins the ranking is compared with all other components by an F test; curl and
        harmonic component are tested together, as `lack_of_fit`; the others are not tested.

        >>> decompose([("a", "b", 1), ("b", "c", 1)] * 9).p_value("curl") is None
        True
        """
        if self.votes.report.margin_unit is not None and self._has_fixed_design(part):
            if part in ("curl", "harmonic"):
                return self.lack_of_fit
            return ranking_p_value(self.answered) if part == "gradient" else None
        noise: Noise = getattr(self.expected, part)
        if not noise.mean > 0:
            return None
        return (
            noise.p_value(self.energy[part])
            if self._has_fixed_design(part)
            else self._prequential_p_value
        )

    @cached_property
    def lack_of_fit(self) -> float | None:
        """p-value of curl and harmonic inconsistency of margins together.

        Compared with differences within pairs, by an F test and by permutations. None for choices,
        and without pairs that were compared repeatedly.
        """
        if self.votes.report.margin_unit is None:
            return None
        return lack_of_fit_p_value(self.answered)

    def noise(self, part: str) -> Noise | None:
        """Return the share expected by chance.

        None if it depends on how pairs were chosen, and for margins.
        """
        if self.votes.report.margin_unit is not None:
            return None
        return getattr(self.expected, part) if self._has_fixed_design(part) else None

    def _has_fixed_design(self, part: str) -> bool:
        """Whether the null distribution of the component ignores how pairs were chosen."""
        return part != "gradient" or not self.votes.report.adaptive

    @cached_property
    def _prequential_p_value(self) -> float:
        return prequential_p_value(self.votes)

    @property
    def part_words(self) -> dict[str, str]:
        """The names of the parts in words."""
        if self._faces.only_triangles:
            return PART_WORDS
        return PART_WORDS | {"curl": "inconsistency within faces (curl)"}

    @property
    def unseen_bias(self) -> str | None:
        """Why position bias is not visible, in words; None if it is."""
        if self.votes.report.margin_unit is not None:
            is_seen = bool(self.bias.any())
        else:
            is_seen = bool(self.expected.n_both_ways)
        if is_seen:
            return None
        if not self.votes.display_known.any():
            return "order unknown"
        return "no worker saw a pair in both orders"

    def triangles(self, k: int = 5) -> list[cycles.InconsistentTriangle]:
        """Return the k triangles whose curl differs most from that under Bradley-Terry.

        Few of them are cycles: see `InconsistentTriangle.is_cycle`.
        """
        return cycles.inconsistent_triangles(self.graph, k, self.answered.null_model)

    def loops(self, k: int = 5) -> list[cycles.Loop]:
        """Return up to k loops that carry most of the harmonic component."""
        return cycles.harmonic_loops(self.graph, self.flows["harmonic"], k)

    def curl_potential(self) -> tuple[list[tuple[Item, ...]], FloatArray]:
        """Return every face by item names in cyclic order, and its potential z of least norm."""
        graph = self.graph
        cyclic = self.flows["curl"] + self.flows["harmonic"]
        _, potential, _ = curl_part(whole_curl(graph, self._faces), graph.weights, cyclic)
        faces = stacked(graph.triangles, other_faces(graph, self._faces))
        return names_of(faces, graph.items), potential


def decompose(votes: VotesLike, *, faces: FacesLike = "triangles") -> HodgeDecomposition:
    """Compute the Hodge decomposition of votes by many workers.

    The graph may be disconnected. All inner products are weighted. Without unfilled loops
    (beta_1 = 0) the harmonic component is 0 and no face is needed.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` accepts.
    faces
        Cycles that count as local, so that inconsistency around them belongs to the curl and not to
        the harmonic component: "triangles"; "quadrangles", which also are cycles of four items of
        which neither diagonal was compared; or a list of cells beside all triangles. A cell is a
        tuple of 3 or more different items in cyclic order, each compared with the next.

    Examples
    --------
    >>> votes = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]
    >>> {name: round(share, 6) for name, share in decompose(votes).energy.items()}
    {'bias': 0.0, 'ties': 0.0, 'gradient': 0.0, 'curl': 1.0, 'harmonic': 0.0}

    A cycle of four items is harmonic, unless quadrangles or this cell are faces:

    >>> votes = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1)]
    >>> round(decompose(votes).energy["harmonic"], 6)
    1.0
    >>> round(decompose(votes, faces="quadrangles").energy["curl"], 6)
    1.0
    >>> round(decompose(votes, faces=[("a", "b", "c", "d")]).energy["curl"], 6)
    1.0
    """
    answered = AnsweredGraph.of(read_ungrouped(votes))
    return decompose_votes(answered, faces_in(answered.graph, faces))


def decompose_votes(answered: AnsweredGraph, faces: Faces = TRIANGLES) -> HodgeDecomposition:
    """Decompose votes whose graph is known."""
    votes, graph, edge, sign = answered.votes, answered.graph, answered.edge, answered.sign
    bias = position_bias_part(votes, edge)

    scores = answered.scores
    gradient = scores[graph.i] - scores[graph.j]
    cyclic = graph.flows - gradient

    betti, filling = fill(graph, faces)
    harmonic, curl = np.zeros(graph.n_edges), sparse.csr_array((0, graph.n_edges))
    if betti.beta_1:
        few = _are_few(graph, faces)
        curl = whole_curl(graph, faces) if few else circulation(graph, filling)
        harmonic, curl = _harmonic_part(graph, cyclic, faces, curl)
    flows = {"gradient": gradient, "curl": cyclic - harmonic, "harmonic": harmonic}
    for part in flows.values():
        part.flags.writeable = False
    return HodgeDecomposition(
        answered=answered,
        betti=betti,
        scores=scores,
        flows=flows,
        bias=bias,
        ties=votes.outcome - bias - sign * graph.flows[edge],
        **{name: sign * part[edge] for name, part in flows.items()},
        _faces=faces,
        _curl=curl,
    )


def _are_few(graph: ComparisonGraph, faces: Faces) -> bool:
    """Whether all faces can be used; listed cells are not counted."""
    most = FEW_FACES * graph.n_edges
    if graph.n_triangles > most:
        return False
    return not faces.quadrangles or graph.count_quadrangles(most) <= most


def _harmonic_part(
    graph: ComparisonGraph, cyclic: FloatArray, faces: Faces, curl: sparse.csr_array
) -> tuple[FloatArray, sparse.csr_array]:
    """Return the part of a cyclic flow that faces do not explain, and the curl operator used.

    Faces independent modulo 2 are independent, but do not span all if the complex has torsion:
    faces around which the remainder still circulates are then added.
    """
    scale = float(np.abs(cyclic).max(initial=0.0))
    for _ in range(20):
        harmonic = cyclic
        if curl.shape[0]:
            part, _, residual = curl_part(curl, graph.weights, cyclic)
            harmonic = cyclic - part
        turning = cycles.turning_faces(graph, faces, harmonic, 1e-8 * scale)
        if not len(turning):
            return harmonic, curl
        curl = sparse.vstack((curl, circulation(graph, turning)), format="csr")
    raise DidNotConverge("the projection on harmonic flows", 20, residual)
