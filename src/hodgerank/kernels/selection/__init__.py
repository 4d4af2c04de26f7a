"""Selection of the best pair by a criterion."""
