"""What is judged: items, what is shown of them, and where they come from."""
