"""The commands `hodgerank campaign ...`."""
