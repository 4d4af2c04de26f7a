"""Keys of a terminal, as they arrive."""

from __future__ import annotations

import pytest

from hodgerank.cli.campaign.keyboard import LEFT, RIGHT, TerminalKeyReader


@pytest.fixture
def pressed(monkeypatch):
    """Keys of a terminal that sends these, several at once where they were typed fast."""

    def press(*sent):
        arriving = iter(sent)
        monkeypatch.setattr("typer.getchar", lambda: next(arriving))
        return TerminalKeyReader()

    return press


def test_keys_that_arrive_together_are_told_apart(pressed):
    keys = pressed("12\x1b[Du\x1bOC")
    found = [keys.read() for _ in range(5)]
    assert found == ["1", "2", "\x1b[D", "u", "\x1bOC"]
    assert found[2] in LEFT
    assert found[4] in RIGHT


def test_what_was_typed_too_early_is_dropped(pressed):
    keys = pressed("11", "2")
    assert keys.read() == "1"
    keys.forget()
    assert keys.read() == "2"


@pytest.mark.parametrize(("sent", "error"), [("1\x03", KeyboardInterrupt), ("1\x04", EOFError)])
def test_an_interrupt_or_end_among_other_keys_is_one(pressed, sent, error):
    keys = pressed(sent)
    keys.read()
    with pytest.raises(error):
        keys.read()


def test_a_terminal_that_is_gone_is_the_end(pressed):
    with pytest.raises(EOFError):
        pressed("").read()


@pytest.mark.parametrize(
    ("most", "sent", "number"),
    [
        (3, ["2"], 2),
        (3, ["4"], None),
        (3, ["0"], None),
        (3, ["x"], None),
        (3, ["\r"], None),
        (12, ["1", "2"], 12),
        (12, ["12"], 12),
        (12, ["1", "\r"], 1),
        (12, ["1", "5"], None),
        (12, ["7"], 7),
        (50, ["5", "0"], 50),
        (50, ["6"], 6),
        (3, ["\x1b[D"], None),
    ],
)
def test_a_number_ends_where_no_further_digit_fits(pressed, most, sent, number):
    assert pressed(*sent).number(most) == number
