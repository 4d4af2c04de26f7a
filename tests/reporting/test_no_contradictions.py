"""Every sentence of a report agrees with every other, for many kinds of votes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hodgerank as hr

NO_ORDER = ("chance", "cyclic", "level", "disconnected")
ASKS_FOR_VOTES = (
    "order.collect", "order.forecast", "order.far", "order.too_few_left", "order.none_left",
)  # fmt: skip
CROWDS = (
    {"honest": 8},
    {"honest": 6, "random": 3},
    {"honest": 6, "adversarial": 2},
    {"honest": 4, "position-biased": 6},
)


def rotated(n_items: int, n_votes: int, seed: int) -> list[tuple[str, str, int]]:
    """Votes in which each item beats the next half of a circle."""
    rng = np.random.default_rng(seed)
    votes = []
    for _ in range(n_votes):
        a, b = rng.choice(n_items, 2, replace=False).tolist()
        wins = (b - a) % n_items <= n_items // 2
        votes.append((f"i{a}", f"i{b}", 1 if wins != (rng.random() < 0.1) else -1))
    return votes


def kinds_of_votes(kind: str, size: int, seed: int) -> object:
    """Votes of a kind; `size` and `seed` vary it."""
    rng = np.random.default_rng(seed)
    match kind:
        case "few":
            return hr.simulate_comparisons(5, 12 + size, rng=seed)
        case "many":
            return hr.simulate_comparisons(6, 300 + 100 * size, spread=2, rng=seed)
        case "two items":
            return hr.simulate_comparisons(2, 3 + 2 * size, spread=1, rng=seed)
        case "tied leaders":
            scores = [1, 1, 1 - 0.05 * size, -1, -1]
            return hr.simulate_comparisons(5, 300, scores=scores, rng=seed)
        case "ties":
            pairs = list(combinations("abcde", 2))
            outcomes = rng.choice([-1, 0, 0, 0, 1], len(pairs) * (1 + size)).tolist()
            return [(*pairs[k % len(pairs)], y) for k, y in enumerate(outcomes)]
        case "only ties":
            return [(a, b, 0) for a, b in combinations("abcd", 2)] * (1 + size)
        case "cycles":
            return rotated(5, 60 + 30 * size, seed)
        case "random":
            return hr.simulate_comparisons(6, 100 + 20 * size, spread=0, rng=seed)
        case "workers":
            crowd = CROWDS[size % len(CROWDS)]
            return hr.simulate_comparisons(7, 800, spread=1.5, workers=crowd, rng=seed)
        case "adaptive":
            sampler = hr.AutoSampler([f"i{k}" for k in range(8)], seed=seed)
            for k in range(40 + 5 * size):
                pair = sampler.ask()
                better = int(pair.left[1:]) < int(pair.right[1:])
                sampler.tell(pair, 1 if better != (rng.random() < 0.2) else -1, worker=f"w{k % 9}")
            return sampler.votes
        case "numeric names":
            names = list(range(1, 12))
            return hr.simulate_comparisons(names, 150 + 30 * size, spread=1, rng=seed)
        case "nearly connected":
            votes = hr.simulate_comparisons(20, 300, spread=2, rng=seed).to_frame("polars")
            rows = votes.select("left", "right", "outcome").rows()
            return [*rows, *[("apart", "too", 1)] * (1 + size % 2)]
        case "disconnected":
            return [("a", "b", 1)] * (3 + size) + [("c", "d", 1)] * 4
        case "unanimous":
            return [(a, b, 1) for a, b in combinations("abcdef", 2)] * (1 + size)
        case "repeated":
            crowd = hr.simulate_comparisons(5, 60, spread=2, workers={"honest": 4}, rng=seed)
            rows = crowd.to_frame("polars").select("left", "right", "outcome", "worker").rows()
            return rows * (5 + size)
        case "chain":
            return [(f"i{k}", f"i{k + 1}", 1) for k in range(6)] * (2 + size)
    raise AssertionError(kind)


KINDS = (
    "few", "many", "two items", "tied leaders", "ties", "only ties", "cycles", "random", "workers",
    "adaptive", "numeric names", "nearly connected", "disconnected", "unanimous", "repeated",
    "chain",
)  # fmt: skip


def told(votes: object, **options: object) -> dict:
    try:
        report = hr.report(votes, **{"with_forecast": False, **options})
    except hr.errors.DisconnectedGraph:
        report = hr.report(votes, with_forecast=False, components="together")
    content = json.loads(report.written("json"))
    content["standings"] = [row for tier in report.first_page.board.tiers for row in tier]
    content["markdown"] = report.to_markdown()
    return content


def sentences(content: dict) -> Iterator[str]:
    """All sentences of the first page."""
    yield from (text["text"] for text in content["answer"])
    for line in content["lines"]:
        yield line["text"]
        yield from (text["text"] for text in line["detail"])
        if line["action"]:
            yield line["action"]["text"]


def expect_no_contradiction(content: dict) -> None:
    verdict = content["verdict"]
    lines = {line["about"]: line for line in content["lines"]}
    headline, order, advice = (text["code"] for text in content["answer"])
    expect_one_first_place(content, verdict, lines["order"], headline)
    expect_order_only_if_significant(content, verdict, headline, order)
    expect_advice_of_a_line(content, verdict, lines, advice)
    expect_workers_counted_once(content, lines.get("workers"))
    expect_votes_to_win_of_the_leader_that_is_shown(content, verdict)
    assert not any(re.search(r"(?<![“\w-])\d+ (is the best|ranks|and “)", s)
                   for s in sentences(content))  # fmt: skip


def expect_votes_to_win_of_the_leader_that_is_shown(content, verdict):
    for found in content["votes_to_win"]:
        assert verdict["state"] in ("settled", "tied", "correlated")
        first, second = (row["item"] for row in content["ranking"]["items"][:2])
        assert (found["leader"], found["item"]) == (first, second)
        assert "(z of the gap: " in found["words"]
        assert found["n"] is None or found["n"] > 0
        number = f"Removing {found['n']:,} of " if found["n"] else "No set of at most "
        if found["by"] == "vote":
            assert content["markdown"].count(number) == 1


def expect_one_first_place(content, verdict, line, headline):
    """Headline, certainty, table, places and order line agree on the best item."""
    is_settled = verdict["state"] == "settled"
    assert verdict["is_settled"] == is_settled
    assert (headline == "answer.settled") == is_settled
    assert (line["code"] == "order.settled") == is_settled
    assert line["code"] == f"order.{verdict['state']}"
    assert (line["status"] == "good") == is_settled
    asks = line["action"] is not None and line["action"]["code"] in ASKS_FOR_VOTES
    assert asks == (verdict["state"] == "tied")
    assert content["next"]["goal"] == ("best" if verdict["state"] == "tied" else "order")
    if verdict["state"] in ("settled", "tied"):
        assert (verdict["certainty"] >= verdict["level"]) == is_settled
        reached = re.search(
            r"\| the first item is the best \| .*? \| (.*?) \|", content["markdown"]
        )
        assert (reached[1] == "reached") == is_settled
        items = [row["item"] for row in content["ranking"]["items"]]
        first = [k for k, (best, _) in enumerate(verdict["places"]) if best == 1]
        assert [items[k] for k in first] == verdict["leaders"]
        assert (len(first) == 1) == is_settled
        assert (verdict["places"][0] == [1, 1]) == is_settled
        assert (verdict["tiers"][0] == [1, 1]) == is_settled
        over_next = content["better_than_next"][0]
        assert over_next is None or over_next >= verdict["certainty"] - 1e-9
    if verdict["state"] == "tied":
        named = content["answer"][0]["text"]
        leaders = verdict["leaders"]
        if len(leaders) <= 3:
            assert all(f"“{item}”" in named for item in leaders)
        else:
            assert named.startswith(f"{len(leaders)} of ")
        if len(leaders) <= 20:
            assert all(set(pair) & set(leaders) for pair in content["next"]["pairs"])


def expect_order_only_if_significant(content, verdict, headline, order):
    """Without a significant ranking nobody is named, and no place is shown."""
    codes = {said["code"] for said in content["statements"] if said["about"] == "ranking"}
    if "not_significant" in codes:
        assert verdict["state"] in NO_ORDER
    has_order = verdict["state"] not in NO_ORDER
    assert (order == "answer.no_order") == (not has_order)
    assert any(row.place for row in content["standings"]) == has_order
    assert any(row.could_be for row in content["standings"]) == has_order
    assert ("certainty" in [section["key"] for section in content["sections"]]) == has_order
    figures = {figure["code"] for figure in content["figures"]}
    assert ("figures.pairs" in figures) == has_order
    if not has_order:
        assert verdict["leaders"] == []
        assert headline not in ("answer.settled", "answer.tied", "answer.tied_many")
        assert not any("ranks first" in said or "is best" in said for said in sentences(content))
        return
    for row, (best, worst) in zip(content["standings"], verdict["places"], strict=False):
        assert row.could_be == (f"{best}" if best == worst else f"{best}–{worst}")
    rows = [(row["rank_lower"], row["rank_upper"]) for row in content["ranking"]["items"]]
    assert rows == [tuple(place) for place in verdict["places"]]


def expect_advice_of_a_line(content, verdict, lines, advice):
    """The advice is the action of a line, and none asks for votes on a settled best item."""
    actions = {line["action"]["code"] for line in lines.values() if line["action"]}
    assert advice in actions or (advice == "answer.enough" and verdict["is_settled"])
    warned = [line for line in lines.values() if line["status"] == "warning"]
    if warned:
        assert advice != "answer.enough"
    concerns = {(said["about"], said["code"]) for said in content["concerns"]}
    cycles = ("cycles", "significant") in concerns
    assert (lines["consistency"]["code"] == "consistency.cycles") == cycles


def expect_workers_counted_once(content, line):
    """Warnings and notes are of different workers, and the line counts them."""
    workers = content["trust"]["workers"]
    assert (line is None) == (workers is None)
    if workers is None:
        assert "not recorded" in content["markdown"]
        return
    levels = [row["level"] for row in workers["workers"]]
    if line["code"] == "workers.warnings":
        assert line["text"].startswith(f"{levels.count('warning')} of {len(levels)} workers")
        assert line["status"] == "warning"
    else:
        assert "warning" not in levels
    counted = [re.match(r"(\d+) (?:others?|workers?) ha(?:s|ve) a note", text["text"])
               for text in line["detail"]]  # fmt: skip
    n_notes = next((int(match[1]) for match in counted if match), 0)
    assert n_notes == (0 if line["code"] == "workers.too_few" else levels.count("note"))


@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_contradicts_another(kind):
    expect_no_contradiction(told(kinds_of_votes(kind, 3, 5)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(size=st.integers(0, 9), seed=st.integers(0, 10_000))
def test_no_sentence_contradicts_another_in_any_votes(kind, size, seed):
    expect_no_contradiction(told(kinds_of_votes(kind, size, seed)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["few", "tied leaders", "many", "unanimous", "numeric names"])
@pytest.mark.usefixtures("few_futures")
def test_forecasts_do_not_contradict_the_verdict(kind):
    content = told(kinds_of_votes(kind, 4, 1), with_forecast=True)
    expect_no_contradiction(content)
    outlook = content["forecast"]
    if outlook is not None:
        wanted = "top 1" if content["verdict"]["state"] == "tied" else "tau"
        assert wanted in outlook["rule"]


def test_a_hundred_items_do_not_contradict_each_other():
    votes = hr.simulate_comparisons(100, 2000, spread=2, rng=1)
    expect_no_contradiction(told(votes))


@pytest.mark.parametrize("position_bias", ["common", "worker"])
def test_position_bias_in_the_model_is_not_a_warning(position_bias):
    workers = {"position-biased": 10}
    votes = hr.simulate_comparisons(8, 2000, spread=1, workers=workers, rng=2)
    content = told(votes, position_bias=position_bias)
    lines = {line["about"]: line for line in content["lines"]}
    assert lines["consistency"]["code"] != "consistency.position_bias"


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("reference", [1, 2])
def test_recorded_votes_do_not_contradict_themselves(reference):
    expect_no_contradiction(told(hr.load_dataset("pc-vqa", reference=reference)))


def test_position_bias_in_the_model_is_not_proposed_again():
    votes = hr.simulate_comparisons(
        6, 900, scores=[0.8, 0.5, 0.2, -0.2, -0.5, -0.8], workers={"position-biased": 8}, rng=2
    )
    plain, modelled = (
        hr.report(votes, with_forecast=False, position_bias=b) for b in (None, "common")
    )
    said = [
        next(s for s in f.findings.statements if s.about == "position_bias")
        for f in (plain, modelled)
    ]
    assert "with position bias in the model" in str(said[0])
    assert "in the model" not in str(said[1])
    assert "--position-bias" not in str(said[1])
