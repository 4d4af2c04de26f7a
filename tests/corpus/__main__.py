"""Print what becomes of every layout: PYTHONPATH=tests:src python -m corpus [NAME ...]."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from corpus import LAYOUTS
from corpus.check import check_layout, judge, lay_out
from corpus.suggested_options import spelled


def main() -> int:
    """A line for each layout, with the message where names are given."""
    names = sys.argv[1:]
    counts: Counter[str] = Counter()
    n_missed = 0
    for name in names or LAYOUTS:
        layout = LAYOUTS[name]
        with TemporaryDirectory() as folder:
            file = layout.file()
            verdict = judge(lay_out(file, Path(folder)), file)
            problems = check_layout(layout, Path(folder))
        is_met = not problems
        n_missed += not is_met
        counts[verdict.status] += 1
        mark = " " if is_met else "x"
        how = spelled(verdict.options)
        print(f"{mark} {name:32} {layout.expected:20} {verdict.status:20} {how[:90]}")
        if layout.options and problems and "its options" in problems[-1]:
            print(f"    {problems[-1][:300]}")
        if names:
            print(f"  {layout.why}\n  tau {verdict.tau:+.2f}; {verdict.said}")
    print(f"\n{dict(counts)}; {n_missed} of {counts.total()} not as expected")
    return int(n_missed > 0)


if __name__ == "__main__":
    sys.exit(main())
