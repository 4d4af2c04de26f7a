"""The command line: one module per command; a command returns a result that prints itself."""

from hodgerank.cli.main import main

__all__ = ["main"]
