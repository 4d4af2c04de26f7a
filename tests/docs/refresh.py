"""Run every page, and write into it what its commands and code really print.

python -m tests.docs.refresh [PAGE...]
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.docs.pages import name_of, runnable_pages
from tests.docs.running import BlockFailed, CannotRunHere, renewed_blocks


def refresh(page: Path) -> bool:
    """Renew a page as far as it can be run; whether it changed."""
    text = page.read_text(encoding="utf-8")
    lines = text.split("\n")
    renewals = []
    with TemporaryDirectory() as folder:
        try:
            for block, shown in renewed_blocks(text, Path(folder)):
                if shown != block.text:
                    renewals.append((block, shown))
        except (BlockFailed, CannotRunHere) as reason:
            print(f"{name_of(page)}: not run further: {reason}", file=sys.stderr)
    for block, shown in reversed(renewals):
        opening = lines[block.start - 1]
        indent = " " * (len(opening) - len(opening.lstrip()))
        fresh = [f"{indent}{line}".rstrip() for line in shown.rstrip("\n").split("\n")]
        lines[block.start : block.end] = fresh
    if renewals:
        page.write_text("\n".join(lines), encoding="utf-8")
    return bool(renewals)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does: contracts are imported
    for chosen in [Path(name).resolve() for name in sys.argv[1:]] or runnable_pages():
        if refresh(chosen):
            print(f"{name_of(chosen)}: renewed")
