"""Votes: reading, holding and simulating them."""
