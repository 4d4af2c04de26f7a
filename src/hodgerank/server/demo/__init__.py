"""The demo: generated pictures and simulated workers."""
