"""Dataframes in, dataframes out: the only module that imports narwhals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import narwhals as nw
import numpy as np
import polars as pl

from hodgerank.errors import InvalidArgument, InvalidComparisons, MissingDependency
from hodgerank.types import IntArray

COUNT = "__answers__"
UNREADABLE = (
    ValueError,
    TypeError,
    OSError,
    nw.exceptions.NarwhalsError,
    pl.exceptions.PolarsError,
)
EAGER_BACKENDS = ("polars", "pandas", "pyarrow", "modin", "cudf")


class Frame:
    """Any dataframe, eager or lazy, of any library narwhals knows."""

    def __init__(self, native: Any) -> None:
        try:
            self._frame = nw.from_native(native)
        except nw.exceptions.NarwhalsError as error:
            raise InvalidComparisons(f"the dataframe cannot be read: {error}") from None

    @staticmethod
    def accepts(native: Any) -> bool:
        """Whether this is a dataframe at all."""
        frame = nw.from_native(native, pass_through=True)
        return isinstance(frame, nw.DataFrame | nw.LazyFrame)

    @property
    def is_lazy(self) -> bool:
        """Whether the rows live elsewhere until asked for."""
        return isinstance(self._frame, nw.LazyFrame)

    @property
    def columns(self) -> list[str]:
        """Column names, without reading rows."""
        try:
            names = self._frame.collect_schema().names()
        except UNREADABLE as error:
            raise _unreadable(error) from None
        return [name for name in names if isinstance(name, str)]

    @property
    def backend(self) -> str:
        """The library that results should come back in."""
        name = self._frame.implementation.value
        if name in EAGER_BACKENDS:
            return str(name)
        return "pandas" if name == "dask" else "polars"

    def rows(self, columns: list[str]) -> pl.DataFrame:
        """These columns, every row."""
        return _to_polars(self._frame.select(columns))

    def distinct_rows(self, columns: list[str]) -> tuple[pl.DataFrame, IntArray]:
        """Distinct rows of these columns and how often each occurs, reduced at the source."""
        reduced = _to_polars(self._frame.group_by(columns).agg(nw.len().alias(COUNT)))
        return reduced.drop(COUNT), reduced[COUNT].cast(pl.Int64).to_numpy()


def _to_polars(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> pl.DataFrame:
    try:
        if isinstance(frame, nw.LazyFrame):
            native = frame.to_native()
            if isinstance(native, pl.LazyFrame):  # in pieces, so that memory does not limit it
                return native.collect(engine="streaming")
            return frame.collect(backend="polars").to_polars()
        return frame.to_polars()
    except UNREADABLE as error:
        raise _unreadable(error) from None
    except ImportError:
        if isinstance(frame, nw.LazyFrame):
            raise MissingDependency(
                "pyarrow", f"reading a {frame.implementation.value} table"
            ) from None
        # pandas strings reach polars through pyarrow, or else one by one
        try:
            return pl.DataFrame({name: _without_nan(frame[name]) for name in frame.columns})
        except TypeError:
            raise InvalidComparisons("a column of the dataframe mixes types") from None


def _unreadable(error: Exception) -> InvalidComparisons:
    reason = str(error).split("\n", 1)[0].split(", hint:", 1)[0]
    return InvalidComparisons(
        f"the table cannot be read ({reason}): each column needs one type, and all files the same "
        "columns"
    )


def _without_nan(column: nw.Series[Any]) -> list[Any]:
    return [None if value != value else value for value in column.to_list()]


def build_frame(columns: Mapping[str, Any], backend: str) -> Any:
    """A dataframe of the named library."""
    if backend not in EAGER_BACKENDS:
        raise InvalidArgument(f"backend {backend!r} is not one of {', '.join(EAGER_BACKENDS)}")
    plain = {
        name: values.tolist()
        if isinstance(values, np.ndarray) and values.dtype == object
        else values
        for name, values in columns.items()
    }
    try:
        return nw.from_dict(plain, backend=cast(Any, backend)).to_native()
    except ImportError:
        raise MissingDependency(backend, f"a {backend} dataframe") from None
