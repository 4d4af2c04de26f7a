"""Coverage of intervals, and calibration of certainties.

An interval should cover the result of the estimator for infinitely many votes on the same pairs by
workers of the same kind, whether or not they follow its model. A certainty should be the share of
pairs whose true order it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import partial
from zlib import crc32

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import CONSISTENT, Array, Crowd, Members
from benchmarks.calibration.table import Row

Estimator = Callable[..., hr.Ranking]
PEOPLE = 2000  # workers asked about every pair, to approximate infinitely many
BINS = ((0.5, 0.7), (0.7, 0.9), (0.9, 1.0))
CERTAIN = 0.95


def without_workers(votes: hr.Comparisons) -> hr.Ranking:
    """Return Huber's regression."""
    unknown = np.full(len(votes), -1)
    return hr.robust_rank(replace(votes, workers=(), worker=unknown))


ESTIMATORS: dict[str, Estimator] = {
    "hodge_rank": hr.hodge_rank,
    "bradley_terry": hr.bradley_terry,
    "thurstone_mosteller": hr.thurstone_mosteller,
    "bayes_rank": hr.bayes_rank,
    "robust_rank": hr.robust_rank,
    "robust_rank without workers": without_workers,
}
LINKED: dict[str, Estimator] = {
    f"hodge_rank, {link} link": partial(hr.hodge_rank, link=link)
    for link in ("bradley-terry", "thurstone-mosteller", "angular")
}
CLUSTERED: dict[str, Estimator] = {
    f"{fit.__name__} by worker": partial(fit, covariance="worker")
    for fit in (hr.hodge_rank, hr.bradley_terry, hr.robust_rank)
}


def honest_limit(graph: hr.ComparisonGraph) -> hr.Ranking:
    """Return the target of robust_rank: the scores of the workers who do not vote at random."""
    return hr.bradley_terry(graph)


def honest_probit_limit(graph: hr.ComparisonGraph) -> hr.Ranking:
    """Return the target of bayes_rank: the same on the scale of the probit, without its prior."""
    return hr.thurstone_mosteller(graph)


