"""Prompts as a fake model reads them: the two known items, and the labels offered."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, NamedTuple

from hodgerank.data.items.item_table import columns_by_part, rows_of_folder
from hodgerank.errors import InvalidArgument, did_you_mean
from hodgerank.judges.fake_llm.model_profile import Labels

IMAGE = "sha256:"
LABEL = r"(?<![\w.'’-]){}(?![\w'’-]|\.\w)"


class NotAPrompt(ValueError):
    """Messages that a fake model cannot answer, with the reason."""


class Place(NamedTuple):
    """Position of a known text in a prompt."""

    start: int
    end: int
    text: str
    is_apart: bool


def flat(messages: Any) -> str:
    """Return messages as one text, with 'sha256:' and a digest in place of each image."""
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        raise NotAPrompt("'messages' must be a list of messages")
    return "\n".join(piece for message in messages for piece in _pieces(message))


def _pieces(message: Any) -> Iterator[str]:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise NotAPrompt("each message must be an object with a 'role' and a 'content'")
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list):
        raise NotAPrompt("the 'content' of a message must be a text or a list of parts")
    for part in parts:
        match part:
            case {"type": "text", "text": str(text)}:
                yield text
            case {"type": "image_url", "image_url": {"url": str(url)}}:
                yield _digest(url)
            case _:
                raise NotAPrompt("a part of a message must be a text or an image_url")


def _digest(url: str) -> str:
    head, _, data = url.partition(",")
    if not head.startswith("data:image/") or not head.endswith(";base64"):
        raise NotAPrompt("an image must be given as a data URL: data:image/png;base64,...")
    try:
        return IMAGE + hashlib.sha256(base64.b64decode(data, validate=True)).hexdigest()
    except binascii.Error:
        raise NotAPrompt("the data of an image is not base64") from None


def shown(prompt: str, texts: Iterable[str]) -> tuple[Place, Place]:
    """Find the two known texts of a prompt, in the order in which it shows them.

    Longer texts come first, so that a text within another is not taken for an item; texts on lines
    of their own or between tags come before all others, so that a word of the instructions is not;
    of the same text, the last, since contexts come before the items.
    """
    places = [place for text in texts for place in _places(prompt, text)]
    places.sort(key=lambda place: (place.is_apart, place.end - place.start, place.start))
    found: list[Place] = []
    while places and len({place.text for place in found}) < 2:
        place = places.pop()
        if all(place.end <= other.start or other.end <= place.start for other in found):
            found.append(place)
    if len(found) < 2:
        raise NotAPrompt(
            f"the prompt shows {len(found)} known items, not two: start the fake model with the "
            "file that is judged"
        )
    left, right = sorted([found[0], found[-1]])
    return left, right


def _places(prompt: str, text: str) -> Iterator[Place]:
    start = prompt.find(text)
    while start >= 0:
        end = start + len(text)
        before, after = prompt[:start].rstrip(" \t")[-1:], prompt[end:].lstrip(" \t")[:1]
        yield Place(start, end, text, before in ("", "\n", ">") and after in ("", "\n", "<"))
        start = prompt.find(text, start + 1)


def offered(prompt: str, places: Sequence[Place]) -> Labels:
    """Return the labels a prompt offers: A and B, T for a tie, or grades from 1; X for no opinion.

    They are looked for after the items, or before them where nothing is offered there: contexts
    and items may name anything.
    """
    first, second = sorted(places)
    after = prompt[second.end :]
    where = after if _names(after, "[B1]") else prompt[: first.start] + after
    abstain: Labels = {"X": None} if _names(where, "X") else {}
    digits = {int(digit) for digit in re.findall(LABEL.format("([1-9])"), where)}
    last = max((k for k in range(3, 10) if digits >= set(range(1, k + 1))), default=None)
    if last is not None:
        return {str(k): 1 - 2 * (k - 1) / (last - 1) for k in range(1, last + 1)} | dict(abstain)
    tie: Labels = {"T": 0.0} if _names(where, "T") else {}
    return {"A": 1.0, "B": -1.0} | dict(tie) | dict(abstain)


def _names(text: str, label: str) -> bool:
    return re.search(LABEL.format(label), text) is not None


SCORE = "score"
SPREAD = 1.5
"""Standard deviation of scores that are drawn, on the logit scale."""


class KnownItems(NamedTuple):
    """Scores by text or image shown, and the scores drawn by item if some were missing."""

    scores: dict[str, float]
    drawn: dict[str, float] | None


class _Shown(NamedTuple):
    """Item of a row, the name of its sample, and its score if the file has one."""

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
) -> KnownItems:
    """Read the scores of items in a file or folder; draw scores if it has none.

    The formats are those of the judge command. Rows that show the same text or image are
    indistinguishable in a prompt, so they share the mean of their scores.
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
    return KnownItems(scores, drawn if any(each.score is None for each in shown) else None)


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
    """Return the name of a sample: its text, or a digest of its image if it has no text."""
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
