"""Translate our docstrings: plain text, `code` in single backticks, trees in box characters."""

import re

SPAN = re.compile(
    r"(?P<kept>:\w+:`[^`]+`|``[^`]+``|\*\w[^*`]*\*)"  # roles, code and emphasis
    r"|`(?P<code>[^`]+)`"
    r"|(?P<plain>[|*])"
)
BRANCHES = ("├", "└", "│")


def _translated(found):
    if found["kept"]:
        return found["kept"]
    return f"``{found['code']}``" if found["code"] else "\\" + found["plain"]


def _translate(app, what, name, obj, options, lines):
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            lines[number] = SPAN.sub(_translated, line)


def _keep_trees(app, what, name, obj, options, lines):
    for number in reversed(range(len(lines) - 1)):
        if lines[number + 1].startswith(BRANCHES) and not lines[number].startswith(BRANCHES):
            tree = [line if line.startswith(BRANCHES) else "" for line in lines[number + 1 :]]
            end = number + 1 + (tree.index("") if "" in tree else len(tree))
            lines[number:end] = ["::", "", *(f"    {line}" for line in lines[number:end])]


def setup(app):
    """Translate docstrings before other extensions read them as reStructuredText."""
    app.connect("autodoc-process-docstring", _translate, priority=100)
    app.connect("autodoc-process-docstring", _keep_trees)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
