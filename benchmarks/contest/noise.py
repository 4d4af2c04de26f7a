"""Common random numbers: they depend on the pair and its repetition, not on the player."""

from __future__ import annotations

import numpy as np


class Noise:
    """Uniform numbers: one for each pair and each time it is asked.

    Drawn a layer at a time, all pairs for the k-th time, so that a number does not depend on the
    order in which pairs are asked.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._n = n
        self._seed = int(rng.integers(1 << 62))
        self._layers: list[np.ndarray] = []

    def __call__(self, i: int, j: int, repeat: int) -> float:
        """Return the number of the pair i < j after `repeat` earlier questions."""
        while len(self._layers) <= repeat:
            layer = np.random.default_rng((self._seed, len(self._layers)))
            self._layers.append(layer.random((self._n, self._n)))
        return float(self._layers[repeat][i, j])
