"""One picture twelve times: as it was drawn, blurred, noisy, and compressed."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageFilter

from hodgerank.server.demo.landscape import landscape

_BEST_QUALITY = 95  # of a JPEG in which nothing is to be seen of it


def pictures() -> dict[str, bytes]:
    """The same twelve each time, by name."""
    drawn = landscape()
    return {kind.name: kind.make(drawn) for kind in KINDS}


def _jpeg(picture: Image.Image, quality: int = _BEST_QUALITY) -> bytes:
    written = BytesIO()
    picture.save(written, "JPEG", quality=quality, subsampling=0)
    return written.getvalue()


def _blurred(radius: float) -> Callable[[Image.Image], bytes]:
    return lambda picture: _jpeg(picture.filter(ImageFilter.GaussianBlur(radius)))


def _noisy(spread: float) -> Callable[[Image.Image], bytes]:
    def make(picture: Image.Image) -> bytes:
        pixels = np.asarray(picture)
        noise = np.random.default_rng(1).normal(0, spread, pixels.shape)
        return _jpeg(Image.fromarray(np.clip(pixels + noise, 0, 255).astype(np.uint8)))

    return make


def _compressed(quality: int) -> Callable[[Image.Image], bytes]:
    return lambda picture: _jpeg(picture, quality)


class Kind(NamedTuple):
    """What is done to the picture, and how good simulated workers find that, in logits."""

    name: str
    score: float
    make: Callable[[Image.Image], bytes]


KINDS = [
    Kind("original", 3.0, _jpeg),
    Kind("compressed, a little", 2.4, _compressed(40)),
    Kind("noise, a little", 1.9, _noisy(7)),
    Kind("blurred, a little", 1.5, _blurred(0.7)),
    Kind("compressed", 0.9, _compressed(18)),
    Kind("noise", 0.4, _noisy(18)),
    Kind("blurred", -0.1, _blurred(1.4)),
    Kind("compressed, much", -0.7, _compressed(9)),
    Kind("noise, much", -1.1, _noisy(38)),
    Kind("blurred, much", -1.8, _blurred(2.6)),
    Kind("compressed to pieces", -2.5, _compressed(3)),
    Kind("blurred beyond recognition", -3.2, _blurred(6)),
]
