"""hodgerank doctor finds what is wrong, and names the remedy."""

from __future__ import annotations

import io
import json
import os
from importlib import metadata

import pytest

import hodgerank as hr
from hodgerank.cli import doctor
from hodgerank.cli.result import BAD_INPUT
from processes import hodgerank


@pytest.fixture
def without(monkeypatch):
    """Pretend that packages are not installed, or older than they are."""

    def pretend(**versions: str) -> None:
        def version(name: str) -> str:
            found = versions.get(name.replace("-", "_"), metadata.version(name))
            if not found:
                raise metadata.PackageNotFoundError(name)
            return found

        monkeypatch.setattr(doctor, "version", version)

    return pretend


def test_a_sound_installation_is_told_so(run, without):
    without()
    status, out, err = run("doctor")
    assert (status, err) == (0, "")
    assert f"hodgerank      {hr.__version__}" in out
    for part in ("versions", "numpy", "compiled kernels", "compiles", "data sets", "extras"):
        assert part in out
    assert out.splitlines()[-1].startswith("no problems")


def test_json_has_everything(run):
    content = json.loads(run("doctor", "--json")[1])
    assert content["versions"]["numpy"] == metadata.version("numpy")
    assert content["compiled_kernels"]["Numba"] == "compiles"
    assert set(content["extras"]) == set(doctor.extras())
    assert content["problems"] == []


def test_extras_that_are_missing_come_with_the_command_that_adds_them(run, without, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    without(altair="", pooch="1.0")
    status, out, _ = run("doctor")
    assert status == 0
    assert 'altair is missing: pip install ".[plot]"' in out
    assert 'pooch 1.0 is too old: 1.8 or newer is needed: pip install ".[datasets]"' in out
    last = out.splitlines()[-1]
    assert last.startswith("no problems; extras not installed: ")
    assert {"datasets", "plot", "reproduce"} <= set(last.rpartition(": ")[2].split(", "))


def test_a_missing_or_old_dependency_is_a_failure(run, without):
    without(scipy="", polars="0.20.1")
    status, out, _ = run("doctor", "--json")
    assert status == BAD_INPUT
    content = json.loads(out)
    problems = {problem["name"]: problem for problem in content["problems"]}
    assert set(problems) == {"scipy", "polars"}
    assert problems["scipy"]["essential"]
    assert 'pip install "scipy>=' in problems["scipy"]["problem"]
    assert "polars 0.20.1 is too old" in problems["polars"]["problem"]
    assert content["verdict"].startswith("to repair: ")


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    nowhere = str(tmp_path / "file" / "cache")
    end = hodgerank("doctor", "--json", env=os.environ | {"NUMBA_CACHE_DIR": nowhere})
    assert end.returncode == 0
    (problem,) = json.loads(end.stdout)["problems"]
    assert (problem["name"], problem["essential"]) == ("cache", False)
    assert f"NUMBA_CACHE_DIR is {nowhere}, which is not writable" in problem["problem"]


@pytest.mark.slow
def test_a_cache_elsewhere_is_found(tmp_path):
    end = hodgerank("doctor", "--json", env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)})
    content = json.loads(end.stdout)
    assert content["problems"] == []
    assert content["compiled_kernels"]["cache"] == str(tmp_path)
    assert content["compiled_kernels"]["size"].endswith("in 2 files")


def test_a_folder_that_turns_read_only_is_told(run, monkeypatch):
    monkeypatch.setattr(doctor, "_is_writable", lambda folder: False)
    status, out, _ = run("doctor")
    assert status == 0
    assert "every start compiles again: set NUMBA_CACHE_DIR" in " ".join(out.split())
    assert out.splitlines()[-1].startswith("to repair: cache")


def test_a_compiler_that_fails_is_a_failure(run, monkeypatch):
    def broken(function):
        raise RuntimeError("cannot cache function '_twice': no locator available")

    monkeypatch.setattr("hodgerank.kernels.compilation.compiled", broken)
    status, out, _ = run("doctor")
    assert status == BAD_INPUT
    assert "set NUMBA_CACHE_DIR to a writable folder" in " ".join(out.split())


def test_a_compiler_that_is_switched_off_is_told(run, monkeypatch):
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    status, out, _ = run("doctor")
    assert status == 0
    assert "unset NUMBA_DISABLE_JIT" in out


def test_the_folder_of_data_sets_is_looked_into(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HODGERANK_DATA", str(tmp_path))
    (tmp_path / "pc_vqa").mkdir()
    (tmp_path / "pc_vqa" / "data1.mat").write_text("")
    for name in ("readdataset.mat", "groundtruthdata.mat"):
        (tmp_path / "reading_level").mkdir(exist_ok=True)
        (tmp_path / "reading_level" / name).write_text("")
    found = json.loads(run("doctor", "--json")[1])["data_sets"]
    assert found["pc-vqa"] == "1 of 10 files are present"
    assert found["reading-level"] == "here"
    monkeypatch.setenv("HODGERANK_DATA", str(tmp_path / "no"))
    status, out, _ = run("doctor")
    assert status == 0
    assert "correct or unset HODGERANK_DATA" in out
    monkeypatch.delenv("HODGERANK_DATA")
    assert "hodgerank" in json.loads(run("doctor", "--json")[1])["data_sets"]["folder"]


def test_a_terminal_that_lacks_characters_is_told(run, monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr("sys.stdout", terminal)
    assert run("doctor")[0] == 0
    assert b"set PYTHONUTF8=1" in terminal.buffer.getvalue()


def test_a_package_that_was_never_installed_is_told(run, monkeypatch):
    def nothing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "requires", nothing)
    monkeypatch.setattr(doctor, "metadata", nothing)
    status, out, _ = run("doctor")
    assert status == 0
    assert "hodgerank is not installed" in out
