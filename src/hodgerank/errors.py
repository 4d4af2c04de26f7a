"""Exceptions that hodgerank raises on purpose.

HodgeRankError
├── InvalidComparisons    rows or columns that cannot be read as votes (a ValueError)
├── InvalidArgument       an argument that is unknown or does not fit (a ValueError)
├── UnknownItem           an item that was never compared (a KeyError)
├── DisconnectedGraph     items that no chain of comparisons connects
├── DidNotConverge        an iteration that reached its limit
├── NothingToAsk          no pair is allowed
├── JudgeFailed           a judge that fails repeatedly or permanently
├── StopAsking            raised by a judge that wants no more pairs; the run ends normally
├── CampaignError         a campaign that cannot do what was requested
│   └── NoTask            no task for a worker, with the reason
├── CannotWrite           a result that could not be written (an OSError)
├── DatasetUnavailable    a data set that is neither on disk nor on the network
└── MissingDependency     an optional package that is not installed (an ImportError)
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from hodgerank.display import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hodgerank.types import Item, Pair


class HodgeRankError(Exception):
    """Base class of all exceptions of hodgerank."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle message and attributes, since the constructor's arguments are not kept."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(
    kind: type[HodgeRankError], args: tuple[Any, ...], attributes: dict[str, Any]
) -> HodgeRankError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class InvalidComparisons(HodgeRankError, ValueError):
    """The input cannot be read as comparisons; the message names the rows and a remedy."""


class InvalidArgument(HodgeRankError, ValueError):
    """An argument has a value that the function does not accept."""


class UnknownItem(HodgeRankError, KeyError):
    """An item that is not among the compared items."""

    def __init__(self, item: object, known: Iterable[object]) -> None:
        self.item = item
        super().__init__(f"{short(repr(item))} is not among the items{did_you_mean(item, known)}")

    def __str__(self) -> str:
        """Return the message; `KeyError` would show its repr."""
        return str(self.args[0])


class DisconnectedGraph(HodgeRankError):
    """Scores in different components cannot be compared.

    Attributes
    ----------
    components
        The items of each component, largest component first.
    bridges
        Pairs that would connect all components if asked.
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
            f"Ask these pairs to connect them: {pairs}; "
            "or rank each group separately: components='separate', --components separate"
        )


class DidNotConverge(HodgeRankError):
    """An iteration reached its limit before its tolerance."""

    def __init__(self, what: str, iterations: int, residual: float) -> None:
        self.iterations = iterations
        self.residual = residual
        super().__init__(
            f"{what} did not converge in {iterations:,} iterations (residual {residual:.1e})"
        )


class NothingToAsk(HodgeRankError):
    """No pair may be asked: the candidates are used up, or fewer than two items are left."""


class JudgeFailed(HodgeRankError):
    """A judge failed for many pairs in a row, or reports a permanent failure.

    The votes collected so far are kept.
    """


class StopAsking(HodgeRankError):
    """Raised by a judge that wants no more pairs, with the reason; the run ends normally."""


class CampaignError(HodgeRankError):
    """A campaign cannot do what was requested, for example because it is closed or locked."""


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
    """A file or stream cannot be written; the previous content of a file is kept."""


class MissingDependency(HodgeRankError, ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, purpose: str) -> None:
        name = f'"{package}"' if "[" in package else package  # shells expand brackets
        super().__init__(f"{purpose} needs {package}: pip install {name}")


class DatasetUnavailable(HodgeRankError):
    """The files of a data set are neither in a local folder nor available for download."""


def require_one_of(value: str, allowed: Iterable[str], what: str) -> str:
    """Return `value` if it is allowed, or raise an InvalidArgument that lists the choices."""
    names = list(allowed)
    if value in names:
        return value
    raise InvalidArgument(
        f"{what} {short(repr(value))} is not one of {', '.join(names)}{did_you_mean(value, names)}"
    )


def require_positive(value: float, what: str) -> float:
    """Return `value` if it is a positive finite number."""
    if not 0 < value < float("inf"):
        raise InvalidArgument(f"{what} must be positive and finite, not {value}")
    return float(value)


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return a clause that suggests the most similar known names, or an empty string."""
    originals = {_short(k).lower(): _short(k) for k in known}
    near = get_close_matches(_short(name).lower(), originals, n=3)
    return f" (did you mean {', '.join(originals[k] for k in near)}?)" if near else ""


def _some(names: Sequence[str], most: int) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names):,})"


def _short(name: object) -> str:
    return short(str(name))  # as text: an integer name gets no thousands separators
