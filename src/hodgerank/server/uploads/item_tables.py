"""Items from an uploaded table, which may only name files uploaded with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from posixpath import dirname, join, normpath
from tempfile import TemporaryDirectory

from hodgerank.campaign.items import CampaignItem, ItemRow, text_with_context
from hodgerank.data.items.item_table import Cells, RowsRead, id_in, read_rows, track_in
from hodgerank.data.sources.files import EXCEL, JSON, JSON_LINES, PARQUET
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.server.media.library import too_large
from hodgerank.server.media.validation import ValidatedFile, pieces, validate_media
from hodgerank.server.uploads.archives import TROUBLE, ZipArchive
from hodgerank.server.uploads.file_names import is_address, proper_address, same_form, shown
from hodgerank.server.uploads.uploaded_files import FileOpener, UploadedFile, no_room


class MediaFiles:
    """Uploaded files that are examined when they are asked for, each once.

    Attributes
    ----------
    kept
        What was found to be media: by its name in the library, the file and what it is.
    refused
        Files that are none, and why.
    """

    def __init__(self, files: Mapping[str, UploadedFile], opener: FileOpener) -> None:
        self.kept: dict[str, tuple[UploadedFile, ValidatedFile]] = {}
        self.refused: dict[str, str] = {}
        self._files = files
        self._opener = opener
        self._names: dict[str, str] = {}  # in the library, by the name of the file
        self._by_last_part: dict[str, list[UploadedFile]] = defaultdict(list)
        for file in files.values():
            self._by_last_part[_last_part(file.name)].append(file)

    @property
    def used(self) -> set[str]:
        """Names of files that were asked for."""
        return {*self._names, *self.refused}

    def media_of(self, file: UploadedFile) -> str:
        """Return the future name of a file in the library; InvalidArgument if it is refused."""
        if file.name not in self._names and file.name not in self.refused:
            try:
                with self._opener.whole(file) as content:
                    examined = validate_media(content)
            except InvalidArgument as error:
                self.refused[file.name] = str(error)
            else:
                self._names[file.name] = examined.name
                self.kept.setdefault(examined.name, (file, examined))
        if file.name in self.refused:
            raise InvalidArgument(f"{file.shown} was rejected")
        return self._names[file.name]

    def named(self, cell: str, beside: str) -> UploadedFile:
        """The file that a table calls so; `beside` is the name of the table.

        It stands beside the table, or where the path leads from the top, or it is the only one
        whose last part is the same: a table may have the paths of the machine it was written on.
        """
        path = same_form(cell.replace("\\", "/").strip())
        for place in (join(dirname(beside), path), path):
            if found := self._files.get(normpath(place)):
                return found
        alike = self._by_last_part[_last_part(path)]
        if len(alike) == 1:
            return alike[0]
        if alike:
            raise InvalidArgument(
                f"{shown(cell)} may be {alike[0].shown} or {alike[1].shown}: write the folder too"
            )
        raise InvalidArgument(f"{shown(cell)} is not among the uploaded files: upload it too")


def _last_part(name: str) -> str:
    return name.rpartition("/")[2].lower()


PARTS = ("id", "text", "context", "media", "track")
_ENDINGS = (".csv", ".tsv", *(end for end in (*JSON_LINES, *JSON) if not end.endswith(".gz")))


def is_table(name: str) -> bool:
    """Whether a file is named like a table; packed ones are not: they may unpack to anything."""
    return name.lower().endswith((*_ENDINGS, *PARQUET, *EXCEL))


def read_table(
    table: UploadedFile,
    media: MediaFiles,
    opener: FileOpener,
    columns: Mapping[str, str | None],
    encoding: str | None,
) -> RowsRead[ItemRow]:
    """The rows of a table; a file or an address may stand in the column of media."""
    limits, n_rows, n_characters = opener.limits, 0, 0

    def made(where: str, cells: Cells) -> ItemRow:
        nonlocal n_rows, n_characters
        n_rows += 1
        if n_rows > limits.most_items:
            raise InvalidComparisons(_too_many(limits.most_items))
        item = id_in(cells)
        item = item.strip() if isinstance(item, str) else item
        text = text_with_context(cells.get("context"), cells.get("text"))
        if len(text) > limits.largest_text:
            raise InvalidArgument(f"the text: {too_large(limits.largest_text)}")
        n_characters += len(text)
        if n_characters > limits.largest_table:  # a packed table may repeat one text
            raise InvalidComparisons(f"the texts: {too_large(limits.largest_table)}")
        shown = _media_in(cells.get("media"), table, media)
        CampaignItem(item, text, shown)  # what is wrong with it is a fault of its row
        return ItemRow(where, item, text, shown, track_in(cells))

    given = dict.fromkeys(PARTS) | dict(columns)
    with _on_disk(table, opener) as path:
        _require_few_rows(path, table.name, limits.most_items)
        _require_small_book(path, table.name, limits.largest_file)
        return read_rows(
            path, given, made, encoding=encoding, name=table.shown, how_to_name=_choose
        )


def _media_in(cell: str | None, table: UploadedFile, media: MediaFiles) -> str:
    if cell is None:
        return ""
    cell = cell.strip()
    if is_address(cell):
        return proper_address(cell)
    return media.media_of(media.named(cell, table.name))


def _choose(part: str, column: str) -> str:
    return f"in the field for the column of the {part}"


@contextmanager
def _on_disk(table: UploadedFile, opener: FileOpener) -> Iterator[Path]:
    """The file of a table; one that is in a zip is unpacked."""
    with opener.whole(table, opener.limits.largest_table) as content:
        if table.entry is None:
            yield table.path
            return
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(TemporaryDirectory(dir=opener.folder))
                path = Path(folder) / "table"
                with path.open("wb") as file:
                    file.writelines(pieces(content))
            except OSError as error:
                raise no_room(table.name, error) from error
            yield path


def _require_few_rows(path: Path, name: str, most: int) -> None:
    """Refuse a Parquet file that makes billions of rows of some kilobytes."""
    if not name.lower().endswith(PARQUET):
        return
    import polars as pl

    from hodgerank.data.sources.text_table import DAMAGE

    try:
        n_rows = pl.scan_parquet(path, glob=False).select(pl.len()).collect().item()
    except DAMAGE:
        return  # its reader says what is wrong
    if n_rows > most:
        raise InvalidComparisons(_too_many(most))


def _require_small_book(path: Path, name: str, most: int) -> None:
    """Refuse a workbook, which is a zip, that unpacks to too much."""
    if not name.lower().endswith(EXCEL) or path.read_bytes()[:2] != b"PK":
        return
    size = 0
    with ZipArchive(path, most_files=1000) as book:
        for entry in book.infolist():
            try:
                with book.open(entry) as packed:
                    while piece := packed.read(1 << 20):
                        size += len(piece)
                        if size > most:
                            raise InvalidArgument(too_large(most))
            except TROUBLE as error:
                if isinstance(error, InvalidArgument):
                    raise
                raise InvalidArgument("it is damaged: save the workbook again") from None


def _too_many(most: int) -> str:
    return f"it has more than {most:,} rows: upload it in parts"
