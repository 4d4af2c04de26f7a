"""Which pair is best by a criterion."""
