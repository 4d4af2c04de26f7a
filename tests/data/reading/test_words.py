"""Outcomes in words: what is understood, what the caller says, and which end is better."""

from __future__ import annotations

import pytest

import hodgerank as hr
from hodgerank.data.reading.outcome_words import PLAIN, STRONG, WEAK, Vocabulary, Word
from hodgerank.errors import InvalidArgument, InvalidComparisons

USUAL = Vocabulary({}, {})


@pytest.mark.parametrize(
    ("label", "meaning"),
    [
        ("A is better", "left"), ("Model B is better", "right"), ("model_a", "left"),
        ("I prefer the left image", "left"), ("Option 2", "right"), ("ArrowRight", "right"),
        ("B>A", "right"), ("A > B", "left"), ("[[A=B]]", "tie"), ("A ~ B", "tie"),
        ("A is worse", "right"), ("B is worse than A", "left"), ("A is better than B", "left"),
        ("neutral", "tie"), ("similar", "tie"), ("About the same", "tie"), ("no preference", "tie"),
        ("Both are equally good", "tie"), ("both good", "tie"), ("tie (inconsistent)", "tie"),
        ("It is a tie", "tie"), ("A and B are equal", "tie"), ("équal", None), ("gleich", "tie"),
        ("both bad", "both bad"), ("tie (bothbad)", "both bad"), ("Both are bad", "both bad"),
        ("neither is good", "both bad"), ("neither", "both bad"), ("neither is better", "tie"),
        ("neither is bad", "tie"), ("equally bad", "both bad"),
        ("not sure", "skip"), ("notsure", "skip"), ("Undecided", "skip"), ("can't decide", "skip"),
        ("1-0", "left"), ("0-1", "right"), ("1/2-1/2", "tie"), ("3:1", "left"), ("2 - 2", "tie"),
        ("droite", "right"), ("links", "left"),
        ("A is more distorted", None), ("not A", None), ("A, then B", None), ("f", None),
        ("A is not better", None), ("", None), ("left right", None),
    ],
)  # fmt: skip
def test_a_label_means(label, meaning):
    word = USUAL.word(label)
    assert (None if word is None else word.meaning) == meaning


@pytest.mark.parametrize(
    ("label", "strength"),
    [
        ("A>>B", STRONG), ("A>B", PLAIN), ("B is much better", STRONG),
        ("A is slightly better", WEAK), ("left is a bit better", WEAK), ("left", PLAIN),
    ],
)  # fmt: skip
def test_a_preference_is_strong_or_weak(label, strength):
    word = USUAL.word(label)
    assert isinstance(word, Word)
    assert word.strength == strength


@pytest.mark.parametrize(
    ("labels", "outcomes"),
    [
        (["A>B", "B>A", "A=B"], [1, -1, 0]),
        (["A>>B", "B>A", "A=B"], [1, -0.5, 0]),
        (["A much better", "B better", "A slightly better", "the same"], [1, -2 / 3, 1 / 3, 0]),
        (["A better", "B slightly better", "neutral"], [1, -0.5, 0]),
    ],
)
def test_outcomes_are_graded_by_the_strengths_in_the_file(labels, outcomes):
    rows = [{"left": "x", "right": "y", "answer": label} for label in labels]
    assert hr.read_comparisons(rows).outcome.tolist() == pytest.approx(outcomes)


def test_items_called_a_and_b_come_before_words():
    rows = [{"left": "A", "right": "B", "winner": w} for w in ("A", "B", "A>B", "tie")]
    assert hr.read_comparisons(rows).outcome.tolist() == [1, -1, 1, 0]


KEYS = "stim_left,stim_right,response\nx,y,f\ny,z,j\nx,z,space\ny,x,timeout\n"


def test_unknown_words_are_listed_with_their_counts(write):
    with pytest.raises(InvalidComparisons) as caught:
        hr.read_comparisons(write(KEYS + "x,y,f\n"))
    message = str(caught.value)
    assert "f x 2" in message
    assert "timeout x 1" in message
    assert "--map WORD=left|right|tie|skip" in message
    assert "--skip-invalid" not in message


def test_the_caller_says_what_words_mean(write):
    path = write(KEYS)
    said = {"map": {"f": "left", "J": "right"}, "tie": ["space"], "skip": "timeout"}
    votes = hr.read_comparisons(path, **said)
    assert votes.outcome.tolist() == [1, -1, 0]
    assert votes.report.skipped == 1
    votes = hr.read_comparisons(path, map=["f=left", "j=right", "space=tie", "timeout=skip"])
    assert votes.outcome.tolist() == [1, -1, 0]


