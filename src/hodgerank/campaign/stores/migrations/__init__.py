"""Bring the tables of a database to the revision of `schema`."""
