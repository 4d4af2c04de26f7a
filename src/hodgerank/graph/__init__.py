"""The graph of comparisons and its shape."""
