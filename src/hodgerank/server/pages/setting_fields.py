"""The settings as fields of a form: what kind each is, and under which heading it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, get_args

from hodgerank.campaign.attention import RULES
from hodgerank.campaign.panel import PARAMETERS
from hodgerank.estimators.position.cells import POSITIONS
from hodgerank.sampling.display import Display
from hodgerank.sampling.samplers.by_name import STRATEGIES

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
        """Of its texts."""
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
        Field("position", "word", ("", *POSITIONS)),
        Field("display", "line", get_args(Display)),
        Field("vetting", "whole"),
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
