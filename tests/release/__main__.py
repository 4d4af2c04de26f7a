"""Look into what is to be released, and use it as a stranger would: python -m release."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from release.contents import contents_of_sdist, contents_of_wheel, wrong_in_sdist, wrong_in_wheel
from release.empty_environment import environment_with
from release.quickstart import run_quickstart


def main() -> int:
    """Check sdist and wheel, then install and run the wheel; 1 if anything is wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dist", type=Path, default=Path("dist"), help="folder of both files")
    options.add_argument(
        "--wheels", type=Path, required=True, help="folder that keeps the wheels of dependencies"
    )
    options.add_argument(
        "--constraints", type=Path, required=True, help="the versions of dependencies to install"
    )
    given = options.parse_args()
    (wheel,), (sdist,) = given.dist.glob("*.whl"), given.dist.glob("*.tar.gz")
    in_wheel, in_sdist = contents_of_wheel(wheel), contents_of_sdist(sdist)
    problems = [*wrong_in_wheel(in_wheel), *wrong_in_sdist(in_sdist)]
    print(f"{wheel}: {len(in_wheel):,} files, {wheel.stat().st_size / 1024:,.0f} KB")
    print(f"{sdist}: {len(in_sdist):,} files, {sdist.stat().st_size / 1024:,.0f} KB")
    if not problems:
        with tempfile.TemporaryDirectory() as folder:
            python = environment_with(
                wheel, Path(folder, "environment"), given.wheels, given.constraints
            )
            problems += run_quickstart(python, Path(folder))
    for problem in problems:
        print(f"wrong: {problem}", file=sys.stderr)
    print("not ready to be released" if problems else "ready to be released")
    return bool(problems)


sys.exit(main())
