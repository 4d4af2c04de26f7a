"""The experiments: one module for each figure or table."""
