"""Values that are converted without pydantic are those that Typer would give."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated, Literal

import pytest
import typer
from typer.core import TyperCommand
from typer.testing import CliRunner

from hodgerank.cli import app as commands
from hodgerank.cli.reading_options import VoteCommand


def checked(value: Path | None) -> Path | None:
    if value is not None and value.suffix != ".csv":
        raise typer.BadParameter("not a table")
    return value


def outcome(kind: type, words: list[str]) -> tuple[list[object], int, str]:
    """What a command gets from these words, its exit status and what it prints."""
    single, got = typer.Typer(add_completion=False), []

    @single.command(cls=kind)
    def command(
        files: list[Path],
        name: str = "nobody",
        table: Annotated[Path | None, typer.Option(callback=checked)] = None,
        there: Annotated[Path | None, typer.Option(exists=True)] = None,
        folder: Annotated[Path | None, typer.Option(file_okay=False)] = None,
        model: Literal["one", "two"] = "one",
        anycase: Annotated[Literal["one", "two"], typer.Option(case_sensitive=False)] = "one",
        share: Annotated[float, typer.Option(min=0, max=1)] = 1,
        top: Annotated[int | None, typer.Option(min=0)] = None,
        scale: tuple[float, float] | None = None,
        doubled: Annotated[str | None, typer.Option(parser=lambda text: text * 2)] = None,
        worker: Annotated[list[str] | None, typer.Option()] = None,
        again: bool = False,
    ) -> None:
        got.extend((files, name, table, there, folder, model, anycase))
        got.extend((share, top, scale, doubled, worker, again))

    result = CliRunner().invoke(single, words)
    return got, result.exit_code, result.output


@pytest.mark.parametrize(
    "words",
    [
        "votes.csv",
        "a.csv b.csv --name w --again",
        "",
        "- --table x.csv",
        "- --table x.txt",
        "- --there .",
        "- --there nowhere",
        "- --folder {file}",
        "- --folder nowhere",
        "- --there {secret}",
        "- --model two",
        "- --model Two",
        "- --anycase TWO",
        "- --share 0.5",
        "- --share 2",
        "- --top 3",
        "- --top three",
        "- --scale 1 7",
        "- --doubled ab",
        "- --worker ann --worker bob",
        "{secret}",
        "--unknown",
    ],
)
def test_values_and_complaints_are_those_of_typer(words, tmp_path):
    file, secret = tmp_path / "file", tmp_path / "secret"
    file.touch()
    secret.touch(mode=0o000)
    given = words.format(file=file, secret=secret).split()
    found, expected = outcome(VoteCommand, given), outcome(TyperCommand, given)
    assert found == expected
    assert [type(value) for value in found[0]] == [type(value) for value in expected[0]]


def test_importing_a_command_leaves_the_garbage_collector_as_it_was():
    assert gc.isenabled()
    commands._imported("hodgerank.cli.describe")
    assert gc.isenabled()
    gc.disable()
    try:
        commands._imported("hodgerank.cli.describe")
        assert not gc.isenabled()
    finally:
        gc.enable()
