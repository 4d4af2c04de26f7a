"""Prompts for judges: templates, and how they are filled in."""
