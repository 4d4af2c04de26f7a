from __future__ import annotations

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from benchmarks.calibration.crowds import CONSISTENT
from hypothesis import given

import hodgerank as hr
from hodgerank.graph import decomposition as hodge
from hodgerank.graph import topology
from hodgerank.graph.decomposition import PARTS
from pace import at_most
from reference.hodge import dense_flows
from strategies import comparisons


def parts_of(decomposition) -> dict[str, np.ndarray]:
    return {name: getattr(decomposition, name) for name in PARTS}


@given(comparisons(max_items=8, weighted=True, connected=False))
def test_parts_are_orthogonal_and_add_up(votes):
    decomposition = hr.decompose(votes)
    parts = list(parts_of(decomposition).values())
    np.testing.assert_allclose(sum(parts), votes.outcome, atol=1e-9)
    total = votes.weight @ votes.outcome**2
    for k, a in enumerate(parts):
        for b in parts[:k]:
            assert abs(votes.weight @ (a * b)) <= 1e-9 * max(total, 1)
    assert sum(decomposition.energies.values()) == pytest.approx(total, rel=1e-9, abs=1e-9)
    if total:
        assert sum(decomposition.energy.values()) == pytest.approx(1)


@given(comparisons(max_items=8, weighted=True, connected=False))
def test_flows_equal_dense_projections(votes):
    decomposition = hr.decompose(votes)
    for name, expected in dense_flows(decomposition.graph).items():
        np.testing.assert_allclose(decomposition.flows[name], expected, atol=1e-8)


@pytest.mark.parametrize("seed", range(8))
def test_harmonic_parts_of_graphs_with_holes(seed):
    graph = nx.convert_node_labels_to_integers(nx.circular_ladder_graph(6 + seed))
    graph.add_edges_from([(0, 2), (0, seed + 4)])
    rng = np.random.default_rng(seed)
    rows = [(a, b, float(rng.uniform(-1, 1))) for a, b in graph.edges for _ in range(1 + a % 3)]
    decomposition = hr.decompose(rows)
    for name, expected in dense_flows(decomposition.graph).items():
        np.testing.assert_allclose(decomposition.flows[name], expected, atol=1e-9)
    assert decomposition.energies["harmonic"] > 0


def test_the_projective_plane_has_torsion_but_no_harmonic_part():
    """Six items, ten triangles: beta_1 is 1 modulo 2 and 0 over the reals.

    Its graph is complete, so as a clique complex it is filled; subdivide it so that it is not.
    """
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5), (0, 1, 5), (1, 2, 4), (2, 3, 5), (1, 3, 4),
             (2, 4, 5), (1, 3, 5)]  # fmt: skip
    edges = set()
    for face in faces:
        simplices = [(v,) for v in face]
        simplices += [tuple(sorted((face[a], face[b]))) for a, b in ((0, 1), (1, 2), (0, 2))]
        simplices.append(tuple(face))
        edges |= {
            (str(a), str(b))
            for a in simplices
            for b in simplices
            if len(a) < len(b) and set(a) < set(b)
        }
    rng = np.random.default_rng(0)
    decomposition = hr.decompose([(a, b, float(rng.uniform(-1, 1))) for a, b in sorted(edges)])
    assert decomposition.betti.beta_1 == 1
    assert decomposition.energies["harmonic"] < 1e-12
    for name, expected in dense_flows(decomposition.graph).items():
        np.testing.assert_allclose(decomposition.flows[name], expected, atol=1e-8)


def test_the_loop_of_four(data_folder):
    golden = json.loads((data_folder / "golden.json").read_text())["loop_of_four"]
    rows = [(a, b, y, w) for w, a, b, y in golden["rows_worker_left_right_outcome"]]
    decomposition = hr.decompose(rows)
    np.testing.assert_allclose(decomposition.bias, golden["bias_per_row"])
    np.testing.assert_allclose(decomposition.scores, golden["scores_a_to_d"], atol=1e-8)
    for name in PARTS:
        assert decomposition.energies[name] == pytest.approx(golden["energies"][name], abs=1e-7)
    assert list(decomposition.betti) == golden["betti"]
    (loop,) = decomposition.loops()
    assert sorted(loop.items) == ["a", "b", "c", "d"]
    assert loop.flow == pytest.approx(2.5)


def test_position_bias_by_hand():
    once = hr.decompose([("a", "b", 1, "w"), ("b", "a", 1, "w")])
    np.testing.assert_allclose(once.bias, [1, 1])
    uneven = hr.decompose([("a", "b", 1, "w"), ("a", "b", 0, "w"), ("b", "a", 1, "w")])
    np.testing.assert_allclose(uneven.bias, [0.5, 0.5, 1])  # (p+q) s/(r+s), (p+q) r/(r+s)
    two = hr.decompose([("a", "b", 1, "w"), ("b", "a", 1, "v")])
    np.testing.assert_allclose(two.bias, 0)
    hidden = hr.decompose(hr.read_comparisons([("a", "b", 1), ("b", "a", 1)], display_known=False))
    np.testing.assert_allclose(hidden.bias, 0)


