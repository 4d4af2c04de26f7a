"""What a report says first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hodgerank as hr


def said(votes, **options) -> list[str]:
    return [str(text) for text in hr.report(votes, with_forecast=False, **options).answer]


def clear_votes(n=5, times=12):
    names = [f"item {k}" for k in range(n)]
    return [(a, b, 1) for k, a in enumerate(names) for b in names[k + 1 :]] * times


def test_a_clear_winner_is_the_best_and_no_more_votes_are_needed():
    best, sure, do = said(clear_votes())
    assert best == "“item 0” is the best of 5 items."
    assert sure.endswith("of all pairs are expected to be in the right order.")
    assert do == "No more votes are needed to name the best."


def test_tied_leaders_are_named_and_more_votes_are_asked_for():
    votes = [("a", "c", 1), ("b", "c", 1), ("a", "b", 1), ("a", "b", -1)] * 9
    tied = "“a” and “b” are statistically tied for first place among 3 items."
    assert said(votes)[0] == tied
    best, _, do = said([*votes, ("a", "b", 1)])
    assert best == tied
    assert do == "Collect more votes on the pairs proposed below to decide which is best."


def test_many_tied_leaders_are_counted():
    ties = [(a, b, 0) for a in "abcde" for b in "abcde" if a < b]
    votes = [*ties, *((a, "z", 1) for a in "abcde")] * 9
    assert said(votes)[0] == (
        "5 of 6 items are statistically tied for first place, among them “a”."
    )


@pytest.mark.usefixtures("few_futures")
def test_a_forecast_says_how_many_more_as_a_range():
    votes = [("a", "c", 1), ("b", "c", 1), ("a", "b", 1), ("a", "b", 1), ("a", "b", -1)] * 3
    do = str(hr.report(votes, with_forecast=True).answer[2])
    assert " more votes on the pairs proposed below" in do or "than can be forecast" in do


def test_random_votes_contain_no_ranking():
    votes = hr.simulate_comparisons(6, 300, spread=0, rng=3)
    best, order, do = said(votes)
    assert best.startswith("The votes contain no significant ranking of the 6 items (p = ")
    assert order == "The list below is not a ranking."
    assert do == "Collect more votes, or check whether people see a difference."


def test_items_that_are_not_connected_are_listed():
    votes = clear_votes(19) + [("x", "y", 1)] * 5
    report = hr.report(votes, with_forecast=False)
    assert str(report.answer[0]) == "“item 0” is the best of 19 items."
    notes = [str(note) for note in report.first_page.board.notes]
    assert notes == ["Not connected to the others, so not ranked: “x” and “y”."]


def test_without_a_large_component_there_is_no_report():
    with pytest.raises(hr.errors.DisconnectedGraph):
        hr.report(clear_votes(3) + [("x", "y", 1)] * 5)


@pytest.mark.parametrize("components", ["together", "separate"])
def test_disconnected_groups_that_are_ranked_all_the_same_have_no_best(components):
    votes = clear_votes(3) + [("x", "y", 1)] * 5
    best, order, do = said(votes, components=components)
    assert best == "The items form 2 disconnected groups, so the 5 items have no common ranking."
    assert order == "The list below is not a ranking."
    assert do.startswith("Compare items of different groups, such as “item 0” and “")


def test_cycles_come_before_everything_else():
    votes = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("a", "d", 1), ("b", "d", 1)] * 40
    votes += [("a", "d", 1), ("c", "d", 1)] * 40
    rng = np.random.default_rng(1)
    noisy = [(a, b, y if rng.random() < 0.9 else -y) for a, b, y in votes]
    assert "cycles" in said(noisy)[2]


def test_cycles_outrank_that_no_ranking_shows():
    votes = [("rock", "scissors", 1), ("scissors", "paper", 1), ("paper", "rock", 1)] * 20
    best, _, do = said(votes)
    assert best == (
        "No single ranking explains the votes on these 3 items: preferences form cycles."
    )
    assert "Look at the cycles" in do


def test_ties_alone_tell_nobody_apart():
    best, _, do = said([("a", "b", 0), ("b", "c", 0), ("a", "c", 0)] * 9)
    assert best == "All 3 items are tied: the votes show no difference between them."
    assert do.startswith("Collect more votes, or check")


@pytest.mark.parametrize("n", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_order_and_certainty_come_from_one_model(n):
    votes = hr.simulate_comparisons(n, 200 * n, spread=2, workers={"honest": 20}, rng=0)
    found = hr.report(votes, with_forecast=False).findings
    assert np.nanmin(found.verdict.over_next) > 0.4999


def test_where_nearly_everybody_leans_sides_come_before_workers():
    votes = hr.simulate_comparisons(8, 3000, spread=1, workers={"position-biased": 10}, rng=2)
    assert "--position-bias" in said(votes)[2]


def test_a_lean_that_is_in_the_model_is_no_concern():
    votes = hr.simulate_comparisons(8, 3000, spread=1, workers={"position-biased": 10}, rng=2)
    report = hr.report(votes, with_forecast=False, position_bias="worker")
    assert not any("osition bias" in str(text) for text in report.concerns)


def test_flagged_workers_are_to_be_looked_at_first():
    workers = {"honest": 8, "adversarial": 2}
    votes = hr.simulate_comparisons(8, 2000, spread=2, workers=workers, rng=5)
    report = hr.report(votes, with_forecast=False)
    assert str(report.answer[2]).startswith("Look at the votes of the 2 workers with a warning")
    assert report.findings.without.ranking is not None
    assert any("have a warning" in str(text) for text in report.concerns)


def test_without_the_flagged_it_is_ranked_as_with_them_whatever_the_options():
    workers = {"honest": 8, "adversarial": 2}
    votes = hr.simulate_comparisons(8, 2000, spread=2, workers=workers, rng=5)
    for options in ({"covariance": "model"}, {"model": "hodgerank"}, {"position_bias": "common"}):
        found = hr.report(votes, with_forecast=False, **options).findings
        assert found.without.ranking.model == found.ranking.model


def test_where_everybody_is_flagged_nothing_is_left_to_rank():
    votes = hr.simulate_comparisons(8, 3000, spread=1, workers={"position-biased": 10}, rng=2)
    report = hr.report(votes, with_forecast=False, position_bias="common")
    assert report.findings.without.ranking is None
    assert "the items are no longer connected" in report.to_markdown()


def test_following_a_side_is_no_fault_where_each_lean_is_in_the_model():
    votes = hr.simulate_comparisons(8, 3000, spread=1, workers={"position-biased": 10}, rng=2)
    report = hr.report(votes, with_forecast=False, position_bias="worker")
    assert report.findings.trust.workers.flagged
    assert report.findings.without is None
    assert not any("a warning" in str(text) for text in report.concerns)
    assert "with position bias are accounted for by the model" in report.to_markdown()


@pytest.mark.slow
@pytest.mark.usefixtures("few_futures")
def test_what_can_still_be_asked_limits_what_is_promised():
    votes = hr.simulate_comparisons(5, 30, spread=0.5, rng=3)
    pairs = [hr.Pair(*votes.items[:2]), hr.Pair(*votes.items[2:4])]
    report = hr.report(votes, max_votes=3, candidates=pairs)
    assert "more than the 3 votes that can still be collected" in str(report.answer[2])
    assert {frozenset(pair) for pair in report.findings.next_pairs} <= {*map(frozenset, pairs)}
    closed = hr.report(votes, max_votes=0, candidates=(), with_forecast=False)
    assert closed.findings.next_pairs == ()
    assert "No pairs are left to compare" in closed.to_markdown()


def test_workers_who_say_the_same_again_make_no_leader_certain():
    crowd = hr.simulate_comparisons(6, 60, spread=2, workers={"honest": 3}, rng=1)
    again = replace(
        crowd,
        left=np.repeat(crowd.left, 30),
        right=np.repeat(crowd.right, 30),
        outcome=np.repeat(crowd.outcome, 30),
        worker=np.repeat(crowd.worker, 30),
        display_known=np.repeat(crowd.display_known, 30),
    )
    report = hr.report(again, with_forecast=False)
    assert report.findings.verdict.state == "correlated"
    assert "votes that repeat each other" in str(report.answer[0])
    assert str(report.answer[2]).startswith("Collect votes from more workers")


def test_a_lean_to_a_side_is_to_be_put_into_the_model():
    workers = {"position-biased": 10}
    votes = hr.simulate_comparisons(8, 3000, spread=1, workers=workers, rng=2)
    report = hr.report(votes, with_forecast=False)
    assert "consistency.position_bias" in [text.code for text in report.concerns]


@pytest.mark.parametrize("n", [2, 3, 40])
def test_there_are_always_three_sentences(n):
    votes = hr.simulate_comparisons(n, 20 * n, rng=n)
    assert len(said(votes)) == 3


def adaptive_votes(n_workers, spread):
    votes = hr.simulate_comparisons(8, 400, spread=spread, workers={"honest": n_workers}, rng=4)
    return replace(votes, report=replace(votes.report, adaptive=True))


@pytest.mark.parametrize(
    ("votes", "hides"), [(adaptive_votes(15, 0.8), True), (adaptive_votes(15, 3), False)]
)
def test_close_pairs_and_few_votes_are_said_to_hide_careless_workers(votes, hides):
    lines = hr.report(votes, with_forecast=False).first_page.lines
    line = next(line for line in lines if line.title.code == "workers.title")
    assert line.text.code == "workers.none_flagged"
    assert ("workers.close_pairs" in [text.code for text in line.detail]) == hides
    assert (line.status == "open") == hides


def test_warnings_and_notes_are_different_workers():
    workers = {"honest": 12, "random": 3, "position-biased": 3}
    votes = hr.simulate_comparisons(10, 3000, spread=2, workers=workers, rng=6)
    report = hr.report(votes, with_forecast=False)
    line = next(line for line in report.first_page.lines if line.title.code == "workers.title")
    found = report.findings.trust.workers
    assert not {*found.flagged} & {*found.noted}
    assert line.text.values["n"] == len(found.flagged)
