from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import hodgerank.server

SOURCES = files(hodgerank.server)
KEY = re.compile(r"""["'](owner\.[a-z_0-9.]*)["']""")


def texts(folder, endings):
    for part in folder.iterdir():
        if part.is_dir():
            yield from texts(part, endings)
        elif part.name.endswith(endings):
            yield part.read_text(encoding="utf-8")


def flat(table, prefix):
    for name, value in table.items():
        if isinstance(value, dict) and set(value) != {"one", "other"}:
            yield from flat(value, f"{prefix}.{name}")
        else:
            yield f"{prefix}.{name}"


KNOWN = set(
    flat(
        tomllib.loads((SOURCES / "texts" / "en" / "owner.toml").read_text("utf-8"))["owner"],
        "owner",
    )
)
ASKED = {
    key
    for folder, ending in (("templates", ".html"), ("views", ".py"))
    for text in texts(SOURCES / folder, (ending,))
    for key in KEY.findall(text)
    if not key.endswith((".js", ".css"))
}


def test_every_sentence_that_a_page_asks_for_is_there():
    missing = [
        key for key in ASKED if key not in KNOWN and not any(one.startswith(key) for one in KNOWN)
    ]
    assert missing == []


def test_every_sentence_is_on_some_page():
    beginnings = tuple(key for key in ASKED if key.endswith(".")) + tuple(
        f"{key}." for key in ASKED if key not in KNOWN
    )
    assert [key for key in sorted(KNOWN - ASKED) if not key.startswith(beginnings)] == []
