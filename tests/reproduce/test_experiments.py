"""All experiments, in small."""

from __future__ import annotations

import csv
import json
import os
import sys
from itertools import combinations

import numpy as np
import pytest

from hodgerank.errors import InvalidArgument, MissingDependency
from hodgerank.plotting.charts import SUFFIXES
from hodgerank.reproduce import reproduce, reproduction
from hodgerank.reproduce.experiment import Effort
from hodgerank.reproduce.figures import beyond_careless_workers, beyond_many_judges
from hodgerank.reproduce.figures.table1_cost_simulated import offline_gains, same_sequence
from hodgerank.reproduce.reproduction import EXPERIMENTS
from hodgerank.reproduce.verdict import Published
from reference.information import all_pairs, expected_information


def names() -> list[str]:
    """All experiments; without data sets, those that need none."""
    has_data = "HODGERANK_DATA" in os.environ
    return [name for name, each in EXPERIMENTS.items() if has_data or not each.datasets]


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """Everything once, with a few runs, the longest cut short, and drawn in one format."""
    folder = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproduction, "SUFFIXES", (".svg",))
        patch.setattr(beyond_careless_workers, "N_ANSWERS", 60)
        patch.setattr(beyond_many_judges, "N_ITEMS", 10)
        return reproduce(names(), output=folder, effort="smoke", jobs=1), folder


@pytest.mark.slow
def test_every_experiment_runs(smoke, data_folder):
    assert data_folder.is_dir()
    assert [report.name for report in smoke[0].reports] == [*EXPERIMENTS]


@pytest.mark.slow
def test_every_experiment_writes_a_chart_and_its_data(smoke):
    found, folder = smoke
    for name in (report.name for report in found.reports):
        assert (folder / f"{name}.svg").stat().st_size > 1000, name
        with (folder / f"{name}.csv").open() as file:
            assert len(list(csv.DictReader(file))) > 1, name


@pytest.mark.slow
@pytest.mark.parametrize(
    "chosen", [lambda: ["budget"], pytest.param(names, marks=pytest.mark.slow)], ids=["one", "all"]
)
def test_charts_are_written_in_four_formats(chosen, tmp_path):
    reproduce(chosen(), output=tmp_path, effort="smoke", jobs=2)
    for name in chosen():
        for suffix in SUFFIXES:
            assert (tmp_path / f"{name}{suffix}").stat().st_size > 1000, (name, suffix)


@pytest.mark.slow
def test_every_claim_gets_a_verdict_with_evidence(smoke):
    for report in smoke[0].reports:
        assert len(report.verdicts) == len(report.published.claims) > 0
        assert all(len(verdict.evidence) > 20 for verdict in report.verdicts)
        assert report.verdict == "undecided", "a few runs show that it works, and no more"


@pytest.mark.slow
def test_the_page_shows_every_figure_and_needs_no_other_file(smoke):
    found, folder = smoke
    page = found.page.read_text()
    assert page.count('src="data:image/svg+xml;base64,') == len(found.reports)
    for report in found.reports:
        assert f'<section id="{report.name}">' in page
        assert report.published.source in page
    assert "<script" not in page
    assert found.page == folder / "index.html"


@pytest.mark.slow
def test_means_come_with_standard_errors(smoke):
    with (smoke[1] / "simulated.csv").open() as file:
        row = next(csv.DictReader(file))
    assert {"panel", "scheme", "samples", "mean", "stderr", "runs"} == row.keys()
    assert float(row["stderr"]) > 0


def test_the_paper_has_seven_figures_and_two_tables():
    sources = [Published.load(name).source for name in EXPERIMENTS]
    assert sorted(s for s in sources if s != "beyond the paper") == [
        *(f"Figure {k}" for k in range(1, 8)),
        "Table 1",
        "Table 2",
    ]


@pytest.mark.parametrize(
    "name",
    ["fiedler", "betti", "simulated", "budget", pytest.param("careless", marks=pytest.mark.slow)],
)
def test_a_task_is_a_function_of_its_settings_and_the_seed(name):
    one, two, other = (EXPERIMENTS[name].tasks(Effort("smoke", 1, seed))[0] for seed in (0, 0, 1))
    assert one()[1] == two()[1] != other()[1]


@pytest.mark.parametrize("name", ["betti", pytest.param("judges", marks=pytest.mark.slow)])
def test_results_are_plain_data(name):
    _, result = EXPERIMENTS[name].tasks(Effort("smoke", 1))[0]()
    assert json.loads(json.dumps(result)) == result


def test_offline_gains_are_the_expected_information():
    answers = [(0, 1, 1.0, 1.0), (1, 2, -1.0, 1.0), (0, 3, 1.0, 1.0)]
    precision, force = 0.1 * np.eye(5), np.zeros(5)
    for i, j, y, _ in answers:
        d = np.eye(5)[i] - np.eye(5)[j]
        precision += np.outer(d, d)
        force += y * d
    wanted = [expected_information(5, answers, i, j, 0.1) for i, j in all_pairs(5)]
    pairs = list(combinations(range(5), 2))
    np.testing.assert_allclose(offline_gains(precision, force, pairs), wanted, rtol=1e-9)


def test_online_and_offline_choose_the_same_sequence():
    found = same_sequence(n=8, steps=40, seed=3)
    assert found["agreed"] == found["steps"] == 40


def test_no_graph_is_connected_before_it_can_be():
    _, result = EXPERIMENTS["fiedler"].tasks(Effort("smoke", 1))[0]()
    assert result["unsupervised"][:14] == result["random"][:14] == [0.0] * 14
    assert result["unsupervised"][-1] == 16


@pytest.mark.parametrize("module", ["joblib", "vl_convert", "altair"])
def test_a_missing_package_is_known_before_the_work(module, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependency, match="pip install"):
        reproduce(["fiedler"], output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_jobs_must_be_a_number_of_processes(tmp_path):
    with pytest.raises(InvalidArgument, match="-1"):
        reproduce(["fiedler"], output=tmp_path, jobs=0)
