"""Files of the corpus: columns with their roles, how they are written, and the truth in them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from xml.sax.saxutils import escape

from corpus.crowd import Crowd, Vote

Cell = str | int | float | bool | None | list | dict
# Names of items, best first; items of different chains were never compared.
Truth = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Made:
    """How a column is made from votes, and its role."""

    role: str
    cell: Callable[[Vote], Cell]
    codes: tuple[str, ...] = ()  # for left, right and perhaps a tie


@dataclass
class Column:
    """A column; roles are left, right, winner, loser, item, words, worker ... or none."""

    name: str
    cells: list[Cell]
    role: str = ""
    codes: tuple[str, ...] = ()


@dataclass
class Sheet:
    """Columns of equal length; names may come twice."""

    columns: list[Column]

    @property
    def rows(self) -> list[list[Cell]]:
        return [list(row) for row in zip(*(column.cells for column in self.columns), strict=True)]

    @property
    def header(self) -> list[str]:
        return [column.name for column in self.columns]


LEFT = Made("left", lambda vote: vote.left)
RIGHT = Made("right", lambda vote: vote.right)
WINNER = Made("winner", lambda vote: vote.winner)
LOSER = Made("loser", lambda vote: vote.loser)
CHOSEN = Made("item", lambda vote: vote.winner)
WORKER = Made("worker", lambda vote: f"w{vote.worker:02d}")
NUMBER = Made("", lambda vote: vote.number + 1)
SECONDS = Made("", lambda vote: round(1 + 9 * vote.chance, 2))
PROMPT = Made("", lambda vote: f"Describe object {int(9 * vote.chance)} in two sentences.")
MOMENT = Made("time", lambda vote: f"2024-03-{1 + vote.number // 24:02d} {vote.number % 24:02d}:07")


def words(left: Cell, right: Cell, tie: Cell = None) -> Made:
    """The preferred side in these words; without a word for ties there are none."""

    def cell(vote: Vote) -> Cell:
        if tie is not None and vote.is_near:
            return tie
        return left if vote.margin > 0 else right

    codes = (str(left), str(right)) + (() if tie is None else (str(tie),))
    return Made("words", cell, codes)


def number(cell: Callable[[Vote], Cell]) -> Made:
    """A number whose sign or size is the outcome."""
    return Made("number", cell)


def other(cell: Callable[[Vote], Cell]) -> Made:
    """A column that is no part of a vote."""
    return Made("", cell)


def constant(value: Cell) -> Made:
    """The same in every row."""
    return Made("", lambda vote: value)


def sheet_of(votes: Iterable[Vote], columns: Mapping[str, Made]) -> Sheet:
    """A row for each vote."""
    votes = list(votes)
    return Sheet(
        [Column(name, [made.cell(vote) for vote in votes], made.role, made.codes)
         for name, made in columns.items()]
    )  # fmt: skip


def grid(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Sheet:
    """A table given by its rows."""
    rows = list(rows)
    return Sheet([Column(name, [row[k] for row in rows]) for k, name in enumerate(header)])


@dataclass(frozen=True)
class Style:
    """How a text file is written."""

    separator: str = ","
    encoding: str = "utf-8"
    quote: bool = False
    header: bool = True
    decimal_comma: bool = False
    line_end: str = "\n"
    before: tuple[str, ...] = ()  # lines above the header
    after: tuple[str, ...] = ()


@dataclass
class File:
    """A file of the corpus and the truth in it; without a truth no ranking is right.

    Attributes
    ----------
    aliases
        Other names of items in the file, each with the name that the truth uses.
    """

    truth: Truth | None
    sheet: Sheet | None = None
    raw: bytes | None = None
    name: str = "votes.csv"
    style: Style = field(default_factory=Style)
    aliases: dict[str, str] = field(default_factory=dict)
    others: dict[str, bytes] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        if self.sheet is None:
            assert self.raw is not None
            return self.raw
        write = WRITERS.get(PurePath(self.name).suffix)
        return write(self.sheet) if write else as_text(self.sheet, self.style)


def votes_file(crowd: Crowd, columns: Mapping[str, Made], **how: object) -> File:
    """A file with a row for each vote of the crowd."""
    return File((crowd.order,), sheet_of(crowd.votes, columns), **how)  # type: ignore[arg-type]


def as_text(sheet: Sheet, style: Style) -> bytes:
    """The table as CSV or one of its relatives."""
    stream = io.StringIO()
    stream.write("".join(line + style.line_end for line in style.before))
    writer = csv.writer(
        stream, delimiter=style.separator, lineterminator=style.line_end,
        quoting=csv.QUOTE_ALL if style.quote else csv.QUOTE_MINIMAL,
    )  # fmt: skip
    if style.header:
        writer.writerow(sheet.header)
    writer.writerows([_cell(cell, style) for cell in row] for row in sheet.rows)
    stream.write("".join(line + style.line_end for line in style.after))
    return stream.getvalue().encode(style.encoding)


def _cell(cell: Cell, style: Style) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float) and style.decimal_comma:
        return str(cell).replace(".", ",")
    return json.dumps(cell) if isinstance(cell, list | dict) else str(cell)


def records(sheet: Sheet) -> list[dict[str, Cell]]:
    """The rows as dicts."""
    return [dict(zip(sheet.header, row, strict=True)) for row in sheet.rows]


def as_json_lines(sheet: Sheet) -> bytes:
    """An object per line."""
    return "".join(json.dumps(record) + "\n" for record in records(sheet)).encode()


def as_json(sheet: Sheet) -> bytes:
    """One list of objects."""
    return json.dumps(records(sheet), indent=1).encode()


def as_workbook(sheet: Sheet, above: Sequence[Sequence[str]] = ()) -> bytes:
    """An Excel file, perhaps with rows above the table."""
    import xlsxwriter

    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        page = book.add_worksheet("Votes")
        for place, row in enumerate([*above, sheet.header, *sheet.rows]):
            page.write_row(place, 0, ["" if cell is None else cell for cell in row])
    return stream.getvalue()


ODS_TYPE = "application/vnd.oasis.opendocument.spreadsheet"


def as_open_document(sheet: Sheet) -> bytes:
    """An OpenDocument spreadsheet of text cells."""
    names = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
                      for name in names)  # fmt: skip
    cells = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    rows = "".join(
        "<table:table-row>"
        + "".join(cells.format(escape("" if cell is None else str(cell))) for cell in row)
        + "</table:table-row>"
        for row in [sheet.header, *sheet.rows]
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces} '
        'office:version="1.2"><office:body><office:spreadsheet><table:table table:name="Votes">'
        f"{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?><manifest:manifest '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" '
        'manifest:version="1.2"><manifest:file-entry manifest:full-path="/" '
        f'manifest:media-type="{ODS_TYPE}"/><manifest:file-entry '
        'manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", ODS_TYPE)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
    return stream.getvalue()


WRITERS: dict[str, Callable[[Sheet], bytes]] = {
    ".jsonl": as_json_lines,
    ".json": as_json,
    ".xlsx": as_workbook,
    ".ods": as_open_document,
}