def test_a_planted_circle_is_the_most_inconsistent_triangle():
    votes = hr.simulate_comparisons(list("abcdefgh"), 1500, spread=1, rng=0)
    rows = votes.to_frame("polars").select("left", "right", "outcome").rows()
    rows = [row for row in rows if not {row[0], row[1]} <= set("abc")]
    rows += [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)] * 25
    decomposition = hr.decompose(rows)
    worst = decomposition.triangles(3)[0]
    assert set(worst.items) == set("abc")
    assert "".join(map(str, worst.items)) in ("abc", "bca", "cab")
    assert worst.curl == pytest.approx(3)
    assert worst.votes == (25, 25, 25)
    assert worst.z > 5
    assert decomposition.expected.curl.p_value(decomposition.energy["curl"]) < 1e-6


def test_saturated_but_consistent_preferences_are_no_circle():
    """0.98 of a 0.98 of a 0.99 differ from a sum of differences, but nobody runs in a circle."""
    rows = []
    for left, right, wins in (("a", "b", 49), ("b", "c", 49), ("a", "c", 50)):
        rows += [(left, right, 1)] * wins + [(left, right, -1)] * (50 - wins)
    decomposition = hr.decompose(rows)
    assert decomposition.energy["curl"] > 0.05
    assert decomposition.triangles(1)[0].z < 3


@pytest.mark.slow
@pytest.mark.parametrize("link", ["bradley-terry", "uniform"])
def test_consistent_crowds_look_consistent(link):
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(60):
        spread = 1 if link == "bradley-terry" else 0.25
        votes = hr.simulate_comparisons(16, 600, spread=spread, link=link, rng=rng)
        decomposition = hr.decompose(votes)
        p_values.append(decomposition.expected.curl.p_value(decomposition.energy["curl"]))
    assert np.mean(np.array(p_values) < 0.05) < 0.15
    assert 0.3 < np.mean(p_values) < 0.7


def test_uneven_weights_do_not_make_a_crowd_inconsistent():
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(40):
        votes = hr.simulate_comparisons(12, 600, rng=rng)
        votes = replace(votes, weight=rng.exponential(1, 600))
        decomposition = hr.decompose(votes)
        p_values.append(decomposition.expected.curl.p_value(decomposition.energy["curl"]))
    assert np.mean(np.array(p_values) < 0.05) < 0.2


def test_the_unit_of_weights_does_not_matter():
    votes = hr.simulate_comparisons(10, 600, rng=1)
    z = [
        hr.decompose(replace(votes, weight=np.full(600, unit))).triangles(1)[0].z
        for unit in (0.001, 1.0, 1000.0)
    ]
    np.testing.assert_allclose(z, z[0], rtol=1e-6)


def test_graded_answers_are_compared_with_the_noise_they_have():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 0.1, 9)

    def votes(circle):
        left = rng.integers(0, 9, 500)
        right = (left + rng.integers(1, 9, 500)) % 9
        turn = np.where((right - left) % 9 <= 4, 1.0, -1.0)
        noise = rng.normal(0, 0.03, 500)
        return hr.Comparisons(
            tuple(range(9)), left, right, scores[left] - scores[right] + circle * turn + noise
        )

    def p_value(circle):
        decomposition = hr.decompose(votes(circle))
        return decomposition.expected.curl.p_value(decomposition.energy["curl"])

    assert np.median([p_value(0.03) for _ in range(5)]) < 0.01
    assert np.mean([p_value(0.0) for _ in range(10)]) > 0.1


@pytest.mark.slow
def test_ties_of_consistent_crowds_are_no_curl():
    p_values = []
    for seed in range(40):
        crowd = replace(CONSISTENT["ties"], per_pair=2)
        decomposition = hr.decompose(crowd.votes(np.random.default_rng(seed)))
        p_values.append(decomposition.expected.curl.p_value(decomposition.energy["curl"]))
    assert np.mean(np.array(p_values) < 0.05) <= 0.15


def test_every_share_stands_beside_what_noise_gives():
    votes = hr.simulate_comparisons(12, 1_200, spread=1.5, workers={"honest": 4}, rng=0)
    decomposition = hr.decompose(votes)
    expected, shares = decomposition.expected, decomposition.energy
    for name in PARTS:
        noise = getattr(expected, name)
        p_value = noise.p_value(shares[name])
        assert 0 <= noise.mean <= 1
        assert p_value < 1e-6 if name == "gradient" else p_value > 0.001
    rest = expected.ties.mean + expected.curl.mean + expected.bias.mean
    assert rest == pytest.approx(1 - shares["gradient"], abs=0.02)


