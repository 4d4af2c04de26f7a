"""From a graph of comparisons to a ranking and its uncertainty."""
