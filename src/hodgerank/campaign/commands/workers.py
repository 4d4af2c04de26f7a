"""Commands about workers: join, quiz and finish; ban, restore, admit and forget."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hodgerank.campaign.items import require_name
from hodgerank.campaign.page_settings import OUTCOMES, Outcome
from hodgerank.campaign.settings_validation import flag, line, text
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.workers import Worker, arrival_data
from hodgerank.display import short
from hodgerank.errors import (
    CampaignError,
    InvalidArgument,
    NoTask,
    did_you_mean,
    require_one_of,
)

MOST_PARAMETERS, LONGEST_PARAMETER = 20, 2000


def join(
    state: CampaignState,
    now: float,
    worker: str,
    panel: Mapping[str, str],
    is_person: bool = False,
) -> None:
    """Let a worker join; joining again updates the parameters of the panel.

    A name with which a person has joined in a browser stays that of a person.
    """
    require_name(worker, "the worker")
    given = _parameters(panel)
    who = state.worker(worker) or Worker(worker)
    _require_not_banned(who)
    if who.has_left:
        return
    if who.joined_at is None and state.status == "closed":
        raise NoTask("closed", "the campaign is closed")
    is_news = (given and given != who.panel) or (is_person and not who.is_person)
    if who.joined_at is None or is_news:
        data = arrival_data(given or who.panel, is_person or who.is_person)
        state.record("joined", now, worker=worker, data=data)


def quiz(state: CampaignState, now: float, worker: str, passed: bool) -> int:
    """Record whether a worker passed the comprehension questions; return the tries left.

    A worker without tries left is screened out. A worker who has passed cannot fail any more.
    """
    who = known(state, require_name(worker, "the worker"))
    flag(passed, "passed")
    _require_not_banned(who)
    if who.has_left:
        raise NoTask("left", f"{short(worker)} has left this campaign")
    if not who.has_passed:
        state.record("quizzed", now, worker=worker, data={"passed": passed})
    n_left = max(0, state.settings.joining.tries - who.n_failed_tries)
    if not who.has_passed and not n_left:
        state.record("left", now, worker=worker, data={"outcome": "screened_out"})
    return n_left


def finish(state: CampaignState, now: float, worker: str, outcome: Outcome) -> None:
    """Let a worker leave; repeating it changes nothing."""
    who = known(state, require_name(worker, "the worker"))
    require_one_of(outcome, OUTCOMES, "outcome")
    _require_not_banned(who)
    if who.outcome == outcome:
        return
    if who.has_left:
        ended = "forgotten" if who.outcome is None else who.outcome.replace("_", " ")
        raise CampaignError(f"{short(worker)} has already left this campaign: {ended}")
    state.record("left", now, worker=worker, data={"outcome": outcome})


def admit(state: CampaignState, now: float, worker: str) -> None:
    """Let a worker join again under their name from any browser; open sessions end."""
    known(state, require_name(worker, "the worker"))
    state.revoke(worker, "session")


def forget(state: CampaignState, now: float, new_id: Callable[[], str], worker: str) -> str:
    """Remove a worker's name and panel data; return the pseudonym that replaces it.

    Stores remove their keys too.
    """
    who = known(state, require_name(worker, "the worker"))
    if who.is_forgotten:
        return worker
    while (pseudonym := f"forgotten-{new_id()[:8]}") in state.worker_codes:
        pass
    number = state.worker_codes[worker]
    state.record("worker_forgotten", now, worker=pseudonym, data={"number": number})
    state.forgotten.append((worker, pseudonym))
    return pseudonym


def ban(state: CampaignState, now: float, worker: str, reason: str) -> None:
    """Ban a worker: no more tasks, their votes do not count, and their keys are revoked."""
    require_name(worker, "the worker")  # a worker can be banned before joining
    text(reason, "reason")
    who = state.worker(worker)
    if who is None or not who.is_banned:
        data = {"reason": reason} if reason else None
        state.record("worker_banned", now, worker=worker, data=data)
    is_person = who is not None and who.is_person
    state.revoke(worker, *(("session",) if is_person else ()))  # a token may have the same name


def restore_worker(state: CampaignState, now: float, worker: str) -> None:
    """Lift a ban: the votes count again. Revoked keys are not restored."""
    if known(state, require_name(worker, "the worker")).is_banned:
        state.record("worker_restored", now, worker=worker)


def known(state: CampaignState, worker: str) -> Worker:
    """Return a known worker."""
    who = state.worker(worker)
    if who is None:
        near = did_you_mean(worker, state.worker_codes)
        raise CampaignError(f"there is no worker {short(worker)}{near}")
    return who


def _require_not_banned(worker: Worker) -> None:
    if worker.is_banned:
        raise NoTask("banned", f"{short(worker.name)} is banned from this campaign")


def _parameters(panel: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a panel, limited in number and length."""
    if not isinstance(panel, Mapping) or len(panel) > MOST_PARAMETERS:
        raise InvalidArgument(f"panel may have at most {MOST_PARAMETERS} parameters")
    for name, value in panel.items():
        what = f"panel {short(line(name, 'panel'))}"
        if max(len(name), len(line(value, what))) > LONGEST_PARAMETER:
            raise InvalidArgument(f"{what} has more than {LONGEST_PARAMETER:,} characters")
    return dict(panel)
