from __future__ import annotations

from tests.docs.metrics_reference import PAGE, metrics_reference


def test_the_reference_of_metrics_is_up_to_date():
    shown = PAGE.read_text(encoding="utf-8")
    assert shown == metrics_reference(), "make transcripts writes it anew"
