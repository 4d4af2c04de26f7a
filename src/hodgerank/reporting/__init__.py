"""A report of votes that can be forwarded: the answer first, then everything it rests on.

`findings` computes, `verdict` decides what may be said about the order, `summary`, `first_page` and
`*_sections` put it into words, tables and charts, `html` and `markdown` write it. All texts are in
`texts/`, one file per language.
"""
