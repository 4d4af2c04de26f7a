"""hodgerank campaign add, retire, unretire: which items are asked about."""

from typing import Annotated

import typer

from hodgerank.cli.campaign.done import Done, done
from hodgerank.cli.campaign.naming import Name, Where
from hodgerank.cli.campaign.reading_items import (
    ContextColumn,
    Encoding,
    IdColumn,
    ImageColumn,
    Items,
    TextColumn,
    TrackColumn,
    known_items,
)
from hodgerank.cli.outputs import AsJson

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
    from hodgerank.campaign.campaign import Campaign
    from hodgerank.campaign.item_files import read_campaign_items

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
    from hodgerank.campaign.campaign import Campaign

    with Campaign.open(where, name) as campaign:
        for item in known_items(items, [one.id for one in campaign.items]):
            campaign.retire(item)
        retired = campaign.retired
        words = f"{len(retired):,} of {campaign.counts.n_items:,} items are retired"
        return done(campaign, words, as_json, retired=retired)


def unretire(where: Where, items: Ids, name: Name = None, as_json: AsJson = False) -> Done:
    """Ask about retired items again.

    Examples:
      hodgerank campaign unretire campaign.db item-07
    """
    from hodgerank.campaign.campaign import Campaign

    with Campaign.open(where, name) as campaign:
        for item in known_items(items, [one.id for one in campaign.items]):
            campaign.restore_item(item)
        retired = campaign.retired
        words = f"{len(retired):,} of {campaign.counts.n_items:,} items are retired"
        return done(campaign, words, as_json, retired=retired)
