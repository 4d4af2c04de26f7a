"""What programs use: JSON over HTTP."""
