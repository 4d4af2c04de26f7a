"""CampaignSettings: settings of a campaign, which can be written to and read from TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

from hodgerank.campaign import settings_validation as values
from hodgerank.campaign.attention_checks import AttentionChecks, GoldPair, known_pairs
from hodgerank.campaign.page_settings import (
    JoinSettings,
    PageSettings,
    RecruitmentPanel,
    random_entrance,
)
from hodgerank.campaign.settings_validation import check_all, require_known, setting
from hodgerank.collecting.stopping import read_rule
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, MissingDependency
from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.auto import MOST_EASY
from hodgerank.sampling.samplers.registry import LABEL_FREE, build_sampler
from hodgerank.types import Item

VERSION = 2
OUTCOME_TOLERANCE = 1e-9
ENOUGH_EASY = 0.2  # share of easy pairs from which on slopes of workers were seen to be learned


@dataclass(frozen=True)
class CampaignSettings:
    """Settings of a campaign; None means no limit.

    Attributes
    ----------
    question
        Question asked about every pair.
    title, instructions
        Shown above the question.
    ties
        Whether ties are allowed.
    grades
        Number of grades on each side: 1 is a plain choice, 3 allows slightly, clearly and much
        better; 0 allows any outcome from -1 to 1, for programs.
    skip_reasons
        Reasons with which a worker may skip a task; empty: skipping is not allowed.
    budget
        Maximum number of votes that count.
    stop
        Stopping rule, such as "tau >= 0.9 and top 3": see `read_rule`.
    sampler, position_bias, vetting, easy_share, display, seed
        Options of the sampler: see `build_sampler` and `AutoSampler`.
    choose_workers
        Whether workers whose answers follow the ranking least wait, up to a minute, while others
        are active: see `Sampler.assign`. Needs an `easy_share` of 0.2, or a sampler that does not
        use votes, such as 'd-optimal'.
    ranking
        'robust' weights votes by the reliability of their worker, 'plain' weights all equally.
    score_scale
        Scale of the scores in rankings and reports: 'model', 'elo', 'jod' or 'logit'.
    answers_per_worker
        Maximum number of answers per worker, including gold pairs and repeats.
    open_per_worker, open_per_item
        Maximum number of tasks in progress per worker, and per item.
    lease_seconds
        Seconds until an unanswered task goes to another worker.
    repeat_share
        Share of tasks that repeat an earlier pair of the worker with sides swapped, to measure
        consistency; their answers are not votes.
    gold, gold_share
        Gold pairs with a known answer, and the share of tasks that show one; their answers are not
        votes.
    attention
        Attention checks.
    workers_see_results
        Whether workers may see the ranking.
    joining, panel, pages
        What workers see before the first pair, where they come from, and how pages look.

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
    easy_share: float = setting(0.0, values.number(0, MOST_EASY))
    choose_workers: bool = setting(False, values.flag)
    display: Display = setting("balanced", values.display)
    seed: int = setting(0, values.whole(0, 2**63 - 1))
    ranking: Literal["robust", "plain"] = setting("robust", values.ranking)
    score_scale: Literal["model", "elo", "jod", "logit"] = setting("model", values.score_scale)
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
                "question is empty: write the question asked about every pair, such as "
                "'Which is better?'"
            )
        if self.stop is not None:
            read_rule(self.stop)
        shows_workers = self.sampler in LABEL_FREE or self.easy_share >= ENOUGH_EASY
        if self.choose_workers and not shows_workers:
            raise InvalidArgument(
                f"choose_workers needs easy_share = {ENOUGH_EASY:g} or more, or one of the "
                f"samplers {', '.join(LABEL_FREE)}: close pairs say too little about workers"
            )
        self.build_sampler(range(2))  # raises an error for unknown samplers

    @property
    def choosing(self) -> tuple[object, ...]:
        """Settings that determine the choice of pairs."""
        workers = (self.vetting, self.easy_share)
        choice = (self.sampler, self.position_bias, *workers, self.display, self.seed)
        budget = self.budget if self.sampler.startswith("top-") else None
        return (*choice, self._looks_at_rankings, budget)

    @property
    def _looks_at_rankings(self) -> bool:
        return self.stop is not None and read_rule(self.stop).looks_at_rankings

    def build_sampler(self, items: Iterable[Item]) -> Sampler:
        """Build the sampler."""
        sampler = build_sampler(
            self.sampler,
            items,
            seed=self.seed,
            position_bias=self.position_bias,
            display=self.display,
            vetting=self.vetting,
            easy_share=self.easy_share,
            budget=self.budget,
        )
        if self._looks_at_rankings:
            sampler.prepare_to_stop()
        return sampler

    def allows(self, outcome: float) -> bool:
        """Return whether an outcome is allowed."""
        if not self.grades:
            return True
        if abs(outcome) < OUTCOME_TOLERANCE:
            return self.ties
        steps = outcome * self.grades
        return abs(steps - round(steps)) < OUTCOME_TOLERANCE * self.grades

    @property
    def answers_text(self) -> str:
        """Allowed outcomes, for messages."""
        if not self.grades:
            return "a number from -1 (right is better) to 1 (left is better)"
        steps = [f"{k}/{self.grades}" for k in range(1, self.grades)] + ["1"]
        tie = ", 0 (a tie)" if self.ties else ""
        return f"{', '.join(steps)} (left is better), the same below zero (right is better){tie}"

    def behind_key(self, given: Mapping[str, Any]) -> CampaignSettings:
        """Return settings with a random key in the link, unless those given say what it is."""
        pages = given.get("pages")
        if self.pages.entrance or (isinstance(pages, Mapping) and "entrance" in pages):
            return self
        return self.changed({"pages": {"entrance": random_entrance()}})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON and TOML; no limit is "none"."""
        return {"version": VERSION, **_plain(self)}

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> CampaignSettings:
        """Return settings from plain values, as in `to_dict`; missing ones have defaults."""
        given = dict(given)
        version = given.pop("version", VERSION)
        if isinstance(version, int) and version > VERSION:
            raise InvalidArgument(
                f"these settings have version {version}, of a newer hodgerank: install the newer "
                "version"
            )
        if version not in (1, VERSION):
            raise InvalidArgument(f"version is {VERSION}, not {short(repr(version))}")
        if version == 1 and "position" in given:
            given["position_bias"] = given.pop("position")
        require_known(cls, given)
        return cls(**given)

    def changed(self, changes: Mapping[str, Any]) -> CampaignSettings:
        """Return the settings with some values changed; of tables, single values may be given."""
        before = self.to_dict()
        merged = {**before, **changes}
        for name, values_before in before.items():
            if isinstance(values_before, Mapping) and isinstance(changes.get(name), Mapping):
                merged[name] = {**values_before, **changes[name]}
        return self.of(merged)

    def to_toml(self) -> str:
        """Return the settings as TOML."""
        try:
            import tomli_w
        except ImportError:
            raise MissingDependency("hodgerank[campaign]", "writing settings") from None
        return tomli_w.dumps(self.to_dict(), multiline_strings=False)

    @classmethod
    def from_toml(cls, source: Path | str) -> CampaignSettings:
        """Read settings from a TOML file."""
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
