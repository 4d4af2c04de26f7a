"""Work in pieces, kept on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import joblib
import pytest

from hodgerank.reproduce.experiment import Effort, ResultFile, Task, run_tasks


def square(x: int, diary: str) -> dict[str, int]:
    with Path(diary).open("a") as file:
        file.write(f"{x}\n")
    return {"square": x * x}


@pytest.fixture
def plan(tmp_path):
    """Tasks, and what was really computed."""
    diary = tmp_path / "diary"

    def tasks(n):
        return [Task(square, {"x": x, "diary": str(diary)}) for x in range(n)]

    def computed():
        return sorted(map(int, diary.read_text().split())) if diary.exists() else []

    return tasks, computed, tmp_path / "results" / "squares.jsonl"


def test_results_come_in_the_order_of_the_tasks(plan):
    tasks, _, path = plan
    found = run_tasks(tasks(5), ResultFile(path), jobs=2)
    assert [outcome.result["square"] for outcome in found] == [0, 1, 4, 9, 16]
    assert [outcome.settings["x"] for outcome in found] == [*range(5)]


def test_what_is_on_disk_is_not_computed_again(plan):
    tasks, computed, path = plan
    run_tasks(tasks(3), ResultFile(path), jobs=1)
    found = run_tasks(tasks(5), ResultFile(path), jobs=1)
    assert computed() == [0, 1, 2, 3, 4]
    assert [outcome.result["square"] for outcome in found] == [0, 1, 4, 9, 16]


def test_an_interrupted_run_goes_on_where_it_was(plan):
    tasks, computed, path = plan

    def interrupt(done):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tasks(tasks(4), ResultFile(path), jobs=1, on_done=interrupt)
    kept = len(ResultFile(path).results)
    assert kept == 2
    run_tasks(tasks(4), ResultFile(path), jobs=1)
    assert sorted(set(computed())) == [0, 1, 2, 3]
    assert len(ResultFile(path).results) == 4


def test_a_line_cut_short_is_computed_again(plan):
    tasks, computed, path = plan
    run_tasks(tasks(2), ResultFile(path), jobs=1)
    path.write_text(path.read_text()[:-9])
    found = run_tasks(tasks(2), ResultFile(path), jobs=1)
    assert computed() == [0, 1, 1]
    assert [outcome.result["square"] for outcome in found] == [0, 1]
    assert len(ResultFile(path).results) == 2


@pytest.mark.parametrize("damage", [b"5\n", b"null\n", b"[[1], 2]\n", b"\xff\xfe\n", b"[1"])
def test_lines_that_cannot_be_read_are_left_alone(plan, damage):
    tasks, computed, path = plan
    run_tasks(tasks(2), ResultFile(path), jobs=1)
    with path.open("ab") as file:
        file.write(damage)
    found = run_tasks(tasks(3), ResultFile(path), jobs=1)
    assert [outcome.result["square"] for outcome in found] == [0, 1, 4]
    run_tasks(tasks(3), ResultFile(path), jobs=1)
    assert computed() == [0, 1, 2]


def test_a_result_that_was_altered_is_computed_again(plan):
    tasks, computed, path = plan
    run_tasks(tasks(3), ResultFile(path), jobs=1)
    path.write_text(path.read_text().replace('{"square": 4}', '{"square": 5}'))
    found = run_tasks(tasks(3), ResultFile(path), jobs=1)
    assert [outcome.result["square"] for outcome in found] == [0, 1, 4]
    assert computed() == [0, 1, 2, 2]


def test_of_two_processes_the_first_result_counts_for_both(plan):
    tasks, _, path = plan
    (task,) = tasks(1)
    one, two = ResultFile(path), ResultFile(path)
    one.add(task.key, {"square": "first"})
    two.add(task.key, {"square": "second"})
    for file in (one, two, ResultFile(path)):
        (found,) = run_tasks([task], file, jobs=1)
        assert found.result == {"square": "first"}


def test_processes_that_share_a_file_lose_nothing(tmp_path):
    path = tmp_path / "shared.jsonl"
    writer = (
        "import sys; from pathlib import Path\n"
        "from hodgerank.reproduce.experiment import ResultFile\n"
        "file = ResultFile(Path(sys.argv[1]))\n"
        "for k in range(40): file.add(f'{sys.argv[2]}-{k}', ['x' * 20_000, k])"
    )
    processes = [subprocess.Popen([sys.executable, "-c", writer, str(path), name]) for name in "ab"]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert len(ResultFile(path).results) == 80


def test_timed_tasks_run_after_the_others(plan):
    tasks, _, path = plan
    counts = []
    timed = [Task(square, {**task.settings}, is_timed=True) for task in tasks(2)]
    rest = [Task(square, {**task.settings, "x": 10}) for task in tasks(1)]
    run_tasks([*timed, *rest], ResultFile(path), jobs=1, on_done=counts.append)
    assert [key for key in ResultFile(path).results if '"x": 10' in key] == [
        next(iter(ResultFile(path).results))
    ]
    assert counts == [0, 1, 2, 3]


def test_the_runs_of_a_small_effort_are_among_those_of_a_large_one():
    small, large = Effort("quick"), Effort("full")
    assert set(small.runs(quick=3, full=9)) < set(large.runs(quick=3, full=9))
    assert len(Effort("full", n_runs=4).runs(quick=3, full=9)) == 4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_computes_the_same(tmp_path):
    from distributed import Client, LocalCluster

    from hodgerank.reproduce.figures import figure1_connectivity

    plan = figure1_connectivity.tasks(Effort("quick", n_runs=3))
    here = run_tasks(plan, ResultFile(tmp_path / "here.jsonl"), jobs=1)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        there = run_tasks(plan, ResultFile(tmp_path / "there.jsonl"))
    assert [outcome.result for outcome in here] == [outcome.result for outcome in there]
