"""CampaignSettings: what is asked, of whom, how often and until when. They go to TOML and back."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

from hodgerank.campaign import settings_validation as values
from hodgerank.campaign.attention_checks import AttentionChecks, GoldPair, known_pairs
from hodgerank.campaign.page_settings import JoinSettings, PageSettings, RecruitmentPanel
from hodgerank.campaign.settings_validation import check_all, require_known, setting
from hodgerank.collecting.stopping import read_rule
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, MissingDependency
from hodgerank.estimators.position_bias.position_cells import Position
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.registry import build_sampler
from hodgerank.types import Item

VERSION = 2
OUTCOME_TOLERANCE = 1e-9


@dataclass(frozen=True)
class CampaignSettings:
    """All that the owner decides; None is no limit.

    Attributes
    ----------
    question
        Which of the two?
    title, instructions
        What else workers read.
    ties
        Whether "equally good" is an answer.
    grades
        How many steps an answer has on either side: 1 is a plain choice, 3 allows slightly,
        clearly, much better; 0 any outcome from -1 to 1, as programs give.
    skip_reasons
        What a worker may say who gives no answer; none: every task is to be answered.
    budget
        Most answers that count.
    stop
        A rule in words, such as "tau >= 0.9 and top 3": see `read_rule`.
    sampler, position_bias, vetting, display, seed
        Who chooses the pairs: see `build_sampler` and `AutoSampler`.
    ranking
        'robust' weighs answers by how far each worker can be trusted, 'plain' counts all alike.
    answers_per_worker
        Most answers of one worker, gold pairs and repeats included.
    open_per_worker, open_per_item
        Most tasks that one worker has, and that one item is in, at the same time.
    lease_seconds
        How long a worker may take for a task before it goes to somebody else.
    repeat_share
        Share of tasks that show a worker an earlier pair again, sides swapped: they tell how far
        workers agree with themselves, and do not count.
    gold, gold_share
        Pairs with a known answer, and the share of tasks that show one; they do not count.
    attention
        Rules that look at answers as they come.
    workers_see_results
        Whether workers may see the ranking.
    joining, panel, pages
        What workers meet before the first pair, where they come from, and how pages look.

    Examples
    --------
    >>> CampaignSettings("Which is sharper?", budget=500, stop="tau >= 0.9").grades
    1
    """

    question: str = setting("", values.text)
    title: str = setting("", values.text)
    instructions: str = setting("", values.text)
    ties: bool = setting(False, values.flag)
    grades: int = setting(1, values.whole(0, 50))
    skip_reasons: tuple[str, ...] = setting(("cannot decide",), values.texts)
    budget: int | None = setting(None, values.optional(values.whole(1)))
    stop: str | None = setting(None, values.optional(values.text))
    sampler: str = setting("auto", values.text)
    position_bias: Position | None = setting(None, values.position_bias)
    vetting: int = setting(0, values.whole(0, 1000))
    display: Display = setting("balanced", values.display)
    seed: int = setting(0, values.whole(0, 2**63 - 1))
    ranking: Literal["robust", "plain"] = setting("robust", values.ranking)
    answers_per_worker: int | None = setting(None, values.optional(values.whole(1)))
    open_per_worker: int = setting(50, values.whole(1))
    open_per_item: int | None = setting(None, values.optional(values.whole(1)))
    lease_seconds: float = setting(600.0, values.number(1, 1e8))
    repeat_share: float = setting(0.0, values.number(0, 0.5))
    gold_share: float = setting(0.1, values.number(0, 0.5))
    gold: tuple[GoldPair, ...] = setting((), known_pairs(GoldPair))
    workers_see_results: bool = setting(False, values.flag)
    attention: AttentionChecks = setting(AttentionChecks(), values.group(AttentionChecks))
    joining: JoinSettings = setting(JoinSettings(), values.group(JoinSettings))
    panel: RecruitmentPanel = setting(RecruitmentPanel(), values.group(RecruitmentPanel))
    pages: PageSettings = setting(PageSettings(), values.group(PageSettings))

    def __post_init__(self) -> None:
        check_all(self)
        if not self.question.strip():
            raise InvalidArgument(
                "question is empty: write what is asked of every pair, such as 'Which is better?'"
            )
        if self.stop is not None:
            read_rule(self.stop)
        self.build_sampler(range(2))  # refuses what does not exist

    @property
    def choosing(self) -> tuple[object, ...]:
        """All that the choice of pairs hangs on."""
        choice = (self.sampler, self.position_bias, self.vetting, self.display, self.seed)
        return (*choice, self.stop is not None)

    def build_sampler(self, items: Iterable[Item]) -> Sampler:
        """Who chooses the pairs."""
        sampler = build_sampler(
            self.sampler,
            items,
            seed=self.seed,
            position_bias=self.position_bias,
            display=self.display,
            vetting=self.vetting,
        )
        if self.stop is not None:
            sampler.prepare_to_stop()
        return sampler

    def allows(self, outcome: float) -> bool:
        """Whether an answer may be this."""
        if not self.grades:
            return True
        if abs(outcome) < OUTCOME_TOLERANCE:
            return self.ties
        steps = outcome * self.grades
        return abs(steps - round(steps)) < OUTCOME_TOLERANCE * self.grades

    @property
    def answers_text(self) -> str:
        """What an answer may be, for messages."""
        if not self.grades:
            return "a number from -1 (right is better) to 1 (left is better)"
        steps = [f"{k}/{self.grades}" for k in range(1, self.grades)] + ["1"]
        tie = ", 0 (a tie)" if self.ties else ""
        return f"{', '.join(steps)} (left is better), the same below zero (right is better){tie}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON and TOML; no limit is "none"."""
        return {"version": VERSION, **_plain(self)}

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> CampaignSettings:
        """Settings from plain values, as `to_dict` gives them; what is missing has its default."""
        given = dict(given)
        version = given.pop("version", VERSION)
        if isinstance(version, int) and version > VERSION:
            raise InvalidArgument(
                f"these settings have version {version}, made by a newer hodgerank: upgrade "
                "(pip install --upgrade hodgerank)"
            )
        if version not in (1, VERSION):
            raise InvalidArgument(f"version is {VERSION}, not {short(repr(version))}")
        if version == 1 and "position" in given:
            given["position_bias"] = given.pop("position")
        require_known(cls, given)
        return cls(**given)

    def changed(self, changes: Mapping[str, Any]) -> CampaignSettings:
        """The same with some values different; of groups, some of theirs may be given alone."""
        before = self.to_dict()
        merged = {**before, **changes}
        for name, values_before in before.items():
            if isinstance(values_before, Mapping) and isinstance(changes.get(name), Mapping):
                merged[name] = {**values_before, **changes[name]}
        return self.of(merged)

    def to_toml(self) -> str:
        """As a file has them."""
        try:
            import tomli_w
        except ImportError:
            raise MissingDependency("hodgerank[campaign]", "writing settings") from None
        return tomli_w.dumps(self.to_dict(), multiline_strings=False)

    @classmethod
    def from_toml(cls, source: Path | str) -> CampaignSettings:
        """Read a file."""
        try:
            return cls.of(tomllib.loads(Path(source).read_bytes().decode("utf-8-sig")))
        except OSError as error:
            raise InvalidArgument(f"{source} cannot be read: {error.strerror or error}") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
            raise InvalidArgument(f"{source} is not TOML: {error}") from None
        except InvalidArgument as error:
            raise InvalidArgument(f"{source}: {error}") from None


def _plain(value: Any) -> Any:
    if value is None:
        return values.NO_LIMIT
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    return list(map(_plain, value)) if isinstance(value, tuple) else value
