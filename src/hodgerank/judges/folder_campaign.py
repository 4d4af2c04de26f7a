"""The campaign of a run of `judge_items`, in its folder.

Calls are paid for, so a reply is written to their log before it becomes a vote of the campaign.
Each vote has an id made from its call. So a campaign that is behind the log, for example after a
crash, catches up when it is opened. No vote is counted twice, and no call is repeated.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hodgerank.atomic_write import move_file
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem, require_name, text_with_context
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.state import CampaignState
from hodgerank.data.items.judged_items import JudgedItems
from hodgerank.errors import (
    CampaignError,
    CannotWrite,
    HodgeRankError,
    InvalidArgument,
    JudgeFailed,
)
from hodgerank.judges.chat_judge import ChatJudge, Judged
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.auto import AutoSampler

CAMPAIGN_ID = "judge"  # a database with another campaign is not ours
CALL, LATE = "call-", "-late"
WITHOUT_ANSWER = ("abstained", "refused", "unparsable", "failed")
LONGEST_PART = 400


@contextmanager
def folder_campaign(
    judge: ChatJudge, sampler: Sampler, seed: int, path: Path | str | None
) -> Iterator[Campaign]:
    """Open the campaign in a file, or in memory, with all replies so far."""
    settings = _settings(judge, sampler, seed)
    if path is None:
        with Campaign.create(None, _items(judge.items), settings) as campaign:
            _catch_up(campaign, judge.judged)
            yield campaign
        return
    path = Path(path)
    if not path.exists():
        _begin(path, judge, settings)
    with Campaign.open(path, CAMPAIGN_ID) as campaign:
        _require_calls(campaign, judge, path)
        _keep_up(campaign, judge, settings)
        _catch_up(campaign, judge.judged)
        yield campaign


async def hand_in(campaign: Campaign, call: Judged) -> None:
    """Record a reply, which is in the log of calls already; durable when this returns."""
    decided = campaign.log.begin(lambda state, now: _hand_in(state, now, [call]))
    try:
        await asyncio.wrap_future(decided)
    except HodgeRankError as error:  # no reason to pay for further calls
        raise JudgeFailed(f"{error}. Earlier replies are kept") from error


def _begin(path: Path, judge: ChatJudge, settings: CampaignSettings) -> None:
    """Create the campaign of a folder that has none, from the calls of its log.

    It is written to a temporary file and renamed; leftovers of a killed process are removed.
    """
    journal = Path(f"{path}-wal")
    if journal.exists():  # SQLite would take it for that of the new one
        raise CampaignError(
            f"{journal} belongs to a campaign that was moved or deleted: put {path.name} back "
            "beside it, or remove the journal; votes are restored from the calls"
        )
    beside = path.with_name(path.name + ".new")
    parts = [Path(f"{beside}{end}") for end in ("", "-wal", "-shm", ".lock")]
    for part in parts:
        part.unlink(missing_ok=True)
    with Campaign.create(beside, _items(judge.items), settings, id=CAMPAIGN_ID) as campaign:
        _catch_up(campaign, judge.judged)
    if any(part.exists() for part in parts[1:3]):
        raise CannotWrite(f"{beside} is in use by another program: stop it, and try again")
    move_file(beside, path)
    parts[-1].unlink(missing_ok=True)


def _catch_up(campaign: Campaign, calls: Iterable[Judged]) -> None:
    """Record replies that are not votes yet."""
    campaign.log.transact(lambda state, now: _hand_in(state, now, calls))


def _hand_in(state: CampaignState, now: float, calls: Iterable[Judged]) -> None:
    new = {id: call for call in calls if (id := _task_of(call)) not in state.tasks.row_of}
    if new and state.status == "closed":
        raise CampaignError("the campaign is closed and accepts no more answers")
    for task, call in new.items():
        left, right = (state.items.code(_name(str(item))) for item in call.pair)
        worker, answer = _name(call.model), call.answer
        state.record(
            "issued",
            now,
            worker=worker,
            task=task,
            left=left,
            right=right,
            seconds=state.settings.lease_seconds,
        )
        if answer is None:
            reason = {"reason": call.verdict.status}
            state.record("skipped", now, task=task, worker=worker, data=reason)
        else:
            weight = {"weight": answer.weight} if answer.weight != 1 else None
            state.record(
                "answered", now, task=task, worker=worker, outcome=answer.outcome, data=weight
            )


def _task_of(call: Judged) -> str:
    """Return the id of the task that a call answers; a late one has skipped its first task."""
    return _first_task_of(call) + (LATE if call.is_late else "")


def _first_task_of(call: Judged) -> str:
    asked = [call.pair.left, call.pair.right, call.context, call.model, call.repeat]
    return CALL + hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:32]


def _require_calls(campaign: Campaign, judge: ChatJudge, path: Path) -> None:
    """Refuse a campaign with votes that are not in the log, since they would be paid for again."""
    calls = [*judge.judged, *judge.withdrawn]
    known = {task(call) for call in calls for task in (_task_of, _first_task_of)}
    tasks = campaign.log.read(lambda state, now: list(state.tasks.row_of))
    n = sum(task.startswith(CALL) and task not in known for task in tasks)
    if n:
        raise CampaignError(
            f"{path} has {n:,} votes that are not in the log of calls: restore the log, or "
            f"remove {path.name}, which is then rebuilt from the calls"
        )


def _keep_up(campaign: Campaign, judge: ChatJudge, settings: CampaignSettings) -> None:
    """Update texts and images, add new items, and retire those that were withdrawn."""
    known = {item.id: item for item in campaign.items}
    shown = list(_items(judge.items))
    if joining := [item for item in shown if item.id not in known]:
        campaign.add(joining)
    for item in shown:
        if item.id in known and item != known[item.id]:
            campaign.edit(item.id, text=item.text, media=item.media)
    here, retired = {item.id for item in shown}, set(campaign.retired)
    if leaving := [item for item in known if item not in here and item not in retired]:
        campaign.retire(*leaving)
    if back := [item for item in retired if item in here]:
        campaign.restore_item(*back)
    before = campaign.settings
    names = ("question", "sampler", "position_bias", "vetting", "easy_share", "seed")
    if any(getattr(settings, name) != getattr(before, name) for name in names):
        campaign.change(**{name: getattr(settings, name) for name in names})


def _settings(judge: ChatJudge, sampler: Sampler, seed: int) -> CampaignSettings:
    """Return the settings: any outcome from -1 to 1, and the same kind of sampler."""
    taken = CampaignSettings(judge.question, ties=True, grades=0, skip_reasons=WITHOUT_ANSWER)
    how = {"sampler": sampler.name, "position_bias": "worker", "seed": seed}
    if isinstance(sampler, AutoSampler):
        how |= {"vetting": sampler.vetting, "easy_share": sampler.easy_share}
    try:
        return taken.changed(how)
    except InvalidArgument:  # a sampler of the user's own
        return taken


def _items(items: JudgedItems) -> Iterator[CampaignItem]:
    """Return the items as shown to people; without content if they have several samples."""
    for item in items.items:
        sample, *others = items.samples(item)
        text, media = "", ""
        if not others:
            text = text_with_context(sample.context, sample.text)
            media = "" if sample.image is None else str(sample.image.absolute())
        track = items.tracks.get(item, "")
        yield CampaignItem(_name(item), text, media, _name(track) if track else "")


def _name(name: str) -> str:
    """Return a valid name for a campaign; invalid names are put in quotes."""
    try:
        if not name.startswith('"'):
            return require_name(name, "the name")
    except InvalidArgument:
        pass
    if len(name) > LONGEST_PART:
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        name = f"{name[:LONGEST_PART]}... {digest}"
    return json.dumps(name, ensure_ascii=False)
