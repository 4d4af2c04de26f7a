"""hodgerank agree: how well a judge agrees with people on the same questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, cast

import polars as pl
import typer
from rich.console import Console

from hodgerank.cli.console import (
    add_names,
    add_numbers,
    cautions_of,
    plain_table,
    show_reading,
    show_table,
    show_warnings,
    show_written,
    verbatim,
)
from hodgerank.cli.files import file_or_input, require_one_reader
from hodgerank.cli.interrupts import heed_interrupts
from hodgerank.cli.model_options import ConfidenceOption
from hodgerank.cli.outputs import AsJson, keep_apart, output_option, require_one_printed
from hodgerank.cli.progress import doing, telling_progress
from hodgerank.cli.reading_options import reading_parameters, take_read_options
from hodgerank.cli.result import CommandResult
from hodgerank.data.comparisons import ReadReport
from hodgerank.data.reading.options import ReadOptions, options_file_of, read_options_file
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.estimators.judge_agreement import (
    JudgeAgreement,
    agreement,
    decimals,
    percentages,
)

LEGEND = (
    "Brackets: {:g}% intervals. kappa: agreement beyond chance. two people: how often two people "
    "give the same answer. ratio: 1 if the judge agrees with a person as well as another person. "
    "worth: human votes that are as good as one call."
)


@dataclass(frozen=True)
class AgreeResult(CommandResult):
    """Agreement of a judge with people, and how both were read."""

    found: JudgeAgreement
    reports: tuple[ReadReport, ReadReport]
    written: Path | None
    as_json: bool

    def to_table(self) -> pl.DataFrame:
        """Return a row for all questions, each judge and each category."""
        return cast("pl.DataFrame", self.found.to_frame("polars"))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        human, judge = (report.to_dict() for report in self.reports)
        notes = [note for report in self.reports for note in report.notes]
        content = self.found.to_dict()
        return {
            "human": human,
            "judge": judge,
            **content,
            "notes": [*notes, *content["notes"]],
        }

    def cautions(self) -> list[str]:
        """Return warnings about the reading and the numbers."""
        return [
            *dict.fromkeys(line for report in self.reports for line in cautions_of(report)),
            *self.found.notes,
        ]

    def show(self, console: Console) -> None:
        """Print the statements, and a table of all questions, judges and categories."""
        found = self.found
        for report in self.reports:
            show_reading(report, console)
        console.print()
        for statement in found.statements:
            console.print(verbatim(statement))
        console.print()
        table = plain_table()
        add_names(table, "questions of")
        add_numbers(table, "questions", "agreement", "kappa", "two people", "ratio", "worth")
        for row in found:
            table.add_row(
                verbatim(row.name),
                f"{row.n_questions:,}",
                percentages(row.agreement),
                decimals(row.kappa),
                percentages(row.human_agreement),
                decimals(row.ratio),
                decimals(row.worth, 1) if row.is_enough else "-",
            )
        show_table(table, console, spare=("ratio", "worth", "two people", "kappa"))
        console.print()
        console.print(LEGEND.format(100 * found.confidence), style="dim")
        show_warnings(found.notes, console)
        show_written(self.written, console)


def _reads_two_files(command: Callable[..., CommandResult]) -> Callable[..., CommandResult]:
    """Add the reading options, which apply to both files."""

    @wraps(command)
    def run(**arguments: Any) -> CommandResult:
        reading = take_read_options(arguments)
        output, files = arguments["output"], [arguments["human"], arguments["judge"]]
        require_one_printed(output, arguments["as_json"])
        require_one_reader(files)
        keep_apart([output], files)
        heed_interrupts()
        judge_unit = arguments.pop("judge_unit")
        with telling_progress():
            votes = []
            own_unit = _unit_beside(arguments["judge"], reading)
            for path, unit in zip(files, (reading.unit, judge_unit or own_unit), strict=True):
                doing(f"reading {path}")
                # --by names categories of questions; both files are read whole.
                options = replace(reading, group=None, unit=unit)
                votes.append(VoteSource(file_or_input(path), options).answers())
            doing("comparing the judge with people")
            arguments |= {"human": votes[0], "judge": votes[1], "by": reading.group}
            result = command(**arguments)
            if output is not None:
                result.write(output)
        return result

    own = [p for p in signature(command, eval_str=True).parameters.values() if p.name != "by"]
    paths = {"human": "Votes of people.", "judge": "Votes of the judge."}
    files = [
        Parameter(
            name, Parameter.KEYWORD_ONLY,
            annotation=Annotated[Path, typer.Argument(help=about, show_default=False)],
        )
        for name, about in paths.items()
    ]  # fmt: skip
    unit = Parameter(
        "judge_unit", Parameter.KEYWORD_ONLY, default=None,
        annotation=Annotated[
            str | None,
            typer.Option(
                metavar="COLUMN", show_default=False,
                help="Column of the prompt in the judge's file, if it differs from --unit and "
                "its values do not show it.",
            ),
        ],
    )  # fmt: skip
    parameters = [
        *files, unit,
        *(p.replace(kind=Parameter.KEYWORD_ONLY) for p in own if p.name not in paths),
        *reading_parameters(),
    ]  # fmt: skip
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _unit_beside(judge: Path, reading: ReadOptions) -> str | None:
    """Return the column of the prompt in the judge's file: that of its options comes first."""
    beside = None if reading.options_file is False else options_file_of(judge)
    told = {} if beside is None else read_options_file(beside)
    return told.get("unit", reading.unit)


@_reads_two_files
def agree(
    human: Any,
    judge: Any,
    by: str | None,
    confidence: ConfidenceOption = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    output: Annotated[
        Path | None, output_option("Write the numbers: .csv, .parquet, .json")
    ] = None,
    as_json: AsJson = False,
) -> AgreeResult:
    """Compare the votes of a judge with those of people on the same questions.

    A question is a pair of items, within the same prompt if --unit names its column. The votes of
    a run of hodgerank judge name their prompts themselves. Ask two people each question: otherwise
    it is unknown how far people agree with each other. At least 200 shared questions, drawn at
    random, are needed to say how many human votes a call of the judge is worth. --by names a column
    of the first file, or else of the second, such as the category of the prompt.

    Examples:
      hodgerank agree human.csv judge.csv --unit prompt

      hodgerank agree human.csv run/votes.csv

      hodgerank agree human.csv judge.csv --unit prompt --by language
    """
    found = agreement(human, judge, by=by, confidence=confidence, seed=seed)
    return AgreeResult(found, (human.report, judge.report), output, as_json)
