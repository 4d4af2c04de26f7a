"""hodgerank plan: the pairs to ask next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer
from rich.console import Console

from hodgerank.cli.console import (
    add_names,
    add_numbers,
    cautions_of,
    count,
    plain_table,
    show_reading,
    show_rest,
    show_table,
    show_written,
    verbatim,
)
from hodgerank.cli.files import STANDARD_INPUT, by_name, file_or_input, read_items, read_pairs
from hodgerank.cli.groups import GroupedResult, each_group
from hodgerank.cli.outputs import AsJson, output_option
from hodgerank.cli.progress import doing
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import VOTES, answers_or_items, reads_votes
from hodgerank.collecting.forecast import Forecast, forecast
from hodgerank.collecting.stopping import ExpectedTau, TopKCertain
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.data.groups import VoteGroups
from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem
from hodgerank.estimators.rank import rank
from hodgerank.estimators.ranking import Ranking
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.registry import build_sampler
from hodgerank.types import Item, Pair

AGAIN = "another person"  # a pair that stands in the list twice


@dataclass(frozen=True)
class PlanResult(CommandResult):
    """The pairs to ask next, best first."""

    pairs: list[Pair]
    gains: list[float]
    strategy: str
    report: ReadReport
    n_items: int
    n_votes: int
    asked_by: str
    forecast: Forecast | None
    for_worker: Item | None
    n_shown: int
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        rows = [
            {"left": pair.left, "right": pair.right, "gain": gain}
            for pair, gain in zip(self.pairs, self.gains, strict=True)
        ]
        return {
            **self.report.to_dict(),
            "notes": list(self.report.notes),
            "strategy": self.strategy,
            "items": self.n_items,
            "votes": self.n_votes,
            "forecast": None if self.forecast is None else self.forecast.to_dict(),
            "pairs": rows,
        }

    def cautions(self) -> list[str]:
        """Return warnings about reading."""
        return cautions_of(self.report)

    def to_table(self) -> pl.DataFrame:
        """A sheet to be filled in."""
        items_are_mixed = len({type(item) for pair in self.pairs for item in pair}) > 1
        names = [[str(item) if items_are_mixed else item for item in pair] for pair in self.pairs]
        left, right = zip(*names, strict=True) if names else ((), ())
        seen: set[frozenset[Item]] = set()
        notes = []
        for pair in self.pairs:
            notes.append(AGAIN if frozenset(pair) in seen else None)
            seen.add(frozenset(pair))
        return pl.DataFrame(
            {
                "pair": range(1, len(names) + 1),
                "left": left,
                "right": right,
                "answer": pl.Series([None] * len(names), dtype=pl.String),
                "worker": pl.Series([self.for_worker] * len(names), strict=False),
                "note": pl.Series(notes, dtype=pl.String),
                "asked_by": pl.Series([self.asked_by] * len(names), dtype=pl.String),
            }
        )

    @property
    def _aim(self) -> str:
        """Purpose of the pairs: the best items or the whole order."""
        if self.strategy.startswith("top-"):
            return f"pairs to find the best {self.strategy.removeprefix('top-')}"
        chosen = "" if self.strategy == "auto" else f", strategy {self.strategy}"
        return f"pairs to find the whole order (--top N: the best N){chosen}"

    def show(self, console: Console) -> None:
        """Print the pairs, best first, and the forecast."""
        show_reading(self.report, console)
        console.print(
            f"{self.n_items:,} items, {self.n_votes:,} votes so far; {self._aim}",
            style="dim",
        )
        table = plain_table()
        add_numbers(table, "pair")
        add_names(table, "left", "right")
        add_numbers(table, "gain")
        shown = min(self.n_shown or len(self.pairs), len(self.pairs))
        for k in range(shown):
            pair = self.pairs[k]
            table.add_row(
                str(k + 1), verbatim(pair.left), verbatim(pair.right), f"{self.gains[k]:.3g}"
            )
        console.print()
        show_table(table, console, spare=("gain",))
        console.print()
        show_rest(shown, len(self.pairs), console, "--show")
        if self.forecast is not None:
            console.print(f"forecast: {self.forecast}")
        show_written(self.written, console)


MOST_FORECAST = 200  # items up to which a forecast is made unasked: it takes seconds


def planned(
    votes: Comparisons,
    *,
    budget: int,
    strategy: str,
    top: int | None,
    items: Path | None,
    exclude: list[str] | None,
    pending: Path | None,
    for_worker: str | None,
    target: float | None,
    seed: int,
    show: int,
    output: Path | None,
    as_json: bool,
    group: tuple[str, Item] | None = None,
) -> PlanResult:
    """Choose pairs and look ahead, as the options of the command say."""
    if top is not None:
        if strategy != "auto":
            raise InvalidArgument("--top has a strategy of its own: leave out --strategy")
        strategy = f"top-{top}"
    sampler = _sampler(votes, strategy, items, seed)
    if target is None:
        target = 0.9 if len(sampler.items) <= MOST_FORECAST else 0.0
    if target:
        sampler.prepare_to_stop()
    sampler.announce_budget(sampler.n_votes + budget)
    out = read_pairs(pending, sampler.items, group) if pending is not None else []
    excluded = _retire_or_list(exclude or [], sampler)
    worker = _known(for_worker, votes.workers)
    doing(f"choosing {count(budget, 'pair')} for {len(sampler.items):,} items")
    pairs = sampler.ask(budget, pending=out, worker=worker, exclude=excluded)
    gains = sampler.gains(pairs, pending=out, worker=worker)
    rule = None if not target else ExpectedTau(target) if top is None else TopKCertain(top, target)
    if rule is not None:
        doing(f"forecasting: {rule}")
    outlook = None if rule is None else forecast(sampler, rule, _ranked(votes, sampler))
    return PlanResult(
        pairs=pairs,
        gains=gains,
        strategy=strategy,
        report=votes.report,
        n_items=len(sampler.items),
        n_votes=sampler.n_votes,
        asked_by=sampler.name if sampler.n_votes else "design",
        forecast=outlook,
        for_worker=worker,
        n_shown=show,
        written=output,
        as_json=as_json,
    )


def _sampler(votes: Comparisons, strategy: str, items: Path | None, seed: int) -> Sampler:
    names = list(votes.items)
    if items is not None:
        listed = read_items(file_or_input(items))
        if listed is None:
            raise InvalidArgument(f"{items}: a list of items is needed, .txt or a column item")
        known = by_name(votes.items)
        names += [name for name in listed if str(name) not in known]
    sampler = build_sampler(strategy, names, seed=seed)
    if len(votes):
        sampler.tell_many(votes)
    return sampler


def _ranked(votes: Comparisons, sampler: Sampler) -> Ranking | None:
    """The ranking that `rank` and `report` show, with the items that have no votes yet."""
    if not len(votes):
        return None
    return rank(replace(votes, items=tuple(sampler.items)), components="together")


def _retire_or_list(exclude: list[str], sampler: Sampler) -> list[tuple[Item, Item]]:
    """Pairs that are excluded; excluded items are retired."""
    pairs: list[tuple[Item, Item]] = []
    known = by_name(sampler.items)
    for what in exclude:
        if what in known:
            sampler.retire_item(known[what])
        elif Path(what).is_file():
            pairs += read_pairs(Path(what), sampler.items)
        else:
            raise InvalidComparisons(f"{UnknownItem(what, sampler.items)}, nor is it a file")
    return pairs


def _known(worker: str | None, workers: tuple[Item, ...]) -> Item | None:
    return None if worker is None else by_name(workers).get(worker, worker)


def plan_each(command: Callable[..., PlanResult]) -> Callable[..., GroupedResult]:
    """`plan` on groups: the budget is shared in proportion to their items."""

    def on_groups(groups: VoteGroups, **arguments: Any) -> GroupedResult:
        for name in ("items", "exclude"):
            if arguments[name] is not None:
                raise InvalidArgument(f"--{name} does not say which group: leave out --by")
        if arguments["pending"] == STANDARD_INPUT:
            raise InvalidArgument("--pending - is read once, and --by would for each group")
        sizes = {group: votes.n_items for group, votes in groups.items()}
        budgets = _shared_out(arguments.pop("budget"), sizes)
        asked = replace(groups, parts={group: groups[group] for group in budgets})
        names = iter(budgets)

        def in_turn(votes: Comparisons, **others: Any) -> PlanResult:
            group = next(names)
            return planned(votes, budget=budgets[group], group=(groups.column, group), **others)

        return each_group(in_turn)(asked, **arguments)

    return on_groups


def _shared_out(budget: int, sizes: dict[Item, int]) -> dict[Item, int]:
    """Pairs for each group, in whole numbers; groups that get none are left out.

    >>> _shared_out(10, {"street": 8, "beach": 4})
    {'street': 7, 'beach': 3}
    """
    given: dict[Item, int] = {}
    total, passed = sum(sizes.values()), 0
    for group, size in sizes.items():
        passed += size
        given[group] = round(budget * passed / total) - sum(given.values())
    return {group: pairs for group, pairs in given.items() if pairs}


LIST = "one per line in a .txt, or a table with a column item"


@partial(
    reads_votes,
    reader=answers_or_items,
    on_groups=plan_each,
    about_files=f"{VOTES} Or a list of items: {LIST}.",
)
def plan(
    votes: Comparisons,
    budget: Annotated[
        int, typer.Option("--budget", "-n", min=1, max=1_000_000, help="How many pairs.")
    ] = 20,
    strategy: Annotated[
        str,
        typer.Option(
            help="auto, sort, rank, bayesian, d-optimal, a-optimal, fiedler, crowd-bt, rounds or "
            "random.",
        ),
    ] = "auto",
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Find the N best items instead of the whole order."),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(help="List of all items, if some have no votes yet: .txt, or column item."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="An item to leave out, or a file of pairs to leave out; repeatable."),
    ] = None,
    pending: Annotated[
        Path | None, typer.Option(help="File of pairs in progress: asked, but not answered yet.")
    ] = None,
    for_worker: Annotated[
        str | None, typer.Option("--for", help="Leave out pairs that this worker has answered.")
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            help="Target of the forecast: expected Kendall's tau, or with --top the certainty of "
            "the best; default 0.9 up to 200 items, 0 for no forecast."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed that breaks ties.")] = 0,
    show: Annotated[int, typer.Option(min=0, help="Show N pairs, 0 shows all.")] = 50,
    output: Annotated[
        Path | None,
        output_option(
            "Write a sheet to fill in (pair, left, right, answer, worker, note, asked_by): "
            ".csv, .parquet, .json"
        ),
    ] = None,
    as_json: AsJson = False,
) -> PlanResult:
    """Choose the next pairs to compare, most informative first.

    Starts from votes, or from a list of items. Each pair is chosen as if those before it had been
    asked, so the whole list can be handed out at once. Left and right are balanced over all pairs
    shown. --output writes a sheet in which people fill in the answer (left, right, tie, or the
    name) and the worker; a pair listed twice is for two people. A sheet can be read as votes before
    it is complete. Its column asked_by records that the pairs were chosen adaptively.

    Examples:
      hodgerank plan items.txt --budget 50 -o pairs.csv

      hodgerank plan votes.csv --budget 50 --top 5

      hodgerank plan votes.csv sheet.csv --exclude item-07 --pending sheet.csv
    """
    return planned(
        votes,
        budget=budget,
        strategy=strategy,
        top=top,
        items=items,
        exclude=exclude,
        pending=pending,
        for_worker=for_worker,
        target=target,
        seed=seed,
        show=show,
        output=output,
        as_json=as_json,
    )
