"""How Sphinx builds the site: `make docs`."""

import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import hodgerank

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "hodgerank"
author = "The hodgerank developers"
copyright = author
version = release = hodgerank.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "citations",
    "docstrings",
    "mathml",
    "pictures",
]
exclude_patterns = ["_build", "_ext", "_static"]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# Every build runs the cells again, in a temporary folder; a cell that fails makes the build fail.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

lexers["csv"] = TextLexer()  # Pygments has none

nitpicky = True
# Types of Python and of other packages are documented elsewhere, those of inner modules nowhere.
nitpick_ignore_regex = [
    ("py:.*", r"(?!hodgerank\.).*"),
    ("py:.*", r"hodgerank\.(?!errors|metrics|plotting)\w+\..*"),
]

html_theme = "furo"
html_title = f"hodgerank {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5fa8", "color-brand-content": "#1f5fa8"},
    "dark_css_variables": {"color-brand-primary": "#7db4f0", "color-brand-content": "#7db4f0"},
}
