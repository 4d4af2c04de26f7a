"""Laplacians and their solvers."""
