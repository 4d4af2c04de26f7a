"""`python -m benchmarks.contest`: the contest, or a part of it."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

from benchmarks.contest import RUNS, SEED, UnknownName, contest
from benchmarks.contest.players import PLAYERS
from benchmarks.contest.regimes import all_regimes
from benchmarks.contest.setting import PER_ITEM
from benchmarks.contest.tables import as_markdown


def at_least(least: int) -> Callable[[str], int]:
    """A whole number, for argparse."""

    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise ArgumentTypeError(f"must be at least {least}, not {value}")
        return value

    return number


def folder(text: str) -> Path:
    """A folder that exists, for argparse."""
    if not Path(text).is_dir():
        raise ArgumentTypeError(f"there is no folder {text}")
    return Path(text)


def arguments() -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m benchmarks.contest",
        description="Let samplers ask the same crowds and compare their rankings with the truth. "
        "Prints tables in Markdown; progress goes to stderr.",
    )
    add = parser.add_argument
    add(
        "--runs", type=at_least(2), default=RUNS, metavar="N",
        help="per sampler and regime (%(default)s)",
    )  # fmt: skip
    add(
        "--seed", type=at_least(0), default=SEED, metavar="N",
        help="of crowds and samplers (%(default)s)",
    )  # fmt: skip
    add(
        "--regimes", nargs="+", default=["*"], metavar="NAME",
        help="names or patterns, such as 'bt-*' (all)",
    )  # fmt: skip
    add(
        "--samplers", nargs="+", default=["*"], metavar="NAME",
        help="names or patterns (all); auto always plays",
    )  # fmt: skip
    add(
        "--folder", type=folder, metavar="DIR",
        help="every file of votes in it is one more regime, named like the file: votes are drawn "
        "without replacement, up to half of them; the truth is HodgeRank on all",
    )  # fmt: skip
    add(
        "--per-item", type=at_least(1), nargs="+", default=PER_ITEM, metavar="N",
        help="when to look: answers so far, over items (2 5 10 20)",
    )  # fmt: skip
    add("--jobs", type=at_least(1), default=1, metavar="N", help="processes (%(default)s)")
    add("--list", action="store_true", help="list regimes and samplers, and do nothing else")
    return parser


def listing(votes: Path | None) -> str:
    regimes, notes = all_regimes(votes)
    lines = [f"{each.name:<18} {each.n_items:>4} items  {each.about}" for each in regimes]
    return "\n".join(["Regimes:", *lines, *notes, "", "Samplers:", *PLAYERS])


if __name__ == "__main__":
    parser = arguments()
    options = vars(parser.parse_args())
    if options.pop("list"):
        print(listing(options["folder"]))
    else:
        try:
            found = contest(**options)
        except UnknownName as error:
            parser.error(str(error))
        print(as_markdown(found), flush=True)
