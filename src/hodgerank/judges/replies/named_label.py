"""named_label: the one label that a reply names as its answer, if it plainly does."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from hodgerank.judges.replies.verdict_lines import (
    ANSWER_KEYS,
    CHOICE_KEYS,
    CHOSEN,
    INTRODUCED,
    PRAISED,
    contradicted,
)

LONGEST_VERDICT = 120  # characters of a line that says no more than which label it is
_PAIRS = "()[]{}<>\"\"''“”‘’„“«»「」『』【】$$__"
_WRAPPED = {_PAIRS[place : place + 2] for place in range(0, len(_PAIRS), 2)}
_LATEX = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf)\{(.*)\}")
_BULLET = re.compile(r"[-+*•·>]\s")
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:answer|final_answer|verdict|choice|output|result)>", re.IGNORECASE)
_RULE = re.compile(r"```\w*|[-*_=]{3,}")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\ufe0f"))


class Named(NamedTuple):
    """A label, and whether the first line names it; if not, the last does."""

    label: str
    in_first_line: bool


def named_label(text: str, labels: Mapping[str, float | None], *, is_cut: bool) -> Named | str:
    r"""The label that a reply names, or in words why there is none.

    The reply must be the label, or end or begin with a line that says no more than which label it
    is; all lines that say so must agree. Of a reply that was cut off only a line that is complete
    counts: "A" may be the beginning of "A summary should ...".

    >>> named_label("Both are fine, but:\n\n**Answer: B**", {"A": 1, "B": -1}, is_cut=False)
    Named(label='B', in_first_line=False)
    >>> named_label("A or B", {"A": 1, "B": -1}, is_cut=False)
    'the reply names no label as its answer'
    """
    spoken = without_thoughts(text)
    lines = _lines(spoken)
    if not lines:
        return "the reply is empty"
    known = _Labels(labels)
    said = [known.said_in(line) for line in lines]
    different = list(dict.fromkeys(label for label in said if label))
    if len(different) > 1:
        return f"the reply says {' and '.join(different)}"
    first, last = said[0], said[-1]
    if last and not is_cut:
        return Named(last, in_first_line=len(lines) == 1)
    is_complete = len(lines) > 1 or spoken.endswith(("\n", "\r"))
    if first and is_complete and not (is_cut and _may_be_heading(lines[0], first)):
        others = [label for label in labels if label != first]
        if contradicted("\n".join(lines[1:]), others):
            return f"the reply begins with {first} and then says otherwise"
        return Named(first, in_first_line=True)
    return "the reply names no label as its answer"


def without_thoughts(text: str) -> str:
    """What is left of a reply without what the model thought before: <think> ... </think>."""
    end = len(text)
    for tag in reversed(list(_THOUGHT.finditer(text))):
        if tag[1]:
            return text[tag.end() : end]
        end = tag.start()  # of a thought that was not finished
    return text[:end]


class _Labels:
    """The labels by how they look in a plain line."""

    def __init__(self, labels: Mapping[str, float | None]) -> None:
        self._by_look = {_plain(label): label for label in labels}
        # 'text 2' is not the grade 2, and an item is neither a tie nor an abstention
        self._items = {label for label, y in labels.items() if y and not label.isdecimal()}

    def said_in(self, line: str) -> str | None:
        """The label, if the line says which one it is and no more."""
        if line.startswith("{") and (pairs := _object(line)):
            return self._said_in_json(pairs)
        if len(line) > LONGEST_VERDICT or _BULLET.match(line):  # an entry of a list is no answer
            return None
        plain = _plain(line)
        if introduced := INTRODUCED.fullmatch(plain):
            plain = _plain(introduced["rest"])
        return self._by_look.get(plain) or self._item_in(plain)

    def _item_in(self, plain: str) -> str | None:
        for pattern in (CHOSEN, PRAISED):
            if found := pattern.fullmatch(plain):
                label = self._by_look.get(_plain(found["rest"]))
                if label in self._items:
                    return label
        return None

    def _said_in_json(self, pairs: list[tuple[str, object]]) -> str | None:
        said = set()
        for key, value in pairs:
            name = _plain(key).replace(" ", "_")
            if name in ANSWER_KEYS | CHOICE_KEYS:
                label = self.said_in(str(value)) if isinstance(value, str | int) else None
                said.add(label if name in ANSWER_KEYS or label in self._items else None)
        return said.pop() if len(said) == 1 else None


def _lines(text: str) -> list[str]:
    """The lines that say something; a JSON object at the end is one, however it is broken."""
    start, end = text.rfind("{"), text.rfind("}") + 1
    joined = " ".join(text[start:end].splitlines()) if 0 <= start < end else ""
    if _object(joined):
        text = f"{text[:start]}\n{joined}\n{text[end:]}"
    lines = (line.strip() for line in _TAG.sub("\n", text).splitlines())
    return [line for line in lines if line and not _RULE.fullmatch(line)]


def _may_be_heading(line: str, label: str) -> bool:
    """Whether something about this item may follow: '**A**', 'Item A'."""
    if INTRODUCED.fullmatch(_plain(line)):
        return False
    return line.rstrip(".").casefold() != label.casefold()


def _plain(line: str) -> str:
    """A line in one case and width, without emphasis, quotes, brackets and full stop around it."""
    line = unicodedata.normalize("NFKC", line).translate(_INVISIBLE).replace("’", "'")
    line = " ".join(re.sub(r"[*`]|^#+ ", "", line).casefold().split())
    before = None
    while line != before:
        before = line
        line = re.sub(r"(?<![.!。])[.!。]$", "", line).strip()
        if len(line) > 2 and line[0] + line[-1] in _WRAPPED:
            line = line[1:-1].strip()
        if found := _LATEX.fullmatch(line):
            line = found[1]
    return line


def _object(line: str) -> list[tuple[str, object]]:
    """The keys and values of a JSON object, repeated keys too; nothing if it is none."""
    try:
        pairs = json.loads(line, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return []
    return pairs if isinstance(pairs, list) else []
