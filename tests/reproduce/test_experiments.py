"""All experiments, in small."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, islice

import numpy as np
import pytest

from hodgerank.errors import InvalidArgument, MissingDependency
from hodgerank.plotting.charts import SUFFIXES
from hodgerank.reproduce import reproduce, reproduction
from hodgerank.reproduce.experiment import Effort
from hodgerank.reproduce.figures import beyond_careless_workers, beyond_many_judges
from hodgerank.reproduce.figures.table1_cost_simulated import (
    closed_form_gains,
    offline_gains,
    same_sequence,
)
from hodgerank.reproduce.reproduction import EXPERIMENTS
from hodgerank.reproduce.schemes import round_robin
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


def test_the_paper_has_seven_figures_two_tables_and_claims_in_the_text():
    sources = [Published.load(name).source for name in EXPERIMENTS]
    assert sorted(s for s in sources if s != "beyond the paper") == [
        *(f"Figure {k}" for k in range(1, 8)),
        "Introduction",
        "Parameter tuning",
        "Table 1",
        "Table 2",
    ]


def test_every_claim_has_an_id_of_its_own():
    claims = [(name, claim) for name in EXPERIMENTS for claim in Published.load(name).claims]
    ids = [claim.id for _, claim in claims]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(rf"{name}\.[a-z0-9-]+", claim.id) for name, claim in claims)


def test_only_claims_of_ours_restrict_a_verdict():
    for name in EXPERIMENTS:
        assert all(claim.is_ours for claim in Published.load(name).claims if claim.caveat)


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


@pytest.mark.parametrize("n", [4, 7])
def test_balanced_rounds_meet_every_other_item_before_any_again(n):
    items = [f"item {k}" for k in range(n)]
    pairs = round_robin(items, seed=3)
    cycle = n * (n - 1) // 2
    for _ in range(2):
        met = [frozenset(pair) for pair in islice(pairs, cycle)]
        assert len(set(met)) == cycle
        for k in range(0, cycle, n // 2):
            assert len(frozenset().union(*met[k : k + n // 2])) == n - n % 2


def test_the_closed_form_is_the_divergence_and_the_printed_one_is_not():
    rng = np.random.default_rng(4)
    precision, force = 0.5 * np.eye(5), rng.normal(0, 0.3, 5)
    pairs = list(combinations(range(5), 2))
    wanted = offline_gains(precision, force, pairs)
    np.testing.assert_allclose(closed_form_gains(precision, force, pairs), wanted, rtol=1e-9)
    assert np.isnan(closed_form_gains(precision, force, pairs, sign=-1)).all(), "C = 4"


RUN = """
import os
from hodgerank.reproduce import reproduce
def on_progress(name, done, total):
    print(name, done)
    if (name, done) == {dies_at}:
        os.kill(os.getpid(), 9)
reproduce({names}, output={folder!r}, runs={runs}, jobs=1, on_progress=on_progress)
"""


def run_elsewhere(folder, names, runs, dies_at=None):
    """Run in a process of its own, which may kill itself; its exit status and progress."""
    code = RUN.format(names=names, folder=str(folder), runs=runs, dies_at=dies_at)
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.splitlines()


def test_after_kill_9_what_was_done_is_not_computed_again(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "SUFFIXES", (".svg",))
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert run_elsewhere(broken, ["budget"], 3, dies_at=("budget", 2))[0] == -signal.SIGKILL
    with next(broken.rglob("budget.jsonl")).open("a") as file:
        file.write('["cut sho')
    counts = []
    for folder in (broken, whole):
        reproduce(
            ["budget"], output=folder, runs=3, jobs=1,
            on_progress=lambda _, done, n: counts.append(done),
        )  # fmt: skip
    assert counts == [2, 3, 0, 1, 2, 3]
    assert (broken / "budget.csv").read_bytes() == (whole / "budget.csv").read_bytes()


@pytest.mark.slow
def test_after_kill_9_all_files_are_those_of_an_uninterrupted_run(tmp_path):
    whole, broken, names = tmp_path / "whole", tmp_path / "broken", ["fiedler", "betti"]
    status, _ = run_elsewhere(broken, names, 6, dies_at=("betti", 4))
    assert status == -signal.SIGKILL
    status, counts = run_elsewhere(broken, names, 6)
    assert (status, counts[:2]) == (0, ["fiedler 6", "betti 4"])
    run_elsewhere(whole, names, 6)
    files = [
        {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        for folder in (broken, whole)
    ]
    for each in files:
        assert len(each) == 2 * 5 + 1
        for name in names:
            del each[f"{name}.pdf"]  # the same chart is not always the same file
    assert files[0] == files[1]


@pytest.mark.slow
def test_two_processes_in_one_folder_write_what_one_would(tmp_path):
    with ThreadPoolExecutor(2) as both:
        shared = [both.submit(run_elsewhere, tmp_path / "shared", ["fiedler"], 12) for _ in "ab"]
        assert [run.result()[0] for run in shared] == [0, 0]
    run_elsewhere(tmp_path / "alone", ["fiedler"], 12)
    for name in ("fiedler.csv", "fiedler.svg", "index.html"):
        written = [(tmp_path / folder / name).read_bytes() for folder in ("shared", "alone")]
        assert written[0] == written[1], name


def test_restart_computes_everything_again(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "SUFFIXES", (".svg",))
    counts = []
    for restart in (False, False, True):
        reproduce(
            ["budget"], output=tmp_path, runs=1, jobs=1, restart=restart,
            on_progress=lambda _, done, n: counts.append(done),
        )  # fmt: skip
    assert counts == [0, 1, 1, 0, 1]


def test_jobs_must_be_a_number_of_processes(tmp_path):
    with pytest.raises(InvalidArgument, match="-1"):
        reproduce(["fiedler"], output=tmp_path, jobs=0)
