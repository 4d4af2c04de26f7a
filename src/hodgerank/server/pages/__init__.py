"""What people see, page by page."""
