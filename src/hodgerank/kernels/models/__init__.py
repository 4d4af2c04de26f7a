"""Comparison models, Huber's loss, bounds of ranks."""
