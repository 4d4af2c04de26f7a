"""Gaussian posteriors, answer by answer."""
