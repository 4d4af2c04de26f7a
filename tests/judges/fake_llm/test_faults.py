from __future__ import annotations

from collections import Counter
from email.utils import parsedate_to_datetime
from time import time

import pytest

from hodgerank.errors import InvalidArgument
from hodgerank.judges.fake_llm import Faults
from hodgerank.judges.fake_llm.faults import FaultPlan


def test_faults_come_in_their_shares():
    faults = Faults(too_many=0.1, server_error=0.2, broken_json=0.3, closed=0.15)
    mishaps = FaultPlan(faults, seed=1)
    counts = Counter(mishaps.draw()[0] for _ in range(4000))
    shares = {"too_many": 0.1, "server_error": 0.2, "broken_json": 0.3, "closed": 0.15, None: 0.25}
    for name, share in shares.items():
        assert counts[name] == pytest.approx(4000 * share, abs=4 * (4000 * share) ** 0.5)


def test_the_same_seed_has_the_same_mishaps():
    faults = Faults(too_many=0.5, latency=(0.1, 0.2))
    one, other = FaultPlan(faults, 3), FaultPlan(faults, 3)
    assert [one.draw() for _ in range(20)] == [other.draw() for _ in range(20)]


def test_latency_is_fixed_or_in_a_range():
    assert FaultPlan(Faults(latency=0.5), 1).draw() == (None, 0.5)
    waits = [FaultPlan(Faults(latency=(0.1, 0.3)), seed).draw()[1] for seed in range(50)]
    assert all(0.1 <= wait <= 0.3 for wait in waits)
    assert len(set(waits)) == 50


def test_waiting_is_said_in_seconds_milliseconds_or_as_a_date():
    assert Faults().waiting_header() == {}
    assert Faults(retry_after=2.5).waiting_header() == {"Retry-After": "2.5"}
    assert Faults(retry_after=2.5, retry_after_as="ms").waiting_header() == {
        "retry-after-ms": "2500"
    }
    date = Faults(retry_after=100, retry_after_as="date").waiting_header()["Retry-After"]
    assert 99 <= parsedate_to_datetime(date).timestamp() - time() <= 102


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"too_many": -0.1}, "shares"),
        ({"too_many": 0.6, "closed": 0.6}, "shares"),
        ({"latency": -1}, "latency"),
        ({"latency": (0.3, 0.1)}, "latency"),
    ],
)
def test_shares_and_seconds_are_checked(values, message):
    with pytest.raises(InvalidArgument, match=message):
        Faults(**values)
