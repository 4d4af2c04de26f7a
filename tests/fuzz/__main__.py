"""Fuzz the commands: python -m fuzz --seed 1 --minutes 3, or --case SEED to repeat one."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from fuzz.campaign import Campaign

CASES_OF_A_RUN = 1_000_000  # seeds of one run; those of the next begin after them
PROGRESS = 10.0  # seconds between two lines


def main() -> int:
    """Run cases until the time is over; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="all cases follow from it")
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--case", type=int, action="append", help="repeat the case of this seed")
    parser.add_argument("--folder", type=Path, default=Path("out/fuzz"), help="for what is found")
    given = parser.parse_args()
    campaign = Campaign(given.folder.absolute())
    start = time.monotonic()
    try:
        campaign.run(given.case or _seeds(campaign, given.seed, start + 60 * given.minutes))
    except KeyboardInterrupt:
        print("interrupted")
    _print_table(campaign)
    for finding in campaign.findings:
        print(f"\n{finding}")
    n_runs = campaign.runs.total()
    print(
        f"\n{n_runs:,} runs in {time.monotonic() - start:.0f} s, {campaign.n_counted:,} with known "
        f"counts; {len(campaign.findings):,} findings, kept in {campaign.folder}"
    )
    return int(bool(campaign.findings))


def _seeds(campaign: Campaign, seed: int, end: float) -> Iterator[int]:
    """Seeds until the time is over, with a line of progress now and then."""
    next_line = time.monotonic() + PROGRESS
    for case in count(seed * CASES_OF_A_RUN):
        now = time.monotonic()
        if now > end:
            return
        if now > next_line:
            next_line = now + PROGRESS
            n_runs, n_found = campaign.runs.total(), len(campaign.findings)
            print(f"{n_runs:,} runs, {n_found:,} findings, {end - now:.0f} s to go", flush=True)
        yield case


def _print_table(campaign: Campaign) -> None:
    """What was run: by command and exit status, by format and exit status."""
    statuses = sorted({status for _, _, status in campaign.runs})
    for title, place in (("command", 0), ("format", 1)):
        cells: Counter[tuple[str, str]] = Counter()
        for key, runs in campaign.runs.items():
            name = key[place] if " and " not in key[place] else "several formats"
            cells[name, key[2]] += runs
        print(f"\n{title:16}" + "".join(f"{status:>7}" for status in statuses))
        for name in sorted({name for name, _ in cells}):
            print(f"{name:16}" + "".join(f"{cells[name, s] or '':>7}" for s in statuses))


if __name__ == "__main__":
    sys.exit(main())
