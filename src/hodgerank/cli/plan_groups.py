"""`hodgerank plan --by`: a budget shared by groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hodgerank.cli.groups import GroupedResult, each_group
from hodgerank.cli.planning import planned
from hodgerank.cli.standard_input import STANDARD_INPUT

if TYPE_CHECKING:
    from hodgerank.cli.plan_result import PlanResult
    from hodgerank.data.comparisons import Comparisons
    from hodgerank.data.groups import VoteGroups
    from hodgerank.types import Item


def plan_each(command: Callable[..., PlanResult]) -> Callable[..., GroupedResult]:
    """`plan` on groups: the budget is shared in proportion to their items."""

    def on_groups(groups: VoteGroups, **arguments: Any) -> GroupedResult:
        from hodgerank.errors import InvalidArgument

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
