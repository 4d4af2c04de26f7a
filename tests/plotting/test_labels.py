"""Labels beside dots."""

from __future__ import annotations

import numpy as np

from hodgerank.plotting.text_width import FONT_SIZE as FONT
from hodgerank.plotting.text_width import text_width
from hodgerank.plotting.workers import GAP, SIDES, place_labels

SIZE = (560, 380)


def box_of(dot, radius, label, side):
    width = text_width(label)
    x = dot[0] + SIDES[side].across * (radius + GAP + width / 2)
    y = dot[1] + SIDES[side].down * (radius + GAP + FONT / 2)
    return np.array([x - width / 2, y - FONT / 2, x + width / 2, y + FONT / 2])


def overlap(a, b):
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]


def test_labels_meet_neither_each_other_nor_dots_nor_the_edge():
    rng = np.random.default_rng(0)
    dots = rng.uniform(0, 1, (150, 2)) * SIZE
    radii = rng.uniform(2, 8, 150)
    labels = ["x" * int(n) for n in rng.integers(1, 24, 80)]
    sides = place_labels(dots, radii, labels, SIZE)
    placed = [
        (k, box_of(dots[k], radii[k], labels[k], side)) for k, side in enumerate(sides) if side
    ]
    assert 10 < len(placed) < len(labels)
    for k, box in placed:
        assert (box >= 0).all()
        assert box[2] <= SIZE[0]
        assert box[3] <= SIZE[1]
        assert not any(overlap(box, other) for m, other in placed if m != k)
        for dot, radius in zip(dots, radii, strict=True):
            assert not overlap(box, np.r_[dot - radius, dot + radius])


def test_the_first_label_has_the_first_choice():
    dots = np.array([[100.0, 100.0], [104.0, 100.0]])
    assert place_labels(dots, np.ones(2), ["long name", "long name"], SIZE)[0] != ""
    assert place_labels(dots[:1], np.ones(1), ["name"], SIZE) == ["right"]
    assert place_labels(np.array([[555.0, 100.0]]), np.ones(1), ["name"], SIZE) == ["left"]


def test_what_is_taken_is_kept_free():
    everything = [(0.0, 0.0, 560.0, 380.0)]
    assert place_labels(np.array([[9.0, 9.0]]), np.ones(1), ["a"], SIZE, everything) == [""]
