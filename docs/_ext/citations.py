"""Link keys of papers, such as [Xu18], in pages and docstrings to their row in references.md."""

import re
from pathlib import Path

REFERENCES = Path(__file__).parents[1] / "references.md"
ROW = re.compile(r"^\| \[(\w+)\] \|", re.MULTILINE)
KEYS = frozenset(ROW.findall(REFERENCES.read_text(encoding="utf-8")))
CITATION = re.compile(r"(?<![`\[\\])\[(\w+)\](?![(\[:{])")
FENCE = re.compile(r"^( *)(`{3,}).*?^\1\2`*$", re.MULTILINE | re.DOTALL)


def _link_pages(app, docname, source):
    if docname == "references":
        source[0] = ROW.sub(lambda row: f"| [\\[{row[1]}\\]]{{#{row[1].lower()}}} |", source[0])
        return
    text, end = "", 0
    for fence in FENCE.finditer(source[0]):
        text += CITATION.sub(_markdown_link, source[0][end : fence.start()]) + fence[0]
        end = fence.end()
    source[0] = text + CITATION.sub(_markdown_link, source[0][end:])


def _markdown_link(citation):
    key = citation[1]
    return f"[\\[{key}\\]](#{key.lower()})" if key in KEYS else citation[0]


def _link_docstrings(app, what, name, obj, options, lines):
    lines[:] = [CITATION.sub(_role, line) for line in lines]


def _role(citation):
    key = citation[1]
    return f":any:`[{key}] <{key.lower()}>`" if key in KEYS else citation[0]


def setup(app):
    """Connect the functions that link the keys."""
    app.connect("source-read", _link_pages)
    app.connect("autodoc-process-docstring", _link_docstrings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