def test_coins_have_the_gradient_of_coins():
    p_values = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        left = rng.integers(0, 8, 200)
        right = (left + rng.integers(1, 8, 200)) % 8
        votes = hr.Comparisons(tuple(range(8)), left, right, rng.choice([-1.0, 0.0, 1.0], 200))
        decomposition = hr.decompose(votes)
        p_values.append(decomposition.expected.gradient.p_value(decomposition.energy["gradient"]))
    assert np.mean(np.array(p_values) < 0.05) <= 0.2
    assert 0.3 < np.mean(p_values) < 0.7


def test_a_triangle_of_large_curl_need_not_be_a_cycle():
    rows = [("a", "b", 1), ("b", "c", 1)] * 9 + [("a", "c", 1), ("a", "c", -1)] * 5
    (triangle,) = hr.decompose(rows).triangles(1)
    assert triangle.curl == pytest.approx(2)
    assert not triangle.is_cycle
    (cycle,) = hr.decompose([("a", "b", 1), ("b", "c", 1), ("c", "a", 1)] * 9).triangles(1)
    assert cycle.is_cycle


def test_without_circles_nothing_is_tested():
    decomposition = hr.decompose([("a", "b", 1), ("b", "c", 0.3), ("b", "d", -1)])
    assert decomposition.expected.curl.p_value(decomposition.energy["curl"]) == 1


@pytest.mark.slow
def test_sparse_consistent_crowds_have_calibrated_loops():
    rng = np.random.default_rng(0)
    z = []
    for _ in range(25):
        decomposition = hr.decompose(hr.simulate_comparisons(60, 300, rng=rng))
        z.append(decomposition.expected.harmonic.z(decomposition.energy["harmonic"]))
    assert abs(np.mean(z)) < 1.5


def test_the_curl_potential_gives_the_curl_part():
    votes = hr.simulate_comparisons(9, 60, rng=2)
    decomposition = hr.decompose(votes)
    triangles, potential = decomposition.curl_potential()
    graph = decomposition.graph
    position = {item: code for code, item in enumerate(graph.items)}
    where = {
        (i, j): e for e, (i, j) in enumerate(zip(graph.i.tolist(), graph.j.tolist(), strict=True))
    }
    circulation = np.zeros(graph.n_edges)
    for names, z in zip(triangles, potential, strict=True):
        i, j, k = (position[name] for name in names)
        circulation[where[i, j]] += z
        circulation[where[j, k]] += z
        circulation[where[i, k]] -= z
    np.testing.assert_allclose(circulation / graph.weights, decomposition.flows["curl"], atol=1e-8)


def test_loops_carry_the_harmonic_flow():
    n = 12
    rows = [(k, (k + 1) % n, 1.0) for k in range(n) for _ in range(4)]
    decomposition = hr.decompose(rows)
    assert decomposition.energy["harmonic"] == pytest.approx(1)
    (loop,) = decomposition.loops()
    assert len(loop.items) == n
    assert loop.flow == pytest.approx(n)
    assert loop.strength == pytest.approx(4)
    assert hr.decompose([("a", "b", 1), ("b", "c", 1)]).loops() == []


@pytest.mark.parametrize("n_votes", [150, 400, 900])
def test_neither_all_triangles_nor_all_edges_are_needed(n_votes, monkeypatch):
    votes = hr.simulate_comparisons(60, n_votes, rng=n_votes)
    whole = hr.decompose(votes)
    monkeypatch.setattr(topology, "MANY_EDGES", 0)
    monkeypatch.setattr(hodge, "FEW_FACES", 0)
    sparing = hr.decompose(votes)
    assert sparing.betti == whole.betti == hr.betti_numbers(votes)
    for name in PARTS:
        np.testing.assert_allclose(getattr(sparing, name), getattr(whole, name), atol=1e-7)


def test_a_complete_graph_of_500_items_in_time():
    votes = hr.simulate_comparisons(500, 124_750, pairs="rounds", rng=0)
    with at_most(seconds=2):
        decomposition = hr.decompose(votes)
    assert decomposition.betti == (1, 0)
    assert len(decomposition.triangles(5)) == 5


def test_what_noise_cannot_give_has_no_p_value():
    chain = hr.decompose([("a", "b", 1), ("b", "c", 1)] * 9)
    assert chain.p_value("harmonic") is None
    assert 0 < chain.p_value("gradient") <= 1


def test_it_is_said_why_position_bias_is_unseen():
    once = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]
    seen = hr.read_comparisons([*once, ("b", "a", 1)], display_known=True)
    assert hr.decompose(seen).unseen_bias is None
    one_way = hr.read_comparisons(once, display_known=True)
    assert hr.decompose(one_way).unseen_bias == "no worker saw a pair in both orders"
    others = hr.read_comparisons([("a", "b", 1, "v"), ("b", "a", 1, "w")], display_known=True)
    assert hr.decompose(others).unseen_bias == "no worker saw a pair in both orders"
    unknown = hr.read_comparisons(once, display_known=False)
    assert hr.decompose(unknown).unseen_bias == "order unknown"
