"""What tests of judges share."""

from __future__ import annotations

import pytest

from campaigns import forget_surroundings
from hodgerank.judges.endpoint import retries


@pytest.fixture(autouse=True)
def _no_surroundings(monkeypatch):
    forget_surroundings(monkeypatch)


@pytest.fixture
def no_waiting(monkeypatch):
    """Calls are tried again without delay."""
    monkeypatch.setattr(retries, "FIRST_SECONDS", 0.0)
