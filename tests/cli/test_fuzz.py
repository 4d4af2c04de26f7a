"""Short runs of the fuzzers; `make fuzz` and `python -m fuzz.suggestions` are long ones."""

from __future__ import annotations

import pytest

from fuzz.campaign import Campaign
from fuzz.corpus_mutations import MUTATIONS
from fuzz.suggestions import Campaign as SuggestionCampaign
from fuzz.suggestions import mutate

FIRST, MANY = 1_000_000, 15


@pytest.mark.slow
def test_no_file_and_no_option_breaks_a_command(tmp_path):
    campaign = Campaign(tmp_path)
    campaign.run(range(FIRST, FIRST + MANY))
    assert campaign.runs.total() >= MANY
    assert not campaign.findings, "\n\n".join(map(str, campaign.findings))


def test_no_changed_layout_is_ranked_wrongly(tmp_path):
    campaign = SuggestionCampaign()
    campaign.run(range(FIRST, FIRST + 120), tmp_path)
    assert not campaign.findings, "\n\n".join(map(str, campaign.findings))


@pytest.mark.slow
def test_no_changed_layout_of_many_is_ranked_wrongly(tmp_path):
    campaign = SuggestionCampaign()
    campaign.run(range(2 * FIRST, 2 * FIRST + 1500), tmp_path)
    assert not campaign.findings, "\n\n".join(map(str, campaign.findings))


def test_every_change_is_made_and_can_be_repeated():
    made = [mutate(seed) for seed in range(250)]
    assert {change for one in made for change in one.changes} == {f.__name__ for f in MUTATIONS}
    assert [mutate(one.seed).file.content for one in made[:10]] == [
        one.file.content for one in made[:10]
    ]
