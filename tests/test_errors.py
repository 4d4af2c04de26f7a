"""What errors say."""

from __future__ import annotations

import pytest

from hodgerank.errors import MissingDependency


@pytest.mark.parametrize(
    ("package", "command"),
    [
        ("hodgerank[plot]", 'pip install ".[plot]" in a clone of hodgerank'),
        ("pooch", "pip install pooch"),
    ],
)
def test_the_command_that_installs_what_is_missing_suits_any_shell(package, command):
    assert str(MissingDependency(package, "this")) == f"this needs {package}: {command}"
