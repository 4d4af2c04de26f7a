"""The few type names that every layer shares."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Item: TypeAlias = int | str
"""What is compared. Integers and strings go in and come out as they are."""

RngLike: TypeAlias = int | np.random.Generator | None
"""Anything `numpy.random.default_rng` understands."""

BoolArray: TypeAlias = NDArray[np.bool_]
CodeArray: TypeAlias = NDArray[np.int32]
IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]


class Pair(NamedTuple):
    """Two items as they are shown."""

    left: Item
    right: Item
