"""A house with its owner, for the tests of the owner's pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hodgerank.server import standings
from server.pages.owning import Owned, app_of, house_at


@pytest.fixture(scope="session")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Owned]:
    """One house for all tests: each makes a campaign of its own."""
    house = house_at(str(tmp_path_factory.mktemp("owned") / "campaigns.db"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standings, "LOOK_SECONDS", 0.02)
        patch.setattr(standings, "FEWEST_SECONDS", 0.05)
        with app_of(house) as client:
            yield Owned(house, client)


@pytest.fixture(autouse=True)
def quick(few_futures: None) -> None:
    """Pages show forecasts; how good they are is tested elsewhere."""
