"""Beyond the paper: many judges at once, so that pairs are chosen before votes arrive."""

from __future__ import annotations

from collections.abc import Sequence

import hodgerank as hr
from hodgerank.metrics import kendall_tau
from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import own_ranking, sampler_seed, stream, true_scores
from hodgerank.reproduce.verdict import Findings, Published

N_ITEMS, SPREAD = 50, 2.0
AT_ONCE = (1, 16, 64)
LOOKS = range(100, 601, 100)


def campaign(run: int, seed: int) -> dict[str, list[float]]:
    """Run AutoSampler with pending pairs, known to it or not, and random without repetition."""
    curves = {
        _name(out): _taus(
            hr.AutoSampler(N_ITEMS, seed=sampler_seed(seed, run)), out, True, run, seed
        )
        for out in AT_ONCE
    }
    most = AT_ONCE[-1]
    curves[_blind(most)] = _taus(
        hr.AutoSampler(N_ITEMS, seed=sampler_seed(seed, run)), most, False, run, seed
    )
    curves["random without repetition"] = _taus(
        hr.RandomSampler(N_ITEMS, seed=sampler_seed(seed, run)), 1, True, run, seed
    )
    return curves


def _name(out: int) -> str:
    return f"auto, {out} judge{'s' * (out > 1)}"


def _blind(out: int) -> str:
    return f"auto, {out} judges, pending pairs unknown"


def _taus(sampler: hr.Sampler, at_once: int, is_told: bool, run: int, seed: int) -> list[float]:
    """Judges finish in random order; whenever one does, the next pair is asked."""
    rng = stream(seed, "judges", run)
    crowd = hr.SimulatedCrowd(list(range(N_ITEMS)), spread=SPREAD, rng=rng)
    order = stream(seed, "order", run)
    truth = true_scores(crowd)
    out: list[hr.Pair] = []
    taus = []
    for t in range(1, LOOKS[-1] + 1):
        while len(out) < at_once:
            out.append(sampler.ask(pending=out if is_told else ()))
        pair = out.pop(int(order.integers(len(out))))
        sampler.tell(pair, *crowd(pair))
        if t in LOOKS:
            taus.append(kendall_tau(own_ranking(sampler), truth))
    return taus


def tasks(effort: Effort) -> list[Task]:
    """Return one task per run."""
    runs = effort.runs(quick=40, full=200)
    return [Task(campaign, {"run": run, "seed": effort.seed}) for run in runs]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge the cost of working in parallel."""
    curves = Curves.of(LOOKS, outcomes)
    chart = curves.chart(ours=(), x="votes")
    return Findings(curves.rows(), chart, curves.verdicts(published))


EXPERIMENT = Experiment("judges", tasks, findings)
