"""Limits: how much one upload may hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How much one upload may hold.

    Attributes
    ----------
    largest_file, all_files
        Bytes of one file, and of all of them when they are unpacked.
    largest_table, largest_text
        Bytes of a table, and of the text of one item: these are held in memory.
    most_files, most_items
        Files in the upload, those in zips included; rows of a table.
    most_unpacked
        A file in a zip that has more than a few megabytes may be so many times as large as packed.
    """

    largest_file: int = 200 << 20
    all_files: int = 2 << 30
    largest_table: int = 50 << 20
    largest_text: int = 1 << 20
    most_files: int = 20_000
    most_items: int = 100_000
    most_unpacked: int = 200
