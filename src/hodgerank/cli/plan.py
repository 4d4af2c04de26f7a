"""hodgerank plan: the pairs to ask next."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hodgerank.cli.result import CommandResult
from hodgerank.cli.votes import VOTES, answers_or_items, reads_votes

if TYPE_CHECKING:
    from rich.console import Console

    from hodgerank.collecting.forecast import Forecast
    from hodgerank.data.comparisons import Comparisons, ReadReport
    from hodgerank.sampling.sampler import Sampler
    from hodgerank.types import Item, Pair

LIST = "one per line in a .txt, or a table with a column item"
FORESEEN = 200  # items up to which a forecast is made unasked: it takes seconds


@dataclass(frozen=True)
class PlanResult(CommandResult):
    """The pairs to ask next, best first."""

    pairs: "list[Pair]"
    gains: list[float]
    strategy: str
    report: "ReadReport"
    n_items: int
    n_answers: int
    forecast: "Forecast | None"
    top: int
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        rows = [
            {"left": pair.left, "right": pair.right, "gain": gain}
            for pair, gain in zip(self.pairs, self.gains, strict=True)
        ]
        outlook = self.forecast
        return {
            "strategy": self.strategy,
            "items": self.n_items,
            "answers": self.n_answers,
            "forecast": None
            if outlook is None
            else {
                "target": outlook.target,
                "expected_tau_now": outlook.now,
                "answers": _finite(outlook.answers),
                "lower": _finite(outlook.lower),
                "upper": _finite(outlook.upper),
            },
            "pairs": rows,
        }

    def show(self, console: "Console") -> None:
        """The pairs, best first, and what they lead to."""
        from rich.text import Text

        from hodgerank.cli.console import plain_table, show_reading, show_rest, show_written

        show_reading(self.report, console)
        console.print(
            f"{self.n_items:,} items, {self.n_answers:,} answers so far; strategy {self.strategy}",
            style="dim",
        )
        table = plain_table()
        table.add_column("", justify="right", style="dim")
        table.add_column("left", overflow="fold")
        table.add_column("right", overflow="fold")
        table.add_column("gain", justify="right")
        shown = len(self.pairs) if not self.top else min(self.top, len(self.pairs))
        for k in range(shown):
            pair = self.pairs[k]
            table.add_row(
                str(k + 1), Text(str(pair.left)), Text(str(pair.right)), f"{self.gains[k]:.3g}"
            )
        console.print()
        console.print(table)
        console.print()
        show_rest(shown, len(self.pairs), console)
        if self.forecast is not None:
            console.print(f"forecast: {self.forecast}")
        show_written(self.written, console)


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None


@partial(reads_votes, reader=answers_or_items, about_file=f"{VOTES} Or a list of items: {LIST}.")
def plan(
    votes: "Comparisons",
    budget: Annotated[int, typer.Option("--budget", "-n", min=1, help="How many pairs.")] = 20,
    strategy: Annotated[
        str,
        typer.Option(
            help="auto, rank, bayesian, d-optimal, fiedler, crowd-bt, rounds or random.",
        ),
    ] = "auto",
    items: Annotated[
        Path | None,
        typer.Option(help="List of all items, if some have no votes yet: .txt, or column item."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="An item not to ask, or a file of pairs not to ask; may be repeated."),
    ] = None,
    pending: Annotated[
        Path | None, typer.Option(help="File of pairs that are out and not answered yet.")
    ] = None,
    for_worker: Annotated[
        str | None, typer.Option("--for", help="Leave out what this worker has answered.")
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            help="Expected Kendall's tau to forecast for; 0.9 up to 200 items, 0 for none."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Breaks ties.")] = 0,
    top: Annotated[int, typer.Option(min=0, help="Show N pairs, 0 shows all.")] = 50,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the pairs: .csv, .parquet, .json.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> PlanResult:
    """Plan the next pairs to ask, best first, from the votes so far or from a list of items.

    Each pair is chosen as if those before it were already out, so the whole list can be handed out
    at once. Left and right are balanced over what was shown before.

    Examples:
      hodgerank plan items.txt --budget 50 -o pairs.csv

      hodgerank plan votes.csv --budget 50 --strategy auto

      hodgerank plan votes.csv --exclude item-07 --exclude asked.csv --pending out.csv
    """
    import polars as pl

    from hodgerank.cli.lists import read_pairs
    from hodgerank.cli.tables import table_writer
    from hodgerank.collecting.forecast import forecast

    write = None if output is None else table_writer(output, votes.report.source, items, pending)
    sampler = _sampler(votes, strategy, items, seed)
    out = read_pairs(pending, sampler.items) if pending is not None else []
    excluded = _retire_or_list(exclude or [], sampler)
    worker = _known(for_worker, votes.workers)
    pairs = sampler.ask(budget, pending=out, worker=worker, exclude=excluded)
    gains = [
        sampler.gain(pair, pending=[*out, *pairs[:k]], worker=worker)
        for k, pair in enumerate(pairs)
    ]
    if target is None:
        target = 0.9 if len(sampler.items) <= FORESEEN else 0.0
    outlook = forecast(sampler, target) if target else None
    if write is not None:
        items_are_mixed = len({type(item) for item in sampler.items}) > 1
        names = [[str(item) if items_are_mixed else item for item in pair] for pair in pairs]
        left, right = zip(*names, strict=True)
        write(pl.DataFrame({"left": left, "right": right, "gain": gains}))
    return PlanResult(
        pairs=pairs,
        gains=gains,
        strategy=strategy,
        report=votes.report,
        n_items=len(sampler.items),
        n_answers=sampler.n_answers,
        forecast=outlook,
        top=top,
        written=output,
        as_json=as_json,
    )


def _sampler(votes: "Comparisons", strategy: str, items: Path | None, seed: int) -> "Sampler":
    from hodgerank.cli.lists import match_item, read_items
    from hodgerank.errors import InvalidArgument
    from hodgerank.sampling.samplers.by_name import build_sampler

    names = list(votes.items)
    if items is not None:
        listed = read_items(items)
        if listed is None:
            raise InvalidArgument(f"{items}: a list of items is needed, .txt or a column item")
        names += [name for name in listed if match_item(name, votes.items) not in votes.items]
    sampler = build_sampler(strategy, names, seed=seed)
    if len(votes):
        sampler.tell_many(votes)
    return sampler


def _retire_or_list(exclude: list[str], sampler: "Sampler") -> "list[tuple[Item, Item]]":
    """Pairs that are excluded; excluded items are retired."""
    from hodgerank.cli.lists import match_item, read_pairs
    from hodgerank.errors import InvalidComparisons, UnknownItem

    pairs: list[tuple[Item, Item]] = []
    for what in exclude:
        item = match_item(what, sampler.items)
        if item in sampler.items:
            sampler.retire_item(item)
        elif Path(what).is_file():
            pairs += read_pairs(Path(what), sampler.items)
        else:
            raise InvalidComparisons(f"{UnknownItem(what, sampler.items)}, nor is it a file")
    return pairs


def _known(worker: str | None, workers: "tuple[Item, ...]") -> "Item | None":
    from hodgerank.cli.lists import match_item

    return None if worker is None else match_item(worker, workers)
