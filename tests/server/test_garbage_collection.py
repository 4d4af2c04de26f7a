"""The garbage collector passes over logs, also those that are opened later."""

from __future__ import annotations

import asyncio
import gc

import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.server import garbage_collection
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.garbage_collection import spare_collector, spare_what_is_new


@pytest.fixture
def thresholds(monkeypatch):
    monkeypatch.setattr(garbage_collection, "_is_spared", False)
    thresholds = gc.get_threshold()
    gc.unfreeze()  # what the tests are made of
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@pytest.mark.slow
def test_a_campaign_that_is_opened_later_is_passed_over_too(tmp_path, thresholds):
    address = str(tmp_path / "campaigns.db")
    with Campaign.create(address, [f"i{k}" for k in range(500)], id="c", question="?"):
        pass
    spare_collector()
    n_before = gc.get_freeze_count()
    context = ServerContext(ServerConfig(address))
    try:
        asyncio.run(context.campaign("c"))
        assert gc.get_freeze_count() > n_before + 500
    finally:
        context.close()


def test_a_process_that_only_tests_keeps_its_collector(thresholds):
    n_before = gc.get_freeze_count()
    spare_what_is_new()
    assert gc.get_freeze_count() == n_before == 0
