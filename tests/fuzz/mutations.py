"""Files as accidents leave them."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

SPLINTERS = (
    b"\x00", b"\x00" * 50, b"\xef\xbb\xbf", b"\xff\xfe", b"\xff", b"\x80\x80", b'"', b'""', b"\r",
    b"\n\n\n", b",", b",,,,,,,,", b"\t", b";", b"\\", b"\x1b[2J", b"\xe2\x80\xae", b"{", b"}", b"]",
    b"[" * 3000, b'{"a":' * 3000, b"9" * 400, b"-1e400", b"1e-400", b"NaN", b"null", b"true",
    b"0x1p3", b"x" * 200_000, b"PAR1", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xed\xa0\x80", b"\xc0\x80",
    b"\\ud800", b"'", b"left,right,outcome\n",
)  # fmt: skip


def mutate(rng: Random, content: bytes) -> bytes:
    """One to three accidents."""
    for _ in range(rng.randint(1, 3)):
        content = rng.choice(ACCIDENTS)(rng, content)
    return content


def _flip_bits(rng: Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 3, 20)) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut_off(rng: Random, content: bytes) -> bytes:
    return content[: rng.randint(0, len(content))]


def _insert(rng: Random, content: bytes) -> bytes:
    place = rng.randint(0, len(content))
    return content[:place] + rng.choice(SPLINTERS) + content[place:]


def _replace_a_word(rng: Random, content: bytes) -> bytes:
    words = list(re.finditer(rb"[\w.+-]+", content))
    if not words:
        return content
    word = rng.choice(words)
    return content[: word.start()] + rng.choice(SPLINTERS) + content[word.end() :]


def _swap_lines(rng: Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _repeat_a_line(rng: Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    lines.insert(rng.randint(0, len(lines)), lines[0])
    return b"\n".join(lines)


def _drop_a_column(rng: Random, content: bytes) -> bytes:
    separator = rng.choice((b",", b";", b"\t"))
    lines = [line.split(separator) for line in content.split(b"\n")]
    place = rng.randrange(max(1, len(lines[0])))
    return b"\n".join(separator.join(line[:place] + line[place + 1 :]) for line in lines)


def _lose_the_header(rng: Random, content: bytes) -> bytes:
    return content.partition(b"\n")[2]


def _change_line_ends(rng: Random, content: bytes) -> bytes:
    return content.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\r", b"\n\n", b"\x0b", b"\x85")))


def _take_random_bytes(rng: Random, content: bytes) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 2, 100, 5000)))


ACCIDENTS: tuple[Callable[[Random, bytes], bytes], ...] = (
    _flip_bits, _flip_bits, _cut_off, _insert, _insert, _insert, _replace_a_word, _replace_a_word,
    _swap_lines, _repeat_a_line, _drop_a_column, _lose_the_header, _change_line_ends,
    _take_random_bytes,
)  # fmt: skip
