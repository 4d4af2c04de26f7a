"""hodgerank campaign pause, resume, reset, close: whether it runs."""

import sys
from typing import Annotated

import typer

from hodgerank.cli.campaign.done import Done, done
from hodgerank.cli.campaign.naming import Name, Where
from hodgerank.cli.outputs import AsJson
from hodgerank.errors import InvalidArgument

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask whether that is meant.")]


def pause(where: Where, name: Name = None, as_json: AsJson = False) -> Done:
    """Give out no more tasks for now; answers to those that are out are still taken.

    Examples:
      hodgerank campaign pause campaign.db
    """
    from hodgerank.campaign.campaign import Campaign

    with Campaign.open(where, name) as campaign:
        campaign.pause()
        return done(campaign, f"{campaign.id} is paused; resume lets it go on", as_json)


def resume(where: Where, name: Name = None, as_json: AsJson = False) -> Done:
    """Give out tasks again, after a pause.

    Examples:
      hodgerank campaign resume campaign.db
    """
    from hodgerank.campaign.campaign import Campaign

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
    from hodgerank.campaign.campaign import Campaign

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
    from hodgerank.campaign.campaign import Campaign

    with Campaign.open(where, name) as campaign:
        n = campaign.counts.n_answers
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
    from hodgerank.notebook import visible

    try:
        return typer.confirm(visible(question), err=True)
    except typer.Abort:  # Ctrl-C, or the end of input
        raise KeyboardInterrupt from None
