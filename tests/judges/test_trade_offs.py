"""Trade-offs: which ties, which costs, and what the report says."""

import numpy as np
import polars as pl
import pytest

from campaigns import judge_of, run
from hodgerank.data.items.judged_items import read_items
from hodgerank.judges.fake_llm import FakeLLM, ModelProfile
from hodgerank.judges.trade_offs import TradeOff, trade_offs
from hodgerank.reporting.verdict import Verdict


def verdict(state, *leaders):
    return Verdict(state, leaders, 0.6, 0.975, np.zeros((0, 2)), 0.9, np.zeros(0))


COSTS = {
    "cost": {"a": {"p": 10.0, "q": 30.0}, "b": {"q": 6.0, "r": 99.0}, "c": {"p": 9.9}},
    "Latency": {"a": {"p": 1.0}, "b": {"p": 2.0}, "c": {"p": 0.5}},
}


def test_the_cheapest_tied_item_is_named_by_shared_contexts():
    found = list(trade_offs(verdict("tied", "a", "b", "c"), COSTS))
    assert found == [TradeOff("b", "a", "cost", 0.8), TradeOff("c", "a", "latency", 0.5)]
    assert list(trade_offs(verdict("tied", "a", "b"), COSTS)) == found[:1]
    assert not list(trade_offs(verdict("tied", "c", "a"), {"cost": COSTS["cost"]}))


@pytest.mark.parametrize("state", ["settled", "chance", "level", "cyclic", "disconnected"])
def test_nothing_is_said_without_a_tie(state):
    assert not list(trade_offs(verdict(state, "a", "b", "c"), COSTS))


def test_costs_are_numbers_of_columns_with_a_known_name():
    rows = [
        {"id": item, "text": f"{item} {p}", "context": f"p{p}", "Price": p + 0.5, "latency": "2 s",
         "cost": None if p else "1", "other": 3}
        for item in "ab" for p in range(2)
    ]  # fmt: skip
    costs = read_items(pl.DataFrame(rows)).costs
    assert costs == {
        "Price": {"a": {"p0": 0.5, "p1": 1.5}, "b": {"p0": 0.5, "p1": 1.5}},
        "cost": {"a": {"p0": 1.0}, "b": {"p0": 1.0}},
    }


@pytest.mark.parametrize(("gap", "is_said"), [(0.0, True), (9.0, False)])
def test_the_report_states_a_trade_off_only_between_tied_systems(gap, is_said):
    quality, cost = {"big": 2 + gap, "small": 2.0, "bad": -3.0}, {"big": 10, "small": 1.6, "bad": 1}
    rows = [
        {"system": s, "prompt": f"p{p}", "output": f"{s} {p}", "cost": cost[s]}
        for s in quality for p in range(12)
    ]  # fmt: skip
    scores = {row["output"]: quality[row["system"]] for row in rows}
    with FakeLLM(scores, profiles=ModelProfile(acuity=2)) as fake_llm:
        found = run(judge_of(fake_llm, pl.DataFrame(rows)), 60)
    page = found.report(with_forecast=False).to_markdown()
    said = "is statistically tied with" in page and "and costs 84% less" in page
    leads = found.result.ranking.items[0] == "big"
    assert said == (is_said and leads)
