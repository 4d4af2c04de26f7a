"""Price tables."""

from __future__ import annotations

import pytest

from hodgerank.errors import InvalidArgument
from hodgerank.judges.prices import Price, Prices

TOML = """
currency = "EUR"

["judge-4.1"]
input = 2.5
output = 10

[free]
input = 0
output = 0
"""
CSV = "\ufeffModel, Input, Output, Currency\njudge-4.1,2.5,10,EUR\nfree,0,0,EUR\n"


def written(tmp_path, text, name="prices.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("text", "name"), [(TOML, "p.toml"), (CSV, "p.csv"), (TOML, "P.TOML")])
def test_prices_come_from_toml_or_csv(tmp_path, text, name):
    prices = Prices.read(written(tmp_path, text, name))
    assert prices == Prices({"judge-4.1": Price(2.5, 10), "free": Price(0, 0)}, "EUR")


def test_a_price_is_for_a_million_tokens():
    prices = Prices({"judge": Price(2.5, 10)})
    assert prices.cost("judge", 400_000, 100_000) == 2.0
    assert prices.cost("other", 1, 1) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[judge-4.1]\ninput = 1\noutput = 1", "needs quotes"),
        ("judge = 3", "'judge' is not a table"),
        ("[judge]\ninput = 1", "output None of 'judge' is not a price"),
        ("[judge]\ninput = -1\noutput = 1", "input -1 of"),
        ("[judge]\ninput = nan\noutput = 1", "is not a price"),
        ("[judge]\ninput = true\noutput = 1", "is not a price"),
        ("[judge]\ninput = [1]\noutput = 1", "is not a price"),
        ("currency = 3", "currency is not a text"),
        ("model,input,output\njudge,1,2", "is not a valid price table"),
    ],
)
def test_a_table_that_cannot_be_read_says_what_is_wrong_and_how_to_write_one(tmp_path, text, what):
    with pytest.raises(InvalidArgument, match="write a CSV file with the columns") as caught:
        Prices.read(written(tmp_path, text))
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("name,input,output\njudge,1,2", "names no model"),
        ("model,input,output\n,1,2", "names no model"),
        ("model,input,output\njudge,1,2\njudge,1,3", "'judge' has two prices"),
        ("model,input,output\njudge,1,free", "is not a price"),
        ("model,input,output\njudge,1", "is not a price"),
        ("model,input,output,currency\na,1,2,EUR\nb,1,2,USD", "more than one currency"),
    ],
)
def test_a_csv_table_that_cannot_be_read_says_what_is_wrong(tmp_path, text, what):
    with pytest.raises(InvalidArgument, match=what):
        Prices.read(written(tmp_path, text, "prices.csv"))


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path):
    with pytest.raises(InvalidArgument, match="cannot be read: No such file"):
        Prices.read(tmp_path / "absent.toml")
    path = tmp_path / "prices.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidArgument, match="is not a valid price table"):
        Prices.read(path)


def test_an_empty_table_has_no_prices(tmp_path):
    assert Prices.read(written(tmp_path, "")) == Prices({})
