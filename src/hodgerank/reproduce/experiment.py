"""Experiment: tasks to run, and the evaluation of their results."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import chain
from os import SEEK_END
from pathlib import Path
from typing import Any, Literal, TypeVar

import hodgerank
from hodgerank.atomic_write import append_line
from hodgerank.data.datasets import DATASETS, DatasetName, load_dataset
from hodgerank.errors import MissingDependency
from hodgerank.reproduce.verdict import Findings, Published

T = TypeVar("T")
EffortName = Literal["smoke", "quick", "full"]


@dataclass(frozen=True)
class Effort:
    """The amount of computation: a test run, a first picture, or as published.

    Attributes
    ----------
    name
        'smoke', 'quick' or 'full'.
    n_runs
        Overrides the number of runs.
    seed
        Seed of all random numbers.
    """

    name: EffortName = "quick"
    n_runs: int | None = None
    seed: int = 0

    def pick(self, *, smoke: T, quick: T, full: T) -> T:
        """Return the setting for this effort."""
        return {"smoke": smoke, "quick": quick, "full": full}[self.name]

    def runs(self, *, quick: int, full: int, smoke: int = 2) -> range:
        """Return the run numbers; those of a smaller effort are a subset of a larger."""
        return range(self.n_runs or self.pick(smoke=smoke, quick=quick, full=full))


@dataclass(frozen=True)
class Task:
    """A function of its settings and a seed; the result is plain data.

    Attributes
    ----------
    function
        A function at the top level of a module, so that any process can import it.
    settings
        Its keyword arguments, as plain data.
    is_timed
        Whether it measures time, and so runs alone.
    """

    function: Callable[..., Any]
    settings: Mapping[str, Any]
    is_timed: bool = False

    @property
    def key(self) -> str:
        """Identifier of the work."""
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        return json.dumps([name, dict(self.settings)], sort_keys=True)

    def __call__(self) -> tuple[str, Any]:
        """Return the key and the result."""
        return self.key, self.function(**self.settings)


@dataclass(frozen=True)
class Outcome:
    """The result of a task."""

    settings: Mapping[str, Any]
    result: Any


class ResultFile:
    """Results on disk, one JSON line each with a checksum.

    Lines without a valid checksum are ignored, so that what they held is computed again. Several
    processes may add to the same file: the first result of a task counts for all of them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.results: dict[str, Any] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.reload()

    def reload(self) -> None:
        """Read what other processes have added."""
        found: dict[str, Any] = {}
        for line in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError, TypeError):
                key, result, checksum = json.loads(line)
                if checksum == _checksum(key, result):
                    found.setdefault(key, result)
        self.results |= found

    def add(self, key: str, result: Any) -> None:
        """Write a result to disk; it is there when this returns."""
        self.results[key] = json.loads(json.dumps(result))
        line = json.dumps([key, result, _checksum(key, result)]).encode()
        append_line(self._path, b"\n" * (not self._ends_a_line()) + line)

    def _ends_a_line(self) -> bool:
        with self._path.open("rb") as file:
            if not file.seek(0, SEEK_END):
                return True
            file.seek(-1, SEEK_END)
            return file.read(1) == b"\n"


def _checksum(key: str, result: Any) -> str:
    return hashlib.sha256(json.dumps([key, result]).encode()).hexdigest()[:16]


VERSIONS = ("numpy", "scipy", "numba")


@cache
def fingerprint(datasets: tuple[DatasetName, ...] = ()) -> str:
    """Return a digest of what results depend on beside settings: code, versions and data."""
    root = Path(hodgerank.__file__).parent
    digest = hashlib.sha256(platform.python_version().encode())
    for name in VERSIONS:
        digest.update(f"{name} {version(name)}\0".encode())
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    for dataset in datasets:
        for reference in range(1, DATASETS[dataset].references + 1):
            votes = load_dataset(dataset, reference=reference)
            for column in (votes.left, votes.right, votes.outcome, votes.worker, votes.truth):
                digest.update(b"" if column is None else column.tobytes())
    return digest.hexdigest()[:16]


def run_tasks(
    tasks: Sequence[Task],
    file: ResultFile,
    *,
    jobs: int | None = None,
    on_done: Callable[[int], None] = lambda _: None,
) -> list[Outcome]:
    """Return the results of all tasks in order; those in the file are not computed again.

    `on_done` is called with the number of tasks done, first with those in the file.
    Without `jobs`, joblib's own settings apply: `with joblib.parallel_config("dask"): ...` sends
    the work to a cluster. Tasks that measure time run locally, one after the other, at the end.
    """
    missing = [task for task in tasks if task.key not in file.results]
    kept = len(tasks) - len(missing)
    on_done(kept)
    timed = (_on_one_thread(task) for task in missing if task.is_timed)
    rest = _parallel([task for task in missing if not task.is_timed], jobs)
    for done, (key, result) in enumerate(chain(rest, timed), start=kept + 1):
        file.add(key, result)
        on_done(done)
    file.reload()
    return [Outcome(task.settings, file.results[task.key]) for task in tasks]


def require_joblib() -> None:
    """Raise MissingDependency if tasks cannot be run."""
    try:
        import joblib  # noqa: F401
    except ImportError:
        raise MissingDependency("hodgerank[reproduce]", "running experiments") from None


def _parallel(tasks: Sequence[Task], jobs: int | None) -> Iterable[tuple[str, Any]]:
    if not tasks:
        return ()
    import joblib

    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    results: Iterable[tuple[str, Any]] = parallel(joblib.delayed(_on_one_thread)(t) for t in tasks)
    return results


def _on_one_thread(task: Task) -> tuple[str, Any]:
    """Run with one BLAS thread: small matrices gain nothing from more, and other tasks lose."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return task()


@dataclass(frozen=True)
class Experiment:
    """One figure or table.

    Attributes
    ----------
    name
        Name on the command line.
    tasks
        The tasks, given the effort.
    findings
        Chart, data and verdicts, given the results and the published claims.
    datasets
        Required data sets.
    """

    name: str
    tasks: Callable[[Effort], Sequence[Task]]
    findings: Callable[[Sequence[Outcome], Published], Findings]
    datasets: tuple[DatasetName, ...] = ()
