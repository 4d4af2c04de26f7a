"""The folder of a judged campaign: run it there, handle interrupts, write the results."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from hodgerank.atomic_write import write_file
from hodgerank.cli.console import complaints, verbatim
from hodgerank.cli.progress import doing, is_watched, telling_progress
from hodgerank.collecting.call_loop import StopReason
from hodgerank.errors import CannotWrite
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.run_on_items import JudgedRun, judge_items, votes_in
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.report import Report

T = TypeVar("T")
CALLS, CAMPAIGN = "calls.jsonl", "campaign.db"
VOTES, OPTIONS, RANKING = "votes.csv", "votes.toml", "ranking.csv"
INTERRUPTED = StopReason("interrupted", "interrupted")


class JudgeFolder:
    """A folder for `calls`, `votes`, ranking and report; `files` are those written so far."""

    def __init__(self, path: Path, form: str) -> None:
        if form == "html":
            from hodgerank.plotting.charts import require_charts

            require_charts()  # before any call is paid for
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWrite(f"{path} cannot be a folder: {error.strerror or error}") from None
        self._path, self._page = path, path / f"report.{form}"
        for name in (CALLS, CAMPAIGN, VOTES, OPTIONS, RANKING, self._page.name):
            if (path / name).is_dir():  # before any call is paid for
                raise CannotWrite(f"{path / name} is a folder: remove it, or name another place")
        self.calls, self.votes = path / CALLS, path / VOTES
        self.files = [self.calls, path / CAMPAIGN]

    def run(self, judge: ChatJudge, **campaign: Any) -> JudgedRun:
        """Run or resume the campaign, and always write its votes."""
        try:
            return asyncio.run(_run(judge, {**campaign, "campaign": self._path / CAMPAIGN}))
        finally:
            name = campaign["sampler"].name
            votes = pl.DataFrame(votes_in(judge.judged, name, judge.items.prompt_columns))
            if len(votes):
                self._write(self._path / VOTES, votes.write_csv())
                if "context" in votes.columns:
                    self._write(self._path / OPTIONS, 'unit = "context"\n')

    def report(self, run: JudgedRun, **page: Any) -> Report | None:
        """Write ranking and report, unless there are no votes or the run was interrupted."""
        if run.result.reason == INTERRUPTED or not run.result.n_votes:
            return None
        with telling_progress():
            report = run.report(str(self._path / VOTES), on_step=doing, **page)
            assert isinstance(report.findings, Findings)
            ranking = report.findings.ranking.to_frame("polars")
            self._write(self._path / RANKING, ranking.write_csv())
            report.save(self._page)
        self.files.append(self._page)
        return report

    def _write(self, path: Path, text: str) -> None:
        write_file(path, text.encode())
        self.files.append(path)


async def _run(judge: ChatJudge, campaign: dict[str, Any]) -> JudgedRun:
    return await heeding_interrupts(judge, judge_items(judge, progress=is_watched(), **campaign))


async def heeding_interrupts(judge: ChatJudge, work: Awaitable[T]) -> T:
    """Run a judge and close it afterwards.

    A first interrupt waits for calls in progress, a second one does not.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    before = signal.getsignal(signal.SIGINT)

    def interrupt() -> None:
        if judge.is_stopped:
            assert task is not None
            task.cancel()
            return
        judge.stop(INTERRUPTED)
        words = (
            "waiting for calls in progress, which are paid for; press Ctrl-C again to abandon them"
        )
        complaints().print(verbatim(words))

    try:
        loop.add_signal_handler(signal.SIGINT, interrupt)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        before = None
    try:
        return await work
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        if before is not None:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)
        await judge.close()
