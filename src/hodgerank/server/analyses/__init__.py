"""Analyses of a campaign that run in a separate process; their results can be pickled."""
