"""Cases: a command line with its files, drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from random import Random

from fuzz.files import VoteFile, draw_file
from fuzz.options import Command, Option, commands
from fuzz.sheets import mixes_types
from fuzz.tally import Tally
from fuzz.values import Desk, draw_values
from fuzz.votes import draw_crowd

OFTEN = {
    "rank": 40, "trust": 10, "plan": 10, "replay": 6, "workers": 10, "outliers": 8, "describe": 16,
    "simulate": 6, "report": 6, "reproduce": 1, "doctor": 1,
}  # fmt: skip
# How a command is started: within a process that is there already, or in one of its own.
PROCESS_MODES = (
    "stdin", "stdin", "fifo", "fifo", "stdin closed", "stdout closed", "stderr closed",
    "stdout full", "read no further", "interrupted",
)  # fmt: skip
OFTEN_IN_A_PROCESS = 0.06
# Options after which a file holds what it held before.
HARMLESS = frozenset({
    "as_json", "top", "model", "link", "components", "covariance", "ridge", "confidence", "output",
    "skip_invalid", "display_known", "seed", "truth", "false_positive_rate", "again",
    "false_discovery_rate", "strategy", "runs", "n_votes", "replacement", "budget", "target", "by",
})  # fmt: skip
# Options that mostly make a file unreadable which was readable without them.
ABOUT_READING = frozenset({
    "left", "right", "outcome", "winner", "loser", "worker", "weight", "time", "count", "ballot",
    "item", "position", "outcome_as", "scale", "encoding", "separator", "sheet", "no_header",
    "where",
})  # fmt: skip
WIDTHS = (20, 40, 80, 100, 100, 200)


@dataclass
class Case:
    """A command line, the files it finds, and what is to be expected of it.

    Attributes
    ----------
    inputs, outputs
        Files in the folders `in` and `out`; an output without old content does not exist yet.
    piped
        The input that comes by standard input, or through a named pipe.
    times
        How often the command is run, one time after the other.
    tally
        What the votes hold, where that is certain.
    is_refused, is_readable
        Whether the votes must not be taken, and whether they must be.
    """

    seed: int
    command: str
    arguments: list[str]
    mode: str = "inside"
    inputs: dict[str, bytes] = field(default_factory=dict)
    outputs: dict[str, bytes | None] = field(default_factory=dict)
    piped: str | None = None
    times: int = 1
    width: int = 100
    format: str = "-"
    layout: str = "-"
    options: frozenset[str] = frozenset()
    tally: Tally | None = None
    is_refused: bool = False
    is_readable: bool = False


def draw_case(seed: int, *, process_share: float = OFTEN_IN_A_PROCESS) -> Case:
    """The case of a seed."""
    rng = Random(seed)
    known = commands()
    names = [name for name in OFTEN if name in known]
    command = known[rng.choices(names, [OFTEN[name] for name in names])[0]]
    crowd = draw_crowd(rng)
    size = rng.randint(2, 3) if command.takes_files > 1 and rng.random() < 0.1 else 1
    votes = [draw_file(rng, crowd, place) for place in range(size)]
    desk = Desk(rng, crowd, votes, reads_votes=command.takes_files > 0)
    drawn = _made_bearable(command.name, _draw_options(desk, command))
    words = [word for spelled in drawn.values() for word in spelled]
    files = desk.votes if command.takes_files else []
    desk.inputs |= {file.name: file.content for file in files}
    needed = _needed(command, files[0]) if len(files) == 1 else []
    sources = [f"in/{file.name}" for file in files]
    if len(files) == 1 and files[0].format == "Parquet" and rng.random() < 0.3:
        sources = ["in/*" + PurePath(files[0].name).suffix]
    case = Case(
        seed=seed,
        command=command.name,
        arguments=[command.name, *sources, *needed, *words],
        width=rng.choice(WIDTHS),
        format=" and ".join(dict.fromkeys(file.format for file in files)) or "-",
        layout=" and ".join(dict.fromkeys(file.layout for file in files)) or "-",
        options=frozenset(drawn),
        inputs=desk.inputs,
        outputs=desk.outputs,
        times=2 if "state" in drawn else 1,
    )
    _expect(case, files, command)
    if rng.random() < 0.01:
        case.arguments.append(rng.choice(("--help", "--nonsense", "surplus", "\udcff", "\x1b[1m")))
        case.tally, case.is_refused, case.is_readable = None, False, False
    if rng.random() < process_share and files:
        _start_otherwise(rng, case, files)
    return case


def _draw_options(desk: Desk, command: Command) -> dict[str, list[str]]:
    """Some options by name, each with its values."""
    rng = desk.rng
    drawn: dict[str, list[str]] = {}
    chosen = rng.sample(command.options, min(len(command.options), rng.choice((0, 1, 2, 3, 5))))
    for name, how_often in (("as_json", 0.5), ("skip_invalid", 0.65), ("output", 0.2)):
        if rng.random() < how_often:
            chosen += [option for option in command.options if option.name == name]
    if command.name == "replay":
        chosen += [option for option in command.options if option.name in ("runs", "n_votes")]
    if command.name == "simulate":
        chosen += [option for option in command.options if option.name in ("output", "n_votes")]
    if rng.random() < 0.85:
        chosen = [option for option in chosen if option.name not in ABOUT_READING]
    for option in dict.fromkeys(chosen):
        drawn[option.name] = _spelled(desk, command, option)
    return drawn


def _spelled(desk: Desk, command: Command, option: Option) -> list[str]:
    words = [desk.rng.choice(option.spelled)]
    return words + draw_values(desk, command.name, option.name, option.size) * bool(option.size)


def _made_bearable(command: str, drawn: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without what would rightly take an hour."""
    if command == "simulate" and "auto" in drawn.get("pairs", ()):
        drawn |= {"n_votes": ["--votes", "30"], "items": ["--items", "6"]}
    if command == "replay" and drawn["n_votes"][-1].isdecimal() and len(drawn["n_votes"][-1]) > 3:
        drawn.pop("replacement", None)
    if command == "reproduce":
        drawn["names"] = ["nothing of this name"]
    return drawn


