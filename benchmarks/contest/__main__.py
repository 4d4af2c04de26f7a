"""`python -m benchmarks.contest`: the contest, or a part of it."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

from benchmarks.contest import SEED, UnknownName, contest
from benchmarks.contest.players import PLAYERS, who_stays_out
from benchmarks.contest.regimes import PARTS, Setting, all_regimes
from benchmarks.contest.tables import as_markdown, per_item


def at_least(least: float, kind: type[int] | type[float] = int) -> Callable[[str], float]:
    """A number, for argparse."""

    def number(text: str) -> float:
        value = kind(text)
        if not least <= value:
            raise ArgumentTypeError(f"must be at least {least}, not {text}")
        return value

    return number


def folder(text: str) -> Path:
    """A folder that exists, for argparse."""
    if not Path(text).is_dir():
        raise ArgumentTypeError(f"there is no folder {text}")
    return Path(text)


def arguments() -> ArgumentParser:
    defaults = "; ".join(
        f"{part.title}: {part.runs} runs, looks at {' '.join(map(per_item, part.per_item))}"
        for part in PARTS
    )
    parser = ArgumentParser(
        prog="python -m benchmarks.contest",
        description="Let samplers ask the same crowds and compare their rankings with the truth. "
        "Prints tables in Markdown; progress goes to stderr.",
        epilog=f"Defaults. {defaults}. Example: python -m benchmarks.contest --regimes 'bt-*-200' "
        "'perfect-*' --samplers swiss 'merge*' --runs 10 --jobs 2",
    )
    add = parser.add_argument
    add(
        "--runs",
        type=at_least(2),
        metavar="N",
        help="per sampler and regime (see below)",
    )
    add(
        "--seed",
        type=at_least(0),
        default=SEED,
        metavar="N",
        help="of crowds and samplers (%(default)s)",
    )
    add(
        "--regimes",
        nargs="+",
        default=["*"],
        metavar="NAME",
        help="names or patterns, such as 'bt-*' or '*@50' for 50 pairs in progress (all)",
    )
    add(
        "--samplers",
        nargs="+",
        default=["*"],
        metavar="NAME",
        help="names or patterns (all); auto always plays",
    )
    add(
        "--folder",
        type=folder,
        metavar="DIR",
        help="every file of votes in it is one more regime, named like the file: votes are drawn "
        "without replacement, up to half of them; the truth is HodgeRank on all. A folder of the "
        "data sets of hodgerank.load_dataset works too, like HODGERANK_DATA",
    )
    add(
        "--per-item",
        type=at_least(0.1, float),
        nargs="+",
        metavar="X",
        help="when to look: votes so far, over items (see below)",
    )
    add("--jobs", type=at_least(1), default=1, metavar="N", help="processes (%(default)s)")
    add("--docs", action="store_true", help="print the tables of docs/benchmarks.md")
    add("--list", action="store_true", help="list regimes and samplers, and do nothing else")
    return parser


def listing(votes: Path | None) -> str:
    regimes, notes = all_regimes(votes)
    lines = [f"{each.name:<18} {each.n_items:>5,} items  {each.about}" for each in regimes]
    rules = who_stays_out(PLAYERS, regimes, Setting())
    return "\n".join(["Regimes:", *lines, *notes, "", "Samplers:", ", ".join(PLAYERS), *rules])


if __name__ == "__main__":
    parser = arguments()
    options = vars(parser.parse_args())
    for_docs = options.pop("docs")
    if options.pop("list"):
        print(listing(options["folder"]))
    else:
        try:
            found = contest(**options)
        except UnknownName as error:
            parser.error(str(error))
        print(as_markdown(found, for_docs=for_docs), flush=True)
