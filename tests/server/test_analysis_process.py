from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from hodgerank.campaign import Campaign
from hodgerank.errors import CampaignError
from hodgerank.server.analysis_process import AnalysisProcess

ORPHAN = """
import asyncio, os, sys
from hodgerank.server.analysis_process import AnalysisProcess
from test_analysis_process import process
if __name__ == "__main__":
    print(asyncio.run(AnalysisProcess(sys.argv[1]).ask(process, "cups")), flush=True)
    input()
"""


def process(campaign) -> int:
    return os.getpid()


def n_answers(campaign, more=0) -> int:
    return campaign.counts.n_votes + more


def end(campaign) -> None:
    os._exit(1)


def refuse(campaign) -> None:
    raise CampaignError("not today")


@pytest.fixture
def campaign(tmp_path):
    place = tmp_path / "campaigns.db"
    with Campaign.create(place, ["tea", "milk", "cola"], question="Which?", id="cups") as campaign:
        yield campaign


@pytest.fixture
def analysis(campaign):
    analysis = AnalysisProcess(campaign.database.name)
    yield analysis
    analysis.close()


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"


def wait_for_end(pid, seconds=10):
    until = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_alive(pid)


@pytest.mark.slow
def test_it_knows_what_was_answered_since_it_was_last_asked(campaign, analysis):
    async def ask():
        before = await analysis.ask(n_answers, "cups")
        [task] = campaign.lease("ann")
        campaign.answer(task, 1)
        return before, await analysis.ask(n_answers, "cups", more=10)

    assert asyncio.run(ask()) == (0, 11)


def test_it_is_another_process_that_stays_the_same_until_it_is_closed(analysis):
    async def ask():
        return [await analysis.ask(process, "cups") for _ in range(2)]

    one, other = asyncio.run(ask())
    assert one == other != os.getpid()
    with pytest.raises(CampaignError, match="not today"):
        asyncio.run(analysis.ask(refuse, "cups"))
    assert asyncio.run(analysis.ask(process, "cups")) == one
    analysis.close()
    assert wait_for_end(one)


@pytest.mark.slow
def test_a_process_that_died_is_replaced(analysis):
    async def ask():
        first = await analysis.ask(process, "cups")
        os.kill(first, signal.SIGKILL)
        return first, await analysis.ask(process, "cups")

    first, second = asyncio.run(ask())
    assert first != second


@pytest.mark.slow
def test_what_kills_it_every_time_is_an_error_and_no_loop(analysis):
    with pytest.raises(Exception, match="terminated abruptly"):
        asyncio.run(analysis.ask(end, "cups"))
    assert asyncio.run(analysis.ask(n_answers, "cups")) == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_it_ends_when_its_server_is_killed(campaign, tmp_path):
    script = tmp_path / "orphan.py"
    script.write_text(ORPHAN)
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    with subprocess.Popen(
        [sys.executable, script, campaign.database.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
    ) as server:
        pid = int(server.stdout.readline())
        server.kill()
        assert wait_for_end(pid)
