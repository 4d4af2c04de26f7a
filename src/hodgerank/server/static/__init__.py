"""Scripts and styles of the pages."""
