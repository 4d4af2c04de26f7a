"""Quadrangles and listed cells as faces, against dense ranks and projections."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument, UnknownItem
from hodgerank.graph import decomposition as hodge
from hodgerank.graph import topology
from hodgerank.graph.decomposition import PARTS
from hodgerank.plotting import decomposition_chart
from hodgerank.plotting.charts import svg_of
from pace import at_most
from reference import faces as slow

SQUARE = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1)]
# The Petersen graph, and six of its pentagons that form a projective plane.
PETERSEN = [(k, (k + 1) % 5) for k in range(5)] + [(k, k + 5) for k in range(5)]
PETERSEN += [(5 + k, 5 + (k + 2) % 5) for k in range(5)]
PLANE = [(0, 1, 2, 3, 4)]
PLANE += [(k, (k + 1) % 5, 5 + (k + 1) % 5, 5 + (k + 3) % 5, 5 + k) for k in range(5)]
EVERY_WAY = pytest.mark.parametrize(
    ("few_faces", "many_edges"), [(10, 2_000), (-1, 2_000), (10, 0), (-1, 0)]
)
GRAPHS = pytest.mark.parametrize(
    ("seed", "n_graphs"), [(1, 8), pytest.param(2, 300, marks=pytest.mark.slow)]
)


def random_pairs(rng: random.Random) -> list[tuple[int, int]]:
    """Pairs i < j of up to 10 items, each in some pair, in random order."""
    n = rng.randint(4, 10)
    pairs = list(combinations(range(n), 2))
    rng.shuffle(pairs)
    pairs = pairs[: rng.randint(3, min(len(pairs), 2 * n + 2))]
    seen = sorted({item for pair in pairs for item in pair})
    return [(seen.index(i), seen.index(j)) for i, j in pairs]


def random_cells(rng: random.Random, pairs: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Up to 4 cycles of 3 to 7 items."""
    cells = []
    for _ in range(60):
        way = list(rng.choice(pairs))
        while len(way) <= 7 and len(cells) < 4:
            last = way[-1]
            ahead = [i + j - last for i, j in pairs if last in (i, j) and i + j - last not in way]
            if not ahead:
                break
            way.append(rng.choice(ahead))
            if tuple(sorted((way[0], way[-1]))) in pairs and rng.random() < 0.5:
                cells.append(tuple(way))
                break
    return cells


def cases(seed: int, n_graphs: int):
    """Random pairs with the argument `faces`, and a function that lists all faces of pairs."""
    rng = random.Random(seed)
    for _ in range(n_graphs):
        pairs = random_pairs(rng)
        n, cells = 1 + max(map(max, pairs)), random_cells(rng, pairs)

        def with_quadrangles(known, n=n):
            return slow.triangles(known, n) + slow.quadrangles(known, n)

        def with_cells(known, n=n, cells=cells):
            rings = [{tuple(sorted(edge)) for edge in slow.ring(cell)} for cell in cells]
            complete = [cell for cell, ring in zip(cells, rings, strict=True) if ring <= known]
            return slow.triangles(known, n) + complete

        yield pairs, n, "quadrangles", with_quadrangles
        yield pairs, n, cells, with_cells


@GRAPHS
def test_betti_numbers_are_right_after_each_pair_and_at_once(seed, n_graphs, monkeypatch):
    for pairs, n, faces, all_faces in cases(seed, n_graphs):
        tracker, known = hr.TopologyTracker(n, faces=faces), set()
        for pair in pairs:
            effect, before = tracker.effect(*pair), (tracker.beta_0, tracker.beta_1)
            tracker.add(*pair)
            known.add(pair)
            assert (tracker.beta_0, tracker.beta_1) == slow.betti(known, n, all_faces(known))
            assert tracker.beta_0 == before[0] - effect.joins_components
            assert tracker.beta_1 == before[1] + effect.opens_loop - effect.fills_loops
        basis = slow.boundaries(known, tracker.filling_faces)
        assert slow.rank_modulo_2(basis) == len(basis)
        for many_edges in (0, 2_000):
            monkeypatch.setattr(topology, "MANY_EDGES", many_edges)
            found = hr.betti_numbers([(i, j, 1) for i, j in pairs], faces=faces)
            assert found == (tracker.beta_0, tracker.beta_1)


