"""Summaries for owners: workers, attention checks, and progress."""

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
"""Answers that a check needs for an alarm, unless many different workers fail it."""


@dataclass(frozen=True)
class WorkerSummary:
    """Summary of one worker.

    Attributes
    ----------
    n_answers
        Answers given and not undone.
    n_counted
        Answers that count as votes.
    left_share
        Share of left among answers that are no ties; None without such answers.
    gold_right
        Gold pairs answered correctly.
    gold_seen
        Gold pairs answered.
    repeats_agreeing
        Repeats answered consistently.
    repeats_seen
        Repeats answered.
    marks
        Number of failed answers by attention check.
    joined_at
        When they joined: seconds since 1970, None if they did not.
    last_at
        When they were last given a task, answered or skipped, likewise.
    outcome
        How their participation ended: 'completed', 'screened_out' or 'withdrawn'; None until then.
    panel
        Parameters of the recruitment panel.
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
    """Return a summary of each worker, in the order in which they came."""
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
    """How often an attention check failed.

    Attributes
    ----------
    is_alarm
        Whether it failed more often than the settings allow: its limit may be wrong.
    """

    rule: str
    n_passed: int
    n_failed: int
    is_alarm: bool

    @property
    def share(self) -> float | None:
        """Share of failed answers; None if the check never applied."""
        known = self.n_passed + self.n_failed
        return self.n_failed / known if known else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {**vars(self), "share": self.share}


def rule_rates(state: CampaignSnapshot) -> list[RuleRate]:
    """Return the rate of each check that has applied to any answer."""
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
    """Return whether so many failures, of answers and of workers, have a probability below 1%.

    Answers of one worker are correlated, so many failures of one worker raise no alarm.
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
    """Counts of a campaign.

    Attributes
    ----------
    seq
        Number of the last event counted.
    at
        The time of the last event: seconds since 1970.
    n_votes
        Votes that count.
    n_given
        All answers given and not undone.
    n_out
        Tasks in progress.
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
    """Count a campaign at this place of the log."""
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
    """Count answers that are not votes, by `why_not_counted`."""
    tasks = state.tasks
    others = (row for row in tasks.answers if not tasks.is_counted[row])
    answered = (row for row in others if tasks.status[row] == Status.ANSWERED)
    return dict(Counter(map(state.why_not_counted, answered)).most_common())


STATES = {"closed": "Closed", "target_reached": "Target reached", "budget_used": "Budget used"}


@dataclass(frozen=True, repr=False)
class CampaignProgress(Displayed):
    """Progress of a campaign, as of one place of its log."""

    counts: Counts
    tracks: tuple[TrackProgress, ...]

    @property
    def is_enough(self) -> bool:
        """Whether every track has reached its target, or the budget is used."""
        is_used = self.counts.budget is not None and self.counts.n_votes >= self.counts.budget
        return is_used or self._is_certain

    @property
    def _is_certain(self) -> bool:
        asked = [track for track in self.tracks if track.n_items > 1]
        return bool(asked) and all(track.is_enough for track in asked)

    @property
    def alarms(self) -> tuple[RuleRate, ...]:
        """Attention checks that failed more often than the settings allow."""
        return tuple(rule for rule in self.counts.rules if rule.is_alarm)

    @property
    def code(self) -> str:
        """Stable name of the state: 'closed', 'target_reached', 'budget_used', 'in_progress'."""
        if self.counts.status == "closed":
            return "closed"
        if self._is_certain:
            return "target_reached"
        return "budget_used" if self.is_enough else "in_progress"

    @property
    def sentence(self) -> str:
        """Progress in one sentence, with the forecast if there is one."""
        so_far = _votes(self.counts.n_votes)
        if self.code != "in_progress":
            return f"{STATES[self.code]} with {so_far}."
        missing = [
            f"{track.track}: {track.outlook}" if track.track else track.outlook
            for track in self.tracks
            if track.forecast is not None and not track.is_enough
        ]
        if self.counts.budget is not None:
            so_far += f" of at most {self.counts.budget:,}"
        return "; ".join([f"In progress: {so_far}", *missing]) + "."

    def _headline(self) -> str:
        return self.sentence

    def _preview(self) -> Preview:
        rows = [
            (track.track, track.n_items, track.n_votes, round(track.expected_tau, 3))
            for track in self.tracks
        ]
        return Preview(("track", "items", "votes", "expected tau"), rows, len(rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        numbers = {**vars(self.counts), "rules": [rule.to_dict() for rule in self.counts.rules]}
        return {
            "sentence": self.sentence,
            "code": self.code,
            "is_enough": self.is_enough,
            **numbers,
            "tracks": [track.to_dict() for track in self.tracks],
        }


def _votes(n: int) -> str:
    return f"{n:,} vote{'s' * (n != 1)}"
