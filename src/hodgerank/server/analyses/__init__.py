"""Analyses of a campaign that run in a process of their own; their results can be pickled."""