@EVERY_WAY
@GRAPHS
def test_flows_equal_dense_projections(seed, n_graphs, few_faces, many_edges, monkeypatch):
    monkeypatch.setattr(hodge, "FEW_FACES", few_faces)
    monkeypatch.setattr(topology, "MANY_EDGES", many_edges)
    rng = np.random.default_rng(seed)
    for pairs, _, faces, all_faces in cases(seed, n_graphs):
        rows = [(i, j, rng.uniform(-1, 1)) for i, j in pairs for _ in range(rng.integers(1, 4))]
        found = hr.decompose(rows, faces=faces)
        flows, root = found.flows, np.sqrt(found.graph.weights)
        curl = slow.boundaries(set(pairs), all_faces(set(pairs))) / root
        wanted = curl.T @ np.linalg.pinv(curl.T, rcond=1e-10) @ (root * found.graph.flows) / root
        np.testing.assert_allclose(flows["curl"], wanted, atol=1e-9)
        np.testing.assert_allclose(sum(flows.values()), found.graph.flows, atol=1e-12)
        for one, other in combinations(flows.values(), 2):
            assert abs((root * one) @ (root * other)) < 1e-9
        assert sum(found.energies.values()) == pytest.approx(found.total)


def test_quadrangles_fill_designs_without_triangles():
    sides = [(a, 10 + b) for a in range(10) for b in range(10)]
    grid = [(6 * r + c, 6 * r + c + 1) for r in range(6) for c in range(5)]
    grid += [(6 * r + c, 6 * r + c + 6) for r in range(5) for c in range(6)]
    turns = [[0, *np.roll(range(1, 20), turn)] for turn in range(6)]
    rounds = [(turn[k], turn[19 - k]) for turn in turns for k in range(10)]
    for pairs, without, with_them in ((sides, 81, 0), (grid, 25, 0), (rounds, 21, 1)):
        votes = [(int(i), int(j), 1) for i, j in pairs]
        assert hr.betti_numbers(votes).beta_1 == without
        assert hr.betti_numbers(votes, faces="quadrangles").beta_1 == with_them


@pytest.mark.parametrize("faces", ["quadrangles", [(0, 1, 2, 3), (4, 5, 6, 7, 8)]])
def test_many_items_are_tracked_as_at_once(faces):
    ring = [(k, (k + 1) % 4, 1) for k in range(4)] + [(4 + k, 4 + (k + 1) % 5, 1) for k in range(5)]
    rng = np.random.default_rng(4)
    left = rng.integers(0, 610, 3_000)
    right = (left + rng.integers(1, 610, 3_000)) % 610
    rows = [*ring, *((int(i), int(j), 1) for i, j in zip(left, right, strict=True))]
    tracker = hr.TopologyTracker.of(rows, faces=faces)
    assert (tracker.beta_0, tracker.beta_1) == hr.betti_numbers(rows, faces=faces)
    assert tracker.beta_1 < hr.betti_numbers(rows).beta_1


@EVERY_WAY
def test_a_projective_plane_of_pentagons_leaves_nothing_harmonic(
    few_faces, many_edges, monkeypatch
):
    """beta_1 is 1 modulo 2 and 0 over the reals."""
    monkeypatch.setattr(hodge, "FEW_FACES", few_faces)
    monkeypatch.setattr(topology, "MANY_EDGES", many_edges)
    rng = np.random.default_rng(0)
    rows = [(i, j, rng.choice([-1, 1])) for i, j in PETERSEN for _ in range(3)]
    assert hr.decompose(rows).betti.beta_1 == hr.decompose(rows, faces="quadrangles").betti.beta_1
    found = hr.decompose(rows, faces=PLANE)
    assert found.betti == (1, 1)
    assert found.energy["harmonic"] == pytest.approx(0, abs=1e-12)
    assert found.p_value("harmonic") is None
    assert 0 < found.p_value("curl") <= 1


def test_the_harmonic_part_is_expected_on_the_loops_that_faces_leave():
    rng = np.random.default_rng(1)
    pairs = [(a, 6 + b) for a in range(6) for b in range(6)]
    rows = [(i, j, rng.choice([-1, 1])) for i, j in pairs for _ in range(4)]
    without, filled = hr.decompose(rows), hr.decompose(rows, faces="quadrangles")
    assert without.p_value("curl") is None
    assert filled.p_value("harmonic") is None
    assert filled.p_value("curl") == pytest.approx(without.p_value("harmonic"))
    half = hr.decompose(rows, faces=[(a, 6, a + 1, 7) for a in range(5)])
    assert half.expected.curl.mean + half.expected.harmonic.mean == pytest.approx(
        filled.expected.curl.mean
    )
    assert half.p_value("curl") is not None
    assert half.p_value("harmonic") is not None


@pytest.mark.parametrize("faces", ["quadrangles", [("c", "b", "a", "d"), ("e", "d", "a")]])
def test_the_potential_of_every_face_gives_the_curl(faces):
    rows = [*SQUARE, ("d", "e", 1), ("e", "a", -0.5)]
    found = hr.decompose(rows, faces=faces)
    named, potential = found.curl_potential()
    assert named[0] == ("a", "d", "e")
    code = {item: k for k, item in enumerate(found.graph.items)}
    edges = set(zip(found.graph.i.tolist(), found.graph.j.tolist(), strict=True))
    rows_of = slow.boundaries(edges, [tuple(code[item] for item in face) for face in named])
    np.testing.assert_allclose(potential @ rows_of, found.flows["curl"], atol=1e-9)
    assert found.energy["harmonic"] == pytest.approx(0, abs=1e-12)


