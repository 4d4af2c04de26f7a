"""hodgerank campaign pause, resume, reset, close, add, retire, unretire, ban, restore."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import read_campaign_items
from hodgerank.cli.campaign.arguments import (
    ContextColumn,
    Encoding,
    IdColumn,
    ImageColumn,
    Items,
    Name,
    TextColumn,
    TrackColumn,
    Where,
    known_items,
)
from hodgerank.cli.campaign.output import Done, done
from hodgerank.cli.outputs import AsJson
from hodgerank.display import visible
from hodgerank.errors import InvalidArgument

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask whether that is meant.")]


def pause(where: Where, name: Name = None, as_json: AsJson = False) -> Done:
    """Give out no more tasks for now; answers to those that are out are still taken.

    Examples:
      hodgerank campaign pause campaign.db
    """
    with Campaign.open(where, name) as campaign:
        campaign.pause()
        return done(campaign, f"{campaign.id} is paused; resume lets it go on", as_json)


def resume(where: Where, name: Name = None, as_json: AsJson = False) -> Done:
    """Give out tasks again, after a pause.

    Examples:
      hodgerank campaign resume campaign.db
    """
    with Campaign.open(where, name) as campaign:
        campaign.resume()
        return done(campaign, f"{campaign.id} gives out tasks", as_json)


def reset(where: Where, name: Name = None, yes: Yes = False, as_json: AsJson = False) -> Done:
    """Begin anew: votes go; items, settings and bans stay, and so does the log.

    Export the log first if the votes may be wanted again: it holds them before and after.

    Examples:
      hodgerank campaign export campaign.db -o log.jsonl

      hodgerank campaign reset campaign.db --yes
    """
    with Campaign.open(where, name) as campaign:
        n = campaign.counts.n_given
        if not _is_meant(f"Begin {campaign.id} anew, without its {n:,} answers?", yes):
            return done(campaign, "nothing was done", as_json, done=False)
        campaign.reset()
        words = f"{campaign.id} begins anew; {n:,} answers are in the log only"
        return done(campaign, words, as_json, done=True)


def close(where: Where, name: Name = None, yes: Yes = False, as_json: AsJson = False) -> Done:
    """End a campaign for good: it takes no more answers; what it has can be looked at and exported.

    To stop for a while, pause it.

    Examples:
      hodgerank campaign close campaign.db --yes
    """
    with Campaign.open(where, name) as campaign:
        n = campaign.counts.n_votes
        if not _is_meant(f"Close {campaign.id} for good, with {n:,} answers?", yes):
            return done(campaign, "nothing was done", as_json, done=False)
        campaign.close()
        return done(campaign, f"{campaign.id} is closed with {n:,} answers", as_json, done=True)


def _is_meant(question: str, yes: bool) -> bool:
    """Whether the owner says so, here or beforehand."""
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise InvalidArgument("this cannot be undone: add --yes if it is meant")
    try:
        return typer.confirm(visible(question), err=True)
    except typer.Abort:  # Ctrl-C, or the end of input
        raise KeyboardInterrupt from None


Ids = Annotated[list[str], typer.Argument(metavar="ITEM", help="By id; several may be named.")]


def add(
    where: Where,
    items: Items,
    name: Name = None,
    id_column: IdColumn = None,
    text_column: TextColumn = None,
    context_column: ContextColumn = None,
    image_column: ImageColumn = None,
    track_column: TrackColumn = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> Done:
    """Let items join: all of a file or folder, or none where one of them is there already.

    Examples:
      hodgerank campaign add campaign.db more.csv
    """
    columns = {
        "id": id_column, "text": text_column, "context": context_column, "image": image_column,
        "track": track_column,
    }  # fmt: skip
    joining = read_campaign_items(items, columns, encoding).items
    with Campaign.open(where, name) as campaign:
        campaign.add(joining)
        n = campaign.counts.n_items
        words = f"{campaign.id} has {n:,} items, {len(joining):,} of them new"
        added = [item.id for item in joining]
        return done(campaign, words, as_json, added=added, n_items=n)


def retire(where: Where, items: Ids, name: Name = None, as_json: AsJson = False) -> Done:
    """Ask no more about items; their answers stay, and unretire undoes it.

    Examples:
      hodgerank campaign retire campaign.db item-07 item-12
    """
    with Campaign.open(where, name) as campaign:
        campaign.retire(*known_items(items, [one.id for one in campaign.items]))
        retired = campaign.retired
        words = f"{len(retired):,} of {campaign.counts.n_items:,} items are retired"
        return done(campaign, words, as_json, retired=retired)


def unretire(where: Where, items: Ids, name: Name = None, as_json: AsJson = False) -> Done:
    """Ask about retired items again.

    Examples:
      hodgerank campaign unretire campaign.db item-07
    """
    with Campaign.open(where, name) as campaign:
        campaign.restore_item(*known_items(items, [one.id for one in campaign.items]))
        retired = campaign.retired
        words = f"{len(retired):,} of {campaign.counts.n_items:,} items are retired"
        return done(campaign, words, as_json, retired=retired)


Worker = Annotated[str, typer.Argument(metavar="WORKER", help="By name, as in status --workers.")]


def ban(
    where: Where,
    worker: Worker,
    reason: Annotated[str, typer.Option(help="Kept with the ban.", show_default=False)] = "",
    name: Name = None,
    as_json: AsJson = False,
) -> Done:
    """Give a worker no more tasks, and count none of their answers; restore undoes it.

    Their sessions in browsers end, and tokens with which they judge this campaign; restore does not
    give them back. Somebody who has not come yet can be banned too.

    Examples:
      hodgerank campaign ban campaign.db ann --reason "tosses coins"
    """
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
    with Campaign.open(where, name) as campaign:
        campaign.restore(worker)
        n = _n_answers(campaign, worker)
        words = f"{worker} is not banned: {n:,} answers"
        return done(campaign, words, as_json, worker=worker, is_banned=False, n_answers=n)


def _n_answers(campaign: Campaign, worker: str) -> int:
    return sum(who.n_answers for who in campaign.workers() if who.worker == worker)
