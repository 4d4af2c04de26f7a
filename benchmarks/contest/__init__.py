"""A contest of samplers, on simulated regimes and on any folder of recorded votes.

`python -m benchmarks contest` runs all of it; `python -m benchmarks.contest --help` explains how to
run a part. Peers play through ports in `rivals`. Runs of the same number face the same crowd, and
the k-th vote on a pair is the same for every player, so players are compared by paired
differences. One estimator ranks the votes of all, so that only designs are compared.

`crowds` answer, and `simulated` has kinds of them; `regimes` says which are played, and how;
`players` who plays; `measuring` runs a campaign; `tasks` share out the work; `results` holds what
was measured, and `tables` prints it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from benchmarks.contest.players import PLAYERS, REFERENCE, who_stays_out
from benchmarks.contest.regimes import Setting, all_regimes
from benchmarks.contest.results import ContestResult, collected
from benchmarks.contest.tables import as_markdown
from benchmarks.contest.tasks import done, tasks

SEED = 1


class UnknownName(ValueError):
    """A regime or sampler that does not exist."""


def contest(
    *,
    regimes: Iterable[str] = ("*",),
    samplers: Iterable[str] = ("*",),
    runs: int | None = None,
    seed: int = SEED,
    per_item: Iterable[float] | None = None,
    folder: Path | None = None,
    jobs: int = 1,
    n_items: int | None = None,
) -> ContestResult:
    """Let players ask crowds.

    Parameters
    ----------
    regimes, samplers
        Names or patterns such as 'bt-*'; auto always plays.
    runs
        At least 2, for standard errors; by default fewer for many items.
    seed
        Of crowds and samplers.
    per_item
        When to look: votes so far, over items; by default each part has its own looks.
    folder
        Every file of votes in it is one more regime.
    jobs
        Processes.
    n_items
        Size of simulated crowds, instead of each regime's own.
    """
    known, notes = all_regimes(folder)
    looks = None if per_item is None else tuple(sorted(set(per_item)))
    setting = Setting(seed, runs, looks, n_items)
    names = set(chosen(regimes, [regime.name for regime in known]))
    playing = tuple(regime for regime in known if regime.name in names)
    players = tuple(dict.fromkeys((REFERENCE, *chosen(samplers, PLAYERS))))
    notes += who_stays_out(players, playing, setting)
    measures = collected(done(tasks(playing, players, setting), jobs))
    return ContestResult(setting, playing, players, measures, tuple(notes))


def chosen(wanted: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the known names that match, in their own order."""
    known, wanted = list(known), list(wanted)
    for name in wanted:
        if not any(fnmatchcase(each, name) for each in known):
            raise UnknownName(f"there is no {name}: name some of {', '.join(known)}")
    return [each for each in known if any(fnmatchcase(each, name) for name in wanted)]


def run() -> str:
    """All regimes and all samplers."""
    return as_markdown(contest())
