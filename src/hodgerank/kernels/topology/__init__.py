"""Triangles, loops and the flow around them."""
