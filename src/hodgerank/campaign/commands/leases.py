"""Assignment of pairs to workers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from itertools import chain
from math import floor

from hodgerank.campaign.items import require_name
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.tasks import Purpose, Task
from hodgerank.campaign.workers import Worker
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, NoTask

FEWEST_BEFORE_REPEAT = 5  # answers between a pair and its repetition
LONGEST_WAIT = 60.0  # seconds for which a worker may wait for others, and others count as active


def expire(state: CampaignState, now: float, by: float | None = None) -> int:
    """Expire leases that have ended, or will have by then; return how many."""
    if by is not None and (not isinstance(by, int | float) or by != by):
        raise InvalidArgument(
            f"a time must be a number of seconds since 1970, not {short(repr(by))}"
        )
    ended = state.ended(now if by is None else by)
    for row in ended:
        state.record("expired", now, task=state.tasks.ids[row])
    return len(ended)


def lease(
    state: CampaignState, now: float, new_id: Callable[[], str], worker: str, n: int
) -> list[Task]:
    """Return the tasks of a worker, with new ones up to n; raise `NoTask` if there are none.

    Raises `NotReady` if a pair must be chosen first: the same request gets the others later.
    """
    require_name(worker, "the worker")
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InvalidArgument(f"n must be a number of tasks, at least 1, not {short(repr(n))}")
    expire(state, now)
    who = _welcome(state, worker)
    refused = None
    while len(who.open) < n and refused is None:
        refused = _refusal(state, who) or _issue(state, now, new_id, who)
        who = state.worker(worker) or who
    if not who.open:
        assert refused is not None
        raise refused
    return [state.task(row) for row in who.open[:n]]


def tasks_out(snapshot: CampaignSnapshot, now: float, worker: str, n: int) -> list[Task] | None:
    """Return what `lease` would return if it need not record anything; None if it may have to."""
    who = _welcome(snapshot, worker)
    rows = who.open[:n]
    if len(rows) < n or any(snapshot.open[row] <= now for row in rows):
        return None
    return [snapshot.task(row) for row in rows]


def tasks_held(snapshot: CampaignSnapshot, now: float, worker: str, n: int) -> list[Task]:
    """Return up to n tasks that a worker has in progress; raise `NoTask` if there are none."""
    rows = [row for row in _welcome(snapshot, worker).open if snapshot.open[row] > now]
    if not rows:
        raise NoTask("busy", "the next pair is being chosen: try again later")
    return [snapshot.task(row) for row in rows[:n]]


def _welcome(snapshot: CampaignSnapshot, name: str) -> Worker:
    """Return a worker who may have tasks."""
    worker = snapshot.worker(name) or Worker(name)
    if worker.is_banned:
        raise NoTask("banned", f"{short(name)} is banned from this campaign")
    if snapshot.status == "closed":
        raise NoTask("closed", "the campaign is closed")
    if worker.has_left:
        raise NoTask("left", f"{short(name)} has left this campaign")
    return worker


def _refusal(state: CampaignState, worker: Worker) -> NoTask | None:
    """Return why a worker gets no further task, if so."""
    settings = state.settings
    if state.status == "paused":
        return NoTask("paused", "the campaign is paused: try again later")
    if state.enough and state.enough.keys() >= state.askable_tracks():
        return NoTask("enough", f"the campaign has reached its target ({settings.stop})")
    if len(worker.open) >= settings.open_per_worker:
        words = f"{short(worker.name)} has {len(worker.open)} tasks in progress: answer them first"
        return NoTask("limit", words)
    most = settings.answers_per_worker
    if most is not None and len(worker.answers) + len(worker.open) >= most:
        return NoTask("limit", f"{short(worker.name)} has given all {most:,} answers")
    if settings.budget is not None and state.n_places >= settings.budget:
        if sum(state.n_counted) >= settings.budget:
            return NoTask("budget", f"the campaign has all {settings.budget:,} votes of its budget")
        return NoTask("busy", "the last tasks are in progress: try again later")
    return None


def _issue(
    state: CampaignState, now: float, new_id: Callable[[], str], worker: Worker
) -> NoTask | None:
    """Assign one task, or return why there is none."""
    if state.settings.choose_workers and _should_wait(state, now, worker):
        return NoTask("waiting", "others answer now: try again later")
    data: dict[str, object] | None = None
    chosen = _gold_pair(state, worker) if _is_turn(state, worker, "gold") else None
    if chosen is not None:
        is_turned = chosen[::-1] in _gold_codes(state)
        data = {"purpose": "gold", "expected": -1 if is_turned else 1}
    elif _is_turn(state, worker, "repeat") and (row := _row_to_repeat(state, worker)) is not None:
        chosen = state.tasks.right[row], state.tasks.left[row]
        data = {"purpose": "repeat", "repeats": state.tasks.ids[row]}
    else:
        chosen = _pair_of_sampler(state, worker)
    if chosen is None:
        if state.settings.open_per_item is not None and any(state.out):
            return NoTask("busy", "all remaining pairs are in progress: try again later")
        return NoTask("pairs", f"{short(worker.name)} has seen every pair")
    state.record(
        "issued",
        now,
        worker=worker.name,
        task=unused(state, new_id),
        left=chosen[0],
        right=chosen[1],
        seconds=state.settings.lease_seconds,
        data=data,
    )
    return None


def _should_wait(state: CampaignState, now: float, worker: Worker) -> bool:
    """Whether half of the active workers have a better slope, drawn again after every vote.

    New workers never wait, and nobody waits longer than others count as active.
    """
    if worker.last_at is None or now - worker.last_at >= LONGEST_WAIT:
        return False
    active = [
        code
        for code, each in enumerate(state.workers)
        if each.last_at is not None and now - each.last_at < LONGEST_WAIT and not each.is_banned
    ]
    track = max(range(len(state.items.tracks)), key=state.n_counted.__getitem__)
    slopes = state.chooser(track).draw_slopes(active)
    own = slopes[state.worker_codes[worker.name]]
    n_better = sum(slope > own for slope in slopes.values())
    return 2 * n_better >= len(active)


def unused(state: CampaignState, new_id: Callable[[], str]) -> str:
    """Return an id that no task had before."""
    while (id := new_id()) in state.tasks.row_of:
        pass
    return id


def _pair_of_sampler(state: CampaignState, worker: Worker) -> tuple[int, int] | None:
    """Choose from the track with the fewest votes per item that has a pair for this worker."""
    items, settings = state.items, state.settings
    tracks = [track for track in range(len(items.tracks)) if track not in state.enough]

    def share(track: int) -> float:
        answers = state.n_counted[track] + len(state.out[track])
        return answers / max(1, items.n_active[track])

    for track in sorted(tracks, key=share):
        if items.n_active[track] < 2:
            continue
        resting = items.resting[track]
        if (most := settings.open_per_item) is not None:
            times = Counter(chain.from_iterable(state.out[track].values()))
            resting = resting | {place for place, n_out in times.items() if n_out >= most}
        pair = state.chooser(track).ask(
            worker=state.worker_codes.get(worker.name, len(state.workers)),
            exclude=state.pairs_barred(worker.name, track),
            resting=resting,
        )
        if pair is not None:
            members = items.members[track]
            return members[pair[0]], members[pair[1]]
    return None


def _gold_codes(state: CampaignState) -> list[tuple[int, int]]:
    """Return the gold pairs by number, the better item first."""
    codes = state.items.codes
    return [(codes[gold.better], codes[gold.worse]) for gold in state.settings.gold]


def _is_turn(state: CampaignState, worker: Worker, purpose: str) -> bool:
    """Return whether the next task of a worker is of this kind, at regular intervals."""
    settings = state.settings
    share = settings.gold_share if purpose == "gold" else settings.repeat_share
    if not share or (purpose == "gold" and not settings.gold):
        return False
    due = floor((worker.n_issued + 1) * share + _chance(state, worker, purpose))
    return worker.n_checks[purpose] < due


def _gold_pair(state: CampaignState, worker: Worker) -> tuple[int, int] | None:
    """Return the next gold pair, in an order and with sides of the worker's own."""
    items, tasks = state.items, state.tasks
    gone = {tasks.pair(row) for row in (*worker.open, *worker.skipped)}
    known = [
        pair
        for pair in _gold_codes(state)
        if not items.retired.intersection(pair) and (min(pair), max(pair)) not in gone
    ]
    if not known:
        return None
    n_seen = worker.n_checks["gold"]
    order = sorted(known, key=lambda pair: _chance(state, worker, f"order {pair}"))
    better, worse = order[n_seen % len(order)]
    is_turned = _chance(state, worker, f"side {n_seen}") < 0.5
    return (worse, better) if is_turned else (better, worse)


def _row_to_repeat(state: CampaignState, worker: Worker) -> int | None:
    """Return a random earlier answer that was neither just given nor repeated before."""
    tasks, retired = state.tasks, state.items.retired
    chosen = [row for row in worker.answers if tasks.purpose[row] == Purpose.CHOSEN]
    known = [row for row in chosen[:-FEWEST_BEFORE_REPEAT] if row not in worker.repeated]
    if retired:
        known = [row for row in known if not retired.intersection(tasks.pair(row))]
    if not known:
        return None
    return known[int(_chance(state, worker, f"repeat {worker.n_issued}") * len(known))]


def _chance(state: CampaignState, worker: Worker, what: str) -> float:
    """Return a number in [0, 1) that depends only on seed, worker and purpose."""
    text = f"{state.settings.seed} {worker.name} {what}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest()) / 2**48
