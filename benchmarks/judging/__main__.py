"""`python -m benchmarks.judging`: calls to judges, all scenarios or some."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from benchmarks.contest.__main__ import at_least
from benchmarks.judging import RUNS, SEED, UnknownName, judging
from benchmarks.judging.scenarios import all_scenarios
from benchmarks.judging.tables import as_csv, as_markdown


def arguments() -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m benchmarks.judging",
        description="Count the calls to judges that a ranking takes, against the usual practice. "
        "Prints tables in Markdown; progress goes to stderr.",
    )
    add = parser.add_argument
    add("--runs", type=at_least(1), default=RUNS, metavar="N", help="of each (%(default)s)")
    add(
        "--seed", type=at_least(0), default=SEED, metavar="N",
        help="of judges and players (%(default)s)",
    )  # fmt: skip
    add(
        "--scenarios", nargs="+", default=["*"], metavar="NAME",
        help="names or patterns, such as 'one-20-*' (all)",
    )  # fmt: skip
    add("--jobs", type=at_least(1), default=1, metavar="N", help="processes (%(default)s)")
    add("--csv", type=Path, metavar="FILE", help="write the calls of every run there")
    add("--list", action="store_true", help="list scenarios, and do nothing else")
    return parser


if __name__ == "__main__":
    parser = arguments()
    options = vars(parser.parse_args())
    path = options.pop("csv")
    if options.pop("list"):
        known, notes = all_scenarios()
        lines = [f"{each.name:<15} {each.about}" for each in known]
        print("\n".join([*lines, *notes]))
    else:
        try:
            found = judging(**options)
        except UnknownName as error:
            parser.error(str(error))
        print(as_markdown(found), flush=True)
        if path is not None:
            path.write_text(as_csv(found), encoding="utf-8")
