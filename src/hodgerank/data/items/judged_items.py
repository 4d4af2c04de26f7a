"""JudgedItems: items to compare, with their texts and images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any

from hodgerank.data.items.item_table import Row, rows_of_folder, rows_of_table, tracks_of
from hodgerank.data.items.samples import Sample, ShownPair
from hodgerank.display import UNSEEN, Displayed, Preview, short
from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem

COSTS = ("cost", "price", "latency")


class JudgedItems(Displayed):
    """Items with one sample each, or with several, which are compared in the same context.

    Items of different tracks are not compared.

    Attributes
    ----------
    items
        The ids, in the order of the source.
    tracks
        Track of each item; empty without tracks.
    left_out
        Files of a folder that were not used.
    prompt_columns, column_names
        Further columns with the same value for all samples of a context, such as the category or
        the reference of a prompt: their values by context, and their names.

    Examples
    --------
    >>> items = JudgedItems.of({"short": "A cat.", "long": "A cat sat on a mat."})
    >>> items.showings("long", "short")[0].right.text
    'A cat.'
    """

    def __init__(self, rows: Iterable[Row], name: str, left_out: Sequence[str] = ()) -> None:
        self._samples: dict[str, dict[str | None, Sample]] = {}
        rows = list(rows)
        self._others = [(row.item, row.sample.context, dict(row.others)) for row in rows]
        for row in rows:
            _require_id(row.item, f"{name}, {row.where}")
        self.tracks = tracks_of(rows, name)
        found: dict[tuple[str, str | None], str] = {}
        for where, item, sample, *_ in rows:
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
        if not self._has_pairs:
            raise InvalidComparisons(_no_pairs(name, bool(self.tracks), self.has_one_sample_each))

    @classmethod
    def of(cls, items: Mapping[str, str | Sample | Sequence[Sample]]) -> JudgedItems:
        """Return items from a mapping of ids to a text, a sample, or several samples."""
        return cls(_rows_of_mapping(items), "items")

    def __contains__(self, item: object) -> bool:
        return item in self._samples

    def samples(self, item: str) -> tuple[Sample, ...]:
        """Return all samples of an item, one for each context."""
        return tuple(self._of(item).values())

    def showings(self, left: str, right: str) -> tuple[ShownPair, ...]:
        """Return what is shown for each context that both items have, in a fixed order.

        Empty for items of different tracks.
        """
        one, other = self._of(left), self._of(right)
        if left == right:
            raise InvalidArgument(f"{short(left)} cannot be compared with itself")
        if not self._in_one_track(left, right):
            return ()
        if self.has_one_sample_each:
            (a,), (b,) = one.values(), other.values()
            context = a.context if a.context == b.context else None
            return (ShownPair(a, b, context, columns=self.prompt_columns.get("", {})),)
        shared = sorted(one.keys() & other.keys(), key=self._order.__getitem__)
        return tuple(
            ShownPair(one[key], other[key], key, key or "", self.prompt_columns.get(key or "", {}))
            for key in shared
        )

    def n_showings(self, a: str, b: str) -> int:
        """Return the number of contexts that both have; 0 for items of different tracks."""
        one, other = self._of(a), self._of(b)
        if not self._in_one_track(a, b):
            return 0
        return 1 if self.has_one_sample_each else len(one.keys() & other.keys())

    @cached_property
    def comparable(self) -> list[tuple[str, str]] | None:
        """Return the pairs within a track that share a context; None if all pairs do."""
        all_share = self.has_one_sample_each or bool(
            set.intersection(*map(set, self._samples.values()))
        )
        tracks: dict[str | None, list[str]] = {}
        for item in self.items:
            tracks.setdefault(self.tracks.get(item), []).append(item)
        if all_share and len(tracks) == 1:
            return None
        pairs = [
            (a, b)
            for members in tracks.values()
            for a, b in combinations(members, 2)
            if all_share or not self._samples[a].keys().isdisjoint(self._samples[b])
        ]
        n_items = len(self.items)
        return pairs if len(pairs) < n_items * (n_items - 1) // 2 else None

    @cached_property
    def prompt_columns(self) -> dict[str, dict[str, str | None]]:
        """Return the values of columns that are constant within each context, by its key.

        If each item has one sample, all have the key "", and a column is constant for all.
        """
        found: dict[str, dict[str, str | None]] = {}
        varying = {name: False for _, _, others in self._others for name in others}
        for _, context, others in self._others:
            key = "" if self.has_one_sample_each else context or ""
            first = found.setdefault(key, {name: others.get(name) for name in varying})
            for name, value in first.items():
                varying[name] |= others.get(name) != value
        empty = {n for n in varying if all(values[n] is None for values in found.values())}
        names = [name for name, varies in varying.items() if not varies and name not in empty]
        return {key: {n: values[n] for n in names} for key, values in found.items()}

    @cached_property
    def costs(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return numbers in columns called cost, price or latency, by item and context.

        Empty cells are left out, and so is a column with other values or negative numbers.
        """
        found: dict[str, dict[str, dict[str, float]]] = {}
        for name in dict.fromkeys(n for _, _, others in self._others for n in others):
            if name.strip().lower() not in COSTS:
                continue
            by_item: dict[str, dict[str, float]] = {}
            for item, context, others in self._others:
                if (value := others.get(name)) is None:
                    continue
                number = _number(value)
                if number is None:
                    break
                key = "" if self.has_one_sample_each else context or ""
                by_item.setdefault(item, {})[key] = number
            else:
                found[name] = by_item
        return found

    @property
    def contexts(self) -> tuple[str, ...]:
        """Keys of all contexts."""
        return ("",) if self.has_one_sample_each else tuple(key or "" for key in self._order)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns that are constant within each context."""
        return tuple(next(iter(self.prompt_columns.values()), {}))

    @property
    def n_groups(self) -> int:
        """Number of groups of items that share no context, in all tracks."""
        if self.has_one_sample_each:
            return 1
        group = {item: item for item in self.items}

        def first(item: str) -> str:
            while group[item] != item:
                item = group[item]
            return item

        holder: dict[str | None, str] = {}
        for item, shown in self._samples.items():
            for context in shown:
                group[first(item)] = first(holder.setdefault(context, item))
        return sum(group[item] == item for item in self.items)

    @cached_property
    def has_one_sample_each(self) -> bool:
        """Whether every pair can be compared, regardless of contexts."""
        return all(len(shown) == 1 for shown in self._samples.values())

    @property
    def _has_pairs(self) -> bool:
        """Return whether any pair can be compared, without listing all pairs."""
        places = Counter(
            (self.tracks.get(item), None if self.has_one_sample_each else context)
            for item, shown in self._samples.items()
            for context in shown
        )
        return max(places.values()) > 1

    def _in_one_track(self, a: str, b: str) -> bool:
        return self.tracks.get(a) == self.tracks.get(b)

    def _of(self, item: str) -> dict[str | None, Sample]:
        try:
            return self._samples[item]
        except KeyError:
            raise UnknownItem(item, self.items) from None

    def _headline(self) -> str:
        n_samples = sum(map(len, self._samples.values()))
        n_tracks = len(set(self.tracks.values()))
        tracks = f", {n_tracks:,} track{'s' * (n_tracks > 1)}" if n_tracks else ""
        return f"{len(self.items):,} items, {n_samples:,} samples{tracks}"

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
    track: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
) -> JudgedItems:
    """Read items from a file, a folder, a dataframe, or a mapping from ids to texts.

    An id in one row is an item with one sample. A repeated id is an item with several samples, such
    as a model with its outputs to many prompts; two outputs to the same prompt are compared.

    Parameters
    ----------
    source
        A table (CSV, TSV, JSON lines, JSON, Parquet, Excel, or a dataframe); a folder of text files
        (.txt, .md) or of images, whose names without ending are the ids; or a mapping.
    id, text, context, image, track
        Columns, if not recognised by name; "" ignores a column. Paths of images are relative to the
        file. Items of different tracks are not compared.
    encoding, separator, sheet
        Of the file, as in `read_comparisons`.
    """
    columns = {"id": id, "text": text, "context": context, "image": image, "track": track}
    if isinstance(source, Mapping | JudgedItems) or _is_folder(source):
        given = next((part for part, name in columns.items() if name), None)
        if given is not None:
            raise InvalidArgument(
                f"{given}= names a column, but the source has no columns: leave it out"
            )
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
    except (OSError, ValueError):  # a name that no folder can have
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


def _number(value: str) -> float | None:
    """Return a finite number that is not negative; None for anything else."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < inf else None


