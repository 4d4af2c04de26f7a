"""Result of a command, which prints itself for people or as JSON."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hodgerank.cli.outputs import STANDARD_OUTPUT, goes_to_standard_output
from hodgerank.display import UNSEEN

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console


class CommandResult(ABC):
    """Result of a command."""

    as_json: bool
    written: Path | None  # where --output wrote it; - is standard output

    @property
    def exit_status(self) -> int:
        """Exit status of the process; 0 is success."""
        return 0

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""

    @abstractmethod
    def show(self, console: Console) -> None:
        """Print it for people."""

    def cautions(self) -> list[str]:
        """Return warnings to print when only the table is printed."""
        return []

    def print(self) -> None:
        """Print the result as requested."""
        if self.as_json:
            text = json.dumps(
                self.to_dict(), indent=2, ensure_ascii=not _is_unicode(), allow_nan=False
            )
            # JSON does not escape control characters that a terminal obeys
            lines = (UNSEEN.sub(lambda c: f"\\u{ord(c[0]):04x}", line) for line in text.split("\n"))
            sys.stdout.write("\n".join(lines) + "\n")
        elif goes_to_standard_output(self.written):
            from hodgerank.cli.console import complaints, show_warnings

            show_warnings(self.cautions(), complaints())
            self.write(STANDARD_OUTPUT)
        else:
            from hodgerank.cli.console import results

            self.show(results())

    def to_table(self) -> pl.DataFrame:
        """Return the table that --output writes."""
        raise NotImplementedError(f"a {type(self).__name__} has no table")

    def write(self, path: Path) -> None:
        """Write the result to a file."""
        from hodgerank.cli.files import write_table

        write_table(self.to_table(), path)

    def conclude(self) -> None:  # noqa: B027
        """Finish after everything else has succeeded."""


def _is_unicode() -> bool:
    """Return whether standard output can encode every character; otherwise JSON is escaped."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


WRONG_USAGE = 2
BAD_INPUT = 3
NOT_UNIQUE = 4
INTERRUPTED = 130
