"""hodgerank doctor: check the installation, and say how to repair it."""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from hodgerank import __version__
from hodgerank.cli.console import (
    add_names,
    plain_table,
    results,
    show_table,
    show_warnings,
    verbatim,
)
from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import BAD_INPUT, CommandResult

PACKAGE = "hodgerank"
WRITTEN = re.compile(
    r"(?P<name>[\w.-]+)(\[[^\]]*\])?\s*\(?(>=\s*(?P<least>[\w.]+))?[^;]*"
    r"(;.*extra\s*==\s*['\"](?P<extra>[\w.-]+)['\"].*)?"
)


class Requirement(NamedTuple):
    """A required package, or one that a single extra requires."""

    name: str
    least: str
    extra: str

    @property
    def installed(self) -> str:
        """Installed version, or nothing."""
        try:
            return version(self.name)
        except PackageNotFoundError:
            return ""

    @property
    def lack(self) -> str:
        """Problem with the package, or nothing."""
        installed = self.installed
        if not installed:
            return f"{self.name} is missing"
        if _numbers(installed) < _numbers(self.least):
            return f"{self.name} {installed} is too old: {self.least} or newer is needed"
        return ""


def requirements() -> list[Requirement]:
    """Return all required packages, with those of extras; none if nothing was installed."""
    try:
        lines = requires(PACKAGE) or []
    except PackageNotFoundError:
        return []
    found = (WRITTEN.match(line) for line in lines)
    return [Requirement(f["name"], f["least"] or "", f["extra"] or "") for f in found if f]


def extras() -> list[str]:
    """Return the names of the extras."""
    try:
        return sorted(metadata(PACKAGE).get_all("Provides-Extra") or [])
    except PackageNotFoundError:
        return []


def _numbers(written: str) -> tuple[int, ...]:
    """Return the leading numbers of a version.

    >>> _numbers("2.10.0rc1") >= _numbers("2.9")
    True
    """
    start = re.match(r"\d+(\.\d+)*", written)
    return tuple(map(int, start[0].split("."))) if start else ()


MARKS = "±●│"  # printed in tables and charts


@dataclass(frozen=True)
class Finding:
    """One fact, and its problem if there is one."""

    about: str
    name: str
    value: str
    problem: str = ""
    is_essential: bool = False  # commands fail without it


def look_at_everything() -> list[Finding]:
    """Collect all findings in the order in which they are shown."""
    checks = (_versions, _machine, _terminal, _kernels, _data_sets, _extras)
    return [finding for check in checks for finding in check()]


def _versions() -> Iterator[Finding]:
    about = "versions"
    yield Finding(about, PACKAGE, __version__)
    yield Finding(about, "Python", f"{platform.python_version()} ({sys.executable})")
    yield Finding(about, "platform", platform.platform())
    if not requirements():
        problem = "hodgerank is not installed, so its requirements are unknown: pip install ."
        yield Finding(about, "metadata", "not found", problem)
    for needed in requirements():
        if not needed.extra:
            problem = f'{needed.lack}: pip install "{needed.name}>={needed.least}"'
            value = needed.installed or "missing"
            yield Finding(about, needed.name, value, problem if needed.lack else "", True)


def _machine() -> Iterator[Finding]:
    has_affinity = hasattr(os, "sched_getaffinity")
    threads = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    yield Finding("machine", "processors", f"{threads:,}")
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        free = _free_memory()
        value = f"{_size(total)}" if free is None else f"{_size(total)}, {_size(free)} free"
        yield Finding("machine", "memory", value)