def test_cells_are_filled_beside_triangles_and_do_not_change_the_other_parts():
    rng = np.random.default_rng(3)
    rows = [(i, j, rng.uniform(-1, 1)) for i, j in [*PETERSEN, (0, 2)]]
    without, filled = hr.decompose(rows), hr.decompose(rows, faces=PLANE[2:4])
    for part in set(PARTS) - {"curl", "harmonic"}:
        np.testing.assert_array_equal(getattr(filled, part), getattr(without, part))
    assert filled.energies["curl"] > without.energies["curl"] > 0
    assert filled.betti.beta_1 == without.betti.beta_1 - 2
    assert hr.decompose(rows, faces=[]).energy == without.energy


def test_cells_follow_items_that_enter():
    rows = [("y", "z", 1), ("c", "d", 1), ("d", "a", 1), ("b", "c", 1), ("a", "b", 1)]
    late = hr.TopologyTracker.of(rows, entering=True, faces=[("a", "b", "c", "d")])
    assert (late.beta_0, late.beta_1) == (2, 0)
    assert hr.TopologyTracker.of(rows, entering=True).beta_1 == 1
    tracker = hr.TopologyTracker(0, faces=[(0, 1, 2, 3)])
    for _ in range(4):
        tracker.add_item()
    for pair in [(0, 1), (1, 2), (2, 3)]:
        tracker.add(*pair)
    assert not tracker.effect(0, 3).opens_loop
    early = hr.TopologyTracker(2, faces=[(0, 1, 9)])
    early.add(0, 1)
    assert early.beta_0 == 1


@pytest.mark.parametrize(
    ("faces", "words"),
    [
        ("squares", "faces 'squares' is not one of triangles, quadrangles"),
        ([("a", "b")], "3 or more different items"),
        ([("a", "b", "a", "c")], "3 or more different items"),
        (("a", "b", "c"), "3 or more different items in cyclic order, not 'a'"),
        ((1, 2, 3), "3 or more different items in cyclic order, not 1"),
        (["abcd"], "3 or more different items in cyclic order, not 'abcd'"),
        ([("a", "c", "b", "d")], "'a' and 'c' side by side, which were never compared"),
    ],
)
def test_faces_that_are_none_are_refused(faces, words):
    for use in (hr.decompose, hr.betti_numbers, hr.TopologyTracker.of):
        with pytest.raises(InvalidArgument) as error:
            use(SQUARE, faces=faces)
        assert words in str(error.value)


def test_items_of_cells_are_checked():
    with pytest.raises(UnknownItem, match="'e' is not among the items"):
        hr.decompose(SQUARE, faces=[("a", "b", "e")])
    with pytest.raises(InvalidArgument, match="whole numbers"):
        hr.TopologyTracker(4, faces=[("a", "b", "c")])


def test_what_would_take_too_long_is_refused_with_a_remedy():
    path = [(k, k + 1, 1) for k in range(999)]
    votes = path + [(k, k + d, 1) for d in (2, 3, 4, 5, 6, 7) for k in range(1_000 - d)]
    with pytest.raises(InvalidArgument, match="use n_pairs=6499 for the first ones"):
        hr.TopologyTracker.of(votes, faces="quadrangles")
    assert hr.TopologyTracker.of(votes, faces="quadrangles", n_pairs=2_000).n_edges == 2_000


def test_a_large_sparse_graph_is_filled_in_time():
    rng = np.random.default_rng(0)
    left = rng.integers(0, 1_000, 20_500)
    votes = hr.Comparisons(
        tuple(range(1_000)), left, (left + rng.integers(1, 1_000, 20_500)) % 1_000, np.ones(20_500)
    )
    assert hr.betti_numbers(votes, faces="quadrangles") == (1, 0)


def test_a_dense_design_with_a_hole_is_decomposed_in_time():
    """Its 28 million quadrangles are neither listed nor needed."""
    left, right = np.divmod(np.arange(10_609), 103)
    ring = np.arange(7)
    left, right = np.r_[left, 206 + ring], np.r_[103 + right, 206 + (ring + 1) % 7]
    votes = hr.Comparisons(tuple(range(213)), left, right, np.ones(len(left)))
    with at_most(seconds=2):
        found = hr.decompose(votes, faces="quadrangles")
    assert found.betti == (2, 1)
    assert found.energies["harmonic"] == pytest.approx(7)


def test_charts_name_the_curl_of_other_faces():
    assert "triangular inconsistency (curl)" in svg_of(decomposition_chart(hr.decompose(SQUARE)))
    drawn = svg_of(decomposition_chart(hr.decompose(SQUARE * 9, faces="quadrangles")))
    assert "inconsistency within faces (curl)" in drawn
    assert "triangular" not in drawn
