"""Fuzz the reading of published layouts: python -m fuzz.suggestions --files 5000 --seed 1.

Files of the corpus are changed while their meaning is tracked. No ranking may be confidently wrong,
and nothing that a message suggests may lead to one. --case SEED repeats a file and keeps it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from corpus import LAYOUTS
from corpus.check import BAD, Status, Verdict, judge, lay_out
from corpus.files import File, Sheet
from corpus.suggested_options import spelled
from fuzz.corpus_mutations import MUTATIONS

FILES_OF_A_RUN = 1_000_000  # seeds of one run; those of the next begin after them
TRIES = 8
SHOWN = 40  # findings in full


@dataclass(frozen=True)
class Mutated:
    """A file of the corpus with the changes that were made to it."""

    seed: int
    layout: str
    changes: tuple[str, ...]
    file: File


@dataclass(frozen=True)
class Finding:
    """A file with a wrong ranking or a wrong suggestion."""

    mutated: Mutated
    verdict: Verdict

    def __str__(self) -> str:
        """Everything needed to understand and to repeat it."""
        mutated, verdict = self.mutated, self.verdict
        assert mutated.file.sheet is not None
        header = ", ".join(mutated.file.sheet.header)
        said = verdict.said.encode("unicode_escape").decode()
        return (
            f"--case {mutated.seed}: {mutated.layout}, {' + '.join(mutated.changes) or '-'}\n"
            f"  columns {header[:200]}\n"
            f"  {verdict.status} (tau {verdict.tau:+.2f}) by {spelled(verdict.options) or '-'}\n"
            f"  {said[:400]}"
        )


def mutate(seed: int, layouts: tuple[str, ...] = tuple(LAYOUTS)) -> Mutated:
    """The file of a seed."""
    rng = Random(seed)
    file = None
    while file is None or file.sheet is None:
        layout = LAYOUTS[rng.choice(layouts)]
        file = layout.file(rng.randrange(1000))
    changes: list[str] = []
    wanted = rng.choice((1, 1, 2, 2, 3, 4))
    for _ in range(TRIES):
        if len(changes) == wanted:
            break
        change = rng.choice(MUTATIONS)
        again = _copied(file)
        if change.__name__ not in changes and change(rng, again):
            file = again
            changes.append(change.__name__)
    return Mutated(seed, layout.name, tuple(changes), file)


def _copied(file: File) -> File:
    """A copy whose columns can be changed; cells are replaced, never changed in place."""
    assert file.sheet is not None
    return replace(file, sheet=Sheet([replace(column) for column in file.sheet.columns]))


@dataclass
class Campaign:
    """What became of many files."""

    statuses: Counter[tuple[str, str, Status]] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def run(self, seeds: Iterable[int], folder: Path) -> None:
        """Judge the files of these seeds."""
        for seed in seeds:
            mutated = mutate(seed)
            path = lay_out(mutated.file, folder)
            verdict = judge(path, mutated.file)
            path.unlink()
            for change in mutated.changes or ("none",):
                self.statuses[mutated.layout, change, verdict.status] += 1
            if verdict.status in BAD:
                self.findings.append(Finding(mutated, verdict))

    def table(self) -> str:
        """Statuses by change."""
        width = max(len(change) for _, change, _ in self.statuses)
        statuses = list(Status)
        lines = [f"{'':{width}}  " + "  ".join(statuses)]
        for change in sorted({change for _, change, _ in self.statuses}):
            cells = (
                sum(n for (_, c, s), n in self.statuses.items() if (c, s) == (change, status))
                for status in statuses
            )
            counts = "  ".join(
                f"{n or '':>{len(status)}}" for n, status in zip(cells, statuses, strict=True)
            )
            lines.append(f"{change:{width}}  {counts}")
        return "\n".join(lines)


def main() -> int:
    """Judge many files; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.suggestions", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="all files follow from it")
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--case", type=int, action="append", help="repeat the file of this seed")
    parser.add_argument("--folder", type=Path, default=Path("out/fuzz"), help="for --case")
    given = parser.parse_args()
    campaign, start = Campaign(), time.monotonic()
    first = given.seed * FILES_OF_A_RUN
    with TemporaryDirectory() as folder:
        campaign.run(given.case or range(first, first + given.files), Path(folder))
    for seed in given.case or ():
        given.folder.mkdir(parents=True, exist_ok=True)
        print(f"kept {lay_out(mutate(seed).file, given.folder)}")
    for finding in campaign.findings[:SHOWN]:
        print(f"{finding}\n")
    print(campaign.table())
    print("\nwrong by layout:")
    for layout, n in Counter(one.mutated.layout for one in campaign.findings).most_common():
        print(f"{n:6} {layout}")
    n_files = len(given.case or range(given.files))
    seconds = time.monotonic() - start
    print(f"\n{n_files:,} files in {seconds:.0f} s: {len(campaign.findings):,} wrong")
    return int(bool(campaign.findings))


if __name__ == "__main__":
    sys.exit(main())
