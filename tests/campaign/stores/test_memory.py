from __future__ import annotations

import pytest

from contracts.store import StoreContract
from hodgerank.campaign.stores.memory import MemoryStore


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self):
        store = MemoryStore()
        yield store
        store.close()
