"""A report of votes that can be forwarded: the answer first, then everything behind it.

`findings` computes, `*_sections` put it into words and charts, `html` and `markdown` write it down.
All texts stand in `texts/`, one file per language.
"""
