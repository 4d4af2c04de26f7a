"""Metrics as Prometheus reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from hodgerank.server.metrics.counting import BOUNDS, Histogram

KIND = "text/plain; version=0.0.4; charset=utf-8"
Labels = Mapping[str, str]


class Page:
    """Lines of numbers, each family with what it means."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(
        self, name: str, kind: str, meaning: str, samples: Iterable[tuple[Labels, float]]
    ) -> None:
        """A family of numbers that go up (counter), or up and down (gauge)."""
        self._begin(name, kind, meaning)
        self._lines += [f"{name}{_labels(labels)} {value:.17g}" for labels, value in samples]

    def add_histograms(
        self, name: str, meaning: str, samples: Iterable[tuple[Labels, Histogram]]
    ) -> None:
        """A family of durations."""
        self._begin(name, "histogram", meaning)
        for labels, histogram in samples:
            self._lines += _histogram(name, labels, histogram)

    def text(self) -> str:
        """All of it."""
        return "\n".join(self._lines) + "\n"

    def _begin(self, name: str, kind: str, meaning: str) -> None:
        self._lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]


def _histogram(name: str, labels: Labels, histogram: Histogram) -> Iterator[str]:
    counts = list(histogram.counts)
    bounds = [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]
    for bound, n in zip(bounds, accumulate(counts), strict=True):
        yield f"{name}_bucket{_labels({**labels, 'le': bound})} {n}"
    yield f"{name}_sum{_labels(labels)} {histogram.sum:.17g}"
    yield f"{name}_count{_labels(labels)} {sum(counts)}"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    r"""Names are anybody's text.

    >>> _escaped('a"b')
    'a\\"b'
    """
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
