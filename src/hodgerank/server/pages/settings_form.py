"""The form of settings: from settings to what stands in its fields, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from starlette.datastructures import FormData

from hodgerank.campaign.settings import CampaignSettings
from hodgerank.collecting.rule_text import read_rule
from hodgerank.errors import HodgeRankError
from hodgerank.server.pages.setting_fields import FIELDS, Field
from hodgerank.types import Item

ROWS = {
    "gold": ("better", "worse"),
    "practice": ("better", "worse", "because"),
    "questions": ("question", "answers", "right"),
}
"""Of settings that are lists of small tables: the fields of a row."""
EMPTY_ROWS = 2
MOST_FIELDS = 3000
MEANWHILE = (
    "This was changed elsewhere while you had the page open. Save again to replace that by what "
    "stands here."
)


@dataclass(frozen=True)
class SettingsForm:
    """What stands in the fields, and what is wrong with it.

    Attributes
    ----------
    values
        By the names of settings: text, a flag, a list of texts, or rows of texts.
    wrong
        What is wrong, beside which field; "" is for what is wrong with all of it.
    """

    values: Mapping[str, Any]
    wrong: dict[str, str] = field(default_factory=dict)

    def changes(self, known: Mapping[str, Item]) -> dict[str, Any]:
        """Settings as `CampaignSettings.changed` takes them; `known` are the items by name."""
        found: dict[str, Any] = {}
        for one in FIELDS:
            if one.name in self.values:
                group, _, name = one.name.rpartition(".")
                place = found.setdefault(group, {}) if group else found
                place[name] = _setting(one, self.values[one.name], known)
        return found

    def check(self, before: CampaignSettings, known: Mapping[str, Item]) -> CampaignSettings | None:
        """The settings that it means; None where something is wrong, which is then told."""
        changes = self.changes(known)
        for one in FIELDS:
            if one.name in self.values:
                group, _, name = one.name.rpartition(".")
                value = changes[group][name] if group else changes[name]
                self._look(one, value, getattr(before, group) if group else before)
        if self.wrong:
            return None
        try:
            return before.changed(changes)
        except HodgeRankError as error:
            self.tell(error)
            return None

    def tell(self, error: HodgeRankError) -> None:
        """Note an error beside the field that it is about, as far as its words tell."""
        words = str(error)
        names = [one.name for one in FIELDS if words.startswith(one.name)]
        name = max(names, key=len, default="")
        if not name:
            name = next((kind for kind in ("gold", "practice") if f"the {kind} pair" in words), "")
        self.wrong["joining.practice" if name == "practice" else name] = words

    def told(self) -> str:
        """What stands in the fields, for a form to send back beside what was written into them."""
        return json.dumps(dict(self.values))

    def changed_from(self, shown: str, now: SettingsForm) -> SettingsForm:
        """Only what differs from what was `shown`, as `told` has it; all of it where that is empty.

        What has become something else `now` is told.
        """
        before = _plain(shown)
        if before is None:
            return self
        written, present = json.loads(self.told()), json.loads(now.told())
        changed = {
            name: self.values[name]
            for name, value in written.items()
            if name not in before or value != before[name]
        }
        wrong = {
            name: MEANWHILE
            for name in changed
            if present[name] not in (before.get(name, present[name]), written[name])
        }
        return SettingsForm(changed, wrong)

    def _look(self, one: Field, value: Any, settings: Any) -> None:
        """Whether a single value is a proper one."""
        [known] = [known for known in fields(settings) if known.name == one.name.split(".")[-1]]
        try:
            proper = known.metadata["check"](value, one.name)
            if one.kind == "rule" and proper is not None:
                read_rule(proper)
        except HodgeRankError as error:
            self.wrong[one.name] = str(error)


def form_of(settings: CampaignSettings) -> SettingsForm:
    """The fields as they stand before anybody touches them."""
    values = {}
    for one in FIELDS:
        group, _, name = one.name.rpartition(".")
        holder = getattr(settings, group) if group else settings
        values[one.name] = _shown(one, getattr(holder, name))
    return SettingsForm(values)


def read_form(form: FormData) -> SettingsForm:
    """What was written into the fields that the form has.

    Of a box that is not ticked browsers send nothing, so that the form says which ones it `has`.
    """
    has = form.getlist("has")
    values: dict[str, Any] = {}
    for one in FIELDS:
        if one.name in has and one.kind in ROWS:
            values[one.name] = _rows(form, one)
        elif one.name in has and one.kind == "several":
            values[one.name] = [text for text in form.getlist(one.name) if isinstance(text, str)]
        elif one.name in has:
            values[one.name] = one.name in form
        elif isinstance(text := form.get(one.name), str):
            values[one.name] = text.replace("\r\n", "\n")
    return SettingsForm(values)


def _plain(shown: str) -> dict[str, Any] | None:
    try:
        found = json.loads(shown)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _rows(form: FormData, one: Field) -> list[dict[str, str]]:
    names = ROWS[one.kind]
    columns = [[str(text) for text in form.getlist(f"{one.name}.{name}")] for name in names]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=False)]
    return [row for row in rows if any(text.strip() for text in row.values())]


def _shown(one: Field, value: Any) -> Any:
    """A value as it stands in its field."""
    match one.kind:
        case "lines":
            return "\n".join(value)
        case "questions":
            return [{**vars(row), "answers": "\n".join(row.answers)} for row in value]
        case "gold" | "practice":
            return [{name: str(text) for name, text in vars(row).items()} for row in value]
        case "flag" | "several":
            return value
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _setting(one: Field, text: Any, known: Mapping[str, Item]) -> Any:
    """What stands in a field as a value; what cannot be one stays as it is, and is refused."""
    match one.kind:
        case "lines":
            return _lines(text)
        case "questions":
            return [
                {**row, "answers": _lines(row["answers"]), "right": row["right"].strip()}
                for row in text
            ]
        case "gold" | "practice":
            return [
                {**row, **{side: known.get(row[side], row[side]) for side in ("better", "worse")}}
                for row in text
            ]
        case "whole":
            return _number(text.replace(",", ""), int)
        case "number":
            return _number(text, float)
        case "rule" | "word":
            return text.strip() or None
        case "line":
            return text.strip()
    return text


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _number(text: str, kind: type[int] | type[float]) -> int | float | str | None:
    if not text.strip():
        return None
    try:
        return kind(text)
    except ValueError:
        return text
