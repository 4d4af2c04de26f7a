"""Posteriors of scores from all answers at once, with each pair's answers as a Gaussian site."""
