"""Design criteria: connectivity and tau of label-free designs, and links of information.

`python -m benchmarks.design_criteria [--runs R] [--seed S]` prints tables. "exact lambda_2"
asks the pair that raises lambda_2 most when it is computed anew for every pair; it is here to be
compared with the first-order rule.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import expit

import hodgerank as hr
from benchmarks.crowds import CROWDS
from hodgerank.metrics import kendall_tau

N, PER_ITEM = 16, (2, 5, 10)
RUNS, SEED = 200, 20261119
CROWD_NAMES = ("uniform", "BT spread 1", "BT spread 3")


class ExactConnectivity:
    """Asks the pair after which lambda_2 is largest; ties within rounding by the seed."""

    def __init__(self, n: int, seed: int, *, in_rounds: bool) -> None:
        self._L, self._counts = np.zeros((n, n)), np.zeros((n, n), int)
        self._i, self._j = np.triu_indices(n, 1)
        self._rng, self._in_rounds = np.random.default_rng(seed), in_rounds

    def ask(self) -> tuple[int, int]:
        """Compute the spectrum after each pair."""
        asked = self._counts[self._i, self._j]
        rows = np.flatnonzero(asked == asked.min()) if self._in_rounds else np.arange(len(asked))
        i, j = self._i[rows], self._j[rows]
        after = np.repeat(self._L[None], len(rows), axis=0)
        k = np.arange(len(rows))
        after[k, i, i] += 1
        after[k, j, j] += 1
        after[k, i, j] -= 1
        after[k, j, i] -= 1
        value = np.linalg.eigvalsh(after)[:, 1]
        best = np.flatnonzero(value >= value.max() - 1e-9)
        chosen = int(self._rng.choice(best))
        return int(i[chosen]), int(j[chosen])

    def tell(self, pair: tuple[int, int], outcome: float) -> None:
        """Count the pair."""
        i, j = sorted(pair)
        d = np.zeros(len(self._L))
        d[i], d[j] = 1, -1
        self._L += np.outer(d, d)
        self._counts[i, j] += 1


def soft_lowest(eigenvalues: np.ndarray) -> np.ndarray:
    """Derivative of a smooth minimum of the eigenvalues."""
    return np.exp(-4 * (eigenvalues - eigenvalues[0]))


def scaled_logistic(t: np.ndarray) -> np.ndarray:
    """The logistic link with the slope of the uniform one."""
    return expit(2 * t)


DESIGNS: dict[str, Callable[[int], object]] = {
    "random rounds": lambda seed: hr.RandomSampler(N, seed=seed),
    "fiedler (first order)": lambda seed: hr.FisherSampler(N, seed=seed, criterion="fiedler"),
    "exact lambda_2": lambda seed: ExactConnectivity(N, seed, in_rounds=False),
    "exact lambda_2, least asked": lambda seed: ExactConnectivity(N, seed, in_rounds=True),
    "d-optimal": lambda seed: hr.FisherSampler(N, seed=seed),
    "a-optimal": lambda seed: hr.FisherSampler(N, seed=seed, criterion="a-optimal"),
    "smooth minimum": lambda seed: hr.FisherSampler(N, seed=seed, criterion=soft_lowest),
}
LINKS: dict[str, Callable[[int], object]] = {
    "random rounds": DESIGNS["random rounds"],
    "uniform": lambda seed: hr.BayesianSampler(N, seed=seed),
    "uniform, noise estimated": lambda seed: hr.BayesianSampler(N, seed=seed, noise="estimate"),
    "thurstone-mosteller": lambda seed: hr.BayesianSampler(
        N, seed=seed, link="thurstone-mosteller"
    ),
    "bradley-terry": lambda seed: hr.BayesianSampler(N, seed=seed, link="bradley-terry"),
    "logistic of 2t": lambda seed: hr.BayesianSampler(N, seed=seed, link=scaled_logistic),
    "uniform, paper": lambda seed: hr.BayesianSampler(N, seed=seed, paper=True),
    "bradley-terry, paper": lambda seed: hr.BayesianSampler(
        N, seed=seed, link="bradley-terry", paper=True
    ),
    "logistic of 2t, paper": lambda seed: hr.BayesianSampler(
        N, seed=seed, link=scaled_logistic, paper=True
    ),
}


def project(build: Callable[[int], object], crowd: str, seed: int) -> np.ndarray:
    """Algebraic connectivity and tau of least squares, after each number of votes per item."""
    truth, answer = CROWDS[crowd](N, np.random.default_rng(seed))
    sampler, found = build(seed), []
    L, force = np.zeros((N, N)), np.zeros(N)
    for t in range(1, max(PER_ITEM) * N + 1):
        i, j = sampler.ask()
        outcome = answer(i, j)
        sampler.tell((i, j), outcome)
        d = np.eye(N)[i] - np.eye(N)[j]
        L += np.outer(d, d)
        force += outcome * d
        if t % N == 0 and t // N in PER_ITEM:
            scores = np.linalg.pinv(L) @ force
            found.append((np.linalg.eigvalsh(L)[1], kendall_tau(scores, truth)))
    return np.array(found).T


def _cells(values: np.ndarray) -> list[str]:
    stderr = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return [f"{m:.3f} ± {e:.3f}" for m, e in zip(values.mean(axis=0), stderr, strict=True)]


def run(runs: int = RUNS, seed: int = SEED) -> str:
    """Return the tables."""
    after = " | ".join(f"{k}" for k in PER_ITEM)
    lines = [f"### Design criteria, {N} items, {runs} runs", ""]
    lines += [f"Algebraic connectivity after {after} votes per item:", ""]
    lines += ["| design | " + after + " |", "|---" * (len(PER_ITEM) + 1) + "|"]
    seeds = range(seed, seed + runs)
    found = {
        (table, name, crowd): np.array([project(build, crowd, each) for each in seeds])
        for table, builders in (("design", DESIGNS), ("link", LINKS))
        for name, build in builders.items()
        for crowd in CROWD_NAMES
    }
    for name in DESIGNS:
        lines.append(
            f"| {name} | " + " | ".join(_cells(found["design", name, "uniform"][:, 0])) + " |"
        )
    for table, builders in (("design", DESIGNS), ("link", LINKS)):
        lines += ["", f"Tau after {after} votes per item, by {table}:", ""]
        head = [f"{crowd}: {k}" for crowd in CROWD_NAMES for k in PER_ITEM]
        lines += [f"| {table} | " + " | ".join(head) + " |", "|---" * (len(head) + 1) + "|"]
        for name in builders:
            cells = [c for crowd in CROWD_NAMES for c in _cells(found[table, name, crowd][:, 1])]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    print(run(options.runs, options.seed))


if __name__ == "__main__":
    main()
