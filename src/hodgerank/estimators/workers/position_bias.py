"""Moved to `estimators.position.bias`."""

from hodgerank.estimators.position.bias import PositionBias, position_bias

__all__ = ["PositionBias", "position_bias"]
