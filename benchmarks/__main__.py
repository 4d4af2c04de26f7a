"""`python -m benchmarks NAME ...`: run some of the benchmarks."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
NAMES = [
    "calibration",
    "contest",
    "judging",
    "scaling",
    *sorted(path.stem for path in HERE.glob("*_*.py") if path.stem[0] != "_"),
]

if __name__ == "__main__":
    names = sys.argv[1:]
    if not names or set(names) - set(NAMES):
        sys.exit(f"name some of these: {', '.join(NAMES)}")
    for name in names:
        print(import_module(f"benchmarks.{name}").run(), flush=True)
