"""What is compared: items, what is shown of them, and where they come from."""
