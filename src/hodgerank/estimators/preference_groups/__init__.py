"""Preference groups: whether workers share one taste, and who belongs to which group."""