LIMITS: dict[str, Estimator] = {
    "bayes_rank": honest_probit_limit,
    "robust_rank": honest_limit,
    "robust_rank by worker": honest_limit,
    "robust_rank without workers": hr.hodge_rank,
    **{name: partial(fit, smoothing=0.0) for name, fit in LINKED.items()},
    **{f"{fit.__name__} by worker": fit for fit in (hr.hodge_rank, hr.bradley_terry)},
}
COVERED = {
    **{name: crowd for name, crowd in CONSISTENT.items() if name != "noiseless"},
    "uniform, 2 per pair": Crowd(link="uniform", per_pair=2),
    "2 per pair": Crowd(per_pair=2),
    "20 per pair": Crowd(per_pair=20),
    "sparse": Crowd(n_items=20, design="sparse"),
    "unbalanced": Crowd(design="unbalanced", per_pair=10),
    "ties, 20 per pair": Crowd(answer="tie", per_pair=20),
    "grades, 20 per pair": Crowd(answer="grade", per_pair=20),
    "grades, sparse": Crowd(n_items=20, design="sparse", answer="grade"),
}


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield intervals on all crowds, certainties for all strengths, leaders of random crowds."""
    for crowd_name, crowd in COVERED.items():
        for name, fit in ESTIMATORS.items():
            yield coverage(name, fit, crowd_name, crowd, runs, seed)
    for per_pair in (1, 2, 4, 8, 20):
        for name, fit in LINKED.items():
            crowd = Crowd(spread=1.0, per_pair=per_pair)
            yield coverage(name, fit, f"spread 1, {per_pair} per pair", crowd, runs, seed)
    tastes = Crowd(tastes=0.7, per_pair=20)
    for name, fit in {**ESTIMATORS, **CLUSTERED}.items():
        yield coverage(name, fit, "varied tastes, 20 per pair", tastes, runs, seed)
    adaptive = Crowd(n_items=12, design="adaptive", per_pair=2)
    for name in ("bayes_rank", "bradley_terry"):
        yield coverage(name, ESTIMATORS[name], "adaptive", adaptive, max(runs // 4, 2), seed)
    for name, fit in ESTIMATORS.items():
        yield from calibrations(name, fit, (0.3, 1.0, 3.0), runs, seed)
    for spread in (0.3, 1.0, 3.0):
        yield from calibrations("hodge_rank", hr.hodge_rank, (spread,), runs, seed)
    for n_items, per_pair in ((3, 2), (3, 5), (5, 2), (5, 5), (10, 2), (10, 5)):
        crowd = Crowd(n_items=n_items, per_pair=per_pair, spread=0.0)
        for name, fit in ESTIMATORS.items():
            yield from leaders(name, fit, crowd, runs, seed)


def coverage(name: str, fit: Estimator, crowd_name: str, crowd: Crowd, runs: int, seed: int) -> Row:
    """Measure how often 95% intervals cover the result for infinitely many votes."""
    rng = np.random.default_rng([seed, crc32(f"{name} {crowd_name}".encode())])
    shares = [covered(fit, LIMITS.get(name, fit), crowd, rng) for _ in range(runs)]
    error = float(np.std(shares) / np.sqrt(runs))
    nominal = "95 %" if name != "bayes_rank" else "at least 90 % (shrunk)"
    return Row(f"interval of {name}", crowd_name, nominal, float(np.mean(shares)), runs, error)


def covered(fit: Estimator, limit: Estimator, crowd: Crowd, rng: np.random.Generator) -> float:
    """Return the share of items whose score is covered, in one crowd."""
    members = Members(crowd, deepcopy(rng))  # those who are going to answer
    votes = crowd.votes(rng)
    ranking = fit(votes)
    if limit in (honest_limit, honest_probit_limit):
        members.crowd = replace(crowd, tossers=0.0)
    target = limit(expected_graph(votes, members, rng))
    aims = target.scores[target.positions(ranking.items)]
    low, high = ranking.intervals.T
    return float(np.mean((low <= aims) & (aims <= high)))


def expected_graph(
    votes: hr.Comparisons, members: Members, rng: np.random.Generator
) -> hr.ComparisonGraph:
    """Return the compared pairs, with the mean votes of very many workers of the same kind."""
    graph = hr.ComparisonGraph.from_comparisons(votes)
    people = Members(replace(members.crowd, n_workers=PEOPLE), rng)
    people.truth, people.noise, people.cyclic = members.truth, members.noise, members.cyclic
    people.scores = members.truth + rng.normal(0, members.crowd.tastes, people.scores.shape)
    place = np.array([members.items.index(item) for item in graph.items])
    left, right = (np.repeat(place[side], PEOPLE) for side in (graph.i, graph.j))
    who = np.tile(np.arange(PEOPLE), graph.n_edges)
    answers = people.answers(left, right, who).reshape(graph.n_edges, PEOPLE)
    flows = answers.mean(axis=1).clip(-1 + 1 / PEOPLE, 1 - 1 / PEOPLE)
    return replace(graph, flows=flows, squares=graph.weights.copy())


def calibrations(
    name: str, fit: Estimator, spreads: tuple[float, ...], runs: int, seed: int
) -> Iterator[Row]:
    """Yield certainties by size, over crowds of several strengths."""
    for per_item in (2, 4, 10):
        for design in ("dense", "sparse"):
            rng = np.random.default_rng([seed, crc32(f"{name} {per_item} {design}".encode())])
            said, right = [], []
            for run in range(runs):
                votes = few_answers(20, per_item, design, spreads[run % len(spreads)], rng)
                certainties, are_right = certainties_of(fit(votes), votes)
                said.append(certainties)
                right.append(are_right)
            where = f"{per_item} answers per item, {design}, spread "
            where += " or ".join(f"{spread:g}" for spread in spreads)
            yield from _binned(name, where, said, right)


def few_answers(
    n: int, per_item: int, design: str, spread: float, rng: np.random.Generator
) -> hr.Comparisons:
    """Return votes per item as given: each on another pair, or two on each pair of a ring."""
    n_votes = n * per_item // 2
    if design == "dense":
        orders = [rng.permutation(n) for _ in range(per_item + 1)]
        left, right = (np.concatenate([order[k::2] for order in orders]) for k in (0, 1))
        left, right = left[:n_votes], right[:n_votes]
        left, right = _joined(left, right, n, rng)
    else:
        ring = np.arange(n)
        left, right = ring, (ring + 1) % n
        more = max(n_votes // 2 - n, 0)
        extra = np.array([rng.choice(n, 2, replace=False) for _ in range(more)], int).reshape(-1, 2)
        left, right = np.r_[left, extra[:, 0]], np.r_[right, extra[:, 1]]
        if per_item > 2:
            left, right = np.tile(left, 2), np.tile(right, 2)
    truth = rng.normal(0, spread, n)
    wins = rng.random(len(left)) < 1 / (1 + np.exp(truth[right] - truth[left]))
    return hr.Comparisons(
        items=tuple(f"i{k:03d}" for k in range(n)),
        left=left,
        right=right,
        outcome=np.where(wins, 1.0, -1.0),
        workers=tuple(f"w{k}" for k in range(4)),
        worker=rng.integers(0, 4, len(left)),
        truth=truth,
    )


def _joined(left: Array, right: Array, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Replace the first votes by a random path, so that all items are connected."""
    path = rng.permutation(n)
    return np.r_[path[:-1], left[n - 1 :]], np.r_[path[1:], right[n - 1 :]]


