"""What sdist and wheel hold, and should."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import hodgerank

SOURCE = Path(hodgerank.__file__).parent
BESIDE_THE_SOURCE = {
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "LICENSE",
    "Makefile", "pyproject.toml", "constraints.txt", "tools/environment.py",
    "docs/index.md", "tests/conftest.py", "benchmarks/__main__.py",
}  # fmt: skip
GENERATED_FOLDERS = {"__pycache__", "_build", ".pytest_cache", ".hypothesis"}  # at any depth
GENERATED_AT_THE_TOP = {".venv", "dist", "demo", "out", "htmlcov"}


def contents_of_wheel(path: Path) -> set[str]:
    """Names of the files in a wheel."""
    with zipfile.ZipFile(path) as wheel:
        return {name for name in wheel.namelist() if not name.endswith("/")}


def contents_of_sdist(path: Path) -> set[str]:
    """Names of the files in an sdist, without the folder they are in."""
    with tarfile.open(path) as sdist:
        return {member.name.partition("/")[2] for member in sdist if member.isfile()}


def source_files() -> set[str]:
    """What the package is made of."""
    files = (path.relative_to(SOURCE.parent) for path in SOURCE.rglob("*") if path.is_file())
    return {path.as_posix() for path in files if not is_generated(path)}


def is_generated(path: Path) -> bool:
    """Whether a file was made from others, or left behind by running something.

    The path begins in the repository or in `src/`.
    """
    return (
        path.parts[0] in GENERATED_AT_THE_TOP
        or not GENERATED_FOLDERS.isdisjoint(path.parts)
        or path.suffix in (".pyc", ".nbi", ".nbc")
    )


def wrong_in_wheel(names: set[str]) -> list[str]:
    """The package, all of it, and its metadata: nothing else belongs there."""
    metadata = f"hodgerank-{hodgerank.__version__}.dist-info/"
    package = {name for name in names if not name.startswith(metadata)}
    wrong = [f"{name} is not in the wheel" for name in sorted(source_files() - package)]
    wrong += [f"{name} is in the wheel" for name in sorted(package - source_files())]
    published = [name for name in package if name.startswith("hodgerank/reproduce/published/")]
    if "hodgerank/py.typed" not in package or not published:
        wrong.append("py.typed or the published claims are not in the wheel")
    if not {f"{metadata}METADATA", f"{metadata}licenses/LICENSE"} <= names:
        wrong.append(f"metadata of version {hodgerank.__version__}, or the licence, is missing")
    return wrong


def wrong_in_sdist(names: set[str]) -> list[str]:
    """Source, tests, benchmarks and pages, without anything generated."""
    wanted = BESIDE_THE_SOURCE | {f"src/{name}" for name in source_files()}
    wrong = [f"{name} is not in the sdist" for name in sorted(wanted - names)]
    generated = sorted(name for name in names if is_generated(Path(name)))
    return wrong + [f"{name} is in the sdist" for name in generated]
