"""Errors of hodgerank.

HodgeRankError
├── InvalidComparisons    rows or columns that cannot be read as votes (a ValueError)
├── InvalidArgument       an option or argument that does not exist or does not fit (a ValueError)
├── UnknownItem           a name that is not among the items (a KeyError)
├── DisconnectedGraph     items that are not connected by votes
├── DidNotConverge        an iteration that used up its steps
├── NothingToAsk          no pair may be asked
├── JudgeFailed           a judge that fails repeatedly or permanently
├── StopAsking            raised by a judge to end a run normally
├── CampaignError         a campaign that cannot do what was asked
│   └── NoTask            no task for a worker, with the reason
├── CannotRead            stored votes that cannot be read at the moment (an OSError)
├── CannotWrite           a result that could not be written (an OSError)
├── DatasetUnavailable    files of a data set that cannot be found or downloaded
└── MissingDependency     an optional package that is not installed (an ImportError)
"""

from __future__ import annotations

from difflib import get_close_matches
from shlex import quote
from typing import TYPE_CHECKING, Any

from hodgerank.display import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hodgerank.types import Item, Pair


class HodgeRankError(Exception):
    """Base class of all errors of hodgerank."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message and the attributes; the constructor's arguments are not needed."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(
    kind: type[HodgeRankError], args: tuple[Any, ...], attributes: dict[str, Any]
) -> HodgeRankError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class InvalidComparisons(HodgeRankError, ValueError):
    """The input cannot be read as votes; the message names the rows and what to do.

    Attributes
    ----------
    share, itself
        Share of the rows that are invalid, and that compare an item with itself; 0 if it is not the
        rows that are wrong.
    """

    share = 0.0
    itself = 0.0


class InvalidArgument(HodgeRankError, ValueError):
    """An argument has a value that is not allowed."""


class UnknownItem(HodgeRankError, KeyError):
    """An item that is not among the items compared."""

    def __init__(self, item: object, known: Iterable[object]) -> None:
        self.item = item
        super().__init__(f"{short(repr(item))} is not among the items{did_you_mean(item, known)}")

    def __str__(self) -> str:
        """Return the message; a KeyError would return its repr."""
        return str(self.args[0])


class DisconnectedGraph(HodgeRankError):
    """The items form several components, whose scores cannot be compared.

    Attributes
    ----------
    components
        The items of each component, largest component first.
    bridges
        Pairs that would connect all components.
    share
        Share of the votes that are on the largest component; None if unknown.
    split_by
        Column whose values are the components, if there is one.
    """

    def __init__(
        self,
        components: Sequence[tuple[Item, ...]],
        bridges: Sequence[Pair],
        *,
        share: float | None = None,
        split_by: str | None = None,
        can_ask: bool = False,
    ) -> None:
        self.components = tuple(components)
        self.bridges = tuple(bridges)
        self.share = share
        self.split_by = split_by
        sizes = "; ".join(
            _some([_short(item) for item in component], 4) for component in self.components[:4]
        )
        rest = len(self.components) - 4
        super().__init__(
            f"the items form {len(self.components):,} disconnected groups: "
            f"{sizes}{f'; and {rest:,} more' if rest > 0 else ''}. {self._remedies(can_ask)}"
        )

    def _remedies(self, can_ask: bool) -> str:
        """Name the remedies, those that fit the votes best first.

        Pairs come first only if somebody can be asked: most files are records of the past.
        """
        pairs = _some([f"({_short(a)}, {_short(b)})" for a, b in self.bridges], 5)
        ask = f"collect votes on these pairs to connect them: {pairs}"
        if self.split_by is not None:
            name = self.split_by
            by = f"rank each separately with --by {quote(name)} (group={name!r})"
            return f"The column {name!r} splits the items exactly into these groups: {by}; or {ask}"
        kept, total = len(self.components[0]), sum(map(len, self.components))
        votes = "" if self.share is None else f" with {self.share:.0%} of the votes"
        largest = (
            f"rank only the largest group ({kept:,} of {total:,} items{votes}) with "
            "--largest-component (largest_component(votes))"
        )
        each = "rank each group separately with --components separate (components='separate')"
        order = [each, largest, ask]
        if can_ask:
            order = [ask, each, largest]
        elif self.share is not None and self.share > 0.5:
            order = [largest, each, ask]
        first, second, third = order
        return f"{first[0].upper()}{first[1:]}; {second}; or {third}"


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
    """A judge failed for many pairs in a row, or permanently.

    The votes collected until then are kept.
    """


class StopAsking(HodgeRankError):
    """Raised by a judge to end the run normally; the message is the reason."""

    code = "stopped"
    """Stable name of the kind of reason, for programs."""


class CampaignError(HodgeRankError):
    """A campaign cannot do what was asked: it is closed, in use, or the request does not fit."""


class NoTask(CampaignError):
    """There is no task for a worker.

    Attributes
    ----------
    why
        In one word: 'paused', 'closed', 'enough', 'budget', 'limit', 'banned', 'left', 'pairs' (the
        worker has seen every pair), 'busy' (all remaining pairs are in progress: try again later),
        'waiting' (others answer now: try again later).
    """

    def __init__(self, why: str, words: str) -> None:
        self.why = why
        super().__init__(words)


class CannotRead(HodgeRankError, OSError):
    """Stored votes cannot be read at the moment: the database is out of reach, closed or damaged.

    What was asked may be repeated when the database is back.
    """


class CannotWrite(HodgeRankError, OSError):
    """A file or stream cannot be written; the previous content of a file is unchanged."""


class MissingDependency(HodgeRankError, ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, purpose: str) -> None:
        extra = package.removeprefix("hodgerank")
        install = f'pip install ".{extra}" in a clone of hodgerank'
        if not extra.startswith("["):
            install = f"pip install {package}"
        super().__init__(f"{purpose} needs {package}: {install}")


class DatasetUnavailable(HodgeRankError):
    """The files of a data set are neither in a local folder nor available for download."""


def require_one_of(value: str, allowed: Iterable[str], what: str) -> str:
    """Return `value` if it is allowed, or raise an InvalidArgument that lists what is."""
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
    """Return a clause with the names nearest to `name`, or nothing."""
    originals = {_short(k).lower(): _short(k) for k in known}
    near = get_close_matches(_short(name).lower(), originals, n=3)
    return f" (did you mean {', '.join(originals[k] for k in near)}?)" if near else ""


def _some(names: Sequence[str], most: int) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names):,})"


def _short(name: object) -> str:
    return short(str(name))  # an integer is a name here, so it gets no thousands separators