def _require_id(item: object, where: str) -> None:
    if not isinstance(item, str):
        raise InvalidArgument(f"{where}: ids are strings: write {str(item)!r}")
    if not item.strip():
        raise InvalidComparisons(f"{where}: the id is empty: give every item an id")
    if unseen := UNSEEN.search(item):
        raise InvalidComparisons(
            f"{where}: the id {short(item)} has the character {short(unseen[0])}, which cannot "
            "be displayed: rename the item"
        )


def _twice(name: str, item: str, context: str | None, one: str, other: str) -> str:
    where = f"{name}: {short(item)} is in {one} and in {other}"
    if context is None:
        return (
            f"{where}, without different contexts: give every item its own id, or name the "
            "column of the context, context='prompt' (--context prompt)"
        )
    return f"{where} with the same context {short(repr(context))}: remove one of them"


def _no_pairs(name: str, has_tracks: bool, has_one_sample_each: bool) -> str:
    if not has_tracks:
        return (
            f"{name}: items have several samples, but no two items share a context: give samples "
            "that are to be compared the same context"
        )
    share = "are in one track" if has_one_sample_each else "of one track share a context"
    return (
        f"{name}: no two items {share}, and only those are compared: correct the column, or "
        "ignore it with track='' (or rename the column)"
    )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(short(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown}, ... ({len(names):,})"
