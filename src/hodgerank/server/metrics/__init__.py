"""What the server counts of itself, for those who watch over it."""
