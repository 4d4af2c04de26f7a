"""Benchmarks beside peers, in the same run; sizes are in the names."""
