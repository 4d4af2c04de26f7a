"""What a stand-in knows: the texts or images of a file of items, and their true scores."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

from hodgerank.data.items.sources import columns_by_part, rows_of_folder
from hodgerank.errors import InvalidArgument, did_you_mean
from hodgerank.judges.stand_in.prompt import IMAGE

SCORE = "score"
SPREAD = 1.5
"""Of scores that are drawn, on the logit scale."""


class Known(NamedTuple):
    """Scores by what is shown, and by item where they had to be drawn."""

    scores: dict[str, float]
    drawn: dict[str, float] | None


class _Shown(NamedTuple):
    """What a row shows of which item, and its score, where the file has one."""

    item: str
    name: str
    score: float | None


def read_known(
    path: Path,
    *,
    id: str | None = None,
    text: str | None = None,
    image: str | None = None,
    score: str | None = None,
    seed: int = 0,
) -> Known:
    """The scores in a file or folder that the judge command reads, or scores drawn for its items.

    What is shown by several rows cannot be told apart, and has the mean of their scores.
    """
    if path.is_dir():
        if score is not None:
            raise InvalidArgument(f"{path} is a folder, and has no column {score}")
        rows, _ = rows_of_folder(path)
        shown = [_Shown(row.item, _name(row.sample.text, row.sample.image), None) for row in rows]
    else:
        shown = list(_rows(path, {"id": id, "text": text, "image": image}, score))
    rng = Random(f"{seed} scores")
    drawn = {item: round(rng.gauss(0, SPREAD), 2) for item in dict.fromkeys(s.item for s in shown)}
    found: dict[str, list[float]] = {}
    for item, name, value in shown:
        found.setdefault(name, []).append(drawn[item] if value is None else value)
    scores = {name: mean(values) for name, values in found.items()}
    return Known(scores, drawn if any(each.score is None for each in shown) else None)


def _rows(path: Path, given: Mapping[str, str | None], score: str | None) -> Iterable[_Shown]:
    from hodgerank.data.sources.files import open_file

    table = open_file(path)
    parts = columns_by_part(table, given)
    wanted = score or SCORE
    scored = next((name for name in table.columns if name.strip().lower() == wanted.lower()), None)
    if scored is None and score is not None:
        raise InvalidArgument(
            f"{path} has no column {score}{did_you_mean(score, table.columns)}: "
            f"there are {', '.join(table.columns)}"
        )
    columns = [*parts.values(), *([] if scored is None else [scored])]
    frame, _ = table.rows(list(dict.fromkeys(columns)))
    for place, row in enumerate(frame.iter_rows(named=True), 1):
        text, image = (row[parts[part]] if part in parts else None for part in ("text", "image"))
        if text is None and image is None:
            continue
        where = f"{path}, row {place:,}, column {scored}"
        yield _Shown(
            str(row[parts["id"]]),
            _name(text, None if image is None else path.parent / str(image)),
            None if scored is None else _number(row[scored], where),
        )


def _name(text: object, image: Path | None) -> str:
    """What a sample is known by: its text, or the bytes of its image where it has none."""
    if text is not None or image is None:
        return str(text).strip()
    try:
        return IMAGE + hashlib.sha256(image.read_bytes()).hexdigest()
    except OSError as error:
        raise InvalidArgument(f"{image} cannot be read: {error.strerror}") from None


def _number(value: object, where: str) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise InvalidArgument(f"{where}: a score must be a number, not {value!r}")
    return number
