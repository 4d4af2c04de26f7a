"""One picture twelve times: as it was drawn, blurred, noisy, and compressed."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from hodgerank.types import FloatArray

WIDTH, HEIGHT = 720, 480
_FINER = 2  # it is drawn larger, so that edges are smooth
_SHORE = 0.66  # of the height: where the lake begins
_SKY = (
    # how far down, colour
    (0.0, (24, 34, 84)),
    (0.22, (92, 74, 138)),
    (0.38, (222, 122, 118)),
    (0.55, (255, 204, 134)),
)
_RIDGES = (
    # how high above the shore, how rough, colour
    (0.10, 0.16, (150, 96, 128)),
    (0.06, 0.11, (100, 66, 108)),
    (0.02, 0.07, (56, 42, 82)),
)
_PINES = (
    # where, how tall
    *((0.06, 0.72), (0.14, 0.52), (0.01, 0.45), (0.21, 0.33)),
    *((0.93, 0.60), (0.99, 0.80), (0.86, 0.36)),
)
_PINE, _GRASS = (14, 18, 34), (20, 26, 40)


def landscape() -> Image.Image:
    """Draw the landscape; every call returns the same picture."""
    rng = np.random.default_rng(20)
    width, height = WIDTH * _FINER, HEIGHT * _FINER
    shore = int(_SHORE * height)
    picture = Image.fromarray(_sky(width, height))
    draw = ImageDraw.Draw(picture)
    _stars(draw, rng, width, height)
    picture = _with_sun(picture, width * 0.60, height * 0.40, height * 0.06)
    draw = ImageDraw.Draw(picture)
    for rise, roughness, colour in _RIDGES:
        ridge = shore - height * (rise + roughness * _ridge(rng, width))
        draw.polygon([(0, shore), *enumerate(ridge), (width, shore)], fill=colour)
    _pines(draw, rng, width, shore, n=90, tall=0.055 * height, colour=(30, 30, 58))
    picture = _with_lake(picture, shore, rng)
    draw = ImageDraw.Draw(picture)
    _bank(draw, rng, width, height)
    _birds(draw, rng, width, height)
    return picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def _sky(width: int, height: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    y = np.linspace(0, 1, height)
    at = [place for place, _ in _SKY]
    bands = [np.interp(y, at, [colour[part] for _, colour in _SKY]) for part in range(3)]
    return np.repeat(np.stack(bands, 1)[:, None, :], width, 1).round().astype(np.uint8)


def _ridge(rng: np.random.Generator, width: int) -> FloatArray:
    """A rough line between 0 and 1: waves, each half as long and about half as high."""
    x, line = np.arange(width) / width, np.zeros(width, np.float64)
    for octave in range(9):
        waves = rng.normal(size=int(4 * 2**octave) + 2)
        line += np.interp(x * (len(waves) - 1), np.arange(len(waves)), waves) * 0.52**octave
    above: FloatArray = line - line.min()
    above /= above.max()
    return above


def _stars(draw: ImageDraw.ImageDraw, rng: np.random.Generator, width: int, height: int) -> None:
    for _ in range(160):
        x, y = rng.uniform(0, width), rng.uniform(0, 0.32 * height) * rng.uniform(0.2, 1)
        size, light = rng.uniform(0.6, 1.7), int(rng.uniform(150, 255))
        draw.ellipse((x - size, y - size, x + size, y + size), fill=(light, light, 255))


def _with_sun(picture: Image.Image, x: float, y: float, radius: float) -> Image.Image:
    down, across = np.mgrid[0 : picture.height, 0 : picture.width]
    distance = np.hypot(across - x, down - y) / radius
    glow = 0.75 * np.exp(-distance / 3.0)[..., None]
    light = np.asarray(picture) * (1 - glow) + np.array([255, 214, 150]) * glow
    disc = np.clip((1 - distance) * radius, 0, 1)[..., None]
    light = light * (1 - disc) + np.array([255, 244, 214]) * disc
    return Image.fromarray(light.round().astype(np.uint8))


def _with_lake(picture: Image.Image, shore: int, rng: np.random.Generator) -> Image.Image:
    """Mirror the picture below the shore, with ripples that grow towards the viewer."""
    pixels = np.asarray(picture).astype(float)
    height, width, _ = pixels.shape
    depth = np.arange(height - shore)
    near = depth / len(depth)
    mirrored = pixels[np.clip(shore - 1 - (depth * 1.25).astype(int), 0, shore - 1)]
    phase = rng.uniform(0, 2 * np.pi, len(depth))
    drift = np.round(np.sin(phase) * (1 + 16 * near)).astype(int)
    lake = np.stack([np.roll(row, by, 0) for row, by in zip(mirrored, drift, strict=True)])
    lake = lake * (0.95 - 0.33 * near)[:, None, None] + np.array([6, 10, 30]) * 0.5
    glint = rng.random((len(depth), width)) < 0.004 * (1 - near)[:, None]
    lake[glint] = (255, 226, 186)
    pixels[shore:] = lake
    drawn = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    drawn.paste(
        drawn.crop((0, shore, width, height)).filter(ImageFilter.GaussianBlur(0.8)), (0, shore)
    )
    return drawn


def _pines(
    draw: ImageDraw.ImageDraw,
    rng: np.random.Generator,
    width: int,
    ground: float,
    *,
    n: int,
    tall: float,
    colour: tuple[int, int, int],
) -> None:
    for x in rng.uniform(0, width, n):
        _pine(draw, x, ground, tall * rng.uniform(0.5, 1.1), colour)


def _pine(
    draw: ImageDraw.ImageDraw, x: float, ground: float, tall: float, colour: tuple[int, int, int]
) -> None:
    n = max(5, int(tall / 22))
    for branch in range(n):
        top = ground - tall + branch * tall / n * 0.9
        half = tall * (0.04 + 0.17 * (branch + 1) / n)
        low = top + tall / n * 1.9
        draw.polygon([(x, top), (x - half, low), (x + half, low)], fill=colour)


def _bank(draw: ImageDraw.ImageDraw, rng: np.random.Generator, width: int, height: int) -> None:
    """The bank on our side: dark ground, grass, and pines at both ends."""
    edge = height * (0.93 + 0.03 * _ridge(rng, width))
    draw.polygon([(0, height), *enumerate(edge), (width, height)], fill=_GRASS)
    for x in rng.uniform(0, width, 1500):
        y, lean, tall = edge[int(x)] + 6, rng.normal(0, 5), rng.uniform(8, 30)
        draw.line([(x, y), (x + lean, y - tall)], fill=_GRASS, width=2)
    for x, tall in _PINES:
        _pine(draw, x * width, edge[min(width - 1, int(x * width))] + 45, tall * height, _PINE)


def _birds(draw: ImageDraw.ImageDraw, rng: np.random.Generator, width: int, height: int) -> None:
    for _ in range(9):
        x, y = rng.uniform(0.34, 0.60) * width, rng.uniform(0.16, 0.34) * height
        wing = rng.uniform(8, 17)
        draw.line(
            [(x - wing, y - wing * 0.45), (x, y), (x + wing, y - wing * 0.45)], fill=_PINE, width=3
        )


_BEST_QUALITY = 95  # of a JPEG in which nothing is to be seen of it


def pictures() -> dict[str, bytes]:
    """Return the twelve demo pictures by name; every call returns the same ones."""
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
    """A version of the picture, and its score for simulated workers in logits."""

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
