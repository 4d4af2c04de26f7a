"""Upload and preview of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from hodgerank.campaign.items import CampaignItem
from hodgerank.errors import HodgeRankError
from hodgerank.server.auth import key_of
from hodgerank.server.context import ServerContext, context_of
from hodgerank.server.item_view import Shown, shown
from hodgerank.server.media.range_requests import media_headers
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import url
from hodgerank.server.uploads.item_tables import PARTS, is_table
from hodgerank.server.uploads.read_upload import Upload
from hodgerank.server.uploads.uploaded_files import FileOpener

MOST_SHOWN = 12
MOST_LINES = 10_000
LONGEST_ID = 100
"""Of lines as items: where one is longer, all are numbered."""
LARGEST_PREVIEW = 30 << 20
MOST_FILES = 20_001
ENCODINGS = ("", "cp1252", "cp1250", "cp1251", "cp932", "gb18030")
"""Of tables; the first is UTF-8."""
MARKDOWN = "pages.markdown"
"""The field of the form that decides how texts are shown."""
GONE = "the files are no longer on the server: choose them again"


@dataclass(frozen=True)
class ChosenItems:
    """Items that an owner chose.

    Attributes
    ----------
    staged
        By what id the files can be had again; empty where there are none.
    lines
        As they were written.
    upload
        What was understood; None where nothing was chosen.
    columns
        Those of a table that the owner named.
    encoding
        Of a table that is not in UTF-8.
    goes_without
        Whether what is wrong is to be left out.
    is_new
        Whether nobody has seen yet what was understood.
    is_markdown
        Whether texts are shown so.
    """

    staged: str = ""
    lines: str = ""
    upload: Upload | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str = ""
    goes_without: bool = False
    is_new: bool = False
    is_markdown: bool = False

    @property
    def is_faulty(self) -> bool:
        """Whether rows would be missing that nobody has agreed to leave out."""
        return self.upload is not None and bool(self.upload.faults) and not self.goes_without

    def sample(self, request: Request) -> list[tuple[CampaignItem, Shown]]:
        """The first items as people would see them, but for what stands elsewhere on the web."""
        if self.upload is None:
            return []
        media = url(request, "new", "staged", self.staged)
        return [(item, self._shown(item, media)) for item in self.upload.items[:MOST_SHOWN]]

    def _shown(self, item: CampaignItem, media: str) -> Shown:
        is_elsewhere = item.media.startswith("http")
        item = replace(item, media="") if is_elsewhere else item
        found = shown(item, media, self.is_markdown and bool(item.text))
        return {**found, "kind": "address"} if is_elsewhere else found

    def store(self, context: ServerContext) -> list[CampaignItem]:
        """The items, whose media are in the library then."""
        return [] if self.upload is None else self.upload.store(context.media)


async def chosen(request: Request, form: FormData) -> ChosenItems:
    """Read the items in a form: new files, files that were sent before, both, or lines."""
    context, who = context_of(request), key_of(request).digest
    is_markdown = form.get(MARKDOWN) == "1"
    files = [one for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
    staged, lines = form.get("staged"), form.get("lines")
    if form.get("source") == "lines":
        files, staged = [], ""
    if files:
        named = [(file.filename or "", file.file) for file in files]
        beside = staged if isinstance(staged, str) and not form.get("replace") else ""
        staged = await context.in_upload_thread(context.staging.keep, named, who, beside)
    if isinstance(staged, str) and staged:
        columns, encoding = _columns(form), form.get("encoding")
        if files and (form.get("replace") or any(is_table(name) for name, _ in named)):
            columns, encoding = {}, ""
        encoding = encoding if isinstance(encoding, str) and encoding in ENCODINGS else ""
        upload = await context.in_upload_thread(
            context.staging.find, staged, who, columns, encoding or None
        )
        if upload is None:
            return ChosenItems(upload=Upload(faults=(GONE,)))
        return ChosenItems(
            staged=staged,
            upload=upload,
            columns=columns,
            encoding=encoding,
            goes_without=form.get("without") == "1" and not files,
            is_new=bool(files),
            is_markdown=is_markdown,
        )
    if isinstance(lines, str) and lines.strip() and form.get("source") != "files":
        return ChosenItems(lines=lines, upload=_of_lines(lines), is_markdown=is_markdown)
    return ChosenItems()


def _columns(form: FormData) -> dict[str, str]:
    written = {part: form.get(f"column.{part}") for part in PARTS}
    return {part: name for part, name in written.items() if isinstance(name, str) and name}


def _of_lines(lines: str) -> Upload:
    """An item for each line that says anything."""
    said = [line.strip() for line in lines.splitlines() if line.strip()]
    written = list(dict.fromkeys(said))
    if len(written) > MOST_LINES:
        return Upload(faults=(f"there are more than {MOST_LINES:,} lines: upload a file",))
    is_short = all(len(line) <= LONGEST_ID for line in written)
    try:
        items = [
            CampaignItem(line) if is_short else CampaignItem(str(number), line)
            for number, line in enumerate(written, 1)
        ]
    except HodgeRankError as error:
        return Upload(faults=(str(error),))
    n_again = len(said) - len(written)
    again = f"{n_again:,} duplicate line{'s' * (n_again != 1)} left out"
    return Upload(items=tuple(items), warnings=(again,) if n_again else ())


async def staged_media(request: Request, staged: str, name: str) -> Response:
    """A picture of an upload that waits, for its owner."""
    context, who = context_of(request), key_of(request).digest
    upload = await context.in_upload_thread(context.staging.find_again, staged, who)
    content = None if upload is None else await run_in_threadpool(_content, upload, f"media:{name}")
    if content is None:
        raise Problem(404, "")
    return Response(content, headers=media_headers(f"media:{name}"))


def _content(upload: Upload, name: str) -> bytes | None:
    file, examined = upload.media.get(name, (None, None))
    if file is None or examined is None or examined.size > LARGEST_PREVIEW:
        return None
    content = BytesIO()
    with FileOpener(upload.limits) as opener, opener.stream(file) as stream:
        content.write(stream.read(LARGEST_PREVIEW))
    return content.getvalue()
