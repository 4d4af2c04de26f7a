"""hodgerank campaign settings: show or change the settings of a campaign."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from hodgerank.atomic_write import write_file
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.cli.campaign.arguments import Assignments, Name, Where, read_assignments
from hodgerank.cli.console import count, show_written, verbatim
from hodgerank.cli.outputs import (
    AsJson,
    check_output_name,
    goes_to_standard_output,
    keep_apart,
    print_bytes,
    require_one_printed,
)
from hodgerank.cli.result import CommandResult


@dataclass(frozen=True)
class SettingsResult(CommandResult):
    """Settings of a campaign, and how many were changed."""

    campaign: str
    settings: CampaignSettings
    n_changed: int
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json; as in a settings file."""
        return self.settings.to_dict()

    def show(self, console: Console) -> None:
        """Print the settings as TOML, or where they were written."""
        if self.n_changed:
            console.print(
                verbatim(f"{count(self.n_changed, 'setting')} of {self.campaign} changed")
            )
        if self.written is None:
            for line in self.settings.to_toml().splitlines():
                console.print(verbatim(line), soft_wrap=True)
        show_written(self.written, console)

    def write(self, path: Path) -> None:
        """Write the file."""
        content = self.settings.to_toml().encode()
        if goes_to_standard_output(path):
            print_bytes(content)
        else:
            write_file(path, content)


def settings(
    where: Where,
    assignments: Assignments = None,
    name: Name = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=("Write the settings as .toml, for new --settings; - prints them."),
        ),
    ] = None,
    as_json: AsJson = False,
) -> SettingsResult:
    """Show or change the settings of a campaign.

    Values are written as in TOML; quotes around a text may be omitted.

    Examples:
      hodgerank campaign settings campaign.db

      hodgerank campaign settings campaign.db --set budget=800 --set attention.same_side=none

      hodgerank campaign settings campaign.db --set vetting=8 --set easy_share=0.2

      hodgerank campaign settings campaign.db --set 'attention.exclude=["gold"]'

      hodgerank campaign settings campaign.db -o settings.toml
    """
    require_one_printed(output, as_json)
    if output is not None and not goes_to_standard_output(output):
        check_output_name(output, (".toml",))
        keep_apart([output], [where])
    changes = read_assignments(assignments or ())
    with Campaign.open(where, name, read_only=not changes) as campaign:
        before = campaign.settings.to_dict()
        if changes:
            campaign.change(**changes)
        after = campaign.settings
        n_changed = _n_different(before, after.to_dict())
        result = SettingsResult(campaign.id, after, n_changed, output, as_json)
    if output is not None and not goes_to_standard_output(output):
        result.write(output)
    return result


def _n_different(before: Mapping[str, Any], after: Mapping[str, Any]) -> int:
    """Count the values that differ, those of tables one by one."""
    return sum(
        _n_different(before[name], value) if isinstance(value, Mapping) else before[name] != value
        for name, value in after.items()
    )
