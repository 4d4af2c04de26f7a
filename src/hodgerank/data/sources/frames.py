"""Dataframes in and out: the only module that imports narwhals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import narwhals as nw
import numpy as np
import polars as pl
from polars import selectors

from hodgerank.errors import InvalidArgument, InvalidComparisons, MissingDependency
from hodgerank.types import BoolArray, IntArray

COUNT = "__answers__"
UNREADABLE = (
    ValueError,
    TypeError,
    OSError,
    nw.exceptions.NarwhalsError,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,  # raised by the library's own code on unexpected bytes
)
AUTO = "auto"  # of votes that come from no dataframe
EAGER_BACKENDS = ("polars", "pandas", "pyarrow", "modin", "cudf")


class Frame:
    """A dataframe, eager or lazy, of any library that narwhals supports, as a table.

    Parameters
    ----------
    native
        The dataframe.
    name
        Name in messages; default: the library.
    is_lazy
        Whether to avoid reading it in full; default: whether its library is lazy.
    scale
        Numbers for right and left, if the kind of source defines them.
    file
        The file that a lazy frame reads, if it is a single one.
    backend
        Library in which results are returned; default: that of the dataframe, if it is eager.
    """

    from_text = False

    def __init__(
        self,
        native: Any,
        name: str | None = None,
        is_lazy: bool | None = None,
        scale: tuple[float, float] | None = None,
        file: Path | None = None,
        backend: str | None = None,
    ) -> None:
        try:
            self._frame = nw.from_native(native)
        except (nw.exceptions.NarwhalsError, TypeError) as error:
            reason = " ".join(str(error).split())
            raise InvalidComparisons(f"the dataframe cannot be read: {reason}") from None
        self.is_lazy = isinstance(self._frame, nw.LazyFrame) if is_lazy is None else is_lazy
        self._file = file
        self._backend = backend
        self.name = name or f"{self.backend} frame"
        self.scale = scale

    @staticmethod
    def accepts(native: Any) -> bool:
        """Return whether this is a dataframe."""
        if isinstance(native, pl.DataFrame | pl.LazyFrame):
            return True
        try:
            frame = nw.from_native(native, pass_through=True)
        except nw.exceptions.NarwhalsError:  # a dataframe with two columns of one name
            return True
        return isinstance(frame, nw.DataFrame | nw.LazyFrame)

    @property
    def columns(self) -> list[str]:
        """Column names, found without reading rows."""
        try:
            names = self._frame.collect_schema().names()
        except UNREADABLE as error:
            raise self._unreadable(error) from None
        return [name for name in names if isinstance(name, str)]

    @property
    def nested(self) -> frozenset[str]:
        """Columns whose cells hold lists or records, which may be long."""
        schema = self._frame.collect_schema()
        return frozenset(name for name, kind in schema.items() if kind.is_nested())

    @property
    def backend(self) -> str:
        """Library in which results are returned."""
        if self._backend is not None:
            return self._backend
        name = self._frame.implementation.value
        if name in EAGER_BACKENDS:
            return str(name)
        return "pandas" if name == "dask" else "polars"

    def with_fields(self, names: Iterable[str]) -> Frame:
        """Return the table with fields of nested columns as columns: `tag.math` for math of tag.

        Only names that are no column are looked up, and nothing is read.
        """
        native = self._frame.to_native()
        wanted = [name for name in dict.fromkeys(names) if "." in name]
        if not wanted or not isinstance(native, pl.DataFrame | pl.LazyFrame):
            return self
        schema = native.collect_schema()
        fields = [
            field.alias(name)
            for name in wanted
            if name not in schema and (field := _field(schema, name)) is not None
        ]
        if not fields:
            return self
        native = native.with_columns(fields)
        return Frame(native, self.name, self.is_lazy, self.scale, self._file, self._backend)

    def filtered(self, where: str) -> Frame:
        """Return the rows for which a condition holds, filtered by the library."""
        native = self._frame.to_native()
        try:
            if isinstance(native, pl.LazyFrame):
                native = native.filter(pl.sql_expr(where))
                return Frame(native, self.name, self.is_lazy, self.scale, backend=self._backend)
            if self._frame.implementation.value == "duckdb":
                return Frame(native.filter(where), self.name, self.is_lazy, self.scale)
        except UNREADABLE as error:
            raise InvalidArgument(f"the condition {where!r} is invalid: {error}") from None
        raise InvalidArgument(
            f"where= cannot be used on a lazy {self._frame.implementation.value} table: filter the "
            "table itself"
        )

    def rows(self, columns: list[str]) -> tuple[pl.DataFrame, BoolArray | None]:
        """Return every row of these columns; none has more fields than the header."""
        return self._fetched(self._selected(columns)), None

    def reader(self, columns: list[str]) -> Callable[[str], pl.Series]:
        """Return a function that reads one of these columns later, as it is now, or fails."""
        native = self._frame.to_native()
        if isinstance(native, pl.DataFrame):  # its columns do not change, but it may get others
            return {name: native[name] for name in columns}.__getitem__
        if not isinstance(self._frame, nw.LazyFrame):
            native = self._frame.select(columns).to_native()
            copied = native.copy() if hasattr(native, "copy") else native  # arrow never changes
            return Frame(copied, self.name)._column_or_text
        written = _stamp(self._file)

        def read(name: str) -> pl.Series:
            if _stamp(self._file) != written:
                raise InvalidComparisons("the file was changed or removed")
            return self._column(name)

        return read

    def _column(self, name: str) -> pl.Series:
        return self.rows([name])[0].to_series()

    def _column_or_text(self, name: str) -> pl.Series:
        """Return a column of an eager frame, as text if it mixes types."""
        try:
            return self._column(name)
        except InvalidComparisons:
            values = cast("nw.DataFrame[Any]", self._frame)[name].to_list()
            texts = [None if v is None or v != v else str(v) for v in values]
            return pl.Series(name, texts, pl.String)

    def distinct_rows(self, columns: list[str]) -> tuple[pl.DataFrame, IntArray]:
        """Return distinct rows of these columns with their counts, counted by the library."""
        counted = self._fetched(self._frame.group_by(columns).agg(nw.len().alias(COUNT)))
        return counted.drop(COUNT), counted[COUNT].cast(pl.Int64).to_numpy()

    @property
    def is_streamable(self) -> bool:
        """Whether it is a lazy frame of an engine in this process, polars or DuckDB."""
        is_lazy = isinstance(self._frame, nw.LazyFrame)
        return is_lazy and self._frame.implementation.value in ("polars", "duckdb")

    def head(self, columns: list[str], size: int) -> pl.DataFrame:
        """Return the first rows of these columns."""
        return self._fetched(self._selected(columns).head(size))

    def batches(self, columns: list[str], size: int) -> Iterator[pl.DataFrame]:
        """Yield batches of rows in order."""
        native: Any = self._selected(columns).to_native()
        try:
            if isinstance(native, pl.LazyFrame):
                yield from native.collect_batches(chunk_size=size, engine="streaming")
            else:
                import pyarrow

                for batch in pyarrow.RecordBatchReader.from_stream(native):
                    yield from cast(pl.DataFrame, pl.from_arrow(batch)).iter_slices(size)
        except UNREADABLE as error:
            raise self._unreadable(error) from None
        except ImportError:
            raise self._without_arrow() from None

    def _selected(self, columns: list[str]) -> Any:
        """Select columns by exact name; polars would expand * and patterns such as ^a."""
        native = self._frame.to_native()
        if isinstance(native, pl.DataFrame):  # a query takes longer than reading a small table
            return nw.from_native(pl.DataFrame({name: native[name] for name in columns}))
        if isinstance(native, pl.LazyFrame):
            return nw.from_native(native.select(selectors.by_name(*columns)))
        return self._frame.select(columns)

    def _fetched(self, frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> pl.DataFrame:
        try:
            if isinstance(frame, nw.LazyFrame):
                native = frame.to_native()
                if isinstance(native, pl.LazyFrame):  # in batches, so that memory does not limit it
                    return native.collect(engine="streaming")
                return frame.collect(backend="polars").to_polars()
            return frame.to_polars()
        except UNREADABLE as error:
            raise self._unreadable(error) from None
        except ImportError:
            if isinstance(frame, nw.LazyFrame):
                raise self._without_arrow() from None
            # pandas strings reach polars through pyarrow, or else one by one
            try:
                return pl.DataFrame({name: _without_nan(frame[name]) for name in frame.columns})
            except TypeError:
                raise InvalidComparisons("a column of the dataframe mixes types") from None

    def _unreadable(self, error: Exception) -> InvalidComparisons:
        reason = str(error).split("\n", 1)[0].split(", hint:", 1)[0]
        return InvalidComparisons(
            f"{self.name} cannot be read ({reason}): each column needs one type, and all files "
            "the same columns"
        )

    def _without_arrow(self) -> MissingDependency:
        library = self._frame.implementation.value
        return MissingDependency("pyarrow", f"reading a {library} table")


def _stamp(file: Path | None) -> tuple[int, int] | None:
    """Return what changes when a file is written; None if there is no such file."""
    try:
        found = None if file is None else file.stat()
    except OSError:
        return None
    return None if found is None else (found.st_mtime_ns, found.st_size)


def _without_nan(column: nw.Series[Any]) -> list[Any]:
    return [None if value != value else value for value in column.to_list()]


def _field(schema: pl.Schema, name: str) -> pl.Expr | None:
    """Return the nested field of that name; names of columns and fields may hold dots too."""
    for column, dtype in schema.items():
        if name.startswith(f"{column}."):
            found = _within(pl.col(column), dtype, name[len(column) + 1 :])
            if found is not None:
                return found
    return None


def _within(nested: pl.Expr, dtype: Any, path: str) -> pl.Expr | None:
    if not isinstance(dtype, pl.Struct):
        return None
    for field in dtype.fields:
        if path == field.name:
            return nested.struct.field(field.name)
        if path.startswith(f"{field.name}."):
            inner = nested.struct.field(field.name)
            found = _within(inner, field.dtype, path[len(field.name) + 1 :])
            if found is not None:
                return found
    return None


def build_frame(columns: Mapping[str, Any], backend: str) -> Any:
    """Return a dataframe of the named library; 'auto' is pandas if installed, else polars."""
    if backend == AUTO:
        backend = "polars" if find_spec("pandas") is None else "pandas"
    if backend not in EAGER_BACKENDS:
        names = ", ".join((*EAGER_BACKENDS, AUTO))
        raise InvalidArgument(f"backend {backend!r} is not one of {names}")
    plain = {name: _plain(values, backend) for name, values in columns.items()}
    try:
        return nw.from_dict(plain, backend=cast(Any, backend)).to_native()
    except ImportError:
        raise MissingDependency(backend, f"a {backend} dataframe") from None


def _plain(values: Any, backend: str) -> Any:
    """Return a column as its library takes it: lists of names, other arrays unchanged."""
    if isinstance(values, np.ndarray) and values.dtype == object:
        return values.tolist()
    if isinstance(values, pl.Series) and backend != "polars":
        is_plain = values.dtype.is_numeric() and not values.null_count()
        return values.to_numpy() if is_plain else values.to_list()
    return values
