"""reproduce: run experiments, and write charts, data and verdicts with a page that shows all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from hodgerank.atomic_write import write_file
from hodgerank.data.sources.frames import build_frame
from hodgerank.errors import DatasetUnavailable, InvalidArgument, require_one_of
from hodgerank.plotting.charts import SUFFIXES, require_charts, save_chart
from hodgerank.reproduce.experiment import (
    Effort,
    EffortName,
    Experiment,
    ResultFile,
    fingerprint,
    require_joblib,
    run_tasks,
)
from hodgerank.reproduce.figures import (
    beyond_careless_workers,
    beyond_many_judges,
    beyond_more_items,
    beyond_other_samplers,
    figure1_connectivity,
    figure2_betti_numbers,
    figure3_simulated,
    figure4_budget,
    figure7_reading_levels,
    figures5_6_recorded_votes,
    table1_cost_simulated,
    table2_cost_real,
    text_outliers,
    text_ridge,
)
from hodgerank.reproduce.page import write_page
from hodgerank.reproduce.verdict import Findings, Published, Report, Status

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        figure1_connectivity.EXPERIMENT,
        figure2_betti_numbers.EXPERIMENT,
        figure3_simulated.EXPERIMENT,
        table1_cost_simulated.EXPERIMENT,
        figure4_budget.EXPERIMENT,
        figures5_6_recorded_votes.VQA,
        figures5_6_recorded_votes.IQA,
        figure7_reading_levels.EXPERIMENT,
        table2_cost_real.EXPERIMENT,
        text_outliers.EXPERIMENT,
        text_ridge.EXPERIMENT,
        beyond_other_samplers.EXPERIMENT,
        beyond_careless_workers.EXPERIMENT,
        beyond_many_judges.EXPERIMENT,
        beyond_more_items.EXPERIMENT,
    )
}


OnProgress = Callable[[str, int, int], None]
"""Called with the name of the experiment, the tasks done and their number.

The first call of each experiment counts the tasks that an earlier run has done.
"""


@dataclass(frozen=True)
class Reproduction:
    """The reports of a reproduction.

    Attributes
    ----------
    reports
        The reports, in the order requested.
    page
        The page that shows them.
    """

    reports: tuple[Report, ...]
    page: Path


def reproduce(
    names: Sequence[str] = (),
    *,
    output: Path | str = "out",
    effort: EffortName = "quick",
    runs: int | None = None,
    jobs: int | None = None,
    seed: int = 0,
    restart: bool = False,
    on_progress: OnProgress | None = None,
) -> Reproduction:
    """Reproduce the claims of [Xu18] with the public API, each with a verdict.

    Results are written to `output` as they are computed: if interrupted, run it again and it
    resumes; more runs are added to the existing ones. Several processes may share a folder.

    Parameters
    ----------
    names
        fiedler, betti, simulated, cost-simulated, budget, vqa, iqa, reading, cost-real; claims of
        the text: outliers, ridge; beyond the paper: samplers, careless, judges, larger. Default:
        all.
    output
        Folder for `index.html` and, per experiment, a chart (.html, .svg, .png, .pdf) and a CSV.
    effort
        'quick' takes minutes, 'full' uses the paper's numbers of runs, 'smoke' is a test.
    runs
        Number of runs, overriding that of the effort.
    jobs
        Number of processes; -1 for one per core. Default: the setting of `joblib.parallel_config`,
        which may name a cluster.
    seed
        Seed of all random numbers.
    restart
        Discard the results of earlier runs of these experiments.
    on_progress
        Called when a task is done, and at the beginning of every experiment.
    """
    if runs is not None and runs < 1:
        raise InvalidArgument(f"runs must be at least 1, not {runs}")
    chosen = [
        EXPERIMENTS[require_one_of(name, EXPERIMENTS, "experiment")]
        for name in dict.fromkeys(names or EXPERIMENTS)
    ]
    if jobs == 0:
        raise InvalidArgument("jobs must be a number of processes, or -1 for one per core, not 0")
    require_charts()  # fail before the work rather than after it
    require_joblib()
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidArgument(f"{folder} cannot be created: {error.strerror}") from None
    require_one_of(effort, get_args(EffortName), "effort")
    plan = Effort(effort, runs, seed)
    reports = tuple(_run(each, plan, folder, jobs, restart, on_progress) for each in chosen)
    return Reproduction(reports, write_page(folder, reports, plan))


def _run(
    experiment: Experiment,
    effort: Effort,
    folder: Path,
    jobs: int | None,
    restart: bool,
    on_progress: OnProgress | None,
) -> Report:
    name, published = experiment.name, Published.load(experiment.name)
    try:
        version = fingerprint(experiment.datasets)
    except DatasetUnavailable as error:
        return Report(name, published, obstacle=str(error))
    tasks = experiment.tasks(effort)
    path = folder / "results" / version / f"{name}.jsonl"
    if restart:
        path.unlink(missing_ok=True)

    def on_done(done: int) -> None:
        if on_progress is not None:
            on_progress(name, done, len(tasks))

    outcomes = run_tasks(tasks, ResultFile(path), jobs=jobs, on_done=on_done)
    findings = experiment.findings(outcomes, published)
    _write(findings, folder / name)
    verdicts = findings.verdicts
    if effort.name == "smoke":
        verdicts = [replace(verdict, status=Status.UNDECIDED) for verdict in verdicts]
    return Report(name, published, verdicts, findings.table)


def _write(findings: Findings, stem: Path) -> None:
    """Write the data and the charts of one experiment."""
    columns = {key: [row[key] for row in findings.rows] for key in findings.rows[0]}
    write_file(stem.with_suffix(".csv"), build_frame(columns, "polars").write_csv().encode())
    for suffix in SUFFIXES:
        save_chart(findings.chart, stem.with_suffix(suffix))
