"""Texts use the standard words of the field, one word for one thing.

The tests search what people read: catalogues, templates, string literals and docstrings of the
library, the claims on the paper, README, the documentation, and the newest section of the
changelog. Prompts for language models are left out: changing a word there changes measurements.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "hodgerank"


class Rule(NamedTuple):
    """An expression that is not used, what to write instead, and why.

    A pattern begins at the start of a word; its spaces match any white space. Where only some texts
    are meant, `only` matches their paths.
    """

    pattern: str
    instead: str
    why: str
    only: str = ""


PARAPHRASE = "a paraphrase of a standard term has to be translated back"
TWO_WORDS = "one word for one thing"
OLD = "archaic or vague: leave it out, or name the condition"
FORM = "numbers have one form"

RULES = (
    # statistics
    Rule(r"lean(s|ed|ing)?\b|leant\b", "position bias", PARAPHRASE),
    Rule(r"pull of (the|a) (left |right )?sides?\b|sides add\b", "position bias", PARAPHRASE),
    Rule(r"what noise\b|noise alone\b|beside what\b", "expected by chance", PARAPHRASE),
    Rule(r"to be expected\b|to expect of\b", "expected", PARAPHRASE),
    Rule(r"surely\b|is sure\b|beyond doubt\b", "significant", PARAPHRASE),
    Rule(r"coin[- ]toss(es|ers?)?\b|as coins\b", "random votes, by chance", PARAPHRASE),
    Rule(r"worth a word\b", "notable, significant", PARAPHRASE),
    Rule(
        r"told apart\b|tells? (the )?(items|pairs|two|neighbours) apart\b|tell apart\b",
        "distinguishable, statistically tied",
        PARAPHRASE,
    ),
    Rule(r"stray(s|ed|ing)?\b", "residual, outlier", PARAPHRASE),
    Rule(r"hang(s|ing)? together\b", "correlated, clustered", PARAPHRASE),
    Rule(r"hang(s|ing)? on\b", "depends on", PARAPHRASE),
    Rule(
        r"forese(e|es|en|eing)\b|foret(ell|ells|old)\b|futures\b",
        "forecast, predict, simulated continuations",
        PARAPHRASE,
    ),
    Rule(r"(speaks?|spoke) for\b", "evidence for, favours", PARAPHRASE),
    Rule(r"believed\b", "prior, posterior, estimated", PARAPHRASE),
    Rule(r"in the light of (earlier|other)\b", "adaptively", PARAPHRASE),
    Rule(r"(is|are) (hardly )?news\b", "effective number of votes", PARAPHRASE),
    Rule(
        r"(triangles?|loops?) that (does|do) not add up\b",
        "triangular inconsistency (curl), harmonic inconsistency",
        PARAPHRASE,
    ),
    Rule(r"open loops?\b|loops? (is|are) open\b", "unfilled loops", PARAPHRASE),
    Rule(
        r"never joined\b|joined by (comparisons|answers|votes)\b|join all items\b",
        "connected, disconnected groups",
        PARAPHRASE,
    ),
    # one word for one thing
    Rule(r"habits?\b", "note", TWO_WORDS),
    Rule(r"(has|have) a fault\b|at fault\b", "warning", TWO_WORDS),
    Rule(r"rules? of attention\b", "attention check", TWO_WORDS),
    Rule(r"pairs? (that (are|is|were) |which are )?out\b", "pending, in progress", TWO_WORDS),
    Rule(r"dealt\b(?! with)|(drawn )?by lot\b", "assigned, random", TWO_WORDS),
    Rule(r"those who are to compare\b", "workers", TWO_WORDS),
    Rule(
        r"answers?\b",
        "votes: answers are what workers give to tasks of a campaign",
        TWO_WORDS,
        only=r"src/hodgerank/(estimators|graph|kernels|reproduce|plotting|metrics|types)",
    ),
    # plain English
    Rule(r"anew\b", "again", OLD),
    Rule(r"whatever\b|wherever\b|moreover\b", "any, if, or nothing", OLD),
    Rule(r"to be had\b", "available", OLD),
    Rule(r"go(es)? on where\b", "resumes", OLD),
    Rule(r"way round\b", "in both orders, reversed", OLD),
    Rule(r"st(ands?|ood) left\b|stood right\b", "is shown left", OLD),
    # numbers
    Rule(r"p [=<>] 0\.\d", "p = .03", FORM),
    Rule(r"\d[\d.,]* %(?![\w(}])", "95%", FORM),
)

# Texts that need a word all the same: path, expression, reason.
EXCEPTIONS = {
    ("src/hodgerank/graph/edge_file.py", "answers"): "a column of files that exist already",
}

# First lines of docstrings that are not understood without the name of the function.
HEADLESS = r"(What|Who|Whose|Of|By|That|Likewise|The same|Those|As if|Its)\b"


class Text(NamedTuple):
    path: Path
    line: int
    words: str
    is_docstring: bool = False

    @property
    def where(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    def line_of(self, match: re.Match[str]) -> int:
        return self.line + self.words.count("\n", 0, match.start())


def test_texts_use_the_words_of_the_field():
    found = [
        f"{text.where}:{text.line_of(match)}: {match[0]!r}: write {rule.instead} ({rule.why})"
        for text in texts()
        for rule, match in occurrences(text)
        if (text.where, match[0]) not in EXCEPTIONS
    ]
    if found:
        pytest.fail(f"{len(found)} expressions:\n" + "\n".join(found), pytrace=False)


def test_first_lines_of_docstrings_stand_alone():
    found = [
        f"{text.where}:{text.line}: {text.words.strip().splitlines()[0]!r}: begin with verb or noun"
        for text in texts()
        if text.is_docstring and re.match(HEADLESS, text.words.strip())
    ]
    if found:
        pytest.fail(f"{len(found)} docstrings:\n" + "\n".join(found), pytrace=False)


@pytest.mark.parametrize(
    ("words", "is_found"),
    [
        ("workers\n    lean to a side", True),
        ("a clean page, a boolean", False),
        ("95 % of them", True),
        ("95% of 100%", False),
        ("items that can be told\n apart", True),
        ("the default", False),
        ("p = 0.03", True),
        ("p = .03", False),
    ],
)
def test_expressions_are_found_as_words_and_across_lines(words, is_found):
    assert bool(list(occurrences(Text(ROOT / "README.md", 1, words)))) is is_found


def test_exceptions_are_needed():
    paths = {path for path, _ in EXCEPTIONS}
    excused = [text for text in texts() if text.where in paths]
    used = {(text.where, match[0]) for text in excused for _, match in occurrences(text)}
    assert EXCEPTIONS.keys() <= used


def occurrences(text: Text) -> Iterator[tuple[Rule, re.Match[str]]]:
    if is_suspect(text):
        for rule in rules_for(text.where):
            for match in compiled(rule.pattern).finditer(text.words.lower()):
                yield rule, match


def is_suspect(text: Text) -> bool:
    """Whether any rule finds something, in one pass: most texts are clean."""
    together = "|".join(rule.pattern for rule in rules_for(text.where))
    return compiled(together).search(text.words.lower()) is not None


def rules_for(where: str) -> list[Rule]:
    return [rule for rule in RULES if not rule.only or re.match(rule.only, where)]


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern for lower-case texts, which is faster than ignoring case."""
    return re.compile(rf"\b(?:{pattern})".replace(" ", r"\s+"))


