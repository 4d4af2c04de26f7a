"""Two items on the screen, whatever their texts hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from hodgerank.cli.fitting import plain_table
from hodgerank.notebook import visible

if TYPE_CHECKING:
    from hodgerank.campaign.items import CampaignItem

WIDE = 80  # columns, in which two items stand side by side
LONGEST = 10_000  # characters of a text that are shown


def show_pair(left: CampaignItem, right: CampaignItem, console: Console) -> None:
    """Side by side, or one under the other where that would be narrow."""
    headers = Text("1: left", "bold cyan"), Text("2: right", "bold cyan")
    shown = item_text(left), item_text(right)
    if console.width < WIDE:
        for header, text in zip(headers, shown, strict=True):
            console.print(header)
            console.print(text)
            console.print()
        return
    table = plain_table()
    half = (console.width - 4) // 2
    for header in headers:
        table.add_column(header, overflow="fold", width=half)
    table.padding = (0, 4, 0, 0)
    table.add_row(*shown)
    console.print(table)
    console.print()


def item_text(item: CampaignItem) -> Text:
    """What a worker sees of an item; its id only where there is nothing else."""
    found = Text(overflow="fold")
    if item.text.strip():
        found.append(shown_text(item.text))
    if item.media:
        found.append("\n" if found else "").append(visible(item.media), "underline")
    return found if found else Text(visible(str(item.id)), overflow="fold")


def shown_text(text: str) -> Text:
    """Somebody else's text with its lines: no markup, no orders to the terminal, not endless."""
    begin = text[:LONGEST].replace("\r\n", "\n").expandtabs(4)
    found = Text("\n".join(map(visible, begin.split("\n"))), overflow="fold")
    if (n_more := len(text) - LONGEST) > 0:
        found.append(f"\n... {n_more:,} more characters", "dim")
    return found
