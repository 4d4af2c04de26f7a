"""Dataframes in, dataframes out: the only module that imports narwhals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import narwhals as nw
import numpy as np
import polars as pl

from hodgerank.errors import InvalidArgument, MissingDependency
from hodgerank.types import IntArray

COUNT = "__answers__"
EAGER_BACKENDS = ("polars", "pandas", "pyarrow", "modin", "cudf")


class Frame:
    """Any dataframe, eager or lazy, of any library narwhals knows."""

    def __init__(self, native: Any) -> None:
        self._frame = nw.from_native(native)

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
        return list(self._frame.collect_schema().names())

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

    def distinct_rows(
        self, columns: list[str], weight: str | None
    ) -> tuple[pl.DataFrame, IntArray]:
        """Distinct rows of these columns with their number of occurrences, reduced at the source.

        A weight column is averaged over the occurrences, so that count times mean is its sum.
        """
        by = [name for name in columns if name != weight]
        sums = [nw.len().alias(COUNT)]
        if weight is not None:
            sums.append(nw.col(weight).mean())
        reduced = _to_polars(self._frame.group_by(by).agg(*sums))
        return reduced.drop(COUNT), reduced[COUNT].cast(pl.Int64).to_numpy()


def _to_polars(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> pl.DataFrame:
    try:
        if isinstance(frame, nw.LazyFrame):
            return frame.collect(backend="polars").to_polars()
        return frame.to_polars()
    except ImportError:
        if isinstance(frame, nw.LazyFrame):
            raise MissingDependency(
                "pyarrow", f"reading a {frame.implementation.value} table"
            ) from None
        # pandas strings reach polars through pyarrow, or else one by one
        return pl.DataFrame({name: frame[name].to_list() for name in frame.columns})


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
