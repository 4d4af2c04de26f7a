from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from campaign.trial import Trial
from hodgerank.campaign.attention_checks import LEVEL, RULES, WINDOW, AttentionChecks, CheckedAnswer


def verdicts(rules=None, **given):
    usual = {
        "seconds": None,
        "is_focused": None,
        "outcomes": [1.0],
        "gold_missed": [],
        "contradicted": [],
    }
    return (rules or AttentionChecks()).verdicts(CheckedAnswer(**(usual | given)))


def test_what_no_rule_knows_is_not_judged():
    assert verdicts() == {}


@pytest.mark.parametrize(("seconds", "passes"), [(0.39, False), (0.4, True), (0, False), (9, True)])
def test_too_fast_is_below_the_fastest(seconds, passes):
    assert verdicts(seconds=seconds) == {"too_fast": passes}
    assert verdicts(AttentionChecks(fastest_seconds=None), seconds=seconds) == {}


def test_the_same_side_is_known_from_so_many_answers_on():
    rules = AttentionChecks(same_side=3)
    assert verdicts(rules, outcomes=[1, 1]) == {}
    assert verdicts(rules, outcomes=[1, 1, 1]) == {"same_side": False}
    assert verdicts(rules, outcomes=[-1, -0.5, -1]) == {"same_side": False}
    assert verdicts(rules, outcomes=[1, 1, 0]) == {"same_side": True}
    assert verdicts(rules, outcomes=[1, 1, 1, -1]) == {"same_side": True}
    assert verdicts(rules, outcomes=[-1, 1, 1, 1]) == {"same_side": False}


def test_focus_is_known_where_it_is_said():
    assert verdicts(is_focused=False) == {"focus": False}
    assert verdicts(is_focused=True) == {"focus": True}
    assert verdicts(AttentionChecks(focus=False), is_focused=False) == {}


@given(st.lists(st.booleans(), max_size=70), st.floats(0.01, 0.99))
def test_gold_and_repeats_are_judged_by_a_binomial_test(happened, most):
    last = happened[-WINDOW:]
    is_able = most ** len(last) < LEVEL
    found = verdicts(AttentionChecks(most_gold_misses=most), gold_missed=happened)
    assert ("gold" in found) == is_able
    if is_able:
        chance = binomtest(sum(last), len(last), most, alternative="greater").pvalue
        assert found["gold"] == (chance >= LEVEL) or chance == pytest.approx(LEVEL)


def test_by_hand_three_of_three_gold_pairs_missed_fail_and_two_do_not():
    assert verdicts(gold_missed=[True, True]) == {}  # 0.2^2 = 4 %
    assert verdicts(gold_missed=[True, True, True]) == {"gold": False}  # 0.8 %
    assert verdicts(gold_missed=[True, True, False]) == {"gold": True}  # 10 %
    assert verdicts(contradicted=[True] * 10) == {}  # 0.65^10 = 1.3 %
    assert verdicts(contradicted=[True] * 11) == {"contradicts": False}  # 0.9 %


def test_a_marked_answer_counts_unless_its_rule_excludes():
    trial = Trial("abcd")
    [receipt] = trial.answer_all("ann", 1, seconds=0.1)
    assert receipt.marks == ("too_fast",)
    assert receipt.is_counted
    trial.campaign.change(attention={"exclude": ["too_fast"]})
    assert trial.campaign.counts.n_votes == 0
    assert trial.campaign.answers()[0]["why_not"] == "marked: too_fast"
    [receipt] = trial.answer_all("bob", 1, seconds=0.1)
    assert not receipt.is_counted
    trial.campaign.change(attention={"exclude": []})
    assert trial.campaign.counts.n_votes == 2


def test_an_answer_is_not_excluded_where_the_rule_does_not_know():
    trial = Trial("abcd", attention={"exclude": list(RULES)})
    assert trial.answer_all("ann", 2)[-1].is_counted


def test_a_place_that_an_excluded_answer_had_is_free_again():
    trial = Trial("abcd", budget=1, attention={"exclude": ["focus"]})
    assert not trial.answer_all("ann", 1, is_focused=False)[0].is_counted
    assert trial.answer_all("bob", 1, is_focused=True)[0].is_counted
    assert trial.campaign.counts.n_votes == 1


def test_marks_are_those_of_the_settings_at_the_time():
    trial = Trial("abcdef")
    trial.answer_all("ann", 1, seconds=1)
    trial.campaign.change(attention={"fastest_seconds": 2.0})
    trial.answer_all("ann", 1, seconds=1)
    assert [row["marks"] for row in trial.campaign.answers()] == ["", "too_fast"]


@pytest.mark.parametrize(("n_workers", "n_alarms"), [(2, 0), (3, 1), (12, 1)])
def test_a_rule_that_fails_all_raises_an_alarm_early(n_workers, n_alarms):
    """It is known once of each worker: at a fifth, three of three fail in less than 1 %."""
    trial = Trial(range(30), attention={"alarm_share": 0.2, "same_side": 5})
    for worker in range(n_workers):
        trial.answer_all(f"w{worker}", 5, seconds=5.0)
    found = trial.campaign.progress().alarms
    assert [(one.rule, one.n_failed) for one in found] == [("same_side", n_workers)] * n_alarms


def test_few_answers_of_one_worker_raise_no_alarm():
    trial = Trial(range(30))
    trial.answer_all("ann", 9, seconds=0.1)
    assert trial.campaign.progress().alarms == ()


def test_a_rule_that_fails_many_raises_an_alarm_once_it_knows_enough():
    trial = Trial(range(20), attention={"alarm_share": 0.2})
    trial.answer_all("ann", 15, seconds=5.0)
    trial.answer_all("bob", 4, seconds=0.1)
    assert trial.campaign.progress().alarms == ()  # 19 answers are few
    trial.answer_all("bob", 1, seconds=0.1)
    [alarm] = trial.campaign.progress().alarms
    assert (alarm.rule, alarm.n_passed, alarm.n_failed, alarm.share) == ("too_fast", 15, 5, 0.25)
    trial.answer_all("cy", 5, seconds=5.0)
    assert trial.campaign.progress().alarms == ()  # 5 of 25 are not more than a fifth


def test_gold_missed_again_and_again_is_marked_from_then_on():
    trial = Trial("abcdefgh", gold=[{"better": "a", "worse": "b"}], gold_share=0.5)
    marks = []
    for _ in range(12):
        [task] = trial.campaign.lease("ann")
        wrong = 1 if task.left == "b" else -1
        marks.append(trial.campaign.answer(task, wrong).marks)
    n_gold = trial.campaign.workers()[0].gold_seen
    assert n_gold == 6
    assert trial.campaign.workers()[0].gold_right == 0
    assert marks[:5] == [()] * 5 or marks[:4] == [()] * 4
    assert set(marks[-6:]) == {("gold",)}


def test_a_tie_misses_gold_and_contradicts_nothing():
    trial = Trial(
        range(12), ties=True, gold=[{"better": 0, "worse": 1}], gold_share=0.3, repeat_share=0.3
    )
    trial.answer_all("ann", 30, 0)
    [summary] = trial.campaign.workers()
    assert summary.gold_right == 0 < summary.gold_seen
    assert summary.repeats_agreeing == summary.repeats_seen > 0
