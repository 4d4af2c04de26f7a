"""`python -m benchmarks [NAME ...]`: run them all, or some."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("*_*.py") if not path.stem.startswith("_"))

if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(NAMES)
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    for name in sys.argv[1:] or NAMES:
        print(import_module(f"benchmarks.{name}").run(), flush=True)