def certainties_of(ranking: hr.Ranking, votes: hr.Comparisons) -> tuple[Array, Array]:
    """Return the certainty of many pairs, above 1/2, and whether their order is true."""
    truth = votes.truth[[votes.code(item) for item in ranking.items]]
    pairs = [(a, b) for a in range(len(ranking)) for b in range(a)][::3]
    items = ranking.items
    said = np.array([ranking.certainty(items[a], items[b]) for a, b in pairs])
    right = np.array([truth[a] > truth[b] for a, b in pairs])
    return np.maximum(said, 1 - said), np.where(said >= 0.5, right, ~right)


def _binned(name: str, where: str, said: list[Array], right: list[Array]) -> Iterator[Row]:
    for low, high in BINS:
        inside = [(s >= low) & (s < high if high < 1 else s <= high) for s in said]
        n = sum(int(mask.sum()) for mask in inside)
        if n < 100:
            continue
        hits = np.array([float(r[mask].sum()) for r, mask in zip(right, inside, strict=True)])
        total = np.array([float(mask.sum()) for mask in inside])
        share = hits.sum() / total.sum()
        error = float(np.sqrt(np.sum((hits - share * total) ** 2)) / total.sum())
        mean = sum(float(s[mask].sum()) for s, mask in zip(said, inside, strict=True)) / n
        statement = f"certainty {low:g} to {high:g} of {name}"
        yield Row(statement, where, f"{mean:.1%}", float(share), n, error)


def leaders(name: str, fit: Estimator, crowd: Crowd, runs: int, seed: int) -> Iterator[Row]:
    """Measure how often a leader is certain, and a pair significant, if all items are equal."""
    where = f"coins, {crowd.n_items} items, {crowd.per_pair} per pair"
    rng = np.random.default_rng([seed, crc32(f"{name} {where}".encode())])
    rankings = [fit(crowd.votes(rng)) for _ in range(runs)]
    certain = np.mean([hr.top_k_certainty(ranking, 1) >= CERTAIN for ranking in rankings])
    settled = [ranking.settled for ranking in rankings]
    yield Row(f"certain leader, {name}", where, "at most 5 %", float(certain), runs)
    error = float(np.std(settled) / np.sqrt(runs))
    yield Row(f"settled pair, {name}", where, "at most 5 %", float(np.mean(settled)), runs, error)
