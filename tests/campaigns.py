"""Small judged campaigns against a stand-in, over real HTTP."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from hodgerank.judges.call_log import content_key
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.fake_llm import Call, FakeLLM
from hodgerank.judges.run_on_items import JudgedRun, judge_items
from hodgerank.types import Pair

QUESTION = "Which text is better?"
TEXTS = {f"item-{k:02d}": f"The text of number {k:02d}." for k in range(12)}
SCORES = {text: k / 2 for k, text in enumerate(TEXTS.values())}
WORST, BEST = "item-00", "item-11"
KEY = "sk-proj-Zq83hTvLx92mWd71"
SURROUNDINGS = ("HODGERANK_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "ALL_PROXY")


def forget_surroundings(monkeypatch: Any) -> None:
    """Neither keys nor proxies of whoever runs the tests."""
    for name in (*SURROUNDINGS, *map(str.lower, SURROUNDINGS)):
        monkeypatch.delenv(name, raising=False)


def few(n: int) -> dict[str, str]:
    """The first n items with their texts."""
    return dict(list(TEXTS.items())[:n])


def judge_of(fake_llm: FakeLLM, items: Any = TEXTS, models: Any = "m", **options: Any) -> ChatJudge:
    """A judge that asks it."""
    options = {"base_url": fake_llm.base_url, "question": QUESTION} | options
    return ChatJudge(items, models=models, **options)


def taken_up(fake_llm: FakeLLM, *arguments: Any, **options: Any) -> ChatJudge:
    """A judge that has read its log and lets others open it."""
    judge = judge_of(fake_llm, *arguments, **options)
    asyncio.run(judge.close())
    return judge


def ask(judge: ChatJudge, *pairs: tuple[str, str], at_once: bool = False) -> list[Any]:
    """What it says or raises, of one pair after the other; then it is closed."""

    async def answers() -> list[Any]:
        said = []
        for together in [pairs] if at_once else [[pair] for pair in pairs]:
            calls = (judge(Pair(*pair)) for pair in together)
            said += await asyncio.gather(*calls, return_exceptions=True)
        await judge.close()
        return said

    return asyncio.run(answers())


def run(judge: ChatJudge, budget: int, **options: Any) -> JudgedRun:
    """A campaign; then the judge is closed."""

    async def campaign() -> JudgedRun:
        try:
            return await judge_items(judge, budget, **options)
        finally:
            await judge.close()

    return asyncio.run(campaign())


def records(log: Path) -> list[dict[str, Any]]:
    """The lines of a log."""
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def asked_in(call: Call, fake_llm: FakeLLM) -> str:
    """The question of a call by its content, as the log names it."""
    rest = {name: value for name, value in call.body.items() if name not in ("model", "messages")}
    return content_key(call.model, fake_llm.base_url, call.body["messages"], rest)


def shown_in(call: Call) -> tuple[str, str]:
    """The items of a call, as they were shown."""
    names = {text: item for item, text in TEXTS.items()}
    return names[call.left], names[call.right]
