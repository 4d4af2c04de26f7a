"""The form of settings: from settings to fields, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, get_args

from starlette.datastructures import FormData

from hodgerank.campaign.attention_checks import RULES
from hodgerank.campaign.page_settings import PARAMETERS
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.collecting.stopping import read_rule
from hodgerank.errors import HodgeRankError
from hodgerank.estimators.position_bias.groupings import POSITIONS
from hodgerank.estimators.score_scale import UNITS
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.samplers.registry import STRATEGIES
from hodgerank.types import Item

TOPS = ("top-1", "top-3", "top-5", "top-10")
"""Samplers that aim at the best; any other number can be set by a command."""


class Field(NamedTuple):
    """A setting in a form.

    Attributes
    ----------
    name
        As settings have it, 'budget' or 'pages.language'.
    kind
        What can stand in it: 'line', 'word' (or none), 'text', 'lines' (one in each), 'rule',
        'flag', 'whole', 'number', 'several' (of its choices), and rows of fields: 'gold',
        'practice', 'questions'.
    choices
        What there is to choose from; none where it is written.
    """

    name: str
    kind: str
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Key of the texts of the field."""
        return self.name.replace(".", "_")


GROUPS: Mapping[str, tuple[Field, ...]] = {
    "asking": (
        Field("title", "line"),
        Field("question", "line"),
        Field("instructions", "text"),
        Field("ties", "flag"),
        Field("grades", "whole", ("1", "2", "3", "5", "0")),
        Field("skip_reasons", "lines"),
    ),
    "enough": (
        Field("budget", "whole"),
        Field("stop", "rule"),
    ),
    "limits": (
        Field("answers_per_worker", "whole"),
        Field("repeat_share", "number"),
        Field("lease_seconds", "number"),
        Field("open_per_worker", "whole"),
        Field("open_per_item", "whole"),
        Field("workers_see_results", "flag"),
    ),
    "pairs": (
        Field("sampler", "line", (*STRATEGIES, *TOPS)),
        Field("ranking", "line", ("robust", "plain")),
        Field("position_bias", "word", ("", *POSITIONS)),
        Field("score_scale", "line", ("model", *UNITS)),
        Field("display", "line", get_args(Display)),
        Field("vetting", "whole"),
        Field("easy_share", "number"),
        Field("choose_workers", "flag"),
        Field("seed", "whole"),
    ),
    "gold": (
        Field("gold", "gold"),
        Field("gold_share", "number"),
    ),
    "attention": (
        Field("attention.fastest_seconds", "number"),
        Field("attention.same_side", "whole"),
        Field("attention.most_gold_misses", "number"),
        Field("attention.most_contradictions", "number"),
        Field("attention.focus", "flag"),
        Field("attention.exclude", "several", tuple(RULES)),
        Field("attention.alarm_share", "number"),
    ),
    "joining": (
        Field("joining.consent", "text"),
        Field("joining.practice", "practice"),
        Field("joining.questions", "questions"),
        Field("joining.tries", "whole"),
    ),
    "panel": (
        Field("panel.kind", "line", tuple(PARAMETERS)),
        Field("panel.completed", "line"),
        Field("panel.screened_out", "line"),
        Field("panel.withdrawn", "line"),
        Field("panel.return_to", "line"),
        Field("panel.return_origins", "lines"),
    ),
    "pages": (
        Field("pages.language", "line", ("en", "de")),
        Field("pages.keys", "flag"),
        Field("pages.markdown", "flag"),
        Field("pages.start_together", "flag"),
        Field("pages.hear_both", "flag"),
    ),
}
"""By heading, in the order of the page."""

FIELDS = tuple(field for group in GROUPS.values() for field in group)
ELSEWHERE = ("pages.entrance",)
"""Settings that have a button instead of a field."""


ROWS = {
    "gold": ("better", "worse"),
    "practice": ("better", "worse", "because"),
    "questions": ("question", "answers", "right"),
}
"""Of settings that are lists of small tables: the fields of a row."""
EMPTY_ROWS = 2
MOST_FIELDS = 3000
MEANWHILE = (
    "These settings were changed elsewhere while this page was open. Save again to overwrite that "
    "change."
)


@dataclass(frozen=True)
class SettingsForm:
    """Values of the fields of a form, and the errors in them.

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
        """Return the values as JSON, which a form sends back together with the edited fields."""
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
    """Read the values of the fields that a form has.

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
    """Convert the text of a field to a value; text that cannot be converted is refused later."""
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
