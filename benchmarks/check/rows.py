"""Rows of the table: work to time, its sizes, and its reference."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from threadpoolctl import ThreadpoolController

import hodgerank as hr
from benchmarks import peers
from benchmarks.campaign_1000_items_1m_answers import written
from benchmarks.scaling.tasks import campaign, table_of, with_errors
from hodgerank.campaign import Campaign

CROWD = {"honest": 90, "random": 20, "position-biased": 14}


@dataclass(frozen=True)
class Work:
    """Something to time, and how many operations it is."""

    run: Callable[[], Any]
    operations: int = 1


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    reference
        One of `REFERENCES`.
    make
        Prepares the work; only that is timed.
    size
        Of the reference.
    clock
        'wall', or 'cpu' for commands, whose processes are charged for what they use.
    """

    name: str
    reference: str
    make: Callable[[], Work]
    size: int = 0
    clock: str = "wall"

    def prepare(self) -> tuple[Work, Work]:
        """The work and its reference, both done once: nothing is compiled or imported later."""
        work, reference = self.make(), REFERENCES[self.reference](self.size)
        work.run()
        reference.run()
        return work, reference


# References


def _python(_: int) -> Work:
    """Names, attributes, calls and small arrays, as in asking for a pair."""
    small, wide = np.zeros(16), np.ones(100)

    def run() -> None:
        found: dict[tuple[int, int], float] = {}
        for k in range(300):
            pair = (k % 10, k % 7)
            found[pair] = found.get(pair, 0.0) + len(pair)
            small[k % 16] += 1.0
            wide.dot(wide)

    return Work(run, 300)


def _grouping(size: int) -> Work:
    """Codes of two columns of names, and the sum of each pair."""
    table = table_of(1000, size)

    def run() -> object:
        return table.group_by("left", "right").agg(pl.col("winner").eq("left").sum())

    return Work(run)


def _evalica(n_votes: int) -> Work:
    n_items = 1000 if n_votes >= 100_000 else n_votes // 20
    return Work(partial(peers.evalica_bradley_terry, table_of(n_items, n_votes)))


def _cholesky(size: int) -> Work:
    """Factorising and inverting a matrix, by one thread: several may wait for a busy core."""
    matrix = np.eye(size) * size + np.ones((size, size))
    threads = ThreadpoolController()

    def run() -> object:
        with threads.limit(limits=1):
            return np.linalg.inv(np.linalg.cholesky(matrix))

    return Work(run)


def _start(_: int) -> Work:
    """Starting Python with the libraries that no command can do without."""
    return _process("-c", "import numpy, polars")


def _read_log(size: int) -> Work:
    """Every row of the log of a campaign, as Python has it."""
    import sqlite3

    path = _campaign_file(300, size)

    def run() -> int:
        connection = sqlite3.connect(path)
        try:
            return len(connection.execute("SELECT * FROM events").fetchall())
        finally:
            connection.close()

    return Work(run)


REFERENCES: dict[str, Callable[[int], Work]] = {
    "python": _python,
    "grouping": _grouping,
    "evalica": _evalica,
    "cholesky": _cholesky,
    "start": _start,
    "sqlite": _read_log,
}


# Votes, files and campaigns


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="hodgerank-check-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _crowd(n_items: int, n_votes: int) -> hr.Comparisons:
    return hr.simulate_comparisons(n_items, n_votes, workers=CROWD, rng=1)


@cache
def _csv(n_items: int, n_votes: int) -> Path:
    path = _folder() / f"{n_items}-{n_votes}.csv"
    _crowd(n_items, n_votes).to_frame("polars").write_csv(path)
    return path


