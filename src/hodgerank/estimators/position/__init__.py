"""Sides: what the place on the screen adds to an answer, for everybody or for each worker."""
