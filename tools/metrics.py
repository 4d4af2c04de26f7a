"""Measure how much of the source a change has to know about, beside another commit if one is named.

    python tools/metrics.py [--base COMMIT]

Run it at the root of the repository with the environment of the tests: commands are run in it,
those of another commit too. Modules named -ing are files, not folders. A single importer is the
only module that imports a short one. A file is touched where a function of it runs; what importing
it runs does not count. Functions go from `def` to their last line. How long the tests took is read
from .pytest_cache/junit.xml if that is of all tests and of the last day, and left out otherwise:

    make test PYTEST_ARGS=--junitxml=.pytest_cache/junit.xml
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import resource
import runpy
import signal
import socket
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import tokenize
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any
from xml.etree import ElementTree

SHORT, LONG = 80, 80  # lines of a module, and of a function
N_TIMES = 5  # of what varies
FEWEST_TESTS = 5_000  # in a run of all of them
IS_FUNCTION = 1  # flag of code (CO_OPTIMIZED) that bodies of modules and classes do not have
PROBE = "--probe"
VOTES = "left,right,outcome\na,b,left\nb,c,left\na,c,left\nc,a,left\nb,a,tie\n"
ITEMS = "id,text\n" + "".join(f"{name},Sentence {name}\n" for name in "abcdefgh")

Values = dict[str, float | None]
# The rows of the table, with what is aimed at; None where a number is only worth knowing.
AIMS: Values = {
    "source files": 380,
    "lines": None,
    "comment lines": None,
    "modules named -ing": 15,
    f"single importers, under {SHORT} lines": 25,
    "imports in functions": 120,
    "imports in functions of cli/": None,
    "lines of the longest function": 80,
    f"functions over {LONG} lines": None,
    "files touched by hodgerank rank": 35,
    "files touched by an answer in a browser": 35,
    "CPU seconds of --help": 0.3,
    "modules imported by --help": None,
    "of these of hodgerank": None,
    "minutes of the tests": 6,
}


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description="Measure the source, beside another commit.")
    options.add_argument("--base", help="a commit to compare the working tree with")
    base = options.parse_args().base
    columns = {"aim": AIMS}
    if base:
        packed = subprocess.run(["git", "archive", base, "src"], check=True, stdout=subprocess.PIPE)
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
                archive.extractall(folder, filter="data")
            source = Path(folder, "src")
            columns[base[:12]] = read_source(source)[0] | run_commands(source)
    source = Path.cwd() / "src"
    values, longest = read_source(source)
    columns["now"] = values | run_commands(source) | tests_run()
    print(" " * 40 + "".join(f"{name:>14}" for name in columns))
    for metric in filter(columns["now"].__contains__, AIMS):
        numbers = (values.get(metric) for values in columns.values())
        shown = ("" if number is None else f"{round(number, 2):,}" for number in numbers)
        print(f"{metric:40}" + "".join(f"{number:>14}" for number in shown))
    print(f"\nThe longest function is {longest}.")


def read_source(source: Path) -> tuple[Values, str]:
    """Return metrics of the source text, and the name of its longest function."""
    texts = {path: path.read_text(encoding="utf-8") for path in source.rglob("*.py")}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    n_lines = {path: len(text.splitlines()) for path, text in texts.items()}
    names = {path: ".".join(path.relative_to(source).with_suffix("").parts) for path in texts}
    names = {path: name.removesuffix(".__init__") for path, name in names.items()}
    known = set(names.values())
    importers = Counter(
        name for path, tree in trees.items() for name in _imported(tree, known) - {names[path]}
    )
    short = [names[path] for path in texts if n_lines[path] < SHORT and path.stem != "__init__"]
    functions = [
        (node, path)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lengths = [
        ((node.end_lineno or 0) - node.lineno + 1, f"{names[path]}.{node.name}")
        for node, path in functions
    ]
    imports = {
        inner: path
        for node, path in functions
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    }
    in_cli = [path for path in imports.values() if "cli" in path.relative_to(source).parts]
    longest, its_name = max(lengths)
    return {
        "source files": len(texts),
        "lines": sum(n_lines.values()),
        "comment lines": sum(map(_comment_lines, texts.values())),
        "modules named -ing": sum(path.stem.endswith("ing") for path in texts),
        f"single importers, under {SHORT} lines": sum(importers[name] == 1 for name in short),
        "imports in functions": len(imports),
        "imports in functions of cli/": len(in_cli),
        "lines of the longest function": longest,
        f"functions over {LONG} lines": sum(length > LONG for length, _ in lengths),
    }, its_name


def _imported(tree: ast.Module, known: set[str]) -> set[str]:
    """Modules of ours that a file imports anywhere."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in known else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & known


