"""hodgerank campaign import: a log becomes a campaign, votes become answers of one."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hodgerank.cli.campaign.done import Done, done
from hodgerank.cli.campaign.naming import Name
from hodgerank.cli.campaign.reading_items import known_items
from hodgerank.cli.outputs import AsJson
from hodgerank.errors import InvalidArgument


def import_file(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The log of a campaign (.jsonl), or votes as rank reads them.",
            show_default=False,
        ),
    ],
    name: Name = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="The file or postgresql:// address: where a log becomes a new campaign, or votes "
            "join one that is there.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Count votes that were imported before once more.")
    ] = False,
    as_json: AsJson = False,
) -> Done:
    """Make a campaign of a log that was exported, or count votes that were collected elsewhere.

    Votes are about items of the campaign, and count on top of its own.

    Examples:
      hodgerank campaign import log.jsonl -o copy.db

      hodgerank campaign import votes.csv -o campaign.db
    """
    from hodgerank.campaign.campaign import Campaign
    from hodgerank.campaign.log_file import is_log
    from hodgerank.data.reading.source import read_comparisons

    if output is None:
        raise InvalidArgument("name the campaign that the file goes into: -o campaign.db")
    if is_log(file):
        if again:
            raise InvalidArgument("--again is about votes, and this is a log: leave it out")
        with Campaign.load(output, file, id=name) as campaign:
            counts = campaign.counts
            words = (
                f"{campaign.id} is in {campaign.database.name}: {counts.n_items:,} items, "
                f"{counts.n_answers:,} answers"
            )
            numbers = {"n_items": counts.n_items, "n_answers": counts.n_answers}
            return done(campaign, words, as_json, is_created=True, **numbers)
    votes = read_comparisons(file)
    with Campaign.open(output, name) as campaign:
        items = known_items(map(str, votes.items), [item.id for item in campaign.items])
        n = campaign.import_votes(replace(votes, items=tuple(items)), again=again)
        n_answers = campaign.counts.n_answers
        words = f"{n:,} votes of {file} join {campaign.id}, which has {n_answers:,} answers"
        numbers = {"n_imported": n, "n_answers": n_answers}
        return done(campaign, words, as_json, is_created=False, **numbers)
