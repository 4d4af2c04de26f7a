"""`make bench-check` in `benchmarks/check`: it reports what became slower, and nothing else."""

from __future__ import annotations

import time

import pytest
from benchmarks import check as module
from benchmarks.check import check, read_table
from benchmarks.check.rows import REFERENCES, Row, Work, rows


def test_names_are_unique_and_every_row_has_a_reference_and_a_record():
    names = [row.name for row in rows(())]
    assert len(set(names)) == len(names)
    assert {row.reference for row in rows(())} <= set(REFERENCES)
    assert list(read_table()) == names


def test_words_choose_rows():
    chosen = [row.name for row in rows(("auto sampler", "Fiedler"))]
    assert chosen
    assert all("auto sampler" in name or "Fiedler" in name for name in chosen)


@pytest.fixture
def waiting(monkeypatch, tmp_path):
    """Two rows that wait for some time; the reference waits for 4 ms."""
    seconds = {"one": 0.004, "other": 0.008}

    def row(name):
        return Row(name, "wait", lambda: Work(lambda: time.sleep(seconds[name])))

    monkeypatch.setitem(REFERENCES, "wait", lambda size: Work(lambda: time.sleep(0.004)))
    monkeypatch.setattr(module, "rows", lambda words: [row(name) for name in seconds])
    monkeypatch.setattr(module, "TABLE", tmp_path / "recorded.csv")
    return seconds


def test_what_is_recorded_passes_and_what_is_slower_is_named(waiting, capsys):
    assert check(record=True) == 0
    assert list(read_table()) == ["one", "other"]
    waiting["other"] *= 3
    assert check() == 1
    out, err = capsys.readouterr()
    assert "1 of 2 rows more than 1.3 times slower than recorded" in out
    assert err.startswith("other: ")


def test_without_a_record_nothing_is_slower(waiting, capsys):
    assert check() == 0
    assert "not recorded" in capsys.readouterr().out
