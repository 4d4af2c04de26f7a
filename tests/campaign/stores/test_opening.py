from __future__ import annotations

import builtins
import sys
from pathlib import Path

import pytest

from hodgerank.campaign.database import open_store
from hodgerank.campaign.stores.memory import MemoryStore
from hodgerank.campaign.stores.sqlite import SqliteStore
from hodgerank.errors import InvalidArgument, MissingDependency


def without(package, monkeypatch):
    """As if a package were not installed."""
    whole_import = builtins.__import__

    def some_import(name, *rest):
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return whole_import(name, *rest)

    for name in [*sys.modules]:
        if name.startswith("hodgerank.campaign.stores.") or name.partition(".")[0] == package:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", some_import)


def test_nothing_is_memory():
    assert isinstance(open_store(None), MemoryStore)


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_path_is_a_file(kind, tmp_path):
    store = open_store(kind(tmp_path / "campaign.db"), create=True)
    assert isinstance(store, SqliteStore)
    assert store.name == str(tmp_path / "campaign.db")
    store.close()


def test_a_postgresql_address_is_a_database(postgres_url):
    for scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        store = open_store(postgres_url.replace("postgresql", scheme, 1), create=True)
        assert type(store).__name__ == "PostgresStore"
        assert store.name.startswith("postgresql://")
        store.close()


def test_an_address_that_is_none_is_refused_without_its_password():
    with pytest.raises(InvalidArgument, match="not an address") as refusal:
        open_store("postgresql://user:secret@host:port/x")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    "address",
    [
        "mysql://user:secret@host/x",
        "sqlite:///x.db",
        "POSTGRESQL://host/x",
        "postgresql:/secret@host/x",
        Path("postgresql://secret@host/x"),
    ],
)
def test_another_address_is_not_taken_for_a_file(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        InvalidArgument, match=r"not supported: use postgresql://.* a file"
    ) as refusal:
        open_store(address, create=True)
    assert "secret" not in str(refusal.value)
    assert not list(tmp_path.iterdir())


def test_a_file_may_have_a_colon_in_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("10:30.db", "postgresql.db"):
        open_store(name, create=True).close()
        assert (tmp_path / name).exists()


@pytest.mark.parametrize("package", ["sqlalchemy", "alembic"])
def test_a_file_needs_its_packages(package, monkeypatch, tmp_path):
    without(package, monkeypatch)
    with pytest.raises(MissingDependency, match=r'pip install "\.\[campaign\]"'):
        open_store(tmp_path / "campaign.db", create=True)


def test_postgresql_needs_its_packages(monkeypatch):
    without("psycopg", monkeypatch)
    with pytest.raises(MissingDependency, match=r'pip install "\.\[postgres\]"'):
        open_store("postgresql://localhost/nowhere")


def test_another_module_that_lacks_is_not_mistaken(monkeypatch, tmp_path):
    without("sqlite3", monkeypatch)
    with pytest.raises(ModuleNotFoundError, match="sqlite3"):
        open_store(tmp_path / "campaign.db", create=True)
