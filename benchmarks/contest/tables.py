"""A contest as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from benchmarks.contest.measuring import (
    BEST,
    ESTIMATORS,
    MILLISECONDS,
    OWN,
    PROVEN,
    RECALL,
    TAU,
)
from benchmarks.contest.players import OURS, REFERENCE, TOP_K, K
from benchmarks.contest.regimes import AT_ONCE, FEW, Part, Regime
from benchmarks.contest.results import ContestResult, Entry, Paired, paired

PLAIN = "random"  # the design that everybody knows
PUBLISHED = ("paper", "crowd-bt")  # rules of others among our samplers
TARGETS = ((RECALL, f"Recall of the {K} best"), (BEST, "Share of runs in which the best is first"))


def as_markdown(result: ContestResult, *, for_docs: bool = False) -> str:
    """All tables; those of the documentation have one row for each regime.

    Differences are paired: mean ± standard error (in standard errors).
    """
    pages = ["\n".join(f"- {note}" for note in result.notes)]
    for part, found in result.parts:
        pages += _part(part, found, for_docs=for_docs)
    return "\n\n".join(page for page in pages if page) + "\n"


def _part(part: Part, result: ContestResult, *, for_docs: bool) -> list[str]:
    names = ", ".join(f"`{regime.name}`" for regime in result.regimes)
    runs = result.setting.runs or part.runs
    auto = _entry(REFERENCE, TAU)
    others = _others(result, TAU, REFERENCE)
    pages = [
        f"### {part.title}",
        f"{runs} runs each, seed {result.setting.seed}, of {names}.",
        "Kendall's tau of `auto`, and the others minus `auto` in the same runs; columns are votes "
        "per item.",
        over_regimes(result, auto, others),
        losses(result, auto, others),
        (_in_one_row if for_docs else by_regime)(result, auto, others),
    ]
    if part == AT_ONCE:
        some = [each for each in result.players if each in (REFERENCE, TOP_K, PLAIN)]
        pages += _price_of_pairs_in_progress(result, some if for_docs else result.players)
    pages += _proofs(result)
    if TOP_K in result.players and not (for_docs and part == AT_ONCE):
        for measured, title in TARGETS:
            reference, others = _entry(TOP_K, measured), _others(result, measured, TOP_K)
            pages += [
                f"**{title}**: `{TOP_K}`, and the others minus it.",
                over_regimes(result, reference, others),
                losses(result, reference, others),
            ]
            if not for_docs:
                pages.append(by_regime(result, reference, others))
    if for_docs and part != FEW:
        return pages
    usual = Entry(OWN, REFERENCE, OWN)
    estimators = [Entry(name, REFERENCE, name) for name in ESTIMATORS]
    pages += [
        "**Estimators** on the votes of `auto`: tau of `ranking()`, and the others minus it.",
        over_regimes(result, usual, estimators),
    ]
    if not for_docs:
        pages += [
            by_regime(result, usual, estimators),
            "**Milliseconds per vote**, to choose the pair and to learn from it.",
            times(result),
        ]
    return pages


def _entry(player: str, measured: str) -> Entry:
    return Entry(player, player, measured)


def _others(result: ContestResult, measured: str, reference: str) -> list[Entry]:
    playing = [name for name in result.players if name != reference and result.n_played(name)]
    return [_entry(name, measured) for name in playing]


def by_regime(result: ContestResult, reference: Entry, others: Sequence[Entry]) -> str:
    """One entry and how far others are ahead of it, in each regime."""
    rows: list[tuple[object, ...]] = []
    for regime in result.regimes:
        rows.append((regime.name, reference.label, *numbers(result.mean(regime.name, reference))))
        for entry in others:
            if result.values(regime.name, entry) is not None:
                cells = result.ahead(regime.name, entry, reference)
                rows.append((regime.name, entry.label, *map(difference, cells)))
    return table(("regime", "", *map(per_item, result.looks)), rows)


def over_regimes(result: ContestResult, reference: Entry, others: Sequence[Entry]) -> str:
    """The same on average, regimes counting alike."""
    means = numbers(result.mean_over_regimes(reference))
    rows: list[tuple[object, ...]] = [(f"**{reference.label}**", *means)]
    for entry in others:
        n, of = result.n_played(entry.player), len(result.regimes)
        label = entry.label if n == of else f"{entry.label} ({n} of {of} regimes)"
        rows.append((label, *map(difference, result.ahead_over_regimes(entry, reference))))
    return table(("mean over regimes", *map(per_item, result.looks)), rows)


def losses(result: ContestResult, reference: Entry, others: Sequence[Entry]) -> str:
    """Every cell in which another is clearly ahead, and how many chance would give."""
    rows, every = [], []
    for regime in result.regimes:
        cells = [result.ahead(regime.name, entry, reference) for entry in others]
        for look, per in enumerate(result.looks):
            found = [(each[look], entry.label) for each, entry in zip(cells, others, strict=True)]
            every += [cell for cell, _ in found if not cell.is_missing]
            ahead = sorted(((cell, who) for cell, who in found if cell.is_ahead), reverse=True)
            if ahead:
                who = "; ".join(f"{label} {difference(cell)}" for cell, label in ahead)
                rows.append((regime.name, per_item(per), who))
    said = (
        f"Losses: in {sum(cell.is_ahead for cell in every):,} of {len(every):,} cells another "
        f"sampler is ahead of `{reference.label}` by more than two standard errors; in "
        f"{sum(cell.is_behind for cell in every):,} it is behind by as much. "
        f"Expected by chance if all are equal: {sum(cell.chance for cell in every):.0f} of each."
    )
    heads = ("regime", "votes per item", f"ahead of {reference.label}")
    return f"{said}\n\n{table(heads, rows)}" if rows else said


def _in_one_row(result: ContestResult, reference: Entry, others: Sequence[Entry]) -> str:
    """Each regime in a row: the reference, the plain design, and the best other in hindsight."""
    peers = [each for each in others if each.player not in OURS or each.player in PUBLISHED]
    plain = [each for each in others if each.player == PLAIN]
    rows: list[tuple[object, ...]] = []
    for regime in result.regimes:
        means = " ".join(numbers(result.mean(regime.name, reference)))
        row: list[object] = [regime.name, means]
        for entry in plain:
            cells = result.ahead(regime.name, entry, reference)
            row.append(" ".join(number(cell.mean, "+") for cell in cells if not cell.is_missing))
        cells_of = {each.label: result.ahead(regime.name, each, reference) for each in peers}
        best = []
        for look in range(len(result.looks)):
            playing = {
                k: cells[look] for k, cells in cells_of.items() if not cells[look].is_missing
            }
            if playing:
                label = max(playing, key=lambda k: playing[k].mean)
                best.append(f"{label} {difference(playing[label], z=False)}")
        rows.append((*row, "; ".join(best)))
    looks = " ".join(map(per_item, result.looks))
    heads = (f"regime, at {looks}", reference.label, *(each.label for each in plain))
    return table((*heads, "best rival in hindsight"), rows)


def _price_of_pairs_in_progress(result: ContestResult, players: Sequence[str]) -> list[str]:
    """Players with several pairs in progress against themselves with one, on the same crowds."""
    alone = {each.crowd_name: each.name for each in result.regimes if each.in_progress == 1}
    rows: list[tuple[object, ...]] = []
    for player in players:
        entry = _entry(player, TAU)
        for regime in result.regimes:
            several = result.values(regime.name, entry)
            one = result.values(alone.get(regime.crowd_name, ""), entry)
            if regime.in_progress > 1 and several is not None and one is not None:
                cells = [paired(a, b) for a, b in zip(several.T, one.T, strict=True)]
                rows.append((player, regime.name, *map(difference, cells)))
    if not rows:
        return []
    said = "**Price of pairs in progress**: tau minus that of the same sampler with one at a time."
    return [said, table(("", "regime", *map(per_item, result.looks)), rows)]


def _proofs(result: ContestResult) -> list[str]:
    """How many votes of a perfect judge prove the order."""
    rows: list[tuple[object, ...]] = []
    regimes = [each for each in result.regimes if _is_perfect(result, each)]
    for player in result.players:
        cells = [_proof(result.values(each.name, _entry(player, PROVEN))) for each in regimes]
        if any(cells):
            rows.append((player, *cells))
    if not rows:
        return []
    said = (
        "**Votes per item of a perfect judge until they prove the order**, median; in brackets the "
        "share of runs in which they do before the last look."
    )
    return [said, table(("", *(each.name for each in regimes)), rows)]


def _is_perfect(result: ContestResult, regime: Regime) -> bool:
    values = result.values(regime.name, _entry(REFERENCE, PROVEN))
    return values is not None and not np.isnan(values).all()


def _proof(values: np.ndarray | None) -> str:
    if values is None:
        return ""
    share = np.isfinite(values).mean()
    median = np.median(values)
    return (f"{median:.2f}" if np.isfinite(median) else "-") + (
        "" if share == 1 else f" ({share:.0%})"
    )


def times(result: ContestResult) -> str:
    """Return the times of each player in each regime; the median run has compiled all."""
    rows = []
    for regime in result.regimes:
        found = [result.values(regime.name, _entry(each, MILLISECONDS)) for each in result.players]
        rows.append((regime.name, *numbers(np.array([_whole_campaign(each) for each in found]))))
    return table(("regime", *result.players), rows)


def _whole_campaign(milliseconds: np.ndarray | None) -> float:
    if milliseconds is None:
        return np.nan
    by_look = np.median(milliseconds, axis=0)
    reached = by_look[~np.isnan(by_look)]
    return float(reached[-1]) if len(reached) else np.nan


def table(heads: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Rows as a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def per_item(look: float) -> str:
    """A number of votes per item."""
    return f"{look:g}"


def number(value: float, sign: str = "") -> str:
    """With three decimals and no leading zero."""
    return f"{value:{sign}.3f}".replace("0.", ".", 1)


def numbers(values: np.ndarray) -> list[str]:
    """The same of several; nothing for NaN."""
    return ["" if np.isnan(value) else number(value) for value in values.tolist()]


def difference(cell: Paired, *, z: bool = True) -> str:
    """Difference and error; in brackets, how many errors, unless the error is 0."""
    if cell.is_missing:
        return ""
    said = f"{number(cell.mean, '+')} ± {number(cell.stderr)}"
    return f"{said} ({cell.z:+.1f})" if z and cell.stderr else said
