"""Rendering of templates as pages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from hodgerank import __version__
from hodgerank.plotting.charts import colour_rules
from hodgerank.server.texts import ENGLISH, Texts

FOR_READERS = re.compile(rb"^[ \t]+|^[ \t]*(//.*|/\*.*\*/)\n", re.MULTILINE)
MEDIA_ORIGINS = "hodgerank.media_origins"  # in the scope of a request
STYLESHEETS = (("hodgerank.reporting", "page.css"), ("hodgerank.server.static", "server.css"))
"""One look for reports and pages."""


def render(
    request: Request,
    template: str,
    *,
    language: str = ENGLISH,
    origins: Iterable[str] = (),
    status_code: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> HTMLResponse:
    """Render a page. Values are escaped; `url` returns an address of this server, `say` a text.

    `origins` are other servers whose media it may load.
    """
    request.scope[MEDIA_ORIGINS] = tuple(origins)
    texts = Texts(language)
    page = _environment().get_template(template)
    html = page.render(
        **values,
        request=request,
        language=language,
        say=texts.say,
        texts=texts,
        version=__version__,
        url=lambda *parts: url(request, *parts),
        static=lambda name: url(request, "static", name) + f"?{static_version(name)}",
    )
    return HTMLResponse(html, status_code, headers)


def url(request: Request, *parts: str) -> str:
    """Return an address of this server, with its path prefix; parts may be any names.

    `url(request, "c", "my campaign")` is '/c/my%20campaign'.
    """
    path = "/".join(quote(part, safe="") for part in parts)
    return f"{request.scope.get('root_path', '')}/{path}"


@cache
def static_file(name: str) -> bytes | None:
    """Return a static file by name; None if there is none."""
    if name == "style.css":
        parts = ((files(package) / file).read_bytes() for package, file in STYLESHEETS)
        return _condensed(b"\n".join(parts))
    if name == "charts.css":
        return colour_rules().encode()
    folder = files("hodgerank.server.static")
    known = {file.name for file in folder.iterdir() if file.name.endswith((".js", ".svg", ".css"))}
    return _condensed((folder / name).read_bytes()) if name in known else None


def _condensed(source: bytes) -> bytes:
    """Remove comment lines and indentation."""
    return FOR_READERS.sub(b"", source)


@cache
def static_version(name: str) -> str:
    """Return a version that changes with the file, so that browsers may cache it."""
    return hashlib.sha256(static_file(name) or b"").hexdigest()[:12]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hodgerank.server"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["when"] = _when
    environment.filters["sentence"] = sentence
    return environment


def sentence(words: str) -> str:
    """Return a message as a sentence, with a capital letter and a full stop.

    >>> sentence("there is no campaign nope"), sentence("Why?")
    ('There is no campaign nope.', 'Why?')
    """
    words = words.strip()
    return words[:1].upper() + words[1:] + "." * (not words.endswith((".", "!", "?", "…")))


def _when(at: float) -> str:
    """Return a time as HTML, which scripts convert to the reader's time zone."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
