"""An environment with the wheel, what it needs, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path


def environment_with(wheel: Path, folder: Path, wheels: Path, constraints: Path) -> Path:
    """The Python of a new environment in which the wheel is installed, without extras.

    What it needs comes from the folder `wheels`, so that no network is needed; what is not there
    is downloaded into it first, in the versions of `constraints`.
    """
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not _install(python, wheel, wheels):
        print(f"downloading what {wheel.name} needs to {wheels}", flush=True)
        _pip("download", "--constraint", constraints, "--dest", wheels, wheel, check=True)
        if not _install(python, wheel, wheels):
            raise SystemExit(f"{wheel} cannot be installed from {wheels}")
    return python


def _install(python: Path, wheel: Path, wheels: Path) -> bool:
    wheels.mkdir(parents=True, exist_ok=True)
    end = _pip("--python", python, "install", "--no-index", "--find-links", wheels, wheel)
    return end.returncode == 0


def _pip(*arguments: object, check: bool = False) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    out = None if check else subprocess.DEVNULL
    return subprocess.run(
        [*command, *map(str, arguments)], check=check, stdout=out, stderr=out, text=True
    )
