"""Items from an uploaded table: it names files among those uploaded with it, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hodgerank.campaign.item_files import ItemRow, text_with_context
from hodgerank.campaign.items import CampaignItem
from hodgerank.data.items.sources import Cells, RowsRead, id_in, read_rows, track_in
from hodgerank.data.sources.files import EXCEL, JSON, JSON_LINES, PARQUET
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.server.media.examining import pieces
from hodgerank.server.media.library import too_large
from hodgerank.server.uploads.addresses import is_address, proper_address
from hodgerank.server.uploads.media_files import MediaFiles
from hodgerank.server.uploads.opening import Opener, UploadedFile, no_room
from hodgerank.server.uploads.zips import TROUBLE, OpenZip

PARTS = ("id", "text", "context", "media", "track")
_ENDINGS = (".csv", ".tsv", *(end for end in (*JSON_LINES, *JSON) if not end.endswith(".gz")))


def is_table(name: str) -> bool:
    """Whether a file is named like a table; packed ones are not: they may unpack to anything."""
    return name.lower().endswith((*_ENDINGS, *PARQUET, *EXCEL))


def read_table(
    table: UploadedFile,
    media: MediaFiles,
    opener: Opener,
    columns: Mapping[str, str | None],
    encoding: str | None,
) -> RowsRead[ItemRow]:
    """The rows of a table; a file or an address may stand in the column of media."""
    limits, n_rows = opener.limits, 0

    def made(where: str, cells: Cells) -> ItemRow:
        nonlocal n_rows
        n_rows += 1
        if n_rows > limits.most_items:
            raise InvalidComparisons(_too_many(limits.most_items))
        item = id_in(cells)
        item = item.strip() if isinstance(item, str) else item
        text = text_with_context(cells.get("context"), cells.get("text"))
        if len(text) > limits.largest_text:
            raise InvalidArgument(f"the text: {too_large(limits.largest_text)}")
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
def _on_disk(table: UploadedFile, opener: Opener) -> Iterator[Path]:
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

    from hodgerank.data.sources.text import DAMAGE

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
    with OpenZip(path, most_files=1000) as book:
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
