"""From answers to edges."""
