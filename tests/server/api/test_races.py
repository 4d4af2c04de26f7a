"""Answers that race over HTTP: one of them counts, the others are told so."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from random import Random

import pytest

from hodgerank.campaign import RemoteCampaign
from hodgerank.errors import CampaignError
from server.live_server import LiveServer, live_server

N_TASKS, N_PROGRAMS = 60, 20


@pytest.fixture
def live(tmp_path):
    with live_server(tmp_path) as server:
        yield server


def race(live: LiveServer, n_tasks: int) -> None:
    """Let programs answer each of some tasks at once, and look what became of that."""
    campaign = live.campaign([str(k) for k in range(60)])
    tasks = [
        task.id
        for worker in range(-(-n_tasks // 50))
        for task in campaign.lease(f"w{worker}", min(50, n_tasks - 50 * worker))
    ]

    def answer_all(number: int) -> list[tuple[str, str]]:
        random, told = Random(number), []
        for task in tasks:
            try:
                receipt = clients[number].answer(task, random.choice([-1, 1]))
                assert receipt.is_counted
                told.append((task, "again" if receipt.is_repeated else "taken"))
            except CampaignError:
                told.append((task, "refused"))
        return told

    with ExitStack() as stack, ThreadPoolExecutor(N_PROGRAMS) as pool:
        clients = [
            stack.enter_context(
                RemoteCampaign(
                    live.url,
                    campaign.id,
                    token=live.context.keys.issue("token", "owner", f"program {number}"),
                )
            )
            for number in range(N_PROGRAMS)
        ]
        told = Counter(one for found in pool.map(answer_all, range(N_PROGRAMS)) for one in found)
    assert {task: told[task, "taken"] for task in tasks} == dict.fromkeys(tasks, 1)
    assert told.total() == n_tasks * N_PROGRAMS
    answered = Counter(event.task for event in campaign.events() if event.kind == "answered")
    assert answered == dict.fromkeys(tasks, 1)
    assert campaign.counts.n_votes == n_tasks


@pytest.mark.slow
def test_of_racing_answers_one_counts(live):
    race(live, N_TASKS)
