"""Assessment of workers: honesty, agreement with others, position bias, and flags."""
