"""The steps of a plan: a sampler that knows the votes, its pairs, and a forecast."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hodgerank.cli.plan_result import PlanResult
from hodgerank.cli.standard_input import file_or_input

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons
    from hodgerank.sampling.sampler import Sampler
    from hodgerank.types import Item

FORESEEN = 200  # items up to which a forecast is made unasked: it takes seconds


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
    from hodgerank.cli.console import count
    from hodgerank.cli.lists import read_pairs
    from hodgerank.cli.progress import doing
    from hodgerank.collecting.forecast import forecast
    from hodgerank.collecting.stopping import ExpectedTau, TopKCertain
    from hodgerank.errors import InvalidArgument

    if top is not None:
        if strategy != "auto":
            raise InvalidArgument("--top has a strategy of its own: leave out --strategy")
        strategy = f"top-{top}"
    sampler = _sampler(votes, strategy, items, seed)
    if target is None:
        target = 0.9 if len(sampler.items) <= FORESEEN else 0.0
    if target:
        sampler.prepare_to_stop()
    out = read_pairs(pending, sampler.items, group) if pending is not None else []
    excluded = _retire_or_list(exclude or [], sampler)
    worker = _known(for_worker, votes.workers)
    doing(f"choosing {count(budget, 'pair')} for {len(sampler.items):,} items")
    pairs = sampler.ask(budget, pending=out, worker=worker, exclude=excluded)
    gains = sampler.gains(pairs, pending=out, worker=worker)
    rule = None if not target else ExpectedTau(target) if top is None else TopKCertain(top, target)
    if rule is not None:
        doing(f"forecasting: {rule}")
    outlook = None if rule is None else forecast(sampler, rule)
    return PlanResult(
        pairs=pairs,
        gains=gains,
        strategy=strategy,
        report=votes.report,
        n_items=len(sampler.items),
        n_answers=sampler.n_answers,
        asked_by=sampler.name if sampler.n_answers else "design",
        forecast=outlook,
        for_worker=worker,
        n_shown=show,
        written=output,
        as_json=as_json,
    )


def _sampler(votes: Comparisons, strategy: str, items: Path | None, seed: int) -> Sampler:
    from hodgerank.cli.lists import by_name, read_items
    from hodgerank.errors import InvalidArgument
    from hodgerank.sampling.samplers.by_name import build_sampler

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


def _retire_or_list(exclude: list[str], sampler: Sampler) -> list[tuple[Item, Item]]:
    """Pairs that are excluded; excluded items are retired."""
    from hodgerank.cli.lists import by_name, read_pairs
    from hodgerank.errors import InvalidComparisons, UnknownItem

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
    from hodgerank.cli.lists import by_name

    return None if worker is None else by_name(workers).get(worker, worker)
