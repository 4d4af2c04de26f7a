"""Values for options: mostly sensible, sometimes not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from fuzz.files import VoteFile
from fuzz.mutations import mutate
from fuzz.names import HOSTILE
from fuzz.sheets import Cell
from fuzz.votes import Crowd

ABSURD_NUMBERS = (
    "0", "-1", "1e308", "nan", "inf", "-inf", "1e-320", "9" * 30, "0.5", "", "x", "1,5", "٣",
)  # fmt: skip
TABLES = (".csv", ".parquet", ".json")
CHARTS = (".html", ".svg", ".png", ".pdf")
STRATEGIES = (
    "auto", "rank", "bayesian", "d-optimal", "a-optimal", "fiedler", "crowd-bt", "rounds", "random",
)  # fmt: skip
LINKS = ("uniform", "bradley-terry", "thurstone-mosteller", "angular")
MODELS = ("hodgerank", "bradley-terry", "thurstone-mosteller", "robust", "bayes")
KINDS = ("honest", "random", "adversarial", "position-biased", "tie-happy")
CONDITIONS = (
    "worker != 'tea'", "weight > 1", "scene = 'street'", "scene in ('street', 's3')", "1 = 1",
    "worker is null", "nothing > 2", "left like 't%'", "time > 5 and not weight < 2", "drop table",
    "\"", "1/0", "worker", "sum(weight) > 1", "left = right", "",
)  # fmt: skip


@dataclass
class Desk:
    """What is at hand while a command line is drawn, and what it will read and write."""

    rng: Random
    crowd: Crowd
    votes: list[VoteFile]
    reads_votes: bool
    inputs: dict[str, bytes] = field(default_factory=dict)
    outputs: dict[str, bytes | None] = field(default_factory=dict)

    def read(self, name: str, content: bytes) -> str:
        """An input beside the votes."""
        if self.rng.random() < 0.15:
            content = mutate(self.rng, content)
        self.inputs[name] = content
        return f"in/{name}"

    def write(self, name: str, old: bytes | None) -> str:
        """An output, with or without something in its place."""
        self.outputs[name] = old
        return f"out/{name}"


def draw_values(desk: Desk, command: str, option: str, size: int) -> list[str]:
    """As many values as the option takes."""
    rng = desk.rng
    makers = {**EVERYWHERE, **SPECIAL.get(command, {})}
    make = makers.get(option, _anything)
    values = make(desk)
    if rng.random() < 0.06:
        values = [rng.choice((*ABSURD_NUMBERS, *HOSTILE[:20])) for _ in values]
    return [value.replace("\0", "") for value in (values * size)[:size]]


def _one_of(*values: object) -> Callable[[Desk], list[str]]:
    return lambda desk: [str(desk.rng.choice(values))]


def _column(*parts: str | int) -> Callable[[Desk], list[str]]:
    """Mostly the column at this place, or the first of these that accompany an answer."""

    def make(desk: Desk) -> list[str]:
        sheet = desk.votes[0].sheet
        fitting = [sheet.header[part] for part in parts if isinstance(part, int)]
        fitting += [sheet.company[str(part)] for part in parts if part in sheet.company]
        is_fitting = fitting and desk.rng.random() < 0.8
        return [fitting[0] if is_fitting else desk.rng.choice(sheet.header)]

    return make


def _cell(desk: Desk) -> list[str]:
    """Something that stands in the file, such as the name of an item or a worker."""
    rows = desk.votes[0].sheet.rows
    cells: list[Cell] = desk.rng.choice(rows) if rows else ["tea"]
    return [str(desk.rng.choice([*cells, *desk.crowd.items[:2]]))]


def _output(*suffixes: str) -> Callable[[Desk], list[str]]:
    def make(desk: Desk) -> list[str]:
        rng = desk.rng
        if rng.random() < 0.1:
            unlikely = ["out/nowhere/x.csv", "out", "/dev/null", "out/x.docx"]
            unlikely += [f"in/{file.name}" for file in desk.votes if desk.reads_votes]
            return [rng.choice(unlikely)]
        name = f"{rng.choice(('result', 'result', '[b]', 'ünï', 'a b'))}{rng.choice(suffixes)}"
        return [desk.write(name, rng.choice((None, b"old content\n")))]

    return make


def _state(desk: Desk) -> list[str]:
    return [desk.write("state.parquet", desk.rng.choice((None, None, None, b"", b"PAR1 broken")))]


def _scores(desk: Desk) -> list[str]:
    rng = desk.rng
    names = [name for name in desk.crowd.items if "\n" not in name and '"' not in name]
    lines = [f'"{name}",{rng.choice((rng.random(), 1e308, 0, -3))}' for name in names]
    text = "item,score\n" + "\n".join(lines) + "\n"
    return [desk.read("truth.csv", text.encode())]


def _item_list(desk: Desk) -> list[str]:
    lines = [*(name for name in desk.crowd.items if "\n" not in name), "one nobody has seen"]
    return [desk.read("items.txt", "\n".join(lines).encode())]


def _pair_list(desk: Desk) -> list[str]:
    names = [name for name in desk.crowd.items if "\n" not in name and '"' not in name]
    pairs = [desk.rng.sample(names, 2) for _ in range(3)] if len(names) > 1 else [["a", "a"]]
    lines = [f'"{left}","{right}"' for left, right in pairs]
    return [desk.read("pairs.csv", "\n".join(["left,right", *lines]).encode())]


def _pairs_or_item(desk: Desk) -> list[str]:
    return desk.rng.choice((_pair_list, _cell))(desk)


def _flagged_or_listed(desk: Desk) -> list[str]:
    if desk.rng.random() < 0.5:
        return ["flagged"]
    names = "\n".join(desk.crowd.workers[:2])
    return [desk.read("workers.txt", names.encode())]


def _kinds_of_workers(desk: Desk) -> list[str]:
    rng = desk.rng
    kinds = [f"{rng.choice(KINDS)}={rng.choice((0, 1, 3, 10))}" for _ in range(rng.randint(1, 3))]
    return [rng.choice((",".join(kinds), ",".join(kinds), "honest", "honest=9999999999999", "=3"))]


def _anything(desk: Desk) -> list[str]:
    """For options that came after this was written."""
    return desk.rng.choice((_column(), _cell, _one_of(*ABSURD_NUMBERS), _one_of(1, 2)))(desk)


EVERYWHERE: dict[str, Callable[[Desk], list[str]]] = {
    **dict.fromkeys(("left", "winner", "ballot"), _column(0)),
    **dict.fromkeys(("right", "loser", "item"), _column(1)),
    **dict.fromkeys(("outcome", "count", "position"), _column(-1)),
    "worker": _column("worker"),
    "weight": _column("weight"),
    "time": _column("time"),
    "by": _column("scene", "worker"),
    "compare": _column("worker", "scene"),
    "model": _one_of(*MODELS),
    "link": _one_of(*LINKS),
    "components": _one_of("connected", "separate"),
    "covariance": _one_of("model", "worker", "ballot"),
    "ridge": _one_of(0, 0.1, 1, 1e-12, 1e12),
    "confidence": _one_of(0.5, 0.95, 0.999999),
    "top": _one_of(0, 1, 3, 10**9),
    "outcome_as": _one_of("number", "word", "item"),
    "scale": lambda desk: desk.rng.choice((["0", "1"], ["1", "7"], ["-1", "1"], ["1", "1"])),
    "encoding": _one_of("latin-1", "utf-16", "cp1252", "ascii", "klingon", "base64", "idna"),
    "separator": _one_of(",", ";", "\\t", "|", " ", "ab", '"', "é"),
    "sheet": _one_of("Sheet1", "nothing"),
    "where": _one_of(*CONDITIONS),
    "truth": _scores,
    "state": _state,
    "output": _output(*TABLES),
    "items": _item_list,
    "exclude": _pairs_or_item,
    "exclude_workers": _flagged_or_listed,
    "pending": _pair_list,
    "for_worker": _cell,
    "budget": _one_of(1, 5, 40, 300),
    "target": _one_of(0, 0.5, 0.9, 1, 1.5),
    "strategy": _one_of(*STRATEGIES),
    "seed": _one_of(0, 1, 2, 2**31, 2**64),
    "runs": _one_of(1, 2),
    "min_votes": _one_of(0, 1, 3, 100),
    "false_positive_rate": _one_of(0.01, 0.05, 0.5, 0, 1, 2),
    "false_discovery_rate": _one_of(0.01, 0.05, 0.5, 0, 1, 2),
}
SPECIAL: dict[str, dict[str, Callable[[Desk], list[str]]]] = {
    "simulate": {
        "items": _one_of(2, 3, 10, 10, 10, 40, 0, 1, -5, 10**9, 10**12, 10**30),
        "n_votes": _one_of(1, 10, 10, 200, 200, 200, 0, -1, 10**10, 10**15, 10**30),
        "spread": _one_of(0, 1, 3, 1e6, 1e308, -1, "nan"),
        "workers": _kinds_of_workers,
        "pairs": _one_of("random", "rounds", "auto"),
        "truth": _output(*TABLES),
        "output": _output(*TABLES, ".csv", ".html"),
    },
    "rank": {"output": _output(*TABLES, *CHARTS)},
    "report": {"output": _output(".html", ".md", ".md", ".json"), "form": _one_of("html", "md")},
    "replay": {"n_votes": _one_of(1, 5, 30, 10**12), "output": _output(*TABLES, *CHARTS)},
    "reproduce": {"output": _one_of("in", "/dev/null/x", "")},
}
