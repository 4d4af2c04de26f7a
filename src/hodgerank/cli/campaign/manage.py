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
from hodgerank.cli.console import count
from hodgerank.cli.outputs import AsJson
from hodgerank.display import visible
from hodgerank.errors import InvalidArgument

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


def pause(where: Where, name: Name = None, as_json: AsJson = False) -> Done:
    """Pause a campaign: no new tasks; answers to tasks in progress are accepted.

    Examples:
      hodgerank campaign pause campaign.db
    """
    with Campaign.open(where, name) as campaign:
        campaign.pause()
        return done(
            campaign, f"{campaign.id} paused; resume it with: hodgerank campaign resume", as_json
        )


def resume(where: Where, name: Name = None, as_json: AsJson = False) -> Done:
    """Resume a paused campaign.

    Examples:
      hodgerank campaign resume campaign.db
    """
    with Campaign.open(where, name) as campaign:
        campaign.resume()
        return done(campaign, f"{campaign.id} resumed", as_json)


def reset(where: Where, name: Name = None, yes: Yes = False, as_json: AsJson = False) -> Done:
    """Discard all votes and start again; items, settings, bans and the log stay.

    The log still holds the discarded votes; export it to keep a copy.

    Examples:
      hodgerank campaign export campaign.db -o log.jsonl

      hodgerank campaign reset campaign.db --yes
    """
    with Campaign.open(where, name) as campaign:
        n = campaign.counts.n_given
        if not _is_meant(f"Discard the {count(n, 'vote')} of {campaign.id} and start again?", yes):
            return done(campaign, "nothing changed", as_json, done=False)
        campaign.reset()
        words = f"{campaign.id} reset; {count(n, 'vote')} discarded, kept in the log only"
        return done(campaign, words, as_json, done=True)


def close(where: Where, name: Name = None, yes: Yes = False, as_json: AsJson = False) -> Done:
    """Close a campaign permanently; it can still be read and exported.

    To stop it temporarily, pause it.

    Examples:
      hodgerank campaign close campaign.db --yes
    """
    with Campaign.open(where, name) as campaign:
        n = campaign.counts.n_votes
        if not _is_meant(f"Close {campaign.id} permanently, with {count(n, 'vote')}?", yes):
            return done(campaign, "nothing changed", as_json, done=False)
        campaign.close()
        return done(campaign, f"{campaign.id} closed with {count(n, 'vote')}", as_json, done=True)


def _is_meant(question: str, yes: bool) -> bool:
    """Return whether the owner confirms, here or with --yes."""
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise InvalidArgument("this cannot be undone: add --yes to confirm")
    try:
        return typer.confirm(visible(question), err=True)
    except typer.Abort:  # Ctrl-C, or the end of input
        raise KeyboardInterrupt from None


Ids = Annotated[
    list[str], typer.Argument(metavar="ITEM", help=("Ids of items; several may be named."))
]


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
    """Add items from a file or folder.

    If one of them is already in the campaign, none is added.

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
        words = f"{count(len(joining), 'item')} added to {campaign.id}, which now has {n:,}"
        added = [item.id for item in joining]
        return done(campaign, words, as_json, added=added, n_items=n)


def retire(where: Where, items: Ids, name: Name = None, as_json: AsJson = False) -> Done:
    """Retire items: they are not asked about any more, and their votes stay.

    Examples:
      hodgerank campaign retire campaign.db item-07 item-12
    """
    with Campaign.open(where, name) as campaign:
        campaign.retire(*known_items(items, [one.id for one in campaign.items]))
        retired = campaign.retired
        words = f"{len(retired):,} of {campaign.counts.n_items:,} items retired"
        return done(campaign, words, as_json, retired=retired)


def unretire(where: Where, items: Ids, name: Name = None, as_json: AsJson = False) -> Done:
    """Ask about retired items again.

    Examples:
      hodgerank campaign unretire campaign.db item-07
    """
    with Campaign.open(where, name) as campaign:
        campaign.restore_item(*known_items(items, [one.id for one in campaign.items]))
        retired = campaign.retired
        words = f"{len(retired):,} of {campaign.counts.n_items:,} items retired"
        return done(campaign, words, as_json, retired=retired)


Worker = Annotated[
    str, typer.Argument(metavar="WORKER", help=("Name of the worker, as in status --workers."))
]


def ban(
    where: Where,
    worker: Worker,
    reason: Annotated[
        str, typer.Option(help="Reason, recorded with the ban.", show_default=False)
    ] = "",
    name: Name = None,
    as_json: AsJson = False,
) -> Done:
    """Ban a worker: no more tasks, and their votes do not count.

    Their browser sessions and judge tokens for this campaign end. The command restore lifts the
    ban, but does not bring back sessions and tokens. A worker can be banned before joining.

    Examples:
      hodgerank campaign ban campaign.db ann --reason "random clicks"
    """
    with Campaign.open(where, name) as campaign:
        campaign.ban(worker, reason)
        n = _n_answers(campaign, worker)
        words = f"{worker} banned: {count(n, 'vote')} no longer counted"
        return done(campaign, words, as_json, worker=worker, is_banned=True, n_votes=n)


def restore(where: Where, worker: Worker, name: Name = None, as_json: AsJson = False) -> Done:
    """Lift a ban: the votes of the worker count again.

    Examples:
      hodgerank campaign restore campaign.db ann
    """
    with Campaign.open(where, name) as campaign:
        campaign.restore(worker)
        n = _n_answers(campaign, worker)
        words = f"{worker} restored: {count(n, 'vote')}"
        return done(campaign, words, as_json, worker=worker, is_banned=False, n_votes=n)


def _n_answers(campaign: Campaign, worker: str) -> int:
    return sum(who.n_answers for who in campaign.workers() if who.worker == worker)
