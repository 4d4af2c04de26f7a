"""What a command returns: a result that prints itself, for people or as JSON."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


class CommandResult(ABC):
    """The outcome of a command."""

    as_json: bool

    @property
    def exit_status(self) -> int:
        """What the process ends with; 0 is success."""
        return 0

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""

    @abstractmethod
    def show(self, console: Console) -> None:
        """Print it for people."""

    def print(self) -> None:
        """Print it the way it was asked for."""
        if self.as_json:
            json.dump(self.to_dict(), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
            sys.stdout.write("\n")
        else:
            from rich.console import Console

            self.show(Console(highlight=False))
