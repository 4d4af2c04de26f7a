"""Sample and ShownPair: what is shown of one item, and of two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hodgerank.display import short, visible
from hodgerank.errors import InvalidArgument

LARGEST_IMAGE = 20 << 20  # bytes; a request carries two of them, each a third longer in base64
_MARKS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}


@dataclass(frozen=True)
class Sample:
    """The text, image, or both that an item shows in one context.

    >>> Sample("A cat sat on a mat.", context="Write a sentence.").context
    'Write a sentence.'
    """

    text: str | None = None
    image: Path | None = None
    context: str | None = None

    def __post_init__(self) -> None:
        if self.text is None and self.image is None:
            raise InvalidArgument("there is neither a text nor an image: one of them is needed")
        for what, value in (("text", self.text), ("context", self.context)):
            if value is not None:
                require_text(value, what)
        if self.image is not None:
            require_image(self.image)


@dataclass(frozen=True)
class ShownPair:
    """Two samples side by side.

    Attributes
    ----------
    context
        Context of both; None if they differ, and each is shown with its own, if any.
    key
        Name of the context in logs; "" if every item has one sample.
    columns
        Values of further columns of the items, such as the reference of the context; None if empty.
    """

    left: Sample
    right: Sample
    context: str | None = None
    key: str = ""
    columns: Mapping[str, str | None] = field(default_factory=dict, hash=False)


def require_text(value: object, what: str) -> str:
    """Return `value` if it is a non-empty text that can be sent."""
    if not isinstance(value, str):
        raise InvalidArgument(f"the {what} is a {type(value).__name__}: give it as a string")
    if not value.strip():
        raise InvalidArgument(f"the {what} is empty: fill it in, or leave it out")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument(
            f"the {what} has an invalid character at position {error.start + 1:,} "
            f"({short(value[error.start])}): correct it"
        ) from None
    return value


def require_image(path: Path) -> None:
    """Refuse files that are not images, by their first bytes."""
    name = visible(str(path))
    try:
        is_file, is_there = path.is_file(), path.exists()
        if is_file:
            with path.open("rb") as file:
                start, size = file.read(16), path.stat().st_size
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"the image {name} cannot be read: {error}") from None
    if not is_file:
        there = "is not a file" if is_there else "does not exist"
        raise InvalidArgument(f"the image {name} {there}: give its path")
    if image_kind(start) is None:
        raise InvalidArgument(
            f"{name} is not an image that models can read: convert it to PNG, JPEG, GIF or WebP"
        )
    if size > LARGEST_IMAGE:
        raise InvalidArgument(
            f"the image {name} has {size / 2**20:.0f} MB, more than {LARGEST_IMAGE >> 20} MB: "
            "make it smaller"
        )


def image_kind(content: bytes) -> str | None:
    """Return the media subtype of an image by its first bytes; None for other files.

    >>> image_kind(b"GIF89a..."), image_kind(b"<html>")
    ('gif', None)
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return next((kind for mark, kind in _MARKS.items() if content.startswith(mark)), None)
