"""`python -m benchmarks.calibration [PART ...] [--runs N] [--seed S]`."""

from __future__ import annotations

from argparse import ArgumentParser

from benchmarks.calibration import PARTS, RUNS, SEED, run

if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m benchmarks.calibration", description=run.__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    for part in options.parts or PARTS:
        print(run((part,), options.runs, options.seed), flush=True)
