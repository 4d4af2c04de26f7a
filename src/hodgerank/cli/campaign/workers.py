"""hodgerank campaign ban, restore: whose answers count."""

from typing import TYPE_CHECKING, Annotated

import typer

from hodgerank.cli.campaign.done import Done, done
from hodgerank.cli.campaign.naming import Name, Where
from hodgerank.cli.outputs import AsJson

if TYPE_CHECKING:
    from hodgerank.campaign.campaign import Campaign

Worker = Annotated[str, typer.Argument(metavar="WORKER", help="By name, as in status --workers.")]


def ban(
    where: Where,
    worker: Worker,
    reason: Annotated[str, typer.Option(help="Kept with the ban.", show_default=False)] = "",
    name: Name = None,
    as_json: AsJson = False,
) -> Done:
    """Give a worker no more tasks, and count none of their answers; restore undoes it.

    Somebody who has not come yet can be banned too.

    Examples:
      hodgerank campaign ban campaign.db ann --reason "tosses coins"
    """
    from hodgerank.campaign.campaign import Campaign

    with Campaign.open(where, name) as campaign:
        campaign.ban(worker, reason)
        n = _n_answers(campaign, worker)
        words = f"{worker} is banned: {n:,} answers do not count; restore lifts the ban"
        return done(campaign, words, as_json, worker=worker, is_banned=True, n_answers=n)


def restore(where: Where, worker: Worker, name: Name = None, as_json: AsJson = False) -> Done:
    """Lift a ban: the answers of the worker count again.

    Examples:
      hodgerank campaign restore campaign.db ann
    """
    from hodgerank.campaign.campaign import Campaign

    with Campaign.open(where, name) as campaign:
        campaign.restore(worker)
        n = _n_answers(campaign, worker)
        words = f"{worker} is not banned: {n:,} answers"
        return done(campaign, words, as_json, worker=worker, is_banned=False, n_answers=n)


def _n_answers(campaign: "Campaign", worker: str) -> int:
    return sum(who.n_answers for who in campaign.workers() if who.worker == worker)
