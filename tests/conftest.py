"""Fixtures every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("hodgerank", deadline=None, max_examples=60)
settings.load_profile("hodgerank")


@pytest.fixture
def write(tmp_path: Path):
    """Write a file of votes and return its path."""

    def write_file(text: str, name: str = "votes.csv", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write_file


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets, which are not part of the repository."""
    folder = os.environ.get("HODGERANK_DATA")
    if not folder:
        pytest.skip("set HODGERANK_DATA to the folder of data sets to run this test")
    return Path(folder)