def _comment_lines(text: str) -> int:
    """Lines with nothing but a comment."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = (token for token in tokens if token.type == tokenize.COMMENT)
    return sum(token.line.lstrip().startswith("#") for token in comments)


def tests_run() -> Values:
    """Return how long the tests took, if a recent run recorded it."""
    report = Path(".pytest_cache", "junit.xml")
    if not report.exists() or time.time() - report.stat().st_mtime > 24 * 3600:
        return {}
    suite = next(ElementTree.parse(report).iter("testsuite"))
    is_all = int(suite.attrib["tests"]) >= FEWEST_TESTS
    return {"minutes of the tests": float(suite.attrib["time"]) / 60} if is_all else {}


def run_commands(source: Path) -> Values:
    """Return metrics of running it, in processes that import the given source."""
    environment = os.environ | {"PYTHONPATH": str(source)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or all would be compiled again each time
    with tempfile.TemporaryDirectory() as folder:

        def run(*words: str) -> float:
            """CPU seconds."""
            command, before = [sys.executable, *words], resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
            if done.returncode:
                sys.exit((done.stdout + done.stderr).decode())
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

        def found(what: str) -> Any:
            run(str(Path(__file__).resolve()), PROBE, what)
            return json.loads(Path(folder, what).read_text())

        Path(folder, "votes.csv").write_text(VOTES)
        Path(folder, "items.csv").write_text(ITEMS)
        campaign = ["campaign", "new", "items.csv", "-q", "Which?", "--name", "c", "-o", "c.db"]
        run("-m", "hodgerank", *campaign)
        modules = found("help")
        ours = [name for name in modules if name.partition(".")[0] == "hodgerank"]
        return {
            "files touched by hodgerank rank": len(found("rank")),
            "files touched by an answer in a browser": statistics.median(map(len, found("answer"))),
            "CPU seconds of --help": min(run("-m", "hodgerank", "--help") for _ in range(N_TIMES)),
            "modules imported by --help": len(modules),
            "of these of hodgerank": len(ours),
        }


# What follows runs in those processes.


def probe(what: str) -> None:
    """Write down what the help imports, or through which files a ranking or an answer goes."""
    known, found = set(sys.modules), list[Any]()
    if what == "help":
        _command("--help")
        found += set(sys.modules) - known
    elif what == "rank":
        touched = _touched_from_now_on()
        _command("rank", "votes.csv")
        found += touched
    else:
        found += _touched_by_answers()
    Path(what).write_text(json.dumps(found))


def _command(*words: str) -> None:
    sys.argv = ["hodgerank", *words]
    try:
        runpy.run_module("hodgerank", run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise


def _touched_from_now_on() -> set[str]:
    """Files of hodgerank of which a function runs, in this thread and in new ones."""
    touched: set[str] = set()
    ours = os.path.join(os.environ["PYTHONPATH"], "hodgerank", "")

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & IS_FUNCTION and code.co_filename.startswith(ours):
            touched.add(code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    return touched


def _touched_by_answers() -> list[list[str]]:
    """Files that each of some answers goes through, from when it is sent until it is replied to.

    This relies on no module, only on the command `serve`; on the addresses /j/ID, /w/ID/tasks and
    /w/ID/answer; and on `tasks`, `id`, `task` and `outcome` in what is said there.
    """
    import httpx

    touched, found = _touched_from_now_on(), []
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    url = f"http://127.0.0.1:{port}"

    def answer() -> None:
        waiting = httpx.HTTPTransport(retries=7)  # longer each time, for a minute in all
        headers = {"Origin": url, "Accept": "application/json"}
        try:
            with httpx.Client(base_url=url, headers=headers, transport=waiting, timeout=60) as http:
                http.post("/j/c")
                said = http.post("/w/c/tasks", json={}).raise_for_status()
                for _ in range(N_TIMES + 1):
                    given = {"task": said.json()["tasks"][0]["id"], "outcome": 1}
                    touched.clear()
                    said = http.post("/w/c/answer", json=given).raise_for_status()
                    found.append(sorted(touched))
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=answer).start()
    _command("serve", "--database", "c.db", "--no-browser", "--port", str(port))
    return found[1:]  # the first one warms up


if __name__ == "__main__":
    probe(sys.argv[2]) if sys.argv[1:2] == [PROBE] else main()
