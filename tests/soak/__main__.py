"""What takes minutes: `make soak`. Exits with an error where a promise is broken."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from campaign.crowds import CARELESS, HONEST, IN_ORDER, alarmed, answers_of_items, marked
from campaign.killing import kill_again_and_again
from campaign.test_any_order import run
from hodgerank.campaign.attention_checks import RULES
from soak.load import load


def kills(n: int) -> None:
    """Kill a writing process so many times."""
    with tempfile.TemporaryDirectory() as folder:
        n_answers = kill_again_and_again(Path(folder) / "campaign.db", n)
    print(f"{n} kills: all of {n_answers:,} acknowledged answers are there, once")


def any_order(n: int) -> None:
    """Random orders of all that can be done, in memory and in a file."""
    run(None, n)
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder) / "campaigns.db", max(1, n // 4))
    print(f"{n} + {max(1, n // 4)} random orders of operations: state, votes and ranking are right")


def leaving(n: int) -> None:
    """The item with the fewest answers, as a share of the mean."""
    print("workers who never answer | least answers of an item, of a mean of 12 (worst, mean)")
    for share in (0.0, 0.2, 0.4, 0.6):
        least = [
            min(answers_of_items(n_items=20, n_workers=25, leaving=share, seed=seed))
            for seed in range(n)
        ]
        print(f"{share:24.0%} | {min(least)}, {sum(least) / n:.1f}")
        assert min(least) >= 4, "an item does not reach a third of the mean"


def rules(n: int) -> None:
    """The share of answers that each rule marks, beside what the crowd was like."""
    heads = ("contradicted", "gold missed", "left", "workers", *RULES, "any")
    for n_answers, repeat_share in ((150, 0.1), (300, 0.2)):
        print(f"{n_answers} answers per worker, {repeat_share:.0%} repeats; share marked by rule")
        print(" " * 20 + "".join(f"{head:>13}" for head in heads))
        for name, crowd in {**HONEST, **CARELESS}.items():
            found = [
                marked(
                    crowd, n_workers=20, n_answers=n_answers, seed=seed, repeat_share=repeat_share
                )
                for seed in range(n)
            ]
            rows = [
                (one.contradicted, one.missed, one.left, one.workers, *one.shares.values())
                for one in found
            ]
            means = [sum(column) / n for column in zip(*rows, strict=True)]
            print(f"{name:20}" + "".join(f"{mean:13.2%}" for mean in means), flush=True)
            most = 0.1 if name == "close and leaning" else 0.02
            assert name not in HONEST or means[-1] < most, "honest answers are marked"


def alarms(n: int) -> None:
    """How many small crowds raise an alarm at any time, with the rules that did."""
    print("workers x answers each, crowd: crowds with an alarm, by rule")
    for n_workers, n_answers in ((1, 60), (3, 40), (12, 20), (12, 40)):
        for name, crowd in {**HONEST, **IN_ORDER, **CARELESS}.items():
            found = [
                alarmed(crowd, n_workers=n_workers, n_answers=n_answers, seed=seed)
                for seed in range(n)
            ]
            n_any = sum(map(bool, found))
            by_rule = dict(Counter(rule for rules in found for rule in rules))
            print(f"{n_workers:2} x {n_answers}, {name}: {n_any} of {n} {by_rule}", flush=True)
            assert name in CARELESS or n_any <= 0.02 * n, "honest crowds raise alarms"


def main() -> None:
    """All of it, in the order of how long it takes."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--orders", type=int, default=400)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--load-seconds", type=int, default=60, help="600 for the full load")
    parser.add_argument(
        "--only", metavar="PART", help="leaving, rules, alarms, any_order, kills or load"
    )
    options = parser.parse_args()
    parts: dict[Callable[[int], None], int] = {
        leaving: options.runs,
        rules: options.runs,
        alarms: options.runs,
        any_order: options.orders,
        kills: options.kills,
        load: options.load_seconds,
    }
    for part, n in parts.items():
        if options.only not in (None, part.__name__):
            continue
        began = time.monotonic()
        part(n)
        print(f"({time.monotonic() - began:.0f} s)\n", flush=True)


if __name__ == "__main__":
    main()
