"""Votes: reading, holding and simulating them.

`sources` opens files, dataframes and rows as tables; `reading` finds out what a table means and
decodes it into `Comparisons`, the validated, immutable type that everything else takes.
"""
