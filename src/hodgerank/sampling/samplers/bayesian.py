"""BayesianSampler: the most informative pair under a Gaussian posterior."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hodgerank.errors import InvalidArgument, UnknownItem, require_one_of, require_positive
from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.designs.dense_posterior import LINK_CODES, DensePosterior
from hodgerank.sampling.designs.design import Posterior
from hodgerank.sampling.designs.linked_posterior import (
    LinkedPosterior,
    Noise,
    read_covariance,
    read_link,
    read_noise,
)
from hodgerank.sampling.designs.matrix_free_posterior import (
    ENGINES,
    Engine,
    MatrixFreePosterior,
    gaussian_posterior,
)
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import FloatArray, Item

LinkLike: TypeAlias = (
    Literal["uniform", "thurstone-mosteller", "angular", "bradley-terry"]
    | Callable[[FloatArray], FloatArray]
    | Any
)
"""A name, a symmetric distribution function of an array, or an object with it as `cdf`."""


class BayesianSampler(Sampler):
    """The most informative pair under a Gaussian posterior, [Xu18] Algorithm 2.

    With S the posterior covariance, C = S_ii + S_jj - 2 S_ij and D the difference of the means, the
    gain is 1/2 [v C/(1+C)^2 + ln(1+C) - C/(1+C)]. With `paper`, v = E(y - D)^2 and the gain is the
    expected information in nats. By default v is the variance of the vote, at least 0: the gain is
    then not an expected information, but ranks pairs that are uncertain and not yet decided first.
    A vote updates the posterior exactly, and withdrawing a pending pair removes its effect exactly.

    Parameters
    ----------
    items, seed, display, candidates, position_bias
        As in `Sampler`.
    ridge
        g, the prior precision of the scores, in units of one vote.
    prior_scores
        Prior means of the scores: by item, or in the order of the items.
    prior_covariance
        Prior covariance of the scores instead of a ridge, in units of the noise variance of a vote:
        a matrix in the order of the items, or their variances. An item added later is independent,
        with the mean variance.
    link
        The link from score differences to preferences: uniform, thurstone-mosteller, angular or
        bradley-terry; or any symmetric distribution function of an array, or an object with `cdf`.
        Differences are in units of outcomes, from -1 to 1.
    noise
        Standard deviation of an outcome around the difference of the scores, or 'estimate' (from
        the errors of prediction, and three votes of variance 1). v is divided by its square.
    paper
        Use v = E(y - D)^2 as printed. Beyond |D| = 2 it increases again, so that decided pairs
        attract votes. With the logistic link it increases from |D| = 0.5 on.
    engine
        'dense' keeps the variance of every difference: exact, up to 10,000 items. 'matrix-free'
        keeps none: tens of microseconds per vote for a million items, pairs worth 99% of the best
        on average. 'auto' uses the second from 1,000 items on. Other links, noise and prior
        covariances are dense only, up to 3,000 items.

    Examples
    --------
    >>> sampler = BayesianSampler(["tea", "milk", "cola"], seed=7)
    >>> sampler.tell(("tea", "milk"), +1, worker="ann")
    >>> "cola" in sampler.ask()
    True
    """

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        ridge: float = 1.0,
        prior_scores: Mapping[Item, float] | Iterable[float] | None = None,
        prior_covariance: ArrayLike | None = None,
        link: LinkLike = "uniform",
        noise: Noise = 1.0,
        paper: bool = False,
        engine: Engine = "auto",
        display: Display = "balanced",
        candidates: Candidates = None,
        position_bias: Position | None = None,
    ) -> None:
        super().__init__(items, seed, display, candidates, position_bias)
        self._ridge = require_positive(ridge, "ridge")
        self._prior_scores = self._prior_mean(prior_scores)
        self._link, self._noise, self._paper, self._engine = link, noise, paper, engine
        cdf, deviation = read_link(link), read_noise(noise)
        criterion: Literal["paper", "clamped"] = "paper" if paper else "clamped"
        is_plain = isinstance(link, str) and link in LINK_CODES and deviation == 1
        self._design: DensePosterior | MatrixFreePosterior
        if is_plain and prior_covariance is None:
            self._design = gaussian_posterior(
                self._prior_scores,
                self._ridge,
                link=str(link),
                criterion=criterion,
                engine=engine,
                seed=self._seed,
            )
            return
        n = len(self._items)
        if require_one_of(engine, ENGINES, "engine") == "matrix-free":
            raise InvalidArgument(
                "engine='matrix-free' needs a ridge, noise=1 and one of the links "
                f"{', '.join(LINK_CODES)}: use engine='dense'"
            )
        if prior_covariance is None:
            covariance = np.eye(n) / self._ridge
        elif ridge != 1:
            raise InvalidArgument("give a ridge or a prior_covariance, not both")
        else:
            covariance = read_covariance(prior_covariance, n)
        self._design = LinkedPosterior(
            self._prior_scores, covariance, cdf=cdf, noise=deviation, criterion=criterion
        )

    @property
    def name(self) -> str:
        """The name in `build_sampler`."""
        return "bayesian"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """Return a sampler of the same kind for other items, without their prior."""
        return type(self)(
            items, seed=seed, ridge=self._ridge, link=self._link, noise=self._noise,
            paper=self._paper, engine=self._engine, display=self.display,
            position_bias=self.position_bias,
        )  # fmt: skip

    @property
    def noise(self) -> float:
        """Standard deviation of an outcome, given or estimated from the votes."""
        design = self._design
        return design.noise_variance**0.5 if isinstance(design, LinkedPosterior) else 1.0

    def _prior_mean(self, scores: Mapping[Item, float] | Iterable[float] | None) -> FloatArray:
        n = len(self._items)
        if scores is None:
            return np.zeros(n)
        if isinstance(scores, Mapping):
            for item in scores:
                if item not in self._item_list.codes:
                    raise UnknownItem(item, self._items)
            scores = [scores.get(item, 0.0) for item in self._items]
        mean = np.array(list(scores), float)
        if mean.shape != (n,) or not np.isfinite(mean).all():
            raise InvalidArgument(f"prior_scores must be {n} finite numbers")
        return np.asarray(mean - mean.mean())

    @property
    def posterior(self) -> Posterior:
        """Exact posterior of the scores from the votes told so far, with this noise."""
        design = self._design
        if not isinstance(design, DensePosterior):
            mean = np.pad(self._prior_scores, (0, len(self._items) - len(self._prior_scores)))
            design = DensePosterior(mean, self._ridge)
            design.learn_many(self._history.since(0))
        return Posterior(self.items, design.mean.copy(), design.covariance)
