"""Widen a drawing until its text fits in any common font.

Vega lays a chart out with the fonts of the machine that draws it. Where these are narrower than
those of the machine that shows it, text at the edges would be cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil
from xml.etree import ElementTree

from hodgerank.plotting.text_width import text_width

MARGIN = 2  # pixels between text and edge, at least
ABOVE, BELOW = 0.95, 0.3  # what letters take above and below their base line, of their size
SVG = "{http://www.w3.org/2000/svg}"
SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)" viewBox="0 0 \1 \2"')
GROUND = re.compile(r'<rect width="[\d.]+" height="[\d.]+"')
MOVED = re.compile(r"translate\(([-\d.e]+),([-\d.e]+)\)")

Box = tuple[float, float, float, float]


def with_room(svg: str) -> str:
    """Return the same drawing, larger where text in the widest common font would leave it."""
    size = SIZE.search(svg)
    if size is None:
        return svg
    width, height = float(size[1]), float(size[2])
    inside = (MARGIN, MARGIN, width - MARGIN, height - MARGIN)
    boxes = [inside, *_text_boxes(ElementTree.fromstring(svg), 0.0, 0.0)]
    left, top = (min(0, ceil(min(box[k] for box in boxes)) - MARGIN) for k in (0, 1))
    right, bottom = (ceil(max(box[k] for box in boxes)) + MARGIN for k in (2, 3))
    if (left, top, right, bottom) == (0, 0, width, height):
        return svg
    drawn = f'width="{right - left}" height="{bottom - top}"'
    svg = SIZE.sub(f'{drawn} viewBox="{left} {top} {right - left} {bottom - top}"', svg, count=1)
    return GROUND.sub(f'<rect x="{left}" y="{top}" {drawn}', svg, count=1)


def _text_boxes(element: ElementTree.Element, x: float, y: float) -> Iterator[Box]:
    """Left, top, right and bottom of every line of text in a drawing by Vega."""
    transform = element.get("transform", "")
    if moved := MOVED.match(transform):
        x, y = x + float(moved[1]), y + float(moved[2])
    if element.tag != f"{SVG}text":
        for child in element:
            yield from _text_boxes(child, x, y)
        return
    size = float(element.get("font-size", "0").removesuffix("px"))
    bold = element.get("font-weight", "normal") not in ("normal", "400")
    down = 0.0
    for line in (element, *element):
        down += float(line.get("dy", 0))
        if line.text:
            width = text_width(line.text, size, bold=bold)
            before = {"end": width, "middle": width / 2}.get(element.get("text-anchor", ""), 0.0)
            ends = (-before, down - ABOVE * size, width - before, down + BELOW * size)
            if "rotate(-90)" in transform:
                ends = (ends[1], -ends[2], ends[3], -ends[0])
            yield x + ends[0], y + ends[1], x + ends[2], y + ends[3]
