"""Options for reading may stand in a TOML file beside the votes."""

from __future__ import annotations

import gzip
import os
from dataclasses import fields

import polars as pl
import pytest

import hodgerank as hr
from hodgerank.data.reading.options import FILE_OPTIONS, ReadOptions, read_options_file
from hodgerank.errors import InvalidArgument, InvalidComparisons

VOTES = "A;B;grade;rater;secs;scene\nx;y;7;ann;3;s1\ny;z;1;bob;1;s1\nx;z;6;ann;4;s2\n"
OPTIONS = (
    'left = "A"\nright = "B"\noutcome = "grade"\nscale = [1, 7]\nworker = "rater"\n'
    'where = "secs > 2"\n'
)


@pytest.fixture
def survey(tmp_path):
    """Votes with their options beside them."""
    path = tmp_path / "survey.csv"
    path.write_text(VOTES)
    (tmp_path / "survey.toml").write_text(OPTIONS)
    return path


def test_options_beside_the_votes_are_used_and_reported(survey):
    votes = hr.read_comparisons(survey)
    assert votes.outcome.tolist() == [1.0, pytest.approx(2 / 3)]
    assert votes.workers == ("ann",)
    assert votes.report.source == f"{survey} with survey.toml"
    assert str(votes.report).startswith(f"{survey} with survey.toml: 2 rows as A, B, grade, rater")


def test_what_the_caller_says_comes_first(survey):
    assert len(hr.read_comparisons(survey, where="secs > 0")) == 3
    assert hr.read_comparisons(survey, worker="scene").workers == ("s1", "s2")


def test_a_switch_that_is_on_in_the_file_can_be_turned_off(survey):
    bad = "x;x;7;ann;9;s1\n"
    survey.write_text(VOTES + bad)
    survey.with_suffix(".toml").write_text(OPTIONS + "skip_invalid = true\n")
    assert hr.read_comparisons(survey).report.rejected == 1
    with pytest.raises(InvalidComparisons, match="compared with itself"):
        hr.read_comparisons(survey, skip_invalid=False)


def test_the_file_can_be_left_alone(survey):
    with pytest.raises(InvalidComparisons, match="not a number in"):
        hr.read_comparisons(survey, options_file=False)


def test_other_formats_have_the_same_file_beside_them(survey):
    expected = hr.read_comparisons(survey)
    packed = survey.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(VOTES.encode()))
    table = survey.with_suffix(".parquet")
    pl.read_csv(survey, separator=";").write_parquet(table)
    for path in (packed, table, str(packed)):
        assert hr.read_comparisons(path).outcome.tolist() == expected.outcome.tolist()


def test_each_of_several_files_has_its_own(survey):
    other = survey.with_name("other.csv")
    other.write_text("a,b,best\nx,y,a\n")
    other.with_suffix(".toml").write_text('left = "a"\nright = "b"\noutcome = "best"\n')
    votes = hr.read_comparisons([survey, other])
    assert len(votes) == 3
    votes = hr.read_comparisons(str(survey.with_name("*.csv")))
    assert len(votes) == 3


def test_what_has_no_name_has_no_file(survey, monkeypatch):
    monkeypatch.chdir(survey.parent)
    with survey.open("rb") as stream, pytest.raises(InvalidComparisons, match="not a number in"):
        hr.read_comparisons(stream)
    rows = [("x", "y", 1)]
    assert hr.read_comparisons(rows).report.source == "rows"


def test_a_file_may_name_the_groups(survey):
    survey.with_suffix(".toml").write_text(OPTIONS + 'group = "scene"\n')
    groups = hr.read_comparisons(survey)
    assert isinstance(groups, hr.VoteGroups)
    assert groups.column == "scene"
    for use in (hr.hodge_rank, hr.assess_trust, hr.describe):
        with pytest.raises(
            InvalidArgument, match=r"survey\.toml: the votes are in groups by scene"
        ):
            use(survey)
    assert hr.report(survey, with_forecast=False).findings.votes.n_votes == 2


def test_files_that_name_different_groups_are_refused(survey):
    survey.with_suffix(".toml").write_text(OPTIONS + 'group = "scene"\n')
    other = survey.with_name("other.csv")
    other.write_text("left,right,outcome\nx,y,1\n")
    with pytest.raises(InvalidArgument, match="different groups"):
        hr.read_comparisons([survey, other])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('grup = "scene"', "did you mean group"),
        ('keep-na = "scene"', "did you mean keep_na"),
        ("options_file = false", "'options_file' is not one of"),
        ("[votes]\nleft = 'A'", "'votes' is not one of"),
        ("left = 1", "left must be text, not 1"),
        ('left = ""', "left must be text"),
        ('left = ["A"]', "left must be text"),
        ('keep_na = "yes"', "keep_na must be true or false"),
        ("header = 0", "header must be true or false"),
        ("scale = [1]", "scale must be two numbers"),
        ("scale = [1, true]", "scale must be two numbers"),
        ("scale = [1, 1]", "two different finite ends"),
        ("scale = [1, nan]", "two different finite ends"),
        ('outcome_as = "grade"', "outcome_as 'grade' is not one of"),
        ("left = ", "it is not TOML"),
        ("left = " + "[" * 9000, "it is not TOML"),
        ("#" * 70_000, "larger than 65,536 bytes"),
    ],
)
def test_a_file_that_cannot_be_used_says_what_to_do(survey, text, message):
    survey.with_suffix(".toml").write_text(text)
    with pytest.raises(InvalidArgument, match=message) as error:
        hr.read_comparisons(survey)
    assert "survey.toml" in str(error.value)
    assert "--no-options-file" in str(error.value)


def test_bytes_that_are_no_text_are_refused(survey):
    survey.with_suffix(".toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidArgument, match="it is not TOML"):
        hr.read_comparisons(survey)


def test_a_pipe_or_folder_of_that_name_is_not_waited_for(survey):
    beside = survey.with_suffix(".toml")
    beside.unlink()
    os.mkfifo(beside)
    assert hr.read_comparisons(survey, scale=(1, 7)).report.source == str(survey)
    beside.unlink()
    beside.mkdir()
    assert hr.read_comparisons(survey, scale=(1, 7)).report.source == str(survey)


def test_a_column_that_is_not_there_is_reported_with_the_file_that_names_it(survey):
    survey.with_suffix(".toml").write_text('left = "C"\n')
    with pytest.raises(InvalidComparisons, match=r"with survey\.toml: there is no column 'C'"):
        hr.read_comparisons(survey)


def test_every_option_but_that_for_the_file_itself_may_stand_in_it(tmp_path):
    values = {"scale": "[1, 7]", "outcome_as": '"word"', "both_bad": '"drop"'}
    values |= {"tie": '["x"]', "skip": '"y"', "map": "{f = 'left'}"}
    switches = ("display_known", "keep_na", "skip_invalid", "header", "worse", "signs_only")
    values |= dict.fromkeys(switches, "true")
    names = [option.name for option in fields(ReadOptions) if option.name != "options_file"]
    assert tuple(names) == FILE_OPTIONS
    names.remove("margin")  # it takes the place of others
    path = tmp_path / "all.toml"
    path.write_text(
        "\n".join(f"{name} = {values.get(name, chr(34) + name + chr(34))}" for name in names)
    )
    assert list(read_options_file(path)) == names
