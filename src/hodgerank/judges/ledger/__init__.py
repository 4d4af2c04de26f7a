"""What calls took, and the log that keeps every one of them."""