@cache
def _arena_csv(n_votes: int) -> Path:
    """Two populations, and many workers with few votes each."""
    votes = hr.simulate_comparisons(50, n_votes, workers={"honest": n_votes // 12}, rng=1)
    where = np.where(np.random.default_rng(0).random(n_votes) < 0.3, "north", "south")
    path = _folder() / "arena.csv"
    votes.to_frame("polars").with_columns(region=where).write_csv(path)
    return path


@cache
def _campaign_file(n_items: int, n_votes: int) -> Path:
    return written(_folder() / f"{n_items}-{n_votes}.db", n_items, n_votes, 50)


def _process(*arguments: str) -> Work:
    command = [sys.executable, *arguments]
    return Work(
        lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=_folder())
    )


# Work


def _read_frame(n_items: int, n_votes: int) -> Work:
    return Work(partial(hr.read_comparisons, table_of(n_items, n_votes)))


def _rank_csv(n_items: int, n_votes: int) -> Work:
    path = _folder() / f"arena-{n_votes}.csv"
    table_of(n_items, n_votes).write_csv(path)
    return Work(partial(hr.hodge_rank, path))


def _rank_frame(rank: Callable[..., Any], n_items: int, n_votes: int) -> Work:
    return Work(partial(rank, table_of(n_items, n_votes)))


def _rank_parquet(n_items: int, n_votes: int) -> Work:
    path = _folder() / f"{n_items}-{n_votes}.parquet"
    if not path.exists():
        _codes(n_items, n_votes).write_parquet(path)
    return Work(partial(hr.hodge_rank, pl.scan_parquet(path)))


def _codes(n_items: int, n_votes: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    left = rng.integers(0, n_items, n_votes, dtype=np.int32)
    right = (left + rng.integers(1, n_items, n_votes, dtype=np.int32)) % n_items
    outcome = rng.choice(np.array([-1, 1], np.int8), n_votes)
    return pl.DataFrame({"left": left, "right": right, "outcome": outcome})


def _on_votes(work: Callable[[Any], Any], n_items: int, n_votes: int) -> Work:
    return Work(partial(work, _crowd(n_items, n_votes)))


def _ask_and_tell(build: Callable[[int], hr.Sampler], n_items: int) -> Work:
    sampler = build(n_items)
    sampler.tell_many(hr.simulate_comparisons(range(n_items), 3 * n_items, spread=2, rng=0))
    job = campaign(sampler, n_items, 200)
    return Work(job.work, job.operations)


def _tell_many(build: Callable[[int], hr.Sampler], n_items: int, n_votes: int) -> Work:
    votes = hr.simulate_comparisons(range(n_items), n_votes, spread=2, rng=0)
    return Work(lambda: build(n_items).tell_many(votes))


def _command(*arguments: str | Path) -> Work:
    return _process("-m", "hodgerank", *map(str, arguments))


def _open_campaign(n_items: int, n_votes: int) -> Work:
    path = _campaign_file(n_items, n_votes)

    def run() -> None:
        with Campaign.open(path):
            pass

    return Work(run)


FIRST_TASK = """
import sys
from uuid import uuid4
from hodgerank.campaign import Campaign
with Campaign.open(sys.argv[1]) as opened:
    opened.lease(uuid4().hex)  # who holds a task would get the same one again
"""


def _first_task(n_items: int, n_votes: int) -> Work:
    """In a process of its own: a sampler goes on learning when its campaign is closed."""
    return _process("-c", FIRST_TASK, str(_campaign_file(n_items, n_votes)))


def _lease_and_answer(n_items: int) -> Work:
    opened = Campaign.create(None, range(n_items), question="Which?", open_per_worker=1)
    atexit.register(opened.leave)

    def run() -> None:
        for k in range(50):
            (task,) = opened.lease(f"worker {k}")
            opened.answer(task, 1 if task.left < task.right else -1)

    return Work(run, 50)


SAMPLERS: dict[str, Callable[[int], hr.Sampler]] = {
    "random": partial(hr.RandomSampler, seed=1),
    "Bayesian": partial(hr.BayesianSampler, seed=1),
    "Fiedler": partial(hr.FisherSampler, criterion="fiedler", seed=1),
    "auto": partial(hr.AutoSampler, seed=1),
}
ON_VOTES: dict[str, Callable[[Any], Any]] = {
    "hodge_rank with errors": partial(with_errors, hr.hodge_rank),
    "bayes_rank": hr.bayes_rank,
    "robust_rank": hr.robust_rank,
    "decompose": hr.decompose,
    "find_outliers": hr.find_outliers,
    "assess_workers": hr.assess_workers,
    "assess_trust": hr.assess_trust,
}


def rows(words: tuple[str, ...]) -> list[Row]:
    """All rows, or those whose names contain one of the words."""
    return [row for row in _rows() if not words or any(word in row.name for word in words)]


def _rows() -> Iterator[Row]:
    yield from _reading_rows()
    yield from _sampler_rows()
    for name, work in ON_VOTES.items():
        for n_items, n_votes in ((30, 1_000), (300, 30_000)):
            title = f"{name}, {n_items} items, {n_votes:,} votes"
            yield Row(title, "cholesky", partial(_on_votes, work, n_items, n_votes), 300)
    yield from _command_rows()
    yield from _campaign_rows()


def _reading_rows() -> Iterator[Row]:
    million, some = 1_000_000, 2_000
    errors = partial(with_errors, hr.bradley_terry)
    yield Row(
        "read_comparisons, 100,000 items, 5,000,000 votes, frame", "grouping",
        partial(_read_frame, 100_000, 5 * million), million,
    )  # fmt: skip
    for title, rank in (("hodge_rank", hr.hodge_rank), ("bradley_terry with errors", errors)):
        yield Row(
            f"{title}, 1,000 items, 1,000,000 votes, frame", "evalica",
            partial(_rank_frame, rank, 1000, million), million,
        )  # fmt: skip
    yield Row(
        "hodge_rank, 1,000 items, 1,000,000 votes, CSV", "evalica",
        partial(_rank_csv, 1000, million), million,
    )  # fmt: skip
    yield Row(
        "bradley_terry, 100 items, 2,000 votes, frame", "evalica",
        partial(_rank_frame, hr.bradley_terry, 100, some), some,
    )  # fmt: skip
    for n_items in (200, 10_000):
        yield Row(
            f"hodge_rank, {n_items:,} items, 5,000,000 votes, Parquet", "grouping",
            partial(_rank_parquet, n_items, 5 * million), million,
        )  # fmt: skip


def _sampler_rows() -> Iterator[Row]:
    for name, build in SAMPLERS.items():
        for n_items in (16, 100, 200, 1000):
            if (name, n_items) == ("Fiedler", 1000):
                continue  # takes seconds
            title = f"ask and tell, {name} sampler, {n_items:,} items"
            yield Row(title, "python", partial(_ask_and_tell, build, n_items))
    for name in ("Bayesian", "auto"):
        title = f"tell_many, {name} sampler, 100 items, 20,000 votes"
        yield Row(title, "cholesky", partial(_tell_many, SAMPLERS[name], 100, 20_000), 300)


def _command_rows() -> Iterator[Row]:
    few = partial(_csv, 8, 400)
    commands: dict[str, Callable[[], Work]] = {
        "--help": lambda: _command("--help"),
        "rank, 400 votes": lambda: _command("rank", few()),
        "trust, 400 votes": lambda: _command("trust", few()),
        "report, 400 votes": lambda: _command("report", few(), "-o", "report.html"),
        "report, 59 items, 9,000 votes": lambda: _command(
            "report", _csv(59, 9000), "-o", "large.html"
        ),
        "rank --compare, 117,000 votes": lambda: _command(
            "rank", _arena_csv(117_000), "--compare", "region"
        ),
    }
    for title, make in commands.items():
        yield Row(f"hodgerank {title}", "start", make, clock="cpu")


def _campaign_rows() -> Iterator[Row]:
    sizes = (10_000, 100_000)
    for n_votes in sizes:
        title = f"open a campaign, 300 items, {n_votes:,} answers"
        yield Row(title, "sqlite", partial(_open_campaign, 300, n_votes), n_votes)
    for n_items in (16, 200):
        title = f"lease and answer, campaign in memory, {n_items} items"
        yield Row(title, "python", partial(_lease_and_answer, n_items))
    for n_votes in sizes:
        title = f"open a campaign and give out a task, 300 items, {n_votes:,} answers"
        yield Row(title, "start", partial(_first_task, 300, n_votes), clock="cpu")