def test_words_may_stand_in_the_options_file(write):
    path = write(KEYS)
    path.with_suffix(".toml").write_text(
        'tie = ["space"]\nskip = "timeout"\nmap = {f = "left", j = "right"}\n'
    )
    assert hr.read_comparisons(path).outcome.tolist() == [1, -1, 0]


def test_numbers_may_be_words(write):
    path = write("left,right,key\nx,y,37\ny,z,39\n")
    votes = hr.read_comparisons(path, outcome="key", map={"37": "left", "39": "right"})
    assert votes.outcome.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"map": {"f": "up"}}, "the meaning of 'f' 'up' is not one of left, right, tie, skip"),
        ({"map": "f"}, "must be WORD=MEANING"),
        ({"map": "=left"}, "must be WORD=MEANING"),
        ({"tie": [""]}, "tie must be a word"),
        ({"both_bad": "left"}, "both_bad 'left' is not one of tie, drop"),
    ],
)
def test_meanings_that_do_not_exist_are_refused(options, message):
    with pytest.raises(InvalidArgument, match=message):
        hr.read_comparisons([("x", "y", 1)], **options)


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("left,right,more_distorted\nx,y,x\ny,z,z\nx,z,tie\n", [-1, 1, 0]),
        ("winner,loser\nx,y\ny,z\n", [-1, -1]),
        ("left,right,outcome\nx,y,0.5\ny,z,-1\n", [-0.5, 1]),
        ("judge,rank1,rank2\nann,x,y\n", [-1]),
    ],
)
def test_the_chosen_item_may_be_the_worse_one(write, text, outcomes):
    options = {"outcome": "more_distorted"} if "more_distorted" in text else {}
    votes = hr.read_comparisons(write(text), worse=True, **options)
    assert votes.outcome.tolist() == outcomes
    assert "worse" in votes.report.layout


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("winner,loser\nx,y\n", "winner is better"),
        ("left,right,winner\nx,y,x\n", "the item chosen is better"),
        ("left,right,winner\nx,y,left\n", "the side chosen is better"),
        ("left,right,outcome\nx,y,-1\n", "1: left is better, -1: right is better"),
    ],
)
def test_the_report_says_what_is_better(write, text, meaning):
    assert meaning in hr.read_comparisons(write(text)).report.layout


def test_many_rows_left_out_are_a_warning_with_the_likely_cause(write):
    rows = "x,y,left\ny,z,right\n" * 20 + "x,z,not sure\n" * 5
    report = hr.read_comparisons(write("left,right,answer\n" + rows)).report
    assert "left out: 5 (11%) skipped" in str(report)
    assert report.notes == (
        "11% of the rows are left out, most of them skipped by the worker (not sure x 5); count "
        "a word as a tie with --tie WORD",
    )
    rows = "x,y,left\ny,z,right\n" * 60 + "x,z,not sure\n" * 5
    report = hr.read_comparisons(write("left,right,answer\n" + rows)).report
    assert "left out: 5 (4%) skipped" in str(report)
    assert report.notes == ()


def test_won_and_lost_are_those_of_the_left_item(write):
    votes = hr.read_comparisons(write("player_a,player_b,outcome\nx,y,W\ny,z,L\nx,z,D\n"))
    assert votes.outcome.tolist() == [1, -1, 0]
    votes = hr.read_comparisons(write("left,right,result\nx,y,Win\ny,z,Loss\nx,z,Draw\n"))
    assert votes.outcome.tolist() == [1, -1, 0]


def test_words_for_numbers_count_beside_grades(write):
    path = write("left,right,grade\nx,y,1\ny,z,-1\nx,z,99\nz,x,0.5\n")
    votes = hr.read_comparisons(path, skip="99")
    assert votes.outcome.tolist() == [1, -1, 0.5]
    assert votes.report.skipped == 1


def test_codes_get_no_scale(write):
    with pytest.raises(InvalidComparisons) as caught:
        hr.read_comparisons(write("left,right,outcome\n" + "x,y,1\ny,z,2\nx,z,99\n" * 10))
    assert "--scale" not in str(caught.value)
    assert "--map NUMBER=left|right|tie|skip" in str(caught.value)


def test_words_that_do_not_occur_are_pointed_out(write):
    votes = hr.read_comparisons(write("left,right,winner\nx,y,left\n"), tie="nobody")
    assert votes.report.notes == (
        "no row has the outcome 'nobody', named with --map, --tie or --skip",
    )


def test_a_matrix_of_losses(write):
    votes = hr.read_comparisons(write("losses,x,y,z\nx,0,1,0\ny,3,0,1\nz,4,2,0\n"))
    assert hr.hodge_rank(votes).items[0] == "x"
    assert "losses of the row to the column" in votes.report.layout
