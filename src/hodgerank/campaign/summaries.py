"""What an owner looks at while answers come: workers, rules, and how far the campaign is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import Any

from hodgerank.campaign.attention_checks import LEVEL, tail
from hodgerank.campaign.page_settings import Outcome
from hodgerank.campaign.results import TrackProgress
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.tasks import Status
from hodgerank.display import Displayed, Preview

FEWEST_FOR_ALARM = 20
"""Answers that a rule knows about, unless so many workers fail that fewer are enough to tell."""


@dataclass(frozen=True)
class WorkerSummary:
    """What one worker has done.

    Attributes
    ----------
    n_answers
        Answers given and not taken back.
    n_counted
        Those among them that are votes.
    left_share
        Of answers for a side, those for the left; None where there are none.
    gold_right
        Gold pairs answered rightly.
    gold_seen
        All gold pairs that were answered.
    repeats_agreeing
        Planned repeats answered without contradiction.
    repeats_seen
        All planned repeats that were answered.
    marks
        How many answers failed which rule.
    joined_at
        When they joined: seconds since 1970, None where they did not.
    last_at
        When they were last given a task, answered or skipped, likewise.
    outcome
        How it ended: 'completed', 'screened_out' or 'withdrawn'; None until then.
    panel
        What the panel says of them.
    """

    worker: str
    n_answers: int
    n_counted: int
    n_out: int
    n_skipped: int
    n_expired: int
    median_seconds: float | None
    left_share: float | None
    gold_right: int
    gold_seen: int
    repeats_agreeing: int
    repeats_seen: int
    marks: dict[str, int]
    is_banned: bool
    ban_reason: str
    joined_at: float | None
    last_at: float | None
    outcome: Outcome | None
    panel: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return dict(vars(self))


def worker_summaries(state: CampaignSnapshot) -> list[WorkerSummary]:
    """One for each worker, in the order they came."""
    tasks, found = state.tasks, []
    seconds_of = dict(zip(tasks.answers, tasks.seconds, strict=True))
    for worker in state.workers:
        rows = worker.answers
        seconds = [s for row in rows if (s := seconds_of[row]) == s]
        sides = [tasks.outcome[row] > 0 for row in rows if tasks.outcome[row]]
        gold = [row for row in worker.checks if row in tasks.expected]
        repeats = [row for row in worker.checks if row in tasks.repeats]
        marks = Counter(
            rule
            for row in rows
            for rule, passed in tasks.verdicts.get(row, {}).items()
            if not passed
        )
        found.append(
            WorkerSummary(
                worker=worker.name,
                n_answers=len(rows) + len(worker.imported),
                n_counted=sum(tasks.is_counted[row] for row in (*rows, *worker.imported)),
                n_out=len(worker.open),
                n_skipped=len(worker.skipped),
                n_expired=worker.n_expired,
                median_seconds=median(seconds) if seconds else None,
                left_share=sum(sides) / len(sides) if sides else None,
                gold_right=sum(not tasks.is_missed(row, tasks.outcome[row]) for row in gold),
                gold_seen=len(gold),
                repeats_agreeing=sum(
                    not tasks.is_contradicted(row, tasks.outcome[row]) for row in repeats
                ),
                repeats_seen=len(repeats),
                marks=dict(marks),
                is_banned=worker.is_banned,
                ban_reason=worker.ban_reason,
                joined_at=worker.joined_at,
                last_at=worker.last_at,
                outcome=worker.outcome,
                panel=dict(worker.panel),
            )
        )
    return found


@dataclass(frozen=True)
class RuleRate:
    """How often a rule of attention fails answers.

    Attributes
    ----------
    is_alarm
        More often than the settings find likely: the rule may be wrong.
    """

    rule: str
    n_passed: int
    n_failed: int
    is_alarm: bool

    @property
    def share(self) -> float | None:
        """Failed ones of those it knows about; None where it knows none."""
        known = self.n_passed + self.n_failed
        return self.n_failed / known if known else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {**vars(self), "share": self.share}


def rule_rates(state: CampaignSnapshot) -> list[RuleRate]:
    """One for each rule that has looked at any answer."""
    rates = []
    for rule, (passed, failed) in state.tallies.items():
        known = passed + failed
        most = state.settings.attention.alarm_share
        if known:
            is_sure = known >= FEWEST_FOR_ALARM or _is_rare(state, rule, most)
            is_alarm = is_sure and failed > most * known
            rates.append(RuleRate(rule, passed, failed, is_alarm))
    return rates


def _is_rare(state: CampaignSnapshot, rule: str, most: float) -> bool:
    """Whether so many fail by chance in less than 1 %, of answers and of workers.

    Answers of one worker hang together, so that many of one are no cause to doubt the rule.
    """
    passed, failed = state.tallies[rule]
    if tail(failed, passed + failed, most) >= LEVEL:
        return False
    verdicts = state.tasks.verdicts
    of_workers = [
        [verdicts[row][rule] for row in worker.answers if rule in verdicts.get(row, {})]
        for worker in state.workers
    ]
    known = [all(passes) for passes in of_workers if passes]
    return tail(known.count(False), len(known), most) < LEVEL


@dataclass(frozen=True)
class Counts:
    """A campaign in numbers.

    Attributes
    ----------
    seq
        The place in the log that they are as of.
    at
        The time of the last event: seconds since 1970.
    n_votes
        Answers that count.
    n_given
        All that were given and not taken back.
    n_out
        Tasks that are out.
    """

    status: str
    seq: int
    at: float
    n_items: int
    n_retired: int
    n_votes: int
    n_given: int
    n_out: int
    n_workers: int
    n_banned: int
    budget: int | None
    rules: tuple[RuleRate, ...]


def counts(state: CampaignSnapshot) -> Counts:
    """The numbers at this place of the log."""
    return Counts(
        status=state.status,
        seq=state.seq,
        at=state.at,
        n_items=len(state.items),
        n_retired=len(state.items.retired),
        n_votes=sum(state.n_counted),
        n_given=state.tasks.n_answered,
        n_out=len(state.open),
        n_workers=len(state.workers),
        n_banned=sum(worker.is_banned for worker in state.workers),
        budget=state.settings.budget,
        rules=tuple(rule_rates(state)),
    )


def not_counted(state: CampaignSnapshot) -> dict[str, int]:
    """How many answers that were not taken back are no votes, by `why_not_counted`."""
    tasks = state.tasks
    others = (row for row in tasks.answers if not tasks.is_counted[row])
    answered = (row for row in others if tasks.status[row] == Status.ANSWERED)
    return dict(Counter(map(state.why_not_counted, answered)).most_common())


@dataclass(frozen=True, repr=False)
class CampaignProgress(Displayed):
    """How far a campaign is, as of one place of its log."""

    counts: Counts
    tracks: tuple[TrackProgress, ...]

    @property
    def is_enough(self) -> bool:
        """Whether the stopping rule is reached in every track, or the budget used."""
        is_used = self.counts.budget is not None and self.counts.n_votes >= self.counts.budget
        return is_used or self._is_certain

    @property
    def _is_certain(self) -> bool:
        asked = [track for track in self.tracks if track.n_items > 1]
        return bool(asked) and all(track.is_enough for track in asked)

    @property
    def alarms(self) -> tuple[RuleRate, ...]:
        """Rules that fail more answers than is likely."""
        return tuple(rule for rule in self.counts.rules if rule.is_alarm)

    @property
    def sentence(self) -> str:
        """Is it enough yet, and if not, how many more?"""
        if self.counts.status == "closed":
            return f"Closed with {_answers(self.counts.n_votes)}."
        if self._is_certain:
            return f"Enough: the stopping rule is reached with {_answers(self.counts.n_votes)}."
        if self.is_enough:
            return f"All {_answers(self.counts.n_votes)} of the budget are there."
        missing = [
            f"{track.track}: {track.outlook}" if track.track else track.outlook
            for track in self.tracks
            if track.forecast is not None and not track.is_enough
        ]
        so_far = _answers(self.counts.n_votes)
        if self.counts.budget is not None:
            so_far += f" of at most {self.counts.budget:,}"
        return "; ".join([f"Not yet: {so_far}", *missing]) + "."

    def _headline(self) -> str:
        return self.sentence

    def _preview(self) -> Preview:
        rows = [
            (track.track, track.n_items, track.n_votes, round(track.expected_tau, 3))
            for track in self.tracks
        ]
        return Preview(("track", "items", "answers", "expected tau"), rows, len(rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        numbers = {**vars(self.counts), "rules": [rule.to_dict() for rule in self.counts.rules]}
        return {
            "sentence": self.sentence,
            "is_enough": self.is_enough,
            **numbers,
            "tracks": [track.to_dict() for track in self.tracks],
        }


def _answers(n: int) -> str:
    return f"{n:,} answer{'s' * (n != 1)}"