@cache
def texts() -> tuple[Text, ...]:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
    files = [
        *sorted(SOURCE.glob("*/texts/**/*.toml")),
        *sorted(SOURCE.glob("server/templates/**/*.html")),
        *sorted(SOURCE.glob("reproduce/published/*.json")),
    ]
    return (
        *(text for path in sorted(SOURCE.rglob("*.py")) for text in literals(path)),
        *(
            Text(path, 1, path.read_text(encoding="utf-8"))
            for path in files
            if path.parent.name != "de"
        ),
        *(text for path in pages if "_build" not in path.parts for text in prose(path)),
        newest_changes(ROOT / "CHANGELOG.md"),
    )


def literals(path: Path) -> Iterator[Text]:
    """String literals; a value in an f-string is read as 0."""
    source = Text(path, 1, path.read_text(encoding="utf-8"))
    whole = source._replace(words=re.sub(r"""["']\s*\n\s*[fr]*["']""", "", source.words))
    if not is_suspect(whole) and not re.search(rf'"""{HEADLESS}', source.words):
        return  # most files: parsing them would take most of the time
    inner: set[int] = set()
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source.words)):
        if isinstance(node, ast.JoinedStr):
            inner.update(id(part) for part in node.values)
            parts = [p.value if isinstance(p, ast.Constant) else "0" for p in node.values]
            yield Text(path, node.lineno, "".join(parts))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                docstrings.add(id(first.value))
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner
        ):
            yield Text(path, node.lineno, node.value, id(node) in docstrings)


def prose(path: Path) -> Iterator[Text]:
    """A page without its code, whose names and outputs are those of the library."""
    lines = path.read_text(encoding="utf-8").splitlines()
    fence = ""
    for k, line in enumerate(lines):
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence, lines[k] = ("" if fence else mark[1]), ""
        elif fence:
            lines[k] = ""
    yield Text(path, 1, without_code("\n".join(lines)))


def without_code(page: str) -> str:
    return re.sub(r"`[^`\n]+`", "`0`", page)


def newest_changes(path: Path) -> Text:
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [k for k, line in enumerate(lines) if line.startswith("## ")]
    end = starts[1] if len(starts) > 1 else len(lines)
    return Text(path, starts[0] + 1, without_code("\n".join(lines[starts[0] : end])))
