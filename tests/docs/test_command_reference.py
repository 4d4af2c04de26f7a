from __future__ import annotations

from tests.docs.command_reference import PAGE, command_reference


def test_the_reference_of_commands_is_up_to_date():
    shown = PAGE.read_text(encoding="utf-8")
    assert shown == command_reference(), "make transcripts writes it anew"
