"""`python -m benchmarks.check`: see `benchmarks.check`."""

from __future__ import annotations

import argparse
import sys

from benchmarks.check import __doc__ as about
from benchmarks.check import check

if __name__ == "__main__":
    options = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("words", nargs="*", help="measure only rows whose names contain them")
    options.add_argument("--record", action="store_true", help="write the table")
    given = options.parse_args()
    sys.exit(check(given.words, record=given.record) > 0)
