"""Sampler: ask for the next pair, tell its vote."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import ClassVar, Literal, Self, TypeAlias, get_args, overload

import numpy as np

from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.display import Displayed, Preview
from hodgerank.errors import InvalidArgument, NothingToAsk, require_one_of
from hodgerank.estimators.bayes import LINK, position_adjusted_ranking, posterior_ranking
from hodgerank.estimators.design_effect import Clustering, find_clustering
from hodgerank.estimators.position_bias.groupings import POSITIONS, Position
from hodgerank.estimators.priors import Scope
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.repetitions import news_share
from hodgerank.kernels.selection.tie_breaking import stream
from hodgerank.sampling.answers import History, read_outcome, read_weight, read_worker
from hodgerank.sampling.candidates import (
    AnyPair,
    CandidateReader,
    Candidates,
    ListedPairs,
    PairTable,
    why_nothing,
)
from hodgerank.sampling.designs.dense_posterior import DensePosterior
from hodgerank.sampling.designs.design import Design, Posterior, Vote
from hodgerank.sampling.designs.sort import MOST_ITEMS
from hodgerank.sampling.display_order import Display, DisplayBalance
from hodgerank.sampling.established import is_established
from hodgerank.sampling.item_list import ItemList
from hodgerank.sampling.worker_choice import Assignment, WorkerChoice
from hodgerank.types import FloatArray, Item, Pair, VotesLike

WorkerWeights: TypeAlias = Literal["trust", "slopes"]
NOTICED = 0.1
REPEATED = (
    "repeated votes on a pair are correlated ({rho:.2f}), so additional votes on it count less"
)
ESTABLISHED = (
    "the votes imply the whole order and none contradicts another: it is established, if answers "
    "are consistent"
)


class Sampler(Displayed):
    """Base class of all samplers; each has its own design.

    The next pair is a function of the seed, the votes told and the pending pairs: a new sampler
    that is told the same votes in the same order asks the same pairs.

    Parameters of every sampler
    ---------------------------
    items
        The items: integers or strings, or their number (then they are 0, 1, ...).
    seed
        Breaks ties.
    display
        Which item of a chosen pair is shown left. 'balanced' shows each pair equally often in both
        orders, and each item equally often on either side, so that position bias and preference can
        be separated; 'random' chooses at random; 'fixed' keeps the order of listed candidates, or
        of the items.
    candidates
        The pairs that may be asked, if not all: a list, or a boolean matrix over the items.
        Rankings use them too: see `bayes_rank`.
    position_bias
        Model position bias: 'worker' estimates one bias per worker, 'common' one for all. Rankings
        model it, see `bayes_rank`. So does the choice of pairs in AutoSampler and RankSampler below
        1,000 items, and in TopKSampler up to 400. Without position bias it costs nothing.
    """

    follows_labels: ClassVar[bool] = True
    """Whether pairs are chosen adaptively, by earlier votes."""
    _design: Design
    _ridge = 1.0

    def __init__(
        self,
        items: Iterable[Item] | int,
        seed: int,
        display: Display,
        candidates: Candidates,
        position_bias: Position | None = None,
    ) -> None:
        if position_bias is not None:
            require_one_of(position_bias, POSITIONS, "position_bias")
        self.position_bias = position_bias
        self._item_list = ItemList(items)
        self._items = self._item_list.items
        self._candidates = CandidateReader(self._item_list)
        if not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
            raise InvalidArgument(f"seed must be an integer from 0 to 2^63 - 1, not {seed!r}")
        self._seed = int(seed)
        self.display = display
        self._balance = DisplayBalance(display, len(self._items), self._seed)
        self._history = History()
        self._slopes = WorkerChoice(self._seed)
        if isinstance(candidates, Mapping):
            raise InvalidArgument(
                "the candidates of a sampler are a list of pairs or a boolean matrix; pass the "
                "number of votes still wanted to `ask`"
            )
        self._may_ask: Candidates = None
        self._listed: PairTable | None = None  # the longest list of candidates so far
        if candidates is not None:
            allowed = self._candidates.read(candidates)
            assert isinstance(allowed, ListedPairs)
            self._may_ask = tuple(
                (self._items[a], self._items[b]) for a, b in allowed.table.as_written
            )
            self._allowed(None)
        self._trust: FloatArray | None = None  # weights of workers, if frozen
        self._biases: FloatArray | None = None  # position biases of workers, if frozen
        self._clustering: Clustering | None = None  # the design effect, if frozen
        self.has_adaptive_votes = False  # whether some votes told were chosen adaptively elsewhere

    def __copy__(self) -> Self:
        """Return an independent copy."""
        return deepcopy(self)

    @overload
    def ask(
        self,
        n: None = None,
        pending: Iterable[tuple[Item, Item]] = (),
        candidates: Candidates = None,
        worker: Item | None = None,
        exclude: Iterable[tuple[Item, Item]] = (),
    ) -> Pair: ...
    @overload
    def ask(
        self,
        n: int,
        pending: Iterable[tuple[Item, Item]] = (),
        candidates: Candidates = None,
        worker: Item | None = None,
        exclude: Iterable[tuple[Item, Item]] = (),
    ) -> list[Pair]: ...

    def ask(
        self,
        n: int | None = None,
        pending: Iterable[tuple[Item, Item]] = (),
        candidates: Candidates = None,
        worker: Item | None = None,
        exclude: Iterable[tuple[Item, Item]] = (),
    ) -> Pair | list[Pair]:
        """Return the next pair to show; asking does not change later pairs.

        Parameters
        ----------
        n
            Number of pairs, best first, each chosen with the earlier ones pending. Fewer are
            returned if the candidates do not suffice. Default: a single `Pair`.
        pending
            Pairs that are in progress, once for each time they are.
        candidates
            Pairs that may be asked: a list; a mapping from pairs to the number of votes still
            wanted, pending ones included; or a boolean matrix over the items. Default: those of the
            sampler, or all. The same tuple of pairs is read only once.
        worker
            The worker who will answer: pairs this worker has judged are excluded.
        exclude
            Pairs that may not be asked, in either order.

        Raises
        ------
        NothingToAsk
            No pair is allowed.
        """
        if n is not None and (not isinstance(n, int | np.integer) or n < 0):
            raise InvalidArgument(f"n must be a number of pairs, not {n!r}")
        worker = read_worker(worker)
        out = self._item_list.pairs(pending)
        allowed = self._allowed(candidates)
        if isinstance(allowed, ListedPairs):
            for pair in out:
                allowed.use_up(min(pair), max(pair))
        for i, j in self._history.pairs_of(worker) if worker is not None else ():
            allowed.forbid(i, j)
        excluded = self._item_list.pairs(exclude)
        for pair in excluded:
            allowed.forbid(min(pair), max(pair))
        self._design.expect_exactly(_either_way(out))
        self._prepare(worker, allowed)
        step = len(self._history) + len(out)
        keys = [stream(self._seed, at) for at in range(step, step + (1 if n is None else n))]
        # no worker is asked the same pair twice
        chosen = allowed.best(self._design, keys, once=worker is not None)
        if not chosen and n != 0:
            listed = self._may_ask if candidates is None else candidates
            raise NothingToAsk(why_nothing(len(self.active_items), listed, worker, excluded))
        items, shown = self._items, self._balance.show(chosen, out, step)
        if n is None:
            left, right = shown[0]
            return Pair(items[left], items[right])
        return [Pair(items[left], items[right]) for left, right in shown]

    def assign(
        self,
        available: Iterable[Item],
        pending: Iterable[tuple[Item, Item]] = (),
        candidates: Candidates = None,
        exclude: Iterable[tuple[Item, Item]] = (),
    ) -> Assignment:
        """Return who should answer next, and which pair: the most informative triplet.

        Each available worker has a slope a, by how closely earlier votes followed the predictions
        made before them; see `worker_slopes`. A slope is drawn from its posterior, so that workers
        with few votes are tried too. Of the pairs that `ask` returns for the workers, the one with
        the largest 1/2 ln(1 + a^2 R) is chosen, R the variance of its difference. Asking changes
        nothing, as in `ask`. Close pairs say little about slopes: `FisherSampler` and
        `RandomSampler` learn them soonest.

        Parameters
        ----------
        available
            Workers who could answer now.
        pending, candidates, exclude
            As in `ask`.

        Raises
        ------
        NothingToAsk
            No pair is allowed for any of them.

        Examples
        --------
        >>> import hodgerank as hr
        >>> sampler = hr.AutoSampler(["tea", "milk", "cola"], seed=7)
        >>> worker, pair = sampler.assign(["ann", "bob"])
        >>> sampler.tell(pair, +1, worker)
        """
        if isinstance(available, str):
            raise InvalidArgument(f"available must be a list of workers, not {available!r}")
        workers = [read_worker(worker) for worker in available]
        named = [worker for worker in workers if worker is not None]
        if not named or len(named) < len(workers):
            raise InvalidArgument("available must name at least one worker, and none may be None")
        pending, exclude = list(pending), list(exclude)
        if candidates is not None and not isinstance(candidates, Mapping | np.ndarray):
            candidates = tuple(candidates)

        def ask(worker: Item) -> tuple[Pair, tuple[int, int]]:
            pair = self.ask(pending=pending, candidates=candidates, worker=worker, exclude=exclude)
            return pair, _either_way(self._item_list.pairs([pair]))[0]

        out = _either_way(self._item_list.pairs(pending))
        return self._worker_choice.assign(named, out, ask)

    @property
    def worker_slopes(self) -> dict[Item, float]:
        """How closely each worker's votes follow the predictions made before them.

        1 as expected of the scores, 0 at random, negative in reverse; shrunk to 1 if there are few
        votes. Learned from all votes when first needed.
        """
        choice = self._worker_choice
        return {worker: choice.slope(worker).mean for worker in self._history.workers}

    def draw_slopes(self, workers: Iterable[Item]) -> dict[Item, float]:
        """Return slopes of workers drawn from their posteriors, as `assign` draws them."""
        choice = self._worker_choice
        return {worker: choice.draw(worker, self.n_votes) for worker in workers}

    @property
    def _worker_choice(self) -> WorkerChoice:
        self._slopes.learn(self._history, len(self._items))
        return self._slopes

    def _allowed(self, candidates: Candidates) -> AnyPair | ListedPairs:
        """Return the pairs that may be asked, and keep the longest list for the ranking."""
        allowed = self._candidates.read(self._may_ask if candidates is None else candidates)
        if isinstance(allowed, ListedPairs) and len(allowed.table) > len(self._listed or ()):
            self._listed = allowed.table
        return allowed

    def tell(
        self,
        pair: tuple[Item, Item],
        outcome: float,
        worker: Item | None = None,
        *,
        weight: float = 1.0,
    ) -> None:
        """Record a vote: +1 prefers left, -1 right, 0 is a tie; grades in between are allowed.

        It may be late, reversed, repeated, or on a pair that was not asked. A weight is a
        precision: weight 2 halves the noise variance.
        """
        left, right = self._item_list.pair(pair)
        outcome, weight, worker = read_outcome(outcome), read_weight(weight), read_worker(worker)
        self._history.append(left, right, outcome, self._history.worker_code(worker), weight)
        self._balance.count(left, right)
        if left < right:
            self._design.learn(Vote(left, right, outcome, weight, worker, 1))
        else:
            self._design.learn(Vote(right, left, -outcome, weight, worker, -1))

    def tell_many(self, votes: VotesLike) -> None:
        """Record many votes: Comparisons, or anything `read_comparisons` accepts."""
        votes = read_ungrouped(votes)
        require_choices(votes.report, "a sampler")
        codes = np.array([self._item_list.code(item) for item in votes.items], np.int64)
        if votes.weight is not None and len(votes):
            read_weight(votes.weight.min())
            read_weight(votes.weight.max())
        workers = [self._history.worker_code(worker) for worker in votes.workers]
        workers.append(self._history.worker_code(None))
        self.has_adaptive_votes |= votes.report.adaptive
        start = len(self._history)
        weights = np.ones(len(votes)) if votes.weight is None else votes.weight
        if not len(votes):
            return
        left, right, known = codes[votes.left], codes[votes.right], votes.display_known
        who = np.array(workers, np.int64)[votes.worker]
        self._history.extend(left, right, votes.outcome, who, weights, known)
        self._balance.count_many(left[known], right[known])
        self._design.learn_many(self._history.since(start))

    def gain(
        self,
        pair: tuple[Item, Item],
        pending: Iterable[tuple[Item, Item]] = (),
        worker: Item | None = None,
    ) -> float:
        """Return the value of a pair by the criterion of this sampler; see its class."""
        return self.gains([pair], pending, worker)[0]

    def gains(
        self,
        pairs: Iterable[tuple[Item, Item]],
        pending: Iterable[tuple[Item, Item]] = (),
        worker: Item | None = None,
    ) -> list[float]:
        """Return the values of pairs, each with the earlier ones pending, as in `ask`."""
        codes = _either_way(self._item_list.pairs(pairs))
        self._design.expect_exactly(_either_way(self._item_list.pairs(pending)))
        self._prepare(read_worker(worker), self._allowed(None))
        found = []
        for k, (i, j) in enumerate(codes):
            found.append(float(self._design.gains(np.array([i]), np.array([j]))[0]))
            if k + 1 < len(codes):
                self._design.expect(i, j)
        return found

    def ranking(
        self, *, confidence: float = 0.95, worker_weights: WorkerWeights = "trust"
    ) -> Ranking:
        """Rank all items from the votes told so far, by `bayes_rank`.

        The prior connects all items from the first vote on. If workers are named, votes are
        weighted by the reliability of their workers, as in `robust_rank`. If repeated votes on a
        pair are correlated, or votes of a worker, they count less. With `position_bias`, it is in
        the model. For another estimator, use `sampler.votes`.

        With `worker_weights='slopes'` votes are weighted by `worker_slopes` instead, from 0 to 1.
        This is better if many workers vote at random and pairs are chosen without labels, from
        about 30 votes per worker on; it is worse if none do, or if some vote in reverse.
        """
        require_one_of(worker_weights, get_args(WorkerWeights), "worker_weights")
        given, rho, answered = self.votes, self.repetition, self._weighted(worker_weights)
        clustering = self._clustering_of(answered)
        notes = clustering.notes if clustering is not None else ()
        if rho >= NOTICED:
            notes = (REPEATED.format(rho=rho), *notes)
        if self.is_established:
            notes = (*notes, ESTABLISHED)
        if self.position_bias is None or not len(answered.votes):
            found = posterior_ranking(
                answered.graph,
                self._scope,
                clustering=clustering,
                confidence=confidence,
                notes=notes,
            )
        else:
            found = position_adjusted_ranking(
                answered,
                self.position_bias,
                clustering=clustering,
                confidence=confidence,
                notes=notes,
                held=self._biases,
            )
        is_all = len(answered.votes) == len(given)
        return found if is_all else found.counting(ComparisonGraph.from_comparisons(given))

    def _weighted(self, by: WorkerWeights = "trust") -> AnsweredGraph:
        """The votes of workers with any weight, reduced by their repetition."""
        from hodgerank.estimators.worker_weights import trusted_votes, weighed

        if by == "slopes":
            weights = np.clip(list(self.worker_slopes.values()), 0.0, 1.0)
        else:
            weights = self._trust_in_workers
        answered = AnsweredGraph.of(trusted_votes(self.votes, weights))
        if not self.repetition or not len(answered.votes):
            return answered
        share = news_share(answered.graph, self.repetition)[answered.edge]
        return AnsweredGraph.of(weighed(answered.votes, share))

    def _clustering_of(self, answered: AnsweredGraph) -> Clustering | None:
        if self._clustering is not None:
            return self._clustering
        return find_clustering(answered, None, self.position_bias)

    @property
    def repetition(self) -> float:
        """Estimated correlation of repeated votes on a pair, from 0 to 1."""
        return 0.0

    @property
    def is_established(self) -> bool:
        """Whether the order of all active items is established, if answers are consistent.

        The votes imply the order of every two items, none contradicts another, and enough of them
        only confirmed what earlier ones implied. If the same questions would get other answers
        again, nothing is established.
        """
        return len(self._items) <= MOST_ITEMS and is_established(self.votes, self.active_items)

    def freeze_workers(self) -> None:
        """Keep the current weights, design effect and position biases of workers.

        That saves time, and votes simulated without workers count as much as those so far.
        """
        self._clustering = self._clustering_of(self._weighted()) or Clustering((), 1.0)
        self._trust = self._trust_in_workers
        self._biases = self._biases_of_workers

    @property
    def position_biases(self) -> dict[Item | None, float]:
        """Position bias of each worker towards the left, in units of the scores; None: no name.

        Empty without `position_bias`; with 'common' the key None holds the shared bias.
        """
        found = self._biases_of_workers
        if found is None:
            return {}
        names = [*self._history.workers, None] if self.position_bias == "worker" else [None]
        return dict(zip(names, found.tolist(), strict=True))

    @property
    def _biases_of_workers(self) -> FloatArray | None:
        if self.position_bias is None or not self.n_votes:
            return None
        if self._biases is not None:
            return self._biases
        from hodgerank.estimators.position_bias.posterior import position_bias_posterior

        found = position_bias_posterior(
            AnsweredGraph.of(self.votes), self.position_bias, LINK
        ).evidence
        return found.all_biases(found.best_place)

    @property
    def _trust_in_workers(self) -> FloatArray:
        if self._trust is not None:
            return self._trust
        if not self._history.n_workers:
            return np.ones(0)
        from hodgerank.estimators.worker_weights import trust_in_workers

        return trust_in_workers(self.votes)

    @property
    def _scope(self) -> Scope | None:
        """The pairs that can be asked; None if they are to be inferred from the votes.

        Pairs that were chosen by labels do not show which others could have been: without a list
        of candidates, all.
        """
        listed = self._listed
        if listed is not None and listed.n == len(self._items):
            return listed.scope
        return Scope(len(self._items)) if self._is_adaptive else None

    @property
    def _is_adaptive(self) -> bool:
        return self.follows_labels or self.has_adaptive_votes

    @property
    def posterior(self) -> Posterior:
        """Posterior of the scores from the votes told so far."""
        dense = DensePosterior(np.zeros(len(self._items)), self._ridge)
        dense.learn_many(self._history.since(0))
        return Posterior(self.items, dense.mean, dense.covariance)

    @property
    def votes(self) -> Comparisons:
        """Every vote told, in order; `report.adaptive` if pairs were chosen adaptively."""
        return self._history.comparisons(self._items, adaptive=self._is_adaptive)

    @property
    def seed(self) -> int:
        """The seed that breaks ties."""
        return self._seed

    @classmethod
    def seconds_per_answer(cls, n_items: int) -> float:
        """Return the approximate time per vote of `tell_many`; 0 if it processes all at once."""
        return 0.0

    @property
    def n_votes(self) -> int:
        """Number of votes told."""
        return len(self._history)

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, including retired ones."""
        return tuple(self._items)

    @property
    def retired(self) -> tuple[Item, ...]:
        """Items that are no longer asked."""
        return tuple(self._items[code] for code in sorted(self._item_list.retired))

    @property
    def active_items(self) -> tuple[Item, ...]:
        """Items that are asked."""
        retired = self._item_list.retired
        return tuple(item for code, item in enumerate(self._items) if code not in retired)

    def add_item(self, item: Item) -> None:
        """Add an item; it is asked from now on, with any of the others.

        Samplers that update their criterion at intervals depend on the time of addition: to ask the
        same pairs, a replay must add the item after the same number of votes.
        """
        others = self.active_items
        self._item_list.add(item)
        if isinstance(self._may_ask, tuple):
            self._may_ask += tuple((self._items[-1], other) for other in others)
        self._candidates = CandidateReader(self._item_list)
        self._listed = None
        self._design.expect_exactly([])
        self._balance.enlarge()
        self._design.enlarge()

    def retire_item(self, item: Item) -> None:
        """Stop asking pairs with this item; its votes stay, and late ones count."""
        self._item_list.retire(item)

    def restore_item(self, item: Item) -> None:
        """Ask a retired item again."""
        self._item_list.restore(item)

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in `build_sampler`."""

    @abstractmethod
    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """Return a sampler of the same kind for other items."""

    def _headline(self) -> str:
        return f"{len(self.active_items):,} items, {self.n_votes:,} votes"

    def _preview(self) -> Preview | None:
        return self.ranking()._preview() if self.n_votes else None

    def prepare_to_stop(self) -> None:
        """Announce that the certainty of the ranking will be used, to stop or to forecast.

        A sampler may then ask some pairs to estimate it better.
        """

    def announce_budget(self, n_votes: int) -> None:
        """Announce the number of votes planned in all; a sampler may choose otherwise if few."""

    def _prepare(self, worker: Item | None, allowed: AnyPair | ListedPairs) -> None:
        """Tell the criterion which worker will answer, and which pairs may be asked."""


def _either_way(shown: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the same pairs as i < j."""
    return [(a, b) if a < b else (b, a) for a, b in shown]
