"""Answers that race: one of them counts, the others are told so."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from campaign.folded import folded, plain
from campaign.trial import QUESTION
from hodgerank.campaign.campaign import Campaign
from hodgerank.errors import CampaignError

N_TASKS, N_THREADS = 200, 20

RACE = """
import json, sys
from campaign.test_races import race
from hodgerank.campaign.campaign import Campaign

with Campaign.open(sys.argv[1]) as campaign:
    print(json.dumps(race(campaign, json.load(sys.stdin), int(sys.argv[2]))))
"""


def race(campaign: Campaign, ids: list[str], seed: int) -> dict[str, list[int]]:
    """Let threads answer each task at once; what each task's answers were told."""
    told: dict[str, list[int]] = {id: [0, 0, 0] for id in ids}  # taken, repeated, refused

    def answer_all(thread: int) -> list[tuple[str, int]]:
        random, found = Random(seed * 1000 + thread), []
        for id in ids:
            try:
                receipt = campaign.answer(id, random.choice([-1, 1]))
                assert receipt.is_counted
                found.append((id, 1 if receipt.is_repeated else 0))
            except CampaignError:
                found.append((id, 2))
        return found

    with ThreadPoolExecutor(N_THREADS) as pool:
        for found in pool.map(answer_all, range(N_THREADS)):
            for id, kind in found:
                told[id][kind] += 1
    return told


def with_tasks_out(where: object) -> Campaign:
    """A campaign of which so many tasks are out."""
    campaign = Campaign.create(where, list(range(60)), question=QUESTION)
    for worker in range(N_TASKS // 50):
        campaign.lease(f"w{worker}", 50)
    return campaign


def ids_of(campaign: Campaign) -> list[str]:
    return [event.task for event in campaign.events() if event.kind == "issued"]


def is_as_it_should(campaign: Campaign, told: dict[str, list[int]], n_threads: int) -> None:
    assert [kinds[0] for kinds in told.values()] == [1] * N_TASKS
    assert {sum(kinds) for kinds in told.values()} == {n_threads}
    assert campaign.counts.n_votes == N_TASKS
    answered = Counter(event.task for event in campaign.events() if event.kind == "answered")
    assert set(answered) == set(told)
    assert set(answered.values()) == {1}
    assert plain(campaign.log.state) == plain(folded(campaign))


def in_a_process(address: str, ids: list[str], seed: int) -> dict[str, list[int]]:
    ended = subprocess.run(
        [sys.executable, "-c", RACE, address, str(seed)],
        input=json.dumps(ids),
        capture_output=True,
        text=True,
        timeout=120,
        env={"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_of_racing_answers_one_counts_on_sqlite(tmp_path):
    with with_tasks_out(tmp_path / "race.db") as campaign:
        told = race(campaign, ids_of(campaign), 1)
        is_as_it_should(campaign, told, N_THREADS)


@pytest.mark.slow
def test_of_racing_answers_one_counts_on_postgresql_from_two_processes(postgres_url):
    with with_tasks_out(postgres_url) as campaign:
        ids = ids_of(campaign)
        told = {id: [0, 0, 0] for id in ids}
        with ThreadPoolExecutor(2) as pool:
            for found in pool.map(lambda seed: in_a_process(postgres_url, ids, seed), (1, 2)):
                for id, kinds in found.items():
                    told[id] = [a + b for a, b in zip(told[id], kinds, strict=True)]
        is_as_it_should(campaign, told, 2 * N_THREADS)
