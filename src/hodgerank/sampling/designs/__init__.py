"""Criteria of samplers: a design learns votes and finds the best pair."""
