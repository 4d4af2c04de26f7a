from __future__ import annotations

from tests.docs.http_reference import PAGE, http_reference


def test_the_reference_of_routes_is_up_to_date():
    shown = PAGE.read_text(encoding="utf-8")
    assert shown == http_reference(), "make transcripts writes it anew"