def _free_memory() -> int | None:
    """Return the memory available without swapping, as Linux reports it."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024 * int(found[0]) if found else None


def _terminal() -> Iterator[Finding]:
    console = results()
    encoding = sys.stdout.encoding or "unknown"
    problem = ""
    try:
        MARKS.encode(encoding)
    except (UnicodeError, LookupError):
        problem = f"{encoding} cannot show some characters: set PYTHONUTF8=1"
    yield Finding("terminal", "encoding", encoding, problem)
    kind = "a terminal" if sys.stdout.isatty() else "not a terminal"
    yield Finding("terminal", "width", f"{console.width} columns ({kind})")
    yield Finding("terminal", "colours", console.color_system or "none")


def _kernels() -> Iterator[Finding]:
    """Check that Numba compiles and caches."""
    about = "compiled kernels"
    try:
        from hodgerank.kernels.compilation import compiled

        kernel = compiled(_twice)
        works = kernel(21.0) == 42.0
    except Exception as error:  # a broken compiler may raise anything
        reason = str(error).split("\n", 1)[0]
        remedy = (
            "set NUMBA_CACHE_DIR to a writable folder"
            if "cannot cache" in reason
            else "pip install --force-reinstall numba llvmlite"
        )
        yield Finding(about, "Numba", "does not compile", f"{reason}: {remedy}", True)
        return
    if not hasattr(kernel, "stats"):
        problem = (
            "compilation is off, which makes everything many times slower: unset NUMBA_DISABLE_JIT"
        )
        yield Finding(about, "Numba", "compilation is switched off", problem)
        return
    problem = (
        ""
        if works
        else ("compiled code returns wrong results: pip install --force-reinstall numba llvmlite")
    )
    yield Finding(about, "Numba", "compiles" if works else "wrong results", problem, True)
    cache = Path(kernel.stats.cache_path)
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    problem = ""
    if wanted and not cache.is_relative_to(Path(wanted).absolute()):
        problem = f"NUMBA_CACHE_DIR is {wanted}, which is not writable: correct or unset it"
    elif not _is_writable(cache):
        problem = f"{cache} is not writable, so every start compiles again: set NUMBA_CACHE_DIR"
    in_tree = cache.name == "__pycache__"
    folder = Path(__file__).parents[1] if in_tree else cache.parent
    yield Finding(about, "cache", str(folder), problem)
    files = [path for path in folder.rglob("*.nb[ci]") if path.is_file()]
    size = _size(sum(path.stat().st_size for path in files))
    yield Finding(about, "size", f"{size} in {len(files):,} files")


def _twice(x: float) -> float:
    return 2.0 * x


def _is_writable(folder: Path) -> bool:
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _data_sets() -> Iterator[Finding]:
    """Check which files of the data sets are present; none is needed to rank votes."""
    about = "data sets"
    try:
        from hodgerank.data.datasets import DATASETS, SHA256
    except ImportError:
        return  # the versions section reports why
    named = os.environ.get("HODGERANK_DATA")
    if named:
        folder: Path | None = Path(named)
        problem = (
            ""
            if Path(named).is_dir()
            else ("this is not a folder: correct or unset HODGERANK_DATA")
        )
        yield Finding(about, "folder", f"{named} (HODGERANK_DATA)", problem)
    else:
        folder = _download_folder()
        value = "unknown (needs the extra 'datasets')" if folder is None else str(folder)
        yield Finding(about, "folder", value)
    if folder is None:
        return
    for name, dataset in DATASETS.items():
        files = [key for key in SHA256 if key.startswith(f"{dataset.folder}/")]
        places = (folder / (key if named else key.replace("/", "-")) for key in files)
        there = sum(place.is_file() for place in places)
        value = "here" if there == len(files) else f"{there} of {len(files)} files are present"
        yield Finding(about, name, value)


def _download_folder() -> Path | None:
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache(PACKAGE))


def _extras() -> Iterator[Finding]:
    needed = requirements()
    for extra in extras():
        lacks = [r.lack for r in needed if r.extra == extra and r.lack]
        value = f'{", ".join(lacks)}: pip install ".[{extra}]" in a clone' if lacks else "installed"
        yield Finding("extras", extra, value)


def _size(n_bytes: int) -> str:
    """Format a number of bytes.

    >>> _size(3 * 2**30), _size(1500)
    ('3.0 GB', '1.5 KB')
    """
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes} bytes"


@dataclass(frozen=True)
class DoctorResult(CommandResult):
    """The findings."""

    findings: list[Finding]
    as_json: bool
    written = None

    @property
    def exit_status(self) -> int:
        """3 if commands would fail, 0 if only extras are missing."""
        return BAD_INPUT if any(f.problem and f.is_essential for f in self.findings) else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        found: dict[str, dict[str, str]] = {}
        for finding in self.findings:
            found.setdefault(finding.about.replace(" ", "_"), {})[finding.name] = finding.value
        problems = [
            {"about": f.about, "name": f.name, "problem": f.problem, "essential": f.is_essential}
            for f in self.findings
            if f.problem
        ]
        return {**found, "problems": problems, "verdict": self.verdict}

    @property
    def verdict(self) -> str:
        """Conclusion in one line."""
        wrong = [f.name for f in self.findings if f.problem]
        missing = [f.name for f in self.findings if f.about == "extras" and f.value != "installed"]
        words = f"to repair: {', '.join(wrong)}" if wrong else "no problems"
        return f"{words}; extras not installed: {', '.join(missing)}" if missing else words

    def show(self, console: Console) -> None:
        """Print the findings by section, then the conclusion."""
        for about in dict.fromkeys(finding.about for finding in self.findings):
            console.print(about, style="bold")
            table = plain_table(show_header=False)
            table.add_column("", no_wrap=True)
            add_names(table, "")
            findings = [finding for finding in self.findings if finding.about == about]
            for finding in findings:
                table.add_row(f"  {finding.name}", verbatim(finding.value))
            show_table(table, console)
            show_warnings((f"{f.name}: {f.problem}" for f in findings if f.problem), console)
            console.print()
        has_problem = any(finding.problem for finding in self.findings)
        console.print(verbatim(self.verdict, "bold yellow" if has_problem else "bold green"))


def doctor(as_json: AsJson = False) -> DoctorResult:
    """Check this installation: versions, compiler, data sets, extras, terminal.

    Prints the command that repairs each problem or installs what is missing, and a conclusion in
    the last line. Nothing is downloaded or changed.

    Examples:
      hodgerank doctor

      hodgerank doctor --json | jq .problems
    """
    return DoctorResult(look_at_everything(), as_json)
