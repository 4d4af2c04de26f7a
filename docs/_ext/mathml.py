"""Render formulas as MathML, which browsers support without scripts or other downloads."""

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def _inline(self, node):
    self.body.append(convert(node.astext(), display="inline"))
    raise SkipNode  # the text of the node is rendered already


def _block(self, node):
    self.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise SkipNode


def setup(app):
    """Register the renderer `mathml` for `html_math_renderer`."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
