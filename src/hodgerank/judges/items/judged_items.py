"""JudgedItems: the items to compare, and what is shown of them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem
from hodgerank.judges.items.samples import Sample, Showing
from hodgerank.judges.items.sources import Row, rows_of_folder, rows_of_table
from hodgerank.notebook import UNSEEN, Displayed, Preview, short


class JudgedItems(Displayed):
    """Items with one sample each, or with several, which are compared where their context is one.

    Attributes
    ----------
    items
        The ids, in the order of the source.
    left_out
        Files of a folder that were not taken.

    Examples
    --------
    >>> items = JudgedItems.of({"short": "A cat.", "long": "A cat sat on a mat."})
    >>> items.showings("long", "short")[0].right.text
    'A cat.'
    """

    def __init__(self, rows: Iterable[Row], name: str, left_out: Sequence[str] = ()) -> None:
        self._samples: dict[str, dict[str | None, Sample]] = {}
        found: dict[tuple[str, str | None], str] = {}
        for where, item, sample in rows:
            _require_id(item, f"{name}, {where}")
            if earlier := found.get((item, sample.context)):
                raise InvalidComparisons(_twice(name, item, sample.context, earlier, where))
            found[item, sample.context] = where
            self._samples.setdefault(item, {})[sample.context] = sample
        self.items = tuple(self._samples)
        self.left_out = tuple(left_out)
        if len(self.items) < 2:
            raise InvalidComparisons(
                f"{name} has {len(self.items)} item{'s' * (not self.items)}: two are needed"
                + (f"; left out: {_some(self.left_out)}" if left_out else "")
            )
        contexts = dict.fromkeys(context for shown in self._samples.values() for context in shown)
        self._order = {context: place for place, context in enumerate(contexts)}
        if self.comparable == []:
            raise InvalidComparisons(
                f"{name}: items have several samples, but no two items share a context: write the "
                "same context beside what is to be compared"
            )

    @classmethod
    def of(cls, items: Mapping[str, str | Sample | Sequence[Sample]]) -> JudgedItems:
        """Items by their ids: a text, a sample, or several samples with a context each."""
        return cls(_rows_of_mapping(items), "items")

    def __contains__(self, item: object) -> bool:
        return item in self._samples

    def showings(self, left: str, right: str) -> tuple[Showing, ...]:
        """One for each context that both have, in the same order whichever is left."""
        one, other = self._of(left), self._of(right)
        if left == right:
            raise InvalidArgument(f"{short(left)} cannot be compared with itself")
        if self.has_one_sample_each:
            (a,), (b,) = one.values(), other.values()
            return (Showing(a, b, a.context if a.context == b.context else None),)
        shared = sorted(one.keys() & other.keys(), key=self._order.__getitem__)
        return tuple(Showing(one[key], other[key], key, key or "") for key in shared)

    def n_showings(self, a: str, b: str) -> int:
        """How many contexts both have."""
        one, other = self._of(a), self._of(b)
        return 1 if self.has_one_sample_each else len(one.keys() & other.keys())

    @cached_property
    def comparable(self) -> list[tuple[str, str]] | None:
        """The pairs that share a context; None where all do."""
        if self.has_one_sample_each or set.intersection(*map(set, self._samples.values())):
            return None
        pairs = [
            (a, b)
            for a, b in combinations(self.items, 2)
            if not self._samples[a].keys().isdisjoint(self._samples[b])
        ]
        n_items = len(self.items)
        return pairs if len(pairs) < n_items * (n_items - 1) // 2 else None

    @property
    def n_groups(self) -> int:
        """How many groups of items there are that share no context with each other."""
        if self.comparable is None:
            return 1
        group = {item: item for item in self.items}

        def first(item: str) -> str:
            while group[item] != item:
                item = group[item]
            return item

        for a, b in self.comparable:
            group[first(a)] = first(b)
        return sum(group[item] == item for item in self.items)

    @cached_property
    def has_one_sample_each(self) -> bool:
        """Whether contexts, if any, do not matter for which pairs can be compared."""
        return all(len(shown) == 1 for shown in self._samples.values())

    def _of(self, item: str) -> dict[str | None, Sample]:
        try:
            return self._samples[item]
        except KeyError:
            raise UnknownItem(item, self.items) from None

    def _headline(self) -> str:
        n_samples = sum(map(len, self._samples.values()))
        return f"{len(self.items):,} items, {n_samples:,} samples"

    def _preview(self) -> Preview:
        rows = (
            (item, sample.context or "", sample.text or sample.image)
            for item, shown in self._samples.items()
            for sample in shown.values()
        )
        total = sum(map(len, self._samples.values()))
        return Preview(("item", "context", "shown"), rows, total)


def read_items(
    source: Any,
    *,
    id: str | None = None,
    text: str | None = None,
    context: str | None = None,
    image: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
) -> JudgedItems:
    """Items from a file, a folder, a dataframe, or a mapping from ids to texts.

    An id that stands in one row is an item with one sample. Ids that repeat are items with several,
    such as models with their outputs to many prompts: two outputs to the same prompt are compared.

    Parameters
    ----------
    source
        A table (CSV, TSV, JSON lines, JSON, Parquet, Excel, or a dataframe); a folder of text files
        (.txt, .md) or of images, whose names without ending are the ids; or a mapping.
    id, text, context, image
        The columns, where their names do not tell; "" for a column that is not to be used. Paths of
        images are relative to the file they stand in.
    encoding, separator, sheet
        Of the file, as in `read_comparisons`.
    """
    columns = {"id": id, "text": text, "context": context, "image": image}
    if isinstance(source, Mapping | JudgedItems) or _is_folder(source):
        given = next((part for part, name in columns.items() if name is not None), None)
        if given is not None:
            raise InvalidArgument(f"{given}= names a column, and there are none: leave it out")
    if isinstance(source, JudgedItems):
        return source
    if isinstance(source, Mapping):
        return JudgedItems.of(source)
    if _is_folder(source):
        rows, left_out = rows_of_folder(Path(source))
        return JudgedItems(rows, str(source), left_out)
    name, rows = rows_of_table(source, columns, encoding, separator, sheet)
    return JudgedItems(rows, name)


def _is_folder(source: object) -> bool:
    try:
        return isinstance(source, str | Path) and Path(source).is_dir()
    except (OSError, ValueError):  # a name no folder can have
        return False


def _rows_of_mapping(items: Mapping[str, Any]) -> Iterable[Row]:
    for item, shown in items.items():
        where = f"item {short(repr(item))}"
        samples = shown if isinstance(shown, Sequence) and not isinstance(shown, str) else [shown]
        for place, sample in enumerate(samples, 1):
            if isinstance(sample, str):
                try:
                    sample = Sample(sample)
                except InvalidArgument as error:
                    raise InvalidComparisons(f"{where}: {error}") from None
            if not isinstance(sample, Sample):
                raise InvalidArgument(
                    f"{where}: give a text or a Sample, not a {type(sample).__name__}"
                )
            yield Row(f"{where}, sample {place}", item, sample)


def _require_id(item: object, where: str) -> None:
    if not isinstance(item, str):
        raise InvalidArgument(f"{where}: ids are strings: write {str(item)!r}")
    if not item.strip():
        raise InvalidComparisons(f"{where}: the id is empty: every item needs one")
    if unseen := UNSEEN.search(item):
        raise InvalidComparisons(
            f"{where}: the id {short(item)} has the character {short(unseen[0])}, which cannot be "
            "shown: rename the item"
        )


def _twice(name: str, item: str, context: str | None, one: str, other: str) -> str:
    where = f"{name}: {short(item)} stands in {one} and in {other}"
    if context is None:
        return (
            f"{where}, without a context that tells them apart: give every item an id of its own, "
            "or name the column that both answer, context='prompt' (--context prompt)"
        )
    return f"{where} with the same context {short(repr(context))}: remove one of them"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(short(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown}, ... ({len(names):,})"
