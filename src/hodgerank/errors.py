"""Everything hodgerank raises on purpose.

HodgeRankError
├── InvalidComparisons    rows or columns that cannot be read as answers (a ValueError)
├── InvalidArgument       an option that does not exist or does not fit (a ValueError)
├── UnknownItem           a name that was never compared (a KeyError)
├── DisconnectedGraph     items that no chain of comparisons joins
├── DidNotConverge        an iteration that used up its steps
├── NothingToAsk          no pair is allowed
├── JudgeFailed           who was asked fails again and again, or for good
├── StopAsking            who was asked wants no more pairs: raised by judges, it ends a run well
├── CampaignError         a campaign that cannot do what was asked of it, for now or for good
│   └── NoTask            there is no task for a worker, and why
├── CannotWrite           a result that could not be put where it should go (an OSError)
├── DatasetUnavailable    the files of a data set are not to be had
└── MissingDependency     an optional package is needed (an ImportError)
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from hodgerank.display import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hodgerank.types import Item, Pair


class HodgeRankError(Exception):
    """The root of the tree: catch this to catch them all."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle message and attributes: what made the message need not be there any more."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(
    kind: type[HodgeRankError], args: tuple[Any, ...], attributes: dict[str, Any]
) -> HodgeRankError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class InvalidComparisons(HodgeRankError, ValueError):
    """The input cannot be read as comparisons; the message names rows and remedy."""


class InvalidArgument(HodgeRankError, ValueError):
    """An argument is not one of the values a function understands."""


class UnknownItem(HodgeRankError, KeyError):
    """An item that is not among those compared."""

    def __init__(self, item: object, known: Iterable[object]) -> None:
        self.item = item
        super().__init__(f"{short(repr(item))} is not among the items{did_you_mean(item, known)}")

    def __str__(self) -> str:
        """The message itself: a KeyError would show its repr."""
        return str(self.args[0])


class DisconnectedGraph(HodgeRankError):
    """Scores in different components cannot be compared.

    Attributes
    ----------
    components
        The items of each component, largest component first.
    bridges
        Pairs that would join them all if asked.
    """

    def __init__(self, components: Sequence[tuple[Item, ...]], bridges: Sequence[Pair]) -> None:
        self.components = tuple(components)
        self.bridges = tuple(bridges)
        sizes = "; ".join(
            _some([_short(item) for item in component], 4) for component in self.components[:4]
        )
        rest = len(self.components) - 4
        pairs = _some([f"({_short(a)}, {_short(b)})" for a, b in self.bridges], 5)
        super().__init__(
            f"the comparisons fall into {len(self.components):,} groups that were never compared "
            f"with each other: {sizes}{f'; and {rest:,} more' if rest > 0 else ''}. "
            f"Ask these pairs to join them: {pairs}; "
            "or rank each group by itself: components='separate', --components separate"
        )


class DidNotConverge(HodgeRankError):
    """An iteration used up its steps before reaching its tolerance."""

    def __init__(self, what: str, iterations: int, residual: float) -> None:
        self.iterations = iterations
        self.residual = residual
        super().__init__(
            f"{what} did not converge in {iterations:,} iterations (residual {residual:.1e})"
        )


class NothingToAsk(HodgeRankError):
    """No pair may be asked: the candidates are used up, or too few items are left."""


class JudgeFailed(HodgeRankError):
    """A judge failed for many pairs in a row, or says that it always will.

    The answers until then are kept.
    """


class StopAsking(HodgeRankError):
    """Raised by a judge that wants no more pairs, with the reason: the run ends as if finished."""


class CampaignError(HodgeRankError):
    """A campaign does not do what was asked: it is closed, busy elsewhere, or knows better."""


class NoTask(CampaignError):
    """A worker gets no task.

    Attributes
    ----------
    why
        In one word: 'paused', 'closed', 'enough', 'budget', 'limit', 'banned', 'left', 'pairs'
        (every pair was seen), 'busy' (what is left is out with others: come back).
    """

    def __init__(self, why: str, words: str) -> None:
        self.why = why
        super().__init__(words)


class CannotWrite(HodgeRankError, OSError):
    """A file or a stream does not take what is written; what a file held before is still there."""


class MissingDependency(HodgeRankError, ImportError):
    """An optional package is needed for what was asked."""

    def __init__(self, package: str, purpose: str) -> None:
        name = f'"{package}"' if "[" in package else package  # shells expand brackets
        super().__init__(f"{purpose} needs {package}: pip install {name}")


class DatasetUnavailable(HodgeRankError):
    """The files of a data set are neither in a local folder nor to be had from the network."""


def require_one_of(value: str, allowed: Iterable[str], what: str) -> str:
    """`value` if it is allowed, else an InvalidArgument that lists what is."""
    names = list(allowed)
    if value in names:
        return value
    raise InvalidArgument(
        f"{what} {short(repr(value))} is not one of {', '.join(names)}{did_you_mean(value, names)}"
    )


def require_positive(value: float, what: str) -> float:
    """`value` if it is a positive finite number."""
    if not 0 < value < float("inf"):
        raise InvalidArgument(f"{what} must be positive and finite, not {value}")
    return float(value)


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """A clause with the names nearest to `name`, or nothing."""
    originals = {_short(k).lower(): _short(k) for k in known}
    near = get_close_matches(_short(name).lower(), originals, n=3)
    return f" (did you mean {', '.join(originals[k] for k in near)}?)" if near else ""


def _some(names: Sequence[str], most: int) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names):,})"


def _short(name: object) -> str:
    return short(str(name))  # an integer is a name here, and has no thousands
