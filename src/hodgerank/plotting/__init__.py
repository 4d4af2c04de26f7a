"""Charts: Altair, from the extra `plot`."""
