"""The command line: one command per file; a command returns a result that prints itself."""

from hodgerank.cli.main import main

__all__ = ["main"]
