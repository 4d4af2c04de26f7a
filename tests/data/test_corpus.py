"""Every layout that the field publishes is ranked rightly, or refused without a wrong suggestion.

`PYTHONPATH=tests:src python -m corpus [NAME ...]` prints what becomes of each layout.
"""

from __future__ import annotations

from collections import Counter

import pytest

from corpus import LAYOUTS
from corpus.check import BAD, PASSES, Status, check_layout, judge, lay_out
from corpus.crowd import Crowd
from corpus.files import File, grid
from corpus.suggested_options import is_question, spelled, suggestions_in
from hodgerank.metrics import kendall_tau


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_published_layout_is_ranked_rightly_or_refused(name, tmp_path):
    problems = check_layout(LAYOUTS[name], tmp_path)
    assert not problems, f"{LAYOUTS[name].why} {' '.join(problems)}"


@pytest.mark.parametrize("name", ["plain_comma", "wmt_pairs", "form_questions"])
def test_the_crowd_agrees_with_the_truth(name):
    crowd = LAYOUTS[name].crowd()
    wins = Counter(vote.winner for vote in crowd.votes)
    wins.subtract(vote.loser for vote in crowd.votes)
    truth = {item: -place for place, item in enumerate(crowd.order)}
    assert kendall_tau({item: float(wins[item]) for item in truth}, truth) > 0.8


def test_options_are_found_anywhere_in_a_message():
    message = (
        "votes.csv: no column. Perhaps this fits: --left A --right 'my B' (in Python left='A')\n"
        "Try `--winner x --loser y` or give the ends: --scale -1 1 (scale=(-1, 1)): 0 is a tie, "
        "--scale 1 0.\nName the --separator."
    )
    assert [spelled(found.options) for found in suggestions_in(message)] == [
        "--left A --right 'my B'", "--winner x --loser y", "--scale -1 1", "--scale 1 0",
        "--separator",
    ]  # fmt: skip


def test_alternatives_that_are_not_explained_are_no_question():
    asked = "--scale 1 7 if 7 prefers left\n--scale 7 1 if 1 prefers left"
    assert is_question(suggestions_in(asked))
    headed = "If 7 prefers left:\n  --scale 1 7\nIf 1 prefers left:\n  --scale 7 1"
    assert is_question(suggestions_in(headed))
    assert not is_question(suggestions_in("--scale 1 7\n--scale 7 1"))
    assert not is_question(
        suggestions_in("\n".join(f"--scale 0 {k} if {k} is it" for k in range(9)))
    )


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (("winner", "loser"), Status.RIGHT),
        (("loser", "winner"), Status.WRONG),
        (("nothing", "known"), Status.ERROR),
    ],
)
def test_a_ranking_is_compared_with_the_truth(header, status, tmp_path):
    crowd = Crowd("check", ("tea", "milk", "cola", "water", "juice"), 80)
    rows = [[vote.winner, vote.loser] for vote in crowd.votes]
    file = File((crowd.order,), grid(header, rows))
    verdict = judge(lay_out(file, tmp_path), file)
    assert verdict.status == status or (status == Status.ERROR and verdict.status not in BAD)


def test_every_expectation_allows_only_what_is_not_wrong():
    assert not any(set(BAD) & set(allowed) for allowed in PASSES.values())
