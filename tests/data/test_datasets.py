"""The data sets of the paper: golden facts, and what happens without them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.data.datasets import DATASETS
from hodgerank.errors import DatasetUnavailable, InvalidArgument


@pytest.fixture(scope="module")
def golden(data_folder):
    return json.loads((data_folder / "golden.json").read_text())


@pytest.mark.parametrize(
    ("name", "reference"), [("pc-vqa", 1), ("pc-vqa", 10), ("pc-iqa", 1), ("pc-iqa", 15)]
)
def test_scores_and_energies_are_those_computed_independently(golden, name, reference):
    expected = golden[f"{name.replace('-', '_')}/data{reference}"]
    votes = hr.load_dataset(name, reference=reference)
    decomposition = hr.decompose(votes)
    np.testing.assert_allclose(decomposition.scores, expected["scores_items_1_to_16"], atol=1e-9)
    for part in ("ties", "gradient", "curl", "harmonic"):
        assert decomposition.energies[part] == pytest.approx(expected["energies"][part], abs=1e-5)
    assert decomposition.energies["bias"] == 0
    assert decomposition.total == expected["energies"]["total"]
    assert decomposition.graph.n_edges == expected["energies"]["edges"]
    ranking = hr.hodge_rank(votes)
    table = dict(zip(ranking.items, ranking.scores, strict=True))
    np.testing.assert_allclose(
        [table[k] for k in range(1, 17)], expected["scores_items_1_to_16"], atol=1e-9
    )


@pytest.mark.usefixtures("data_folder")
def test_the_undistorted_version_comes_first_everywhere():
    total = {"pc-vqa": 0, "pc-iqa": 0}
    for name in total:
        for reference in range(1, DATASETS[name].references + 1):
            votes = hr.load_dataset(name, reference=reference)
            total[name] += len(votes)
            assert hr.hodge_rank(votes).items[0] == 1
    assert total == {"pc-vqa": 38_400, "pc-iqa": 43_265}


def test_reading_level_facts(golden):
    votes = hr.load_dataset("reading-level")
    assert (len(votes), votes.n_items, votes.n_workers) == (12_726, 490, 624)
    graph = hr.ComparisonGraph.from_comparisons(votes)
    assert (graph.n_edges, graph.is_connected) == (1418, True)
    assert np.sort(graph.counts)[-4:].min() >= 357
    assert np.median(graph.counts) == 7
    order = np.sign(votes.truth[votes.left] - votes.truth[votes.right])
    assert (order > 0).mean() == pytest.approx(0.623, abs=5e-4)
    assert (order < 0).mean() == pytest.approx(0.301, abs=5e-4)
    ranking = hr.hodge_rank(votes)
    expected = golden["reading_level"]
    assert list(ranking.items[:10]) == expected["hardest_ten_documents_1_based"]
    np.testing.assert_allclose(ranking.scores[:10], expected["their_scores"], atol=1e-7)
    assert np.linalg.norm(ranking.scores) == pytest.approx(expected["norm_of_scores"], abs=1e-7)
    likelihood = hr.bradley_terry(votes)
    assert likelihood.undefeated
    assert likelihood.model == "maximum a posteriori"


def test_without_network_or_folder_the_message_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("HODGERANK_DATA", str(tmp_path))
    with pytest.raises(DatasetUnavailable, match="correct or unset the variable"):
        hr.load_dataset("pc-vqa")
    monkeypatch.delenv("HODGERANK_DATA")
    import pooch

    def no_network(url, **_):
        raise OSError("no route")

    monkeypatch.setattr(pooch, "retrieve", no_network)
    with pytest.raises(DatasetUnavailable, match="name the folder in the environment variable"):
        hr.load_dataset("reading-level")


def test_unknown_names_are_refused():
    with pytest.raises(InvalidArgument, match="did you mean"):
        hr.load_dataset("pc-vga")
    with pytest.raises(InvalidArgument, match="references 1 to 10"):
        hr.load_dataset("pc-vqa", reference=11)
