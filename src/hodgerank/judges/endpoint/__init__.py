"""Calls to a model: one chat completion, with tries, limits and keys."""
