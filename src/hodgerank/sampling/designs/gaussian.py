"""Which form a Gaussian posterior takes: exact matrices, or local and approximate."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.sampling.designs.dense import LINK_CODES, DensePosterior
from hodgerank.sampling.designs.matrix_free import MatrixFreePosterior
from hodgerank.types import FloatArray

Engine: TypeAlias = Literal["auto", "dense", "matrix-free"]
ENGINES = ("auto", "dense", "matrix-free")
MANY_ITEMS = 1000  # from here on, exact matrices cost more than they are worth


def gaussian_posterior(
    prior_mean: FloatArray,
    ridge: float,
    *,
    criterion: Literal["clamped", "paper", "variance"],
    link: str = "uniform",
    engine: Engine = "auto",
    seed: int = 0,
) -> DensePosterior | MatrixFreePosterior:
    """The posterior in the form asked for, or that suits the number of items."""
    require_one_of(engine, ENGINES, "engine")
    if engine == "matrix-free" and criterion == "paper":
        raise InvalidArgument("paper=True needs engine='dense'")
    is_large = len(prior_mean) >= MANY_ITEMS and criterion != "paper"
    if engine == "dense" or (engine == "auto" and not is_large) or criterion == "paper":
        return DensePosterior(prior_mean, ridge, criterion=criterion, link=link)
    return MatrixFreePosterior(
        prior_mean, ridge, criterion=criterion, link=LINK_CODES[link], seed=seed
    )
