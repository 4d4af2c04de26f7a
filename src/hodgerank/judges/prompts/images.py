"""Images in messages: sent as data URLs, logged by their hash."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hodgerank.data.items.samples import image_kind
from hodgerank.errors import InvalidArgument


@dataclass(frozen=True)
class Image:
    """Return an image as a data URL."""

    url: str

    @classmethod
    def read(cls, path: Path) -> Image:
        """Read an image, with its kind by its bytes."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InvalidArgument(f"the image {path} can no longer be read: {error}") from None
        kind = image_kind(content)
        if kind is None:
            raise InvalidArgument(f"{path} is no longer an image: put it back")
        return cls(f"data:image/{kind};base64,{base64.b64encode(content).decode()}")


def content_of(shown: Sequence[str | Image]) -> str | list[dict[str, Any]]:
    """Return the content of a message: a text, or parts if there are images."""
    parts: list[dict[str, Any]] = []
    text = ""
    for piece in (*shown, None):
        if isinstance(piece, str):
            text += piece
            continue
        if text.strip():  # some servers refuse parts of nothing but spaces
            parts.append({"type": "text", "text": text})
        if piece is None:
            break
        text = ""
        parts.append({"type": "image_url", "image_url": {"url": piece.url}})
    return parts if any(isinstance(piece, Image) for piece in shown) else text


def logged(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages with the SHA-256 of each image instead of its data.

    >>> logged([{"role": "user", "content": "Which?"}])
    [{'role': 'user', 'content': 'Which?'}]
    """
    return [
        {
            **message,
            "content": message["content"]
            if isinstance(message["content"], str)
            else [_logged_part(part) for part in message["content"]],
        }
        for message in messages
    ]


def _logged_part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") != "image_url":
        return dict(part)
    _, found, data = part["image_url"]["url"].partition(";base64,")
    if not found:
        return dict(part)
    digest = hashlib.sha256(base64.b64decode(data)).hexdigest()
    return {**part, "image_url": {**part["image_url"], "url": f"sha256:{digest}"}}
