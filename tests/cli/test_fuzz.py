"""A short run of the fuzzer; `make fuzz` is a long one."""

from __future__ import annotations

import pytest

from fuzz.campaign import Campaign

FIRST, MANY = 1_000_000, 15


@pytest.mark.slow
def test_no_file_and_no_option_breaks_a_command(tmp_path):
    campaign = Campaign(tmp_path)
    campaign.run(range(FIRST, FIRST + MANY))
    assert campaign.runs.total() >= MANY
    assert not campaign.findings, "\n\n".join(map(str, campaign.findings))
