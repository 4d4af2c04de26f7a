"""Render the charts of cells as SVG at build time: pages load no scripts from other sites."""

import os
from pathlib import Path

START = 'import altair\n\naltair.renderers.enable("svg")\n'


def setup(app):
    """Give the kernels that run the cells a profile that renders SVG."""
    profile = Path(app.doctreedir, "ipython")
    script = profile / "profile_default" / "startup" / "pictures.py"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(START, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(profile)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
