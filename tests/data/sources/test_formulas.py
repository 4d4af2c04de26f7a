"""Names that a spreadsheet would run."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hodgerank as hr
from hodgerank.data.sources.formula_guard import guarded, without_guards

HEADS = st.sampled_from(["", "'", "''", "=", "+", "-", "@", "\t", "'=", "''-"])


@given(st.lists(st.builds(str.__add__, HEADS, st.text("a1=-'. ", max_size=4)), min_size=1))
def test_reading_takes_away_what_writing_put_there(names):
    table = pl.DataFrame({"name": [guarded(name) for name in names]}, schema={"name": pl.String})
    assert without_guards(table)["name"].to_list() == names


@pytest.mark.parametrize("name", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "-x", "=-5"])
def test_what_a_spreadsheet_would_run_is_guarded(name):
    assert guarded(name) == f"'{name}"


@pytest.mark.parametrize("name", ["tea", "-5", "+1.5e3", "'quoted'", "a=b", ""])
def test_names_and_numbers_stay_as_they_are(name):
    assert guarded(name) == name


def test_any_text_may_be_the_name_of_a_column():
    table = pl.DataFrame({"^x$": ["'=a"], "*": ["b"], "": ["'-c"]})
    assert without_guards(table).rows() == [("=a", "b", "-c")]


def test_guarded_names_come_back_from_a_file(tmp_path):
    (tmp_path / "votes.csv").write_text("left,right,outcome\n'=a,'-b,1\n'-b,c,-1\n")
    assert set(hr.read_comparisons(tmp_path / "votes.csv").items) == {"=a", "-b", "c"}
