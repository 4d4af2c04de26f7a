"""Names of items and workers, as nobody should choose them."""

from __future__ import annotations

from random import Random

TAME = ("tea", "coffee", "milk", "cola", "water", "juice", "mate", "cocoa", "wine", "beer", "rum")
HOSTILE = (
    "</script><img src=x onerror=alert(1)>", "[/red]", "[bold red]x", ":cat:", "&amp;", "<b>",
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "a\x00b", "bell\x07", "back\x08space",
    "\u202eevil", "\u2066isolated\u2069", "\u2028line", "\u200bzero width", "\ufeffmark",
    "👩‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "é", "e\u0301", "ÅÄÖ", "日本語", "عربي", "İ", "ß", "\U0010ffff",
    "x" * 10_000, "long " * 60, 'say "hi"', '"', "it's", "a,b", "a;b", "a|b", "a\tb",
    "two\nlines", "cr\rname", "crlf\r\nname", "007", "7", "42", "1e5", "0x10", "3.0", "1,5",
    "9223372036854775808", "Tea", "TEA", "=1+1", "@sum", "{}", "[]", "\\", "\\n", "%s", "{0}",
    "../../etc/passwd", "--json", "-5", "#comment", "Na", "$HOME", "`id`", "*", "^.*$", "^x$",
    "a*.csv",
)  # fmt: skip
# Names that are also answers: what a file with them means is anybody's guess.
WORDS = (
    "left", "right", "tie", "draw", "a", "b", "A", "1", "2", "0", "-1", "true", "False", "skip",
    "none", "neither", "both", "winner", "first", "second", "model_a", "yes", "no", "home", "H",
)  # fmt: skip
MISSING = ("NA", "N/A", "n/a", "nan", "NaN", "null", "NULL", "-", "?", "#N/A", "<NA>")
BLANK = ("", " ", "   ", "\u00a0", "\u3000")


def draw_names(rng: Random, most: int) -> list[str]:
    """Distinct names: tame ones, numbers, hostile ones, or some that are answers too."""
    size = rng.randint(2, most)
    kind = rng.choices(("tame", "numbers", "hostile", "words"), (30, 10, 50, 10))[0]
    if kind == "numbers":
        return [str(place) for place in range(100, 100 + size)]
    pool = list(TAME)
    if kind != "tame":
        pool += HOSTILE * 2
    if kind == "words":
        pool += WORDS * 3
    return list(dict.fromkeys(rng.choice(pool) for _ in range(2 * size)))[:size] + (
        ["one more", "another"] if size < 4 else []
    )


def padded(rng: Random, name: str) -> str:
    """The name as a careless person types it."""
    return f" {name}  " if rng.random() < 0.03 else name


def is_whole_number(name: str) -> bool:
    """Whether a name would be taken for an integer."""
    return name.removeprefix("-").isascii() and name.removeprefix("-").isdecimal()