def _needed(command: Command, file: VoteFile) -> list[str]:
    """What the file must be read with, where the command knows it."""
    known = all(command.has(word) for word in file.options if word.startswith("--"))
    return file.options if known else []


def _expect(case: Case, files: list[VoteFile], command: Command) -> None:
    """What is in the files, unless an option changes that, or nobody can tell."""
    is_told = len(files) == 1 and _needed(command, files[0]) == files[0].options
    is_plain = len(files) > 1 and not any(file.options for file in files)
    if not (is_told or is_plain) or not case.options <= HARMLESS:
        return
    by = dict(zip(case.arguments, case.arguments[1:], strict=False)).get("--by")
    if by is not None and any(file.sheet.company.get("scene") != by for file in files):
        return
    if any(file.tally is None for file in files):
        return
    if command.name == "plan" and files[0].name.endswith(".txt"):
        return  # it is taken for a list of items
    if len(files) > 1 and mixes_types([file.sheet for file in files]):
        return
    tally = sum((file.tally for file in files if file.tally), Tally())
    case.is_refused = any(file.is_refused for file in files) or not tally.answers
    if tally.rejected and "skip_invalid" not in case.options:
        case.is_refused = True
    case.is_readable = not case.is_refused and not case.options & {"by", "truth", "output"}
    case.tally = None if case.is_refused else tally


def _start_otherwise(rng: Random, case: Case, files: list[VoteFile]) -> None:
    """In a process of its own, with streams that are pipes, full or closed."""
    case.mode = rng.choice(PROCESS_MODES)
    name = files[0].name
    if case.mode in ("stdin", "stdin closed"):
        case.piped = name
        case.arguments[1] = "-"
    elif case.mode == "fifo":
        case.piped = name
    if case.piped is not None:
        case.times = 1
        is_text = files[0].format in ("CSV", "TSV", "semicolons", "decimal commas", "bars")
        if not is_text or case.command == "plan":
            case.tally, case.is_readable = None, False
