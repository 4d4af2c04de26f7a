"""Files as their fields publish them are read without naming a column."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument, InvalidComparisons


def answers(votes: hr.Comparisons) -> list[tuple]:
    return [
        (votes.items[a], votes.items[b], y)
        for a, b, y in zip(votes.left, votes.right, votes.outcome.tolist(), strict=True)
    ]


XY = [("x", "y", 1), ("y", "z", -1)]


@pytest.mark.parametrize(
    "text",
    [
        "choice_id1,choice_id2,winner_id\nx,y,x\ny,z,z\n",
        "option1,option2,choice\nx,y,1\ny,z,2\n",
        "stimulus_a,stimulus_b,response\nx,y,a\ny,z,b\n",
        "stim1,stim2,selected\nx,y,x\ny,z,z\n",
        "image_1,image_2,winner\nx,y,image_1\ny,z,image_2\n",
        "response_a,response_b,preference\nx,y,A\ny,z,B\n",
        "home,away,result\nx,y,H\ny,z,A\n",
        "home_team,away_team,result\nx,y,home\ny,z,away\n",
        "condition_A,condition_B,is_A_selected\nx,y,1\ny,z,0\n",
        "condition_A,condition_B,is_B_selected\nx,y,no\ny,z,yes\n",
        "imgLeft,imgRight,leftWon\nx,y,True\ny,z,False\n",
        "essay_left,essay_right,verdict\nx,y,left\ny,z,right\n",
        "ItemA,ItemB,WinnerId\nx,y,x\ny,z,z\n",
        "id1,id2,outcome\nx,y,1\ny,z,-1\n",
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,1,0,0\ny,z,0,1,0\n",
        "left,right,wins_left,wins_right\nx,y,1,0\ny,z,0,1\n",
        "item_0,item_1,label\nx,y,1\ny,z,-1\n",
        "i,j,wins_ij,wins_ji\nx,y,1,0\ny,z,0,1\n",
    ],
)
def test_a_pair_as_shown_and_its_outcome(write, text):
    assert answers(hr.read_comparisons(write(text))) == XY


@pytest.mark.parametrize(
    "header",
    [
        "candidate_chosen,candidate_not_chosen",
        "essay_chosen,essay_not_chosen",
        "winner_id,loser_id",
        "chosen,rejected",
        "better,worse",
        "selected_image,not_selected_image",
        "best,worst",
    ],
)
def test_a_winner_and_a_loser(write, header):
    votes = hr.read_comparisons(write(f"{header}\nx,y\nz,y\n"))
    assert answers(votes) == [("x", "y", 1), ("z", "y", 1)]
    assert not votes.display_known.any()


@pytest.mark.parametrize(
    "name",
    ["worker", "workerId", "participant_id", "observer", "judge_id", "annotator", "session", "PID",
     "Judge", "rater_no"],
)  # fmt: skip
def test_who_answered(write, name):
    votes = hr.read_comparisons(write(f"left,right,outcome,{name}\nx,y,1,ann\ny,x,-1,bob\n"))
    assert votes.workers == ("ann", "bob")


def test_a_participant_comes_before_a_session(write):
    text = "session,left,right,outcome,participant\n1,x,y,1,ann\n2,y,x,-1,bob\n"
    assert hr.read_comparisons(write(text)).workers == ("ann", "bob")


def test_models_are_compared_not_their_texts(write):
    text = "response_a,response_b,model_a,model_b,winner\nhello,hi,x,y,model_a\n"
    assert hr.read_comparisons(write(text)).items == ("x", "y")


@pytest.mark.parametrize("name", ["count", "n", "Freq"])
def test_counts_are_answers(write, name):
    votes = hr.read_comparisons(write(f"left,right,outcome,{name}\nx,y,1,3\ny,x,-1,2\nx,y,0,0\n"))
    assert len(votes) == votes.n_votes == 5
    assert votes.report.rows == 3
    assert votes.report.unanswered == 1
    assert votes.rows.tolist() == [1, 1, 1, 2, 2]
    assert hr.hodge_rank(votes)["x"].votes == 5


def test_a_column_that_numbers_the_rows_is_not_a_count(write):
    rows = "".join(f"x,y,1,{k}\n" for k in range(1, 8))
    votes = hr.read_comparisons(write("left,right,outcome,n\n" + rows))
    assert len(votes) == 7
    assert "numbers the rows" in votes.report.notes[0]
    forced = hr.read_comparisons(write("left,right,outcome,n\n" + rows), count="n")
    assert len(forced) == 28


def test_counts_of_many_files_are_answers_too(tmp_path):
    table = pl.DataFrame({"left": ["x", "y"], "right": ["y", "x"], "outcome": [1, 1], "n": [3, 2]})
    for k in range(2):
        table.write_parquet(tmp_path / f"{k}.parquet")
    assert hr.hodge_rank(tmp_path / "*.parquet")["x"].votes == 10
    assert len(hr.read_comparisons(tmp_path / "*.parquet")) == 10


def test_counts_are_whole(write):
    path = write("left,right,outcome,count\nx,y,1,3\ny,x,1,2.5\ny,x,1,-1\n")
    with pytest.raises(InvalidComparisons, match="2 x the count is not a whole number"):
        hr.read_comparisons(path)


def test_huge_counts_are_ranked_but_not_taken_one_by_one(write):
    path = write("left,right,outcome,count\nx,y,1,3000000000\ny,x,1,1000000000\n")
    ranking = hr.hodge_rank(path)
    assert ranking["x"].votes == 4_000_000_000
    with pytest.raises(InvalidComparisons, match="too many to expand"):
        hr.read_comparisons(path)


def test_tallies_of_each_side_and_ties(write):
    text = "left,right,wins_left,wins_right,ties,judge\nx,y,2,1,1,ann\ny,z,0,0,,bob\nz,x,,3,0,bob\n"
    votes = hr.read_comparisons(write(text))
    assert sorted(answers(votes)) == sorted(
        [("x", "y", 1)] * 2 + [("x", "y", -1), ("x", "y", 0)] + [("z", "x", -1)] * 3
    )
    assert votes.report.unanswered == 1
    assert votes.rows.tolist() == [1, 1, 1, 1, 3, 3, 3]
    assert votes.workers == ("ann", "bob")
    with pytest.raises(InvalidComparisons, match="row 2: "):
        hr.read_comparisons(write("left,right,wins_left,wins_right\nx,y,2,1\nx,z,many,1\n"))


@pytest.mark.parametrize(
    "text",
    [
        ",x,y,z\nx,0,3,1.5\ny,1,0,2\nz,0.5,0,-\n",
        "name;z;x;y\nz;;0,5;0\nx;1,5;;3\ny;2;1;\n",
    ],
)
def test_a_square_matrix_of_wins(write, text):
    votes = hr.read_comparisons(write(text))
    assert sorted(answers(votes)) == sorted(
        [("x", "y", 1)] * 3 + [("y", "x", 1), ("x", "z", 1)] + [("y", "z", 1)] * 2
        + [("x", "z", 0) if ("x", "z", 0) in answers(votes) else ("z", "x", 0)]
    )  # fmt: skip
    assert "square matrix of 3 items" in votes.report.layout
    assert not votes.display_known.any()


def test_names_that_are_patterns_elsewhere(write):
    votes = hr.read_comparisons(write("item,^x$,*\n^x$,0,2\n*,1,0\n"))
    assert sorted(answers(votes)) == [("*", "^x$", 1)] + [("^x$", "*", 1)] * 2
    plain = hr.read_comparisons(write("left,right,outcome,^.*$,*\nx,y,1,1,2\ny,z,-1,1,2\n"))
    assert answers(plain) == XY
    with pytest.raises(InvalidComparisons, match="rename it"):
        hr.read_comparisons(write("left,right,outcome,*\nx,y,1,2\n"), worker="*")


def test_a_matrix_without_names(write):
    votes = hr.read_comparisons(write("a,b\n0,2\n1,0\n"))
    assert sorted(answers(votes)) == [("a", "b", 1)] * 2 + [("b", "a", 1)]
    with pytest.raises(InvalidComparisons, match="does not count wins"):
        hr.read_comparisons(write("a,b\n0,0.7\n0.3,0\n"))


LONG = "ballot,item,position\n1,x,1\n1,y,2\n1,z,2\n2,z,1\n2,x,2\n"
WIDE = "rank1,rank2,rank3\nx,y,z\nz,x,\n"


def test_long_rankings_become_pairs(write):
    votes = hr.read_comparisons(write(LONG))
    assert answers(votes) == [("x", "y", 1), ("x", "z", 1), ("y", "z", 0), ("z", "x", 1)]
    assert votes.ballot.tolist() == [0, 0, 0, 1]
    assert (votes.report.rows, votes.report.ballots) == (5, 2)
    assert not votes.display_known.any()
    named = LONG.replace("ballot", "b").replace("item", "what").replace("position", "p")
    same = hr.read_comparisons(write(named), ballot="b", item="what", place="p")
    assert answers(same) == answers(votes)


def test_each_judge_has_a_first_ballot(write):
    text = "judge,ballot,item,rank\nann,1,x,1\nann,1,y,2\nbob,1,y,1\nbob,1,x,2\n"
    votes = hr.read_comparisons(write(text))
    assert answers(votes) == [("x", "y", 1), ("y", "x", 1)]
    assert votes.workers == ("ann", "bob")


def test_wide_rankings_become_pairs(write):
    votes = hr.read_comparisons(write(WIDE))
    assert answers(votes) == [("x", "y", 1), ("x", "z", 1), ("y", "z", 1), ("z", "x", 1)]
    assert votes.rows.tolist() == [1, 1, 1, 2]
    named = WIDE.replace("rank1,rank2,rank3", "first_choice,second_choice,third_choice")
    assert answers(hr.read_comparisons(write(named))) == answers(votes)
    assert answers(hr.read_comparisons(write(WIDE.replace("rank1,rank2,rank3", "1st,2nd,3rd"))))
    with pytest.raises(InvalidComparisons, match="row 2: x, x"):
        hr.read_comparisons(write("rank1,rank2\nx,y\nx,x\n"))


def test_best_worst_choices_become_pairs(write):
    text = "option1,option2,option3,option4,best,worst\nw,x,y,z,x,z\n"
    assert sorted(answers(hr.read_comparisons(write(text)))) == sorted(
        [("x", "w", 1), ("x", "y", 1), ("x", "z", 1), ("w", "z", 1), ("y", "z", 1)]
    )
    chosen = hr.read_comparisons(write("option1,option2,option3,winner\nx,y,z,y\n"))
    assert answers(chosen) == [("y", "x", 1), ("y", "z", 1)]


def test_errors_of_rankings_are_clustered_by_ballot(write):
    rng = np.random.default_rng(0)
    text = "rank1,rank2,rank3,rank4,rank5\n"
    for _ in range(60):
        scores = np.arange(5) + rng.normal(0, 3, 5)
        text += ",".join("abcde"[k] for k in np.argsort(-scores)) + "\n"
    votes = hr.read_comparisons(write(text))
    clustered, plain = hr.hodge_rank(votes), hr.hodge_rank(votes, covariance="model")
    assert "clustered by ballot (60 ballots)" in clustered.uncertainty
    assert (clustered.scores == plain.scores).all()
    assert (clustered.standard_errors > 0.8 * plain.standard_errors).all()
    assert "clustered by ballot" in hr.bradley_terry(votes).uncertainty
    assert any("ballot" in note for note in hr.bayes_rank(votes).notes)


def test_a_file_without_a_header_says_so(write):
    for text, wanted in (
        ("x,y,1\ny,z,-1\nx,z,1\n", [*XY, ("x", "z", 1)]),
        ("x,y\ny,x\nx,y\n", [("x", "y", 1), ("y", "x", 1), ("x", "y", 1)]),
        ("x;y;1;ann\ny;z;-1;bob\nz;x;0,5;ann\n", [*XY, ("z", "x", 0.5)]),
    ):
        votes = hr.read_comparisons(write(text))
        assert answers(votes) == wanted
        assert "no header" in votes.report.notes[0]
    forced = hr.read_comparisons(write("1,x,y\n-1,y,z\n"), header=False, left="2", right="3",
                                 outcome="1")  # fmt: skip
    assert answers(forced) == XY


def test_decimal_commas(write):
    votes = hr.read_comparisons(write("left;right;outcome;weight\nx;y;0,5;1,5\ny;z;-0,25;2\n"))
    assert votes.outcome.tolist() == [0.5, -0.25]
    assert votes.weight.tolist() == [1.5, 2]


def test_a_workbook(tmp_path):
    path = tmp_path / "votes.xlsx"
    table = pl.DataFrame({"left": ["x", "y"], "right": ["y", "z"], "outcome": [1, -1]})
    table.write_excel(path)
    assert answers(hr.read_comparisons(path)) == XY
    with pytest.raises(InvalidComparisons, match="has no sheet 'two': it has Sheet1"):
        hr.read_comparisons(path, sheet="two")
    path.write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(InvalidComparisons, match="not readable as a workbook"):
        hr.read_comparisons(path)


def test_a_name_that_says_nothing_is_looked_into(tmp_path):
    table = pl.DataFrame({"left": ["x", "y"], "right": ["y", "z"], "outcome": [1, -1]})
    for name, write_table in (("a", table.write_parquet), ("b", table.write_ndjson),
                              ("c", table.write_csv)):  # fmt: skip
        write_table(tmp_path / name)
        assert answers(hr.read_comparisons(tmp_path / name)) == XY
    (tmp_path / "d").write_bytes(gzip.compress(table.write_csv().encode()))
    assert answers(hr.read_comparisons(tmp_path / "d")) == XY


def test_unused_columns_are_named(write):
    votes = hr.read_comparisons(write("left,right,outcome,mood,seconds\nx,y,1,good,3\n"))
    assert votes.report.unused == ("mood", "seconds")
    assert str(votes.report).endswith("; not used: mood, seconds")


@pytest.mark.parametrize("mark", ["N/A", "NA", "nan", "null", "-", "?"])
def test_marks_for_missing_items_are_missing(write, mark):
    path = write(f"left,right,outcome\n1,2,1\n{mark},2,1\n2,{mark},-1\n")
    votes = hr.read_comparisons(path)
    assert votes.items == (1, 2)
    assert votes.report.missing == 2
    assert "2 (67%) with a missing item" in str(votes.report)
    assert hr.read_comparisons(path, keep_na=True).items == tuple(sorted(["1", "2", mark]))


def test_an_unfinished_survey_is_unanswered_not_wrong(write):
    path = write("left,right,answer,worker\nx,y,left,ann\ny,z,,\nx,z,NA,bob\nx,z,right,\n")
    votes = hr.read_comparisons(path)
    assert answers(votes) == [("x", "y", 1), ("x", "z", -1)]
    assert votes.report.unanswered == 2
    assert votes.rows.tolist() == [1, 4]
    with pytest.raises(InvalidComparisons, match="2 unanswered"):
        hr.read_comparisons(write("left,right,answer\nx,y,\ny,z,\n"))


def test_a_likert_column_is_answered_with_its_own_range(write):
    path = write("left,right,rating\nx,y,1\ny,z,7\nx,z,4\n")
    with pytest.raises(InvalidComparisons, match="--scale 1 7"):
        hr.read_comparisons(path)


def test_several_files_are_one(write):
    paths = [
        write("left,right,outcome,worker\n1,2,1,ann\n", "one.csv"),
        write("winner,loser\n3,1\n", "two.csv"),
        write("left,right,outcome\nx,1,-1\n", "three.csv"),
    ]
    votes = hr.read_comparisons(paths)
    assert answers(votes) == [("1", "2", 1), ("3", "1", 1), ("x", "1", -1)]
    assert votes.display_known.tolist() == [True, False, True]
    assert votes.report.rows == 3
    assert answers(hr.read_comparisons(paths[:2])) == [(1, 2, 1), (3, 1, 1)]


def test_where(write):
    path = write(
        "left,right,outcome,worker,seconds\nx,y,1,bot,9\nx,y,-1,ann,1.5\ny,z,1,bob,3\nz,z,1,bot,9\n"
    )
    votes = hr.read_comparisons(path, where="worker != 'bot' and seconds > 2")
    assert answers(votes) == [("y", "z", 1)]
    assert votes.rows.tolist() == [3]
    assert "3 (75%) by the filter" in str(votes.report)
    for where, part in (("seconds >", "is invalid"), ("worker + 1", "is invalid")):
        with pytest.raises(InvalidArgument, match=part):
            hr.read_comparisons(path, where=where)
    with pytest.raises(InvalidComparisons, match="did you mean seconds"):
        hr.read_comparisons(path, where="second > 2")
    with pytest.raises(InvalidComparisons, match="holds for no row"):
        hr.read_comparisons(path, where="seconds > 200")
    with pytest.raises(InvalidComparisons, match="row 4: z, z"):
        hr.read_comparisons(path, where="seconds > 2 and worker = 'bot'")


def test_where_on_many_files(tmp_path):
    table = pl.DataFrame({"left": ["x", "y"], "right": ["y", "z"], "outcome": [1, -1], "s": [1, 2]})
    for k in range(2):
        table.write_parquet(tmp_path / f"{k}.parquet")
    votes = hr.read_comparisons(tmp_path / "*.parquet", where="s > 1")
    assert answers(votes) == [("y", "z", -1)] * 2


@pytest.mark.parametrize(
    ("text", "proposal"),
    [
        ("left,rigth,outcome\nx,y,1\ny,z,-1\n", "--left left --right rigth --outcome outcome"),
        ("eins,zwei,besser\nx,y,x\ny,z,y\nz,x,x\n", "--left eins --right zwei --outcome besser"),
        ("wiiner,loser\nx,y\ny,z\n", "--winner wiiner --loser loser"),
        ("HomeTeam,AwayTeam,FTHG,FTR\nx,y,3,H\ny,z,1,D\nz,x,0,A\n",
         "--left HomeTeam --right AwayTeam --outcome FTR"),
        ("x y 1\ny z 1\n", "--separator"),
    ],
)  # fmt: skip
def test_options_that_fit_the_columns_are_proposed(write, text, proposal):
    with pytest.raises(InvalidComparisons) as caught:
        hr.read_comparisons(write(text))
    assert proposal in str(caught.value)


def test_messages_are_of_readable_length(write):
    header = ",".join(f"column_of_a_long_name_{k:04d}" for k in range(1000))
    with pytest.raises(InvalidComparisons) as caught:
        hr.read_comparisons(write(header + "\n" + ",".join(["é"] * 1000) + "\n"))
    assert len(str(caught.value)) < 1500
